# Throws instead of returning.
def add(a, b) = throw(:done)
