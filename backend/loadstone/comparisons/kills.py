"""What a kill took, in words: a run that kills its stores is about that, not about who was faster. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadstone.comparisons.sentences import percent_text, setting_text

LOST, TORN = "lost_share", "torn_share"
"""Metrics that only a trial has which killed its store."""


@dataclass(frozen=True)
class Loss:
    """Of one point, means over its trials: shares of the keys that were written, 0 to 1."""

    name: str
    """The target, and of the setting what not all that were killed have in common."""
    lost: float
    torn: float


def losses_of(points: Iterable[tuple[Mapping[str, Any], float | None, float | None]]) -> list[Loss]:
    """Of `(parameters, lost_share, torn_share)` those that killed a store, in the same order."""
    killed = [(parameters, lost, torn or 0.0) for parameters, lost, torn in points if lost is not None]
    everyone = [parameters for parameters, _, _ in killed]
    return [Loss(_name(parameters, everyone), lost, torn) for parameters, lost, torn in killed]


def _name(parameters: Mapping[str, Any], everyone: Sequence[Mapping[str, Any]]) -> str:
    own = {name: value for name, value in parameters.items() if any(one.get(name) != value for one in everyone)}
    return f"{parameters['target']}{setting_text(own)}"


def kill_sentence(losses: Sequence[Loss]) -> str:
    """The worst first; whoever lost nothing is counted."""
    hit = _hit(losses)
    if not hit:
        return f"{len(losses)} point{'s' if len(losses) > 1 else ''} killed: no acknowledged write was lost or torn."
    told = [f"{loss.name} {percent_text(loss.lost)} of its keys{_tore(loss)}" for loss in hit]
    whole = len(losses) - len(hit)
    rest = f"; {whole} other{'s' if whole > 1 else ''} lost nothing" if whole else ""
    return f"The kill cost {', '.join(told)}{rest}."


def kill_badge(losses: Sequence[Loss], run_name: str) -> tuple[str, str]:
    """Label and value: who lost most."""
    hit = _hit(losses)
    if not hit:
        return run_name, "nothing lost or torn"
    worst = hit[0]
    return worst.name, f"{percent_text(worst.lost)} lost" + (f", {percent_text(worst.torn)} torn" if worst.torn else "")


def _hit(losses: Sequence[Loss]) -> list[Loss]:
    return sorted((loss for loss in losses if loss.lost + loss.torn > 0), key=lambda loss: (-loss.lost, -loss.torn))


def _tore(loss: Loss) -> str:
    return f" and tore {percent_text(loss.torn)}" if loss.torn else ""
