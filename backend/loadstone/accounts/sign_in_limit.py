"""How often one address may try to sign in, or show a token that is none."""

from limits import RateLimitItemPerMinute

from loadstone.http.rate_limit import TooManyAttempts, count_tries

__all__ = ["PER_ACCOUNT", "PER_ADDRESS", "WRONG_TOKENS", "TooManyAttempts", "count_attempt", "count_wrong_token"]

PER_ACCOUNT = RateLimitItemPerMinute(10, 5)
PER_ADDRESS = RateLimitItemPerMinute(50, 5)
WRONG_TOKENS = RateLimitItemPerMinute(100, 1)


def count_attempt(address: str, email: str) -> None:
    """Raises TooManyAttempts."""
    tries = [(PER_ADDRESS, ("sign-in", address)), (PER_ACCOUNT, ("sign-in", address, email))]
    count_tries(tries, "Wait five minutes before you try again.")


def count_wrong_token(address: str) -> None:
    """Raises TooManyAttempts."""
    count_tries([(WRONG_TOKENS, ("wrong-token", address))], "Wait a minute, and try another token then.")
