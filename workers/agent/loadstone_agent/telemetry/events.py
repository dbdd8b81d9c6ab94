"""What happened in a store, seen in its counters: which ones are watched for what is data, kind by kind."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loadstone_contracts.telemetry import EventKind

Raw = Mapping[str, float]

QUIET_S = 3.0
"""An episode (of evictions, of refused writes) is over when nothing of it came for so long."""
CHECKPOINT_SHARE = 0.25
LEAST_CHECKPOINT_BYTES = 1024 * 1024
MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class Noted:
    kind: EventKind
    at_s: float
    """Unix time."""
    title: str
    detail: str = ""
    duration_s: float | None = None


class Watcher(ABC):
    """Remembers what it needs between two looks; one for each trial."""

    sources: tuple[str, ...]
    """The counters it cannot do without."""
    helpful: tuple[str, ...] = ()

    @abstractmethod
    def look(self, before: Raw, now: Raw, at_s: float) -> Iterator[Noted]:
        """`before` is the reading before `now`, one second or so earlier; both hold its sources."""

    def end(self, at_s: float) -> Iterator[Noted]:  # noqa: ARG002 - most have nothing to add
        """Nobody will look any more."""
        return iter(())


class Flag(Watcher):
    """Something that goes on while `flag` is 1, and is counted by `tally` also where it was over between two looks."""

    def __init__(
        self, flag: str, tally: str, name: str, kinds: tuple[EventKind, EventKind], *, fork: str, failed: str
    ) -> None:
        self.sources = (flag,)
        self.helpful = (tally, fork, failed)
        self._flag, self._tally, self._fork, self._failed = flag, tally, fork, failed
        self._name = name
        self._began, self._ended = kinds
        self._began_at_s: float | None = None

    def look(self, before: Raw, now: Raw, at_s: float) -> Iterator[Noted]:
        is_under_way = bool(now[self._flag])
        # It is counted when it begins.
        has_begun = now.get(self._tally, 0) > before.get(self._tally, 0)
        was_under_way = self._began_at_s is not None
        if (was_under_way and (not is_under_way or has_begun)) or (has_begun and not is_under_way):
            duration_s = at_s - self._began_at_s if self._began_at_s is not None else None
            self._began_at_s = None
            yield Noted(self._ended, at_s, f"{self._name} {self._outcome(now)}", self._cost(now), duration_s)
        if is_under_way and self._began_at_s is None:
            self._began_at_s = at_s
            yield Noted(self._began, at_s, f"{self._name} began", self._cost(now))

    def _outcome(self, now: Raw) -> str:
        return "failed" if now.get(self._failed) else "ended"

    def _cost(self, now: Raw) -> str:
        return f"The fork took {now[self._fork] / 1000:.1f} ms." if now.get(self._fork) else ""


class Episode(Watcher):
    """From the first rise of a counter until it has been still for `QUIET_S`."""

    def __init__(self, source: str, name: str, noun: str, kinds: tuple[EventKind, EventKind]) -> None:
        self.sources = (source,)
        self._source, self._name, self._noun = source, name, noun
        self._kinds = kinds
        self._began_at_s: float | None = None
        self._rose_at_s = 0.0
        self._count = 0.0

    def look(self, before: Raw, now: Raw, at_s: float) -> Iterator[Noted]:
        rise = now[self._source] - before[self._source]
        if rise > 0:
            if self._began_at_s is None:
                self._began_at_s, self._count = at_s, 0.0
                yield Noted(self._kinds[0], at_s, f"{self._name} began")
            self._rose_at_s = at_s
            self._count += rise
        elif self._began_at_s is not None and at_s - self._rose_at_s >= QUIET_S:
            yield from self.end(self._rose_at_s)

    def end(self, at_s: float) -> Iterator[Noted]:
        if self._began_at_s is not None:
            began_at_s, self._began_at_s = self._began_at_s, None
            yield Noted(
                self._kinds[1],
                at_s,
                f"{self._name} ended",
                f"{self._count:,.0f} {self._noun}.",
                at_s - began_at_s,
            )


class Rise(Watcher):
    """Every second in which a counter rose; `times` are milliseconds that the store has added up over them."""

    def __init__(self, source: str, kind: EventKind, title: str, noun: str, times: tuple[str, ...] = ()) -> None:
        self.sources = (source,)
        self.helpful = times
        self._source, self._kind, self._title, self._noun, self._times = source, kind, title, noun, times

    def look(self, before: Raw, now: Raw, at_s: float) -> Iterator[Noted]:
        rise = now[self._source] - before[self._source]
        if rise > 0:
            spent_ms = sum(now.get(name, 0) - before.get(name, 0) for name in self._times)
            duration_s = spent_ms / 1000 if spent_ms > 0 else None
            yield Noted(self._kind, at_s, self._title, f"{rise:,.0f} {self._noun}.", duration_s)


class LogFall(Watcher):
    """A checkpoint of InnoDB: the redo log since the last one gets shorter at a stroke."""

    sources = ("Innodb_checkpoint_age",)
    helpful = ("Innodb_redo_log_current_lsn", "Innodb_redo_log_checkpoint_lsn")

    def __init__(self) -> None:
        self._longest = 0.0

    def look(self, before: Raw, now: Raw, at_s: float) -> Iterator[Noted]:
        was, is_now = before[self.sources[0]], now[self.sources[0]]
        self._longest = max(self._longest, was)
        fall = was - is_now
        if fall >= max(LEAST_CHECKPOINT_BYTES, CHECKPOINT_SHARE * self._longest):
            self._longest = is_now
            told = f"The redo log since it went from {was / MEBIBYTE:.0f} to {is_now / MEBIBYTE:.0f} MiB."
            yield Noted("checkpoint", at_s, "Checkpoint", told)


class SetBack(Watcher):
    """A server that has been up for less than a moment ago is another one."""

    def __init__(self, source: str) -> None:
        self.sources = (source,)

    def look(self, before: Raw, now: Raw, at_s: float) -> Iterator[Noted]:
        uptime_s = now[self.sources[0]]
        if uptime_s + 1 < before[self.sources[0]]:
            yield Noted("store_restarted", at_s, "The store was restarted", f"It has been up for {uptime_s:.0f} s.")


def _redis() -> list[Watcher]:
    return [
        Flag(
            "rdb_bgsave_in_progress",
            "rdb_saves",
            "BGSAVE",
            ("save_began", "save_ended"),
            fork="latest_fork_usec",
            failed="rdb_last_bgsave_failed",
        ),
        Flag(
            "aof_rewrite_in_progress",
            "aof_rewrites",
            "AOF rewrite",
            ("log_rewrite_began", "log_rewrite_ended"),
            fork="latest_fork_usec",
            failed="aof_last_bgrewrite_failed",
        ),
        Episode("evicted_keys", "Evictions", "keys were evicted", ("eviction_began", "eviction_ended")),
        Rise("aof_delayed_fsync", "fsync_stall", "fsync delayed", "writes waited for an fsync of the AOF"),
        Rise("errorstat_OOM", "out_of_memory", "Out of memory", "writes were refused for want of memory"),
        SetBack("uptime_in_seconds"),
    ]


def _memcached() -> list[Watcher]:
    evictions = Episode("evictions", "Evictions", "keys were evicted", ("eviction_began", "eviction_ended"))
    return [evictions, SetBack("uptime")]


def _mysql() -> list[Watcher]:
    return [
        LogFall(),
        Rise("Innodb_log_waits", "fsync_stall", "Log buffer full", "transactions waited for the redo log"),
        SetBack("Uptime"),
    ]


def _postgresql() -> list[Watcher]:
    times = ("checkpoint_write_time", "checkpoint_sync_time")
    return [
        Rise("checkpoints_timed", "checkpoint", "Checkpoint", "checkpoint that was due", times),
        Rise("checkpoints_req", "checkpoint", "Checkpoint", "checkpoint that was asked for", times),
        SetBack("uptime"),
    ]


def _mongodb() -> list[Watcher]:
    done = "wiredTiger.transaction.transaction checkpoints"
    spent = "wiredTiger.transaction.transaction checkpoint total time (msecs)"
    return [Rise(done, "checkpoint", "Checkpoint", "checkpoint was written", (spent,)), SetBack("uptime")]


WATCHED = {
    "redis": _redis,
    "valkey": _redis,
    "memcached": _memcached,
    "mysql": _mysql,
    "mariadb": _mysql,
    "postgresql": _postgresql,
    "mongodb": _mongodb,
    "ferretdb": _mongodb,
}


def watched_sources(kind: str) -> set[str]:
    """Counters that the watchers of this kind of store look at."""
    watchers = WATCHED[kind]() if kind in WATCHED else []
    return {source for watcher in watchers for source in (*watcher.sources, *watcher.helpful)}


class StoreWatch:
    """All watchers of one store, fed with one reading after the other."""

    def __init__(self, kind: str) -> None:
        self._watchers = WATCHED[kind]() if kind in WATCHED else []
        self._before: Raw = {}

    def look(self, raw: Raw, at_s: float) -> list[Noted]:
        """A reading without an answer is none."""
        if not raw:
            return []
        before, self._before = self._before, raw
        return [
            noted
            for watcher in self._watchers
            if all(source in before and source in raw for source in watcher.sources)
            for noted in watcher.look(before, raw, at_s)
        ]

    def end(self, at_s: float) -> list[Noted]:
        return [noted for watcher in self._watchers for noted in watcher.end(at_s)]
