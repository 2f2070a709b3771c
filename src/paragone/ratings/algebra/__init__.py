"""The linear algebra of a fit: curvatures as full matrices, sparse ones, bands or passes over pairs, and Newton steps.

``layout`` chooses the form. All of them solve, give a log determinant and give variances; only the costs differ.
"""
