"""The past played again: ratings without a match, under other settings, and as they should be."""
