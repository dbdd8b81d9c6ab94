"""What kills took, in words."""

from typing import Any

import pytest
from loadstone.comparisons.kills import Loss, kill_badge, kill_sentence, losses_of


def test_the_sentence_names_what_lost_writes_the_worst_first_and_counts_the_rest() -> None:
    losses = [Loss("AOF", 0, 0), Loss("RDB", 0.595, 0), Loss("none", 1, 0), Loss("durable", 0, 0)]
    expected = "The kill cost none 100 % of its keys, RDB 59.5 % of its keys; 2 others lost nothing."
    assert kill_sentence(losses) == expected


@pytest.mark.parametrize(
    ("loss", "sentence", "badge"),
    [
        (Loss("x", 0.5, 0.01), "The kill cost x 50 % of its keys and tore 1 %.", ("x", "50 % lost, 1 % torn")),
        (Loss("x", 0, 0.01), "The kill cost x 0 % of its keys and tore 1 %.", ("x", "0 % lost, 1 % torn")),
        # Neither is something shown as nothing, nor almost all as all.
        (Loss("x", 1e-6, 0), "The kill cost x under 0.01 % of its keys.", ("x", "under 0.01 % lost")),
        (Loss("x", 0.9999, 0), "The kill cost x over 99.9 % of its keys.", ("x", "over 99.9 % lost")),
        (
            Loss("x", 0, 0),
            "1 point killed: no acknowledged write was lost or torn.",
            ("the run", "nothing lost or torn"),
        ),
    ],
)
def test_torn_values_little_and_nothing_are_told(loss: Loss, sentence: str, badge: tuple[str, str]) -> None:
    assert kill_sentence([loss]) == sentence
    assert kill_badge([loss], "the run") == badge


def test_points_are_named_by_what_they_do_not_share_and_count_only_where_a_store_was_killed() -> None:
    def point(connections: int, lost: float | None) -> tuple[dict[str, Any], float | None, float | None]:
        return {"target": "redis", "connections": connections, "pipeline": 1}, lost, None

    losses = losses_of([point(1, 0.25), point(64, 0), point(128, None)])
    assert losses == [Loss("redis at 1 connection", 0.25, 0), Loss("redis at 64 connections", 0, 0)]
    assert losses_of([point(64, 0.25)]) == [Loss("redis", 0.25, 0)]
