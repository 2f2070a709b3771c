"""``paragone memory``: content rated by use. One module a command; ``group.py`` registers them."""
