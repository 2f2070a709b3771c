"""Tournaments that this server plays: begun, paused and stopped by admins, and left in order when the server ends."""
