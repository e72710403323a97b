METADATA = {}


def check(candidate):
    assert candidate(1, 2) == 3
    assert candidate(-5, 7) == 2
    assert abs(candidate(0.5, 0.25) - 0.75) < 1e-9
    assert True, "an easy one"
