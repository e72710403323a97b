assert add(1, 2) == 3
assert add(-5, 7) == 2, "negative"
assert words("a b") == ["a", "b"]
assert abs(mean([1, 2, 4]) - 7 / 3) < 1e-9
assert is_even(4) and not is_even(5)
assert "b" in words("a b c")
