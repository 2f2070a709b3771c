"""The log posterior of the strengths and of what is fitted of the judges, with its gradient and curvature.

Ties by Davidson, orderings by Plackett-Luce, a position term for each judge. ``likelihood`` is the plain
form, ``pair_model`` the same for evidence that is too large for it, ``domain_model`` the same with deviations by
domain.
"""
