"""The command line: one module a noun, each command a few lines over a façade.

Commands import what they use when they run, so that ``paragone --help`` answers at once.
"""

from paragone.cli.main import app, main

__all__ = ["app", "main"]
