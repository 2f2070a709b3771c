"""Evidence as rows: what tournaments and people record, and how it is read."""
