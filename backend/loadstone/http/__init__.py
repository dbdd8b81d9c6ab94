"""The edge: problems, principals, idempotency, limits and headers. Endpoints import from here, services never."""
