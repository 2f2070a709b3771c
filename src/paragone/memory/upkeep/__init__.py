"""Upkeep: pruning, the archive, and the health of a store."""
