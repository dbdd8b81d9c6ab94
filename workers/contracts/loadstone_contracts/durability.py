"""What is left of acknowledged writes after a store was killed: what is asked for, and what was found."""

from pydantic import Field

from loadstone_contracts.model import Message


class KillRequest(Message):
    """The store gets SIGKILL so long after the measure phase began, and is started again on its data.

    A killed process loses what it held itself; what it had handed to the kernel survives, other than at a power cut.
    """

    kill_after_s: float = Field(gt=0, le=86_400)


class DurabilityReport(Message):
    """Every acknowledged write was read back once the store had come back.

    Of a key that was written several times the last acknowledged write is asked for.
    """

    acknowledged: int = Field(ge=0)
    """Writes that the store had acknowledged before it died."""
    keys: int = Field(ge=0)
    """Different keys among them."""
    kept: int = Field(ge=0)
    """Keys that hold their last acknowledged value."""
    newer: int = Field(ge=0)
    """Keys that hold a value which was sent after it and not acknowledged any more."""
    lost: int = Field(ge=0)
    """Keys that hold an older value, or none."""
    torn: int = Field(ge=0)
    """Keys that hold a value which was never sent."""
    errors: int = Field(ge=0)
    """Keys that could not be read back."""
    lost_window_ns: int | None = Field(default=None, ge=0)
    """From the oldest acknowledgement that was lost to the last one before the kill; null where nothing was lost."""
    restart_s: float = Field(ge=0)
    """From the order to start again until the store answered."""
