"""Targets' passwords at rest. The keys live outside the database (`LOADSTONE_SECRET_KEYS`): back them up apart."""

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from loadstone.errors import AppError
from loadstone.settings import get_settings


class SecretUnreadable(AppError):
    code = "secret_unreadable"
    status = 409
    title = "A stored password cannot be read"


def _vault() -> MultiFernet:
    keys = get_settings().secret_keys.get_secret_value().split(",")
    return MultiFernet([Fernet(key.strip()) for key in keys if key.strip()])


def encrypt(text: str) -> str:
    """With the newest key."""
    return _vault().encrypt(text.encode()).decode()


def decrypt(encrypted: str) -> str:
    """With whichever key fits; raises SecretUnreadable."""
    try:
        return _vault().decrypt(encrypted.encode()).decode()
    except InvalidToken as error:
        raise SecretUnreadable(
            "None of LOADSTONE_SECRET_KEYS fits it. Bring back the old key, or enter the password again."
        ) from error


def new_key() -> str:
    return Fernet.generate_key().decode()
