"""Someone who calls the api with a token of their own."""

from dataclasses import dataclass, field
from typing import Any

from fastapi.testclient import TestClient
from httpx2 import Response
from loadstone.principal import Principal


@dataclass(frozen=True)
class Caller:
    """All callers share one running app, and with it its lifespan."""

    http: TestClient
    principal: Principal
    token: str
    headers: dict[str, str] = field(default_factory=dict)

    def request(self, method: str, url: str, **arguments: Any) -> Response:
        headers = {"Authorization": f"Bearer {self.token}", **self.headers, **(arguments.pop("headers", None) or {})}
        return self.http.request(method, url, headers=headers, **arguments)

    def get(self, url: str, **arguments: Any) -> Response:
        return self.request("GET", url, **arguments)

    def post(self, url: str, **arguments: Any) -> Response:
        return self.request("POST", url, **arguments)

    def put(self, url: str, **arguments: Any) -> Response:
        return self.request("PUT", url, **arguments)

    def patch(self, url: str, **arguments: Any) -> Response:
        return self.request("PATCH", url, **arguments)

    def delete(self, url: str, **arguments: Any) -> Response:
        return self.request("DELETE", url, **arguments)
