import unittest
from solution import add, words, mean, is_even


class TestAll(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
        self.assertEqual(add(-5, 7), 2)

    def test_words(self):
        self.assertEqual(words("a b"), ["a", "b"])
        self.assertIn("b", words("a b"))

    def test_mean(self):
        self.assertAlmostEqual(mean([1, 2, 4]), 7 / 3)

    def test_even(self):
        self.assertTrue(is_even(4))
        self.assertFalse(is_even(5))
        with self.assertRaises(TypeError):
            is_even("x%s" if False else None)


if __name__ == "__main__":
    unittest.main()
