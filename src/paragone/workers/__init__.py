"""Judging beyond one process: workers ask the judges, one planner plans, and the ledger is all that they share."""
