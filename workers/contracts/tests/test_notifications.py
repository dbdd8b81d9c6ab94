"""What a message may be: whatever else stands on a queue is refused, and nothing of it gets through."""

import base64
import json
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loadstone_contracts import notifications
from loadstone_contracts.broker_address import BrokerUser, tls_options, with_authorities, with_user, without_user
from loadstone_contracts.notifications import (
    ANALYSE,
    CONTROL_QUEUE,
    DISPATCH,
    MAX_MESSAGE_BYTES,
    TRIAL,
    MessageRefused,
    agent_queue,
    read,
)
from loadstone_contracts.tasks import SETTINGS, make_app

QUEUE = agent_queue("0199")
TRIAL_ID = str(uuid.uuid4())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def message(task: object = TRIAL, args: object = None, **changes: Any) -> dict[str, Any]:
    body = base64.b64encode(json.dumps([[TRIAL_ID] if args is None else args, {}, {}]).encode()).decode()
    sent = {
        "body": body,
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": {"task": task, "id": "x", "timelimit": [0.1, 0.1], "eta": "2090-01-01T00:00:00", "group": "g"},
        "properties": {"delivery_tag": "forged", "delivery_info": {"exchange": "e", "routing_key": "control"}},
    }
    return {**sent, **changes}


def raw(sent: object) -> bytes:
    return json.dumps(sent).encode()


def arguments(taken: dict[str, Any]) -> Any:
    return json.loads(base64.b64decode(taken["body"]))


def test_only_task_arguments_and_expiry_get_through() -> None:
    body = base64.b64encode(json.dumps([[TRIAL_ID], {}, {"chain": [{"task": "x"}], "errbacks": ["y"]}]).encode())
    taken = read(QUEUE, raw(message(body=body.decode())))
    assert arguments(taken) == [[TRIAL_ID], {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]
    assert taken["headers"]["task"] == TRIAL
    assert taken["headers"]["timelimit"] == [None, None]
    assert taken["headers"]["eta"] is None
    assert taken["headers"]["group"] is None
    assert taken["headers"]["id"] != "x"
    assert taken["properties"]["delivery_tag"] != "forged"
    assert taken["properties"]["delivery_info"] == {"exchange": "", "routing_key": QUEUE}


def test_what_celery_sends_is_taken() -> None:
    app = make_app("test", "redis://127.0.0.1:1/0", CONTROL_QUEUE)
    args, headers = [str(uuid.uuid4())], {"task": ANALYSE, "expires": "2026-11-23T00:00:00+00:00"}
    made = app.amqp.as_task_v2("id", ANALYSE, args, {}, expires=headers["expires"])
    body = base64.b64encode(json.dumps(made.body).encode()).decode()
    taken = read(CONTROL_QUEUE, raw(message(headers=made.headers, body=body)))
    assert (arguments(taken)[0], taken["headers"]["expires"]) == (args, headers["expires"])


@pytest.mark.parametrize(
    ("queue", "sent", "reason"),
    [
        (QUEUE, b"garbage", "not JSON"),
        (QUEUE, b"", "not JSON"),
        (QUEUE, b"\xff\xfe\x00", "not JSON"),
        (QUEUE, b"[" * 8000, "not JSON"),
        (QUEUE, b"[]", "not a message"),
        (QUEUE, b" " * (MAX_MESSAGE_BYTES + 1), "too large"),
        (QUEUE, raw(message(**{"content-type": "application/x-python-serialize"})), "not JSON content"),
        (QUEUE, raw(message(**{"content-encoding": "zlib"})), "not JSON content"),
        (QUEUE, raw(message(headers=None)), "no headers"),
        (QUEUE, raw(message(task="celery.backend_cleanup")), "unknown task"),
        (QUEUE, raw(message(task=[])), "unknown task"),
        (QUEUE, raw(message(task=DISPATCH, args=[])), "unknown task"),
        (CONTROL_QUEUE, raw(message()), "unknown task"),
        (QUEUE, raw(message(body="%%%")), "bad base64"),
        (QUEUE, raw(message(body="ä")), "bad base64"),
        (QUEUE, raw(message(body=None)), "body is not JSON"),
        (QUEUE, raw(message(body=base64.b64encode(b"{").decode())), "body is not JSON"),
        (QUEUE, raw(message(body=base64.b64encode(b"[]").decode())), "wrong arguments"),
        (QUEUE, raw(message(args=[])), "wrong arguments"),
        (QUEUE, raw(message(args=["../x"])), "wrong arguments"),
        (QUEUE, raw(message(args=[7])), "wrong arguments"),
        (QUEUE, raw(message(args=[TRIAL_ID, TRIAL_ID])), "wrong arguments"),
        (QUEUE, raw(message(args=[f"urn:uuid:{TRIAL_ID}"])), "wrong arguments"),
        (CONTROL_QUEUE, raw(message(task=ANALYSE, args=["x"])), "wrong arguments"),
        (CONTROL_QUEUE, raw(message(headers={"task": DISPATCH, "expires": "soon"}, args=[])), "bad expiry"),
    ],
)
def test_a_message_that_cannot_be_read_says_why(queue: str, sent: bytes, reason: str) -> None:
    with pytest.raises(MessageRefused, match=f"^{reason}$"):
        read(queue, sent)


def refused_or_canonical(queue: str, sent: bytes) -> None:
    try:
        taken = read(queue, sent)
    except MessageRefused:
        return
    assert taken["headers"]["task"] in notifications.AGENT_TASKS | notifications.CONTROL_TASKS


@given(st.binary(max_size=200), st.sampled_from([QUEUE, CONTROL_QUEUE]))
def test_no_bytes_raise_anything_else(sent: bytes, queue: str) -> None:
    refused_or_canonical(queue, sent)


@given(JSON, st.sampled_from(["body", "headers", "properties", "content-type"]), JSON)
def test_no_json_raises_anything_else(value: object, field: str, task: object) -> None:
    refused_or_canonical(QUEUE, raw(message(**{field: value})))
    refused_or_canonical(QUEUE, raw(message(task=task)))
    refused_or_canonical(QUEUE, raw(message(args=value)))
    refused_or_canonical(CONTROL_QUEUE, raw(message(headers={"task": DISPATCH, "expires": value}, args=[])))


def test_nothing_listens_to_broadcasts() -> None:
    assert SETTINGS["worker_enable_remote_control"] is False
    connection = make_app("test", "redis://127.0.0.1:1/0", QUEUE).connection_for_read()
    assert not connection.supports_exchange_type("fanout")


def test_tls_checks_certificate_and_name() -> None:
    url = with_authorities("rediss://u:p@broker:6380/0?ssl_cert_reqs=none", "/etc/ca.pem")
    assert "ssl_cert_reqs=required" in url
    options = tls_options(url)
    assert options is not None
    assert (options["ssl_ca_certs"], options["ssl_check_hostname"]) == ("/etc/ca.pem", True)
    assert make_app("test", url, QUEUE).connection_for_read().ssl["ssl_ca_certs"] == "/etc/ca.pem"
    assert with_authorities("redis://x:1/0", "/etc/ca.pem") == "redis://x:1/0"
    assert tls_options("redis://x:1/0") is None


def test_an_address_never_keeps_another_users_password() -> None:
    assert without_user("redis://:secret@[::1]:6379/2?a=b") == "redis://[::1]:6379/2"
    mine = with_user("rediss://boss:secret@host:1/0", BrokerUser("me", "p@ss/word"))
    assert mine == "rediss://me:p%40ss%2Fword@host:1/0"
