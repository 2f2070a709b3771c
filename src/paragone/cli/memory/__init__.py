"""``paragone memory``: content rated by use."""
