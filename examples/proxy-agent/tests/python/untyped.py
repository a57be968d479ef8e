"""A function without type hints, for tests."""


def add(one, other):
    """Adds."""
    return one + other
