"""What the evidence says beyond the strengths: the prior's spread, slopes, dispersions, repeats, and if it suffices.

Each is estimated by the marginal likelihood or by moments, given the optimum that ``optimum`` finds.
"""
