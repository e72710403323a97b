def add(a, b): return 0
def words(text): return []
def mean(xs): return 0.0
def is_even(n): return n % 2 == 1

