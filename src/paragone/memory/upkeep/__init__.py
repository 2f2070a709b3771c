"""Upkeep: what is archived and comes back, and what is wrong with a store."""
