"""How refusals and warnings are made."""

from loadstone.plans.schemas import Finding


def finding(code: str, path: str, message: str) -> Finding:
    return Finding(code=code, path=path, message=message)
