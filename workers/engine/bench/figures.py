"""One JSON line a figure."""

import json


def show(name: str, value: float, unit: str, limit: float | None, method: str, n: int) -> None:
    """`holds` says whether the value is at most the limit."""
    holds = None if limit is None else value <= limit
    figure = {"name": name, "value": round(value, 4), "unit": unit, "limit": limit, "holds": holds}
    print(json.dumps({**figure, "method": method, "n": n}), flush=True)


def tell(name: str, why: str) -> None:
    """Something that was not measured, in the form of a figure."""
    print(
        json.dumps({"name": name, "value": None, "unit": None, "limit": None, "holds": None, "method": why, "n": 0}),
        flush=True,
    )
