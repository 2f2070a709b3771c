"""The methods of ``Memory`` by theme. Each is a delegation to a module of ``memory/`` and nothing more."""
