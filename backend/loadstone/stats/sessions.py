"""Between sessions: the session is the unit, and how much sessions differ must have been learned. Pure.

Model: value = level + session (SD tau) + trial (SD sigma), on logarithms. The variance of a session's mean is
V = tau^2 + sigma^2 / n. It is estimated from the means of H earlier sessions; tau and sigma are never taken apart. Then

    t = (new - old) / sqrt(V (1/k + 1/H))      with k new sessions

Sources: F. E. Satterthwaite, "An approximate distribution of estimates of variance components" (1946); T. Kalibera and
R. Jones, "Rigorous benchmarking in reasonable time" (2013); M. G. Kendall, "Note on bias in the estimation of
autocorrelation" (1954).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtr, stdtrit

from loadstone.stats.estimates import Floats
from loadstone.stats.paired.moderation import NO_PRIOR, Prior, prior_of_passport

HISTORY_MIN = 8
"""Earlier sessions; with fewer, two sessions can't be told apart."""
SITTING_GAP_S = 3600.0
"""Runs closer together share whatever disturbs the machine: they count as one session."""
AUTOCORRELATION_PRIOR, PRIOR_WEIGHT, AUTOCORRELATION_MAX = 0.3, 20, 0.8
ONE_SIDED_LEVEL = 0.025
LEAST_EFFECT = 0.02
RANK_ORDERS_MIN = 20
LEAST_VARIANCE = 0.001**2
SESSIONS_MIN, SESSIONS_MAX = 2, 8
PAIRS_A_SESSION = 5
POWER = 0.8

Answer = Literal["confirmed", "false", "undecided"]


@dataclass(frozen=True)
class SessionVariance:
    """The variance of one session's mean, on logarithms, and how well it is known."""

    variance: float
    freedom: float
    autocorrelation: float
    sessions: int


@dataclass(frozen=True)
class Shift:
    """A difference of logarithms with its standard error."""

    estimate: float
    error: float
    freedom: float

    def bound(self, share: float) -> float:
        """Return the value that the true shift lies below with this confidence."""
        return self.estimate + float(stdtrit(self.freedom, share)) * self.error

    @property
    def p_value(self) -> float:
        return float(2 * stdtr(self.freedom, -abs(self.estimate) / self.error))


def sittings(seconds: Sequence[float], values: Floats) -> Floats:
    """Average the values of runs that follow each other within `SITTING_GAP_S`. `seconds` ascend."""
    gaps = np.diff(np.asarray(seconds, dtype=np.float64), prepend=-np.inf)
    starts = [int(place) for place in np.nonzero(gaps > SITTING_GAP_S)[0]]
    if not starts:
        return np.empty(0)
    counts = np.diff([*starts, len(seconds)])
    means: Floats = np.add.reduceat(values, starts) / counts
    return means


def autocorrelation(values: Floats) -> float:
    """Of neighbours, corrected for its bias and drawn to `AUTOCORRELATION_PRIOR`: short series tell little of
    theirs."""
    count = len(values)
    rest = values - values.mean()
    power = float(rest @ rest)
    raw = float(rest[1:] @ rest[:-1]) / power if power > 0 else 0.0
    corrected = raw + (1 + 3 * raw) / count
    drawn = (count * corrected + PRIOR_WEIGHT * AUTOCORRELATION_PRIOR) / (count + PRIOR_WEIGHT)
    return min(max(drawn, 0.0), AUTOCORRELATION_MAX)


def session_variance(history: Floats) -> SessionVariance | None:
    """Learn the variance from the means of earlier sessions, in their order; None with fewer than `HISTORY_MIN`."""
    count = len(history)
    if count < HISTORY_MIN:
        return None
    phi = autocorrelation(history)
    variance = max(float(history.var(ddof=1)), LEAST_VARIANCE)
    return SessionVariance(variance, (count - 1) * (1 - phi) / (1 + phi), phi, count)


def pooled(variances: Sequence[SessionVariance]) -> SessionVariance:
    """Join what several series know; each has its own level."""
    freedom = sum(one.freedom for one in variances)
    variance = sum(one.variance * one.freedom for one in variances) / freedom
    phi = max(one.autocorrelation for one in variances)
    return SessionVariance(variance, freedom, phi, sum(one.sessions for one in variances))


