"""Published figures beside measured ones: which points are meant, and what the ratios are."""

from typing import Any

from loadstone_local.study_rows import place_of, ratios, value_of, why_missing


def point(metrics: dict[str, float], **parameters: Any) -> dict[str, Any]:
    return {"parameters": parameters, "total": metrics, "metrics": {}}


def series(target: str, workload: str, *values: tuple[float, float], **fields: Any) -> dict[str, Any]:
    return {
        "match": {"target": target, "workload": workload},
        "axis": "connections",
        "metric": "throughput_per_s",
        "relative_to": None,
        "points": [{"x": x, "value": value} for x, value in values],
        **fields,
    }


POINTS = [
    point({"throughput_per_s": 100.0}, target="a", workload="set", connections=1),
    point({"throughput_per_s": 300.0}, target="b", workload="set", connections=1),
    point({"throughput_per_s": 900.0}, target="b", workload="set", connections=4),
    point({"throughput_per_s": 50.0}, target="c", workload="REPLACE", connections=1),
    {**point({}, target="d", workload="set", connections=1), "total": None},
]
A, B = series("a", "set", (1, 10)), series("b", "set", (1, 20), (4, 50))
FIGURES = {"series": [A, B]}


def test_ratios_are_to_the_base_at_the_same_setting() -> None:
    assert ratios(FIGURES, B, B["points"][0], POINTS, {"target": "a"}) == (2.0, 3.0)


def test_an_operation_of_one_system_alone_is_held_against_its_like() -> None:
    replace = series("c", "REPLACE", (1, 5))
    assert ratios(FIGURES, replace, replace["points"][0], POINTS, {"target": "a"}) == (0.5, 0.5)


def test_a_printed_ratio_stays_as_it_is() -> None:
    printed = series("b", "set", (1, 1.3), relative_to={"target": "a"})
    assert ratios(FIGURES, printed, printed["points"][0], POINTS, printed["relative_to"]) == (1.3, 3.0)


def test_a_figure_that_leaves_the_setting_open_is_held_against_the_best() -> None:
    assert value_of(POINTS, {"target": "b"}, "throughput_per_s") == 900.0


def test_what_is_missing_says_why() -> None:
    assert "full size" in why_missing(POINTS, place_of(B, 16))
    assert "void" in why_missing(POINTS, {"target": "d"})
    assert value_of(POINTS, {"target": "d"}, "throughput_per_s") is None
