"""The methods of ``EloSystem`` by theme. Each is a delegation to a module of ``agents/`` and nothing more."""
