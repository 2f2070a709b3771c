"""Tournaments that this server runs: started, paused and stopped by admins, and left in order when the server ends."""
