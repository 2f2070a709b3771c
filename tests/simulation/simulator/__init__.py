"""Tournaments with their disk, threads, clocks and judge driven by one seed, in one thread, with faults."""
