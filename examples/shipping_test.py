import unittest
from decimal import Decimal

from solution import shipping_cost


class ShippingTest(unittest.TestCase):
    def test_light(self):
        self.assertEqual(shipping_cost(0.5, "10.00"), Decimal("4.90"))

    def test_heavy(self):
        self.assertEqual(shipping_cost(20, "10.00"), Decimal("14.90"))

    def test_free_from_fifty(self):
        self.assertEqual(shipping_cost(2, "50.00"), Decimal("0.00"))

    def test_express_is_never_free(self):
        self.assertEqual(shipping_cost(2, "80.00", express=True), Decimal("6.00"))

    def test_too_heavy(self):
        with self.assertRaises(ValueError):
            shipping_cost(21, "10.00")

    def test_no_weight(self):
        for weight in (0, -1):
            with self.subTest(weight=weight):
                self.assertRaises(ValueError, shipping_cost, weight, "10.00")


if __name__ == "__main__":
    unittest.main()
