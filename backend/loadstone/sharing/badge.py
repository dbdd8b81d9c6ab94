"""A badge: two words beside each other, as SVG. Pure.

Widths are those of Verdana at 11 px (the table of the badges that people know), so that it looks right without a font
at hand; `textLength` holds every viewer to them.
"""

from html import escape

HEIGHT = 20
PADDING = 6
TEXT_MAX = 60
NARROW = "ijl.,:;'|!Ift()[]/ "
WIDE = "mwMW@%"
NARROW_PX, USUAL_PX, WIDE_PX = 4.2, 6.9, 10.0
LEFT, RIGHT = "#454c56", "#155fd8"


def badge_svg(label: str, value: str) -> str:
    label, value = _short(label), _short(value)
    left, right = _width(label) + 2 * PADDING, _width(value) + 2 * PADDING
    whole = left + right
    title = escape(f"{label}: {value}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{HEIGHT}" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
        f'<clipPath id="r"><rect width="{whole}" height="{HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{HEIGHT}" fill="{LEFT}"/>'
        f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{RIGHT}"/></g>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">'
        f"{_text(label, PADDING)}{_text(value, left + PADDING)}</g></svg>"
    )


def _short(text: str) -> str:
    clean = "".join(character if character.isprintable() else " " for character in text)
    return clean if len(clean) <= TEXT_MAX else clean[: TEXT_MAX - 1] + "…"


def _text(text: str, x: int) -> str:
    return f'<text x="{x}" y="14" textLength="{_width(text)}">{escape(text)}</text>'


def _width(text: str) -> int:
    widths = (NARROW_PX if one in NARROW else WIDE_PX if one in WIDE or ord(one) > 0x2E7F else USUAL_PX for one in text)
    return max(1, round(sum(widths)))
