"""What curves of one class against the rest are made of: weights[R, m] of the class and of the rest at each distinct
score, ascending."""

from __future__ import annotations

import numpy as np

from karat.kernels.records import Array


def precision_sums(positive: Array, negative: Array) -> Array:
    """[R]: the precision from each score on, times the weight of the class there, summed."""
    hits, misses = (np.cumsum(x[:, ::-1], axis=1) for x in (positive, negative))
    precision = np.divide(hits, hits + misses, out=np.zeros_like(hits), where=hits > 0)
    return np.asarray((positive[:, ::-1] * precision).sum(axis=1))


def hulls(positive: Array, negative: Array) -> tuple[Array, Array, Array]:
    """(places, reached[2], ends[R + 1]) of the strict vertices of the upper hull of each ROC curve, both ends included:
    ends[r] to ends[r + 1] are those of row r. Place 0 is above all scores, place i at the i-th highest of them;
    `reached` are the weights of the rest and of the class from there on."""
    places, ends = [], [0]
    reached: list[tuple[float, float]] = []
    for own, rest in zip(positive, negative, strict=True):
        x, y = (np.append(0.0, np.cumsum(side[::-1])).tolist() for side in (rest, own))
        kept = [0]
        for i in range(1, len(x)):
            if (x[i], y[i]) == (x[kept[-1]], y[kept[-1]]):
                continue
            while len(kept) > 1:
                a, b = kept[-2:]
                if (x[i] - x[a]) * (y[b] - y[a]) > (x[b] - x[a]) * (y[i] - y[a]):
                    break
                kept.pop()
            kept.append(i)
        places += kept
        reached += [(x[i], y[i]) for i in kept]
        ends.append(len(places))
    return np.array(places, np.int64), np.array(reached).T, np.array(ends, np.int64)


def envelope(left: Array, right: Array, slack: float) -> tuple[Array, Array]:
    """The lowest of some lines over [0, 1], of their values at both ends: (breaks, which line is lowest between them).
    What differs by `slack` is equal; of equal lines the first is named, of lines that cross at one point the
    steepest."""
    now = int(np.lexsort((np.arange(len(left)), right, left))[0])
    breaks, which = [0.0], [now]
    while True:
        steeper = np.flatnonzero(right < right[now] - slack)
        if not len(steeper):
            break
        ahead, gain = np.maximum(left[steeper] - left[now], 0.0), right[now] - right[steeper]
        where = ahead / (ahead + gain)
        first = np.flatnonzero(where <= where.min() + slack)
        now = int(steeper[first[np.argmin(right[steeper[first]])]])
        if where.min() >= 1 - slack:
            break
        if where.min() - breaks[-1] <= slack:
            which[-1] = now
        else:
            breaks.append(float(where.min()))
            which.append(now)
    return np.append(breaks, 1.0), np.array(which, np.int64)
