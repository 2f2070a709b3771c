"""Draws from the posterior: Markov chains for small fits, joint Gaussian draws for large ones."""
