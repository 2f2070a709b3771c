"""REST under /api/v1: what pages show, and what programs do."""

from paragone.web.api.routes import router

__all__ = ["router"]
