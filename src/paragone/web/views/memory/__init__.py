"""The memory as values: ratings of content, echo chambers, what may be pruned, packs, searches, measures."""
