def add(a, b): return a + b
def words(text): return text.split()
def mean(xs): return sum(xs) / len(xs)
def is_even(n): return n % 2 == 0
