"""People's votes: which pair somebody sees next, what becomes of the answer, and how reliable voters are."""
