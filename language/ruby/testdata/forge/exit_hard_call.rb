# Exits hard when it is called.
def add(a, b) = exit!(0)