def mean_inflation(autocorrelation: float, sessions: int) -> float:
    """Return by how much the variance of a mean of neighbours exceeds that of independent ones:
    1 + 2 sum over j < k of (1 - j/k) phi^j."""
    lags = np.arange(1, sessions)
    return float(1 + 2 * ((1 - lags / sessions) * autocorrelation**lags).sum())


def one_against_one(base: float, contender: float, variance: SessionVariance) -> Shift:
    """Compare two sessions' means with a variance that others taught."""
    return Shift(contender - base, math.sqrt(2 * variance.variance), variance.freedom)


def new_against_history(new: Floats, history: Floats) -> Shift | None:
    """Compare k new sessions with H earlier ones; None with a short history. Each is a session's mean of logarithms."""
    learned = session_variance(history)
    if learned is None or not len(new):
        return None
    k, h = len(new), len(history)
    phi = learned.autocorrelation
    squared = learned.variance * (mean_inflation(phi, k) / k + mean_inflation(phi, h) / h)
    return Shift(float(new.mean() - history.mean()), math.sqrt(squared), learned.freedom)


def rank_p_value(new: Floats, history: Floats, *, is_lower: bool) -> float | None:
    """Return the exchangeable p-value of the new mean among all choices of k from H + k sessions, one-sided.

    A second condition where history has two modes: a new session in the known low mode is no shift. None where fewer
    than 20 choices exist. With more than one new session the choices are sampled, seeded.
    """
    pool = np.concatenate([history, new])
    k = len(new)
    if math.comb(len(pool), k) < RANK_ORDERS_MIN:
        return None
    if k == 1:
        means = pool
    else:
        draw = np.random.default_rng(k)
        means = np.array([draw.permutation(pool)[:k].mean() for _ in range(999)] + [new.mean()])
    extreme = means <= new.mean() + 1e-12 if is_lower else means >= new.mean() - 1e-12
    return float(extreme.mean())


def side_by_side(differences: Floats, passport: Prior = NO_PRIOR) -> Shift | None:
    """Compare old and new that ran inside each of several sessions; `differences` holds each session's mean.

    A session's own level cancels. What is left is how differently the two sides meet a session, and only several
    sessions (or the passport) tell that: None with a single session and no passport.
    """
    k = len(differences)
    if k < SESSIONS_MIN and passport.freedom <= 0:
        return None
    freedom = max(k - 1, 0)
    own = np.array([max(float(differences.var(ddof=1)), LEAST_VARIANCE / 5)]) if freedom else np.array([0.0])
    degrees = np.array([float(freedom)])
    if passport.freedom > 0:
        # The passport is evidence of its own (A/A sessions), so it isn't capped at what these sessions know.
        prior = prior_of_passport(passport, own, degrees) if freedom else passport
        total = prior.freedom + freedom
        if total <= 0:
            return None
        variance = (prior.freedom * prior.variance + freedom * own[0]) / total
        return Shift(float(differences.mean()), math.sqrt(variance / k), total)
    return Shift(float(differences.mean()), math.sqrt(own[0] / k), float(freedom))


def answer(shift: Shift, *, is_lower: bool, least_effect: float = LEAST_EFFECT) -> Answer:
    """Decide on an alert in its own direction, one-sided at 2.5 %.

    *Confirmed*: no effect is ruled out. *False*: the least effect that matters is ruled out; half of what was found
    would be the wrong measure, because what was found was found for its size.
    """
    sign = -1 if is_lower else 1
    effect = Shift(sign * shift.estimate, shift.error, shift.freedom)
    if effect.bound(ONE_SIDED_LEVEL) > 0:
        return "confirmed"
    limit = -math.log1p(-least_effect) if is_lower else math.log1p(least_effect)
    return "false" if effect.bound(1 - ONE_SIDED_LEVEL) < limit else "undecided"


def sessions_needed(spread: float, effect: float, most: int = 60) -> int | None:
    """Return how many sessions side by side see an effect (log ratio) with 80 % at the one-sided 2.5 % level.

    `spread` is the SD of a session's mean difference. None where `most` would not do.
    """
    for k in range(SESSIONS_MIN, most + 1):
        needed = float(stdtrit(k - 1, 1 - ONE_SIDED_LEVEL) + stdtrit(k - 1, POWER))
        if effect * math.sqrt(k) >= needed * spread:
            return k
    return None
