"""Where things are in a checkout, and where this installation keeps its state."""

import hashlib
import os
import pwd
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
VENV = REPOSITORY / ".venv"
STATE = Path(os.environ.get("LOADSTONE_STATE_DIR") or REPOSITORY / ".loadstone")
"""Another directory is another installation: tests use one of their own."""
STAMPS = REPOSITORY / ".loadstone/stamps"
ENGINE_DIR = REPOSITORY / "workers/engine"
ENGINE = ENGINE_DIR / "target/release/loadstone-engine"
FRONTEND = REPOSITORY / "frontend"
DEMO_FILE = STATE / "demo.json"
SECRETS_FILE = STATE / "secrets.json"
STACK_PID_FILE = STATE / "stack.pid"
LOGS = STATE / "log"


def in_venv(program: str) -> Path:
    return VENV / "bin" / program


def ordinary_user() -> str | None:
    """Whom root drops to for servers that refuse root; None when we are not root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def can_traverse(path: Path, user: str) -> bool:
    """Whether `user` may enter `path`: a checkout in root's home is closed to others."""
    entry = pwd.getpwnam(user)
    for folder in [path, *path.parents]:
        if not folder.exists():
            continue
        status = folder.stat()
        shift = 6 if status.st_uid == entry.pw_uid else 3 if status.st_gid == entry.pw_gid else 0
        if not (status.st_mode >> shift) & 1:
            return False
    return True


def shared_state() -> Path:
    """State that dropped servers must reach: in the checkout when they may enter it, else in /var/tmp."""
    user = ordinary_user()
    STATE.mkdir(mode=0o755, parents=True, exist_ok=True)
    if user is None or can_traverse(STATE, user):
        return STATE
    name = hashlib.sha256(str(STATE).encode()).hexdigest()[:12]
    folder = Path("/var/tmp") / f"loadstone-{name}"
    folder.mkdir(mode=0o711, exist_ok=True)
    if folder.stat().st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to somebody else: remove it or move the checkout")
    return folder
