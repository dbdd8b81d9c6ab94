"""The page itself, served by the api, and the headers on everything."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from loadstone.main import create_app
from loadstone.settings import get_settings

PAGE = {"Accept": "text/html"}


@pytest.fixture
def with_page(settings_in_environment: None, tmp_path: Path) -> Iterator[TestClient]:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>the page</title>")
    (tmp_path / "assets" / "app-1a2b.js").write_text("let x")
    settings = get_settings().model_copy(update={"web_dir": tmp_path})
    with TestClient(create_app(settings)) as http:
        yield http


@pytest.mark.parametrize("path", ["/", "/runs", "/runs/0190a000-0000-7000-8000-000000000000?axis=connections"])
def test_every_address_of_the_page_gets_the_page_uncached(with_page: TestClient, path: str) -> None:
    response = with_page.get(path, headers=PAGE)
    assert (response.status_code, response.text) == (200, "<title>the page</title>")
    assert response.headers["cache-control"] == "no-cache"


def test_hashed_assets_are_kept_for_long_and_missing_ones_are_missing(with_page: TestClient) -> None:
    response = with_page.get("/assets/app-1a2b.js")
    assert response.status_code == 200
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    missing = with_page.get("/assets/gone.js")
    assert (missing.status_code, missing.headers["cache-control"]) == (404, "no-cache")


def test_the_api_comes_before_the_page_and_files_outside_are_out_of_reach(with_page: TestClient) -> None:
    assert with_page.get("/healthz").json() == {"status": "ok"}
    assert with_page.get("/api/v1/nowhere").json()["code"] == "not_found"
    assert with_page.get("/%2e%2e/%2e%2e/etc/passwd").status_code == 404


def test_every_answer_carries_the_security_headers(with_page: TestClient) -> None:
    for path in ("/", "/api/v1/me", "/healthz"):
        headers = with_page.get(path, headers=PAGE).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "script-src 'self';" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert with_page.get("/api/v1/me").headers["cache-control"] == "no-store"


def test_https_is_asked_for_where_it_is_there(settings_in_environment: None) -> None:
    settings = get_settings().model_copy(update={"public_url": "https://bench.example"})
    with TestClient(create_app(settings)) as http:
        assert http.get("/healthz").headers["strict-transport-security"] == "max-age=31536000"


def test_readiness_names_what_is_away(running_app: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert running_app.get("/readyz").status_code == 200
    monkeypatch.setenv("LOADSTONE_BROKER_URL", "redis://127.0.0.1:1/0")
    get_settings.cache_clear()
    try:
        response = running_app.get("/readyz")
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()
    assert (response.status_code, response.json()["code"]) == (503, "not_ready")
    assert "broker" in response.json()["detail"]
