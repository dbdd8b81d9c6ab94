"""Pictures that other sites show."""

import hashlib
from typing import Any

from fastapi import Request, Response

MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png"}
KEPT_S = 60
"""How long other people's caches show a picture whose link was revoked meanwhile."""

PICTURE_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The picture, with an `ETag`.",
        "content": {name: {"schema": {"type": "string", "format": "binary"}} for name in MEDIA_TYPES.values()},
    },
    304: {"description": "It is what `If-None-Match` names."},
}


def picture_response(request: Request, content: bytes, form: str, *, is_public: bool) -> Response:
    """A drawing opened by itself may run nothing and load nothing, whatever stands in it."""
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {
        "ETag": etag,
        "Cache-Control": f"public, max-age={KEPT_S}" if is_public else "private, no-store",
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=MEDIA_TYPES[form], headers=headers)
