"""Run a tournament: the one async loop, its participants and controls, and what it records and reports."""
