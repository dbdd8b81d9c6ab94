"""`/api/v1/shares` for the team, and `/api/v1/shared/{token}` for whoever holds a link.

Under the token lie the very addresses that the pages read elsewhere, so that the same pages show it.
"""

from fastapi import APIRouter

from loadstone.sharing.endpoints import figures, links, pictures, runs, visitor

router = links.router
shared_router = APIRouter()
for part in (visitor.router, runs.router, figures.router, pictures.router):
    shared_router.include_router(part)

__all__ = ["router", "shared_router"]
