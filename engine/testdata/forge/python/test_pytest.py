import pytest
import solution


@pytest.mark.parametrize("a,b,want", [(1, 2, 3), (-5, 7, 2), ("x", "y", "xy")])
def test_add(a, b, want):
    assert solution.add(a, b) == want


@pytest.fixture
def text():
    return "a b"


class TestRest:
    def test_words(self, text):
        assert solution.words(text) == ["a", "b"]

    def test_mean(self):
        assert solution.mean([1, 2, 4]) == pytest.approx(7 / 3)


def test_error():
    with pytest.raises(TypeError):
        solution.add(1, None)
