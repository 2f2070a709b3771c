"""REST under /api/v1: what pages show, and what programs do."""
