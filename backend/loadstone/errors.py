"""The base of every user-facing error: a stable code, a status and a sentence that says what to do."""

from typing import Any, ClassVar


class AppError(Exception):
    """Raised in services, rendered once as problem+json by `loadstone.http`."""

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    title: ClassVar[str] = "Something went wrong"

    def __init__(self, detail: str, *, path: str | None = None, **extra: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.path = path
        """JSON path of the field at fault, where there is one."""
        self.extra = extra


class NotFound(AppError):
    """Also the answer to ids of another team, so that nothing can be learnt by asking."""

    code = "not_found"
    status = 404
    title = "Not found"


class Conflict(AppError):
    code = "conflict"
    status = 409
    title = "Conflict"


class InvalidInput(AppError):
    code = "invalid_input"
    status = 422
    title = "The input cannot be used"


class Forbidden(AppError):
    code = "forbidden"
    status = 403
    title = "Not allowed"


class Unauthenticated(AppError):
    code = "unauthenticated"
    status = 401
    title = "Sign in first"
