"""Databases: opening, locking, schema versions, and what differs between SQLite and PostgreSQL."""
