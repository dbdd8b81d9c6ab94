"""How often one address may try to sign in."""

from limits import RateLimitItemPerMinute

from loadstone.http.rate_limit import TooManyAttempts, count_tries

__all__ = ["PER_ACCOUNT", "PER_ADDRESS", "TooManyAttempts", "count_attempt"]

PER_ACCOUNT = RateLimitItemPerMinute(10, 5)
PER_ADDRESS = RateLimitItemPerMinute(50, 5)


def count_attempt(address: str, email: str) -> None:
    """Raises TooManyAttempts."""
    tries = [(PER_ADDRESS, ("sign-in", address)), (PER_ACCOUNT, ("sign-in", address, email))]
    count_tries(tries, "Wait five minutes before you try again.")
