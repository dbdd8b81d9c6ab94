"""Verdicts in words. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence

from loadstone.comparisons.schemas import Cell, ComparedSide, Interval

WORDS = {
    "better": "better",
    "worse": "worse",
    "equivalent": "equivalent",
    "changed": "changed by an open amount",
    "not_enough_data": "inconclusive",
}


def comparison_sentence(sides: Sequence[ComparedSide], cells: Sequence[Cell], margin: float) -> str:
    """What all cells say together."""
    base = sides[0].label
    if not cells:
        return f"Nothing matches {base}: no setting was measured on both sides."
    if len(sides) > 2:
        return f"{len(sides) - 1} contenders against {base}: {_counts(cells)}, with a margin of {percent_text(margin)}."
    return f"{sides[1].label} against {base}: {_counts(cells)}, with a margin of {percent_text(margin)}."


def _counts(cells: Sequence[Cell]) -> str:
    counts = Counter("refused" if cell.refusal else cell.verdict for cell in cells)
    said = [
        f"{counts[verdict]} {word}" for verdict, word in (*WORDS.items(), ("refused", "refused")) if counts[verdict]
    ]
    return f"of {len(cells)} cell{'s' if len(cells) > 1 else ''} " + ", ".join(said)


def percent_text(share: float) -> str:
    """Neither is something shown as nothing, nor almost all as all."""
    if 0 < share < 0.0001:
        return "under 0.01 %"
    return "over 99.9 %" if 0.999 < share < 1 else f"{share * 100:.3g} %"


def ratio_text(ratio: float, interval: Interval) -> str:
    """As many digits as the interval warrants: `1.31x [1.28, 1.34]`."""
    digits = 2 if interval.high - interval.low >= 0.02 else 3
    return f"{ratio:.{digits}f}x [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"


def setting_text(parameters: Mapping[str, object]) -> str:
    parts = [_parameter(name, value) for name, value in parameters.items() if name != "target"]
    return f" at {' and '.join(parts)}" if parts else ""


NOUNS = {
    "connections": ("connection", "connections"),
    "threads": ("thread", "threads"),
    "key_count": ("key", "keys"),
}
UNITS = {"value_size_bytes": "bytes a value", "key_size_bytes": "bytes a key", "rate_per_s": "operations/s offered"}


def _parameter(name: str, value: object) -> str:
    if name in NOUNS:
        return f"{value} {NOUNS[name][value != 1]}"
    return f"{value} {UNITS[name]}" if name in UNITS else f"{name.replace('_', ' ')} {value}"


def lead_sentence(leader: str, other: str, others: int, noun: str, cell: Cell, margin: float) -> str:
    """The leader against the runner-up at one setting; `others` are those further behind."""
    where = setting_text(cell.parameters)
    behind = f", ahead of {others} more" if others else ""
    if cell.refusal is not None or cell.ratio is None or cell.interval is None:
        reason = cell.refusal.message if cell.refusal else "There is no figure."
        return f"{leader} and {other} cannot be told apart{where}. {reason}"
    told = ratio_text(cell.ratio, cell.interval)
    if cell.verdict == "equivalent":
        return f"{leader} and {other} are equivalent within {percent_text(margin)}{where}: {told} the {noun}{behind}."
    said = f"{leader} answers {told} the {noun} of {other}{where}{behind}"
    if cell.verdict == "changed":
        return f"{said}; it is open whether that is more than {percent_text(margin)}{_needed(cell)}."
    if cell.verdict == "not_enough_data":
        return f"{said}: inconclusive{_needed(cell)}."
    return f"{said}."


def _needed(cell: Cell) -> str:
    """`; about 8 more trials needed (5 to 14)`."""
    if cell.trials_needed is None:
        return ""
    low, high = cell.trials_needed_low, cell.trials_needed_high
    span = f" ({low} to {high})" if low is not None and high is not None and low < high else ""
    return f"; about {cell.trials_needed} more trial{'s' if cell.trials_needed != 1 else ''} needed{span}"


def peak_sentence(target: str, noun: str, parameters: dict[str, object], value: float, low: float, high: float) -> str:
    """Without a band where a single trial gives none."""
    band = f" [{_rate(low)}, {_rate(high)}]" if low < high else ""
    return f"{target} answers most{setting_text(parameters)}: {_rate(value)}{band} {noun}/s."


def _rate(value: float) -> str:
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g}{unit}"
    return f"{value:.3g}"


def with_trust(sentence: str, void: int, excluded: int, trial_count: int) -> str:
    """`...; 2 of 70 trials void`."""
    notes = [
        f"{count} of {trial_count} trials {word}" for count, word in ((void, "void"), (excluded, "excluded")) if count
    ]
    return f"{sentence.removesuffix('.')}; {', '.join(notes)}." if notes else sentence
