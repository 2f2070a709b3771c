"""What is remembered, as values: where content stands, echo chambers, what may be pruned, packs, searches, measures."""
