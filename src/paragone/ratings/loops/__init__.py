"""Loops over columns, compiled where numba is installed and plain Python where it is not: the same source for both.

``compiled`` is the one seam to numba. The loops take arrays, allocate nothing, and know nothing of what they are for.
"""
