# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loops of resampling, compiled. Each function is the twin of the one of the same name in `_numpy_replicates.py`,
which says what it computes; this file only says it faster. No function checks its input: the border did."""

import numpy as np

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

DEF CHUNK = 1024            # counts turned into floats at a time: they stay in the first cache
DEF OPEN = 255

cdef uint64_t STEP = 0x9E3779B97F4A7C15
cdef uint64_t AGAIN = 0xD1342543DE82EF95
cdef uint64_t MORE = 0xA0761D6478BD642F


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


def draw(const uint64_t[::1] keys, uint8_t[:, :] out, const uint8_t[::1] table, const uint64_t[::1] limits):
    cdef Py_ssize_t R = out.shape[0], n = out.shape[1], r
    if n == 0:
        return
    with nogil:
        for r in range(R):
            draw_one(keys[r], &out[r, 0], n, &table[0], &limits[0] if limits.shape[0] else NULL, limits.shape[0])


cdef inline uint8_t settled(uint64_t key, Py_ssize_t i, uint64_t bits, const uint64_t* limits,
                            Py_ssize_t steps) noexcept nogil:
    cdef uint64_t place = bits << 52 | mixed(~key + <uint64_t>(i + 1) * STEP) >> 12
    cdef uint8_t count = 0
    while count < steps and limits[count] <= place:
        count += 1
    return count


cdef void draw_one(uint64_t key, uint8_t* out, Py_ssize_t n, const uint8_t* table, const uint64_t* limits,
                   Py_ssize_t steps) noexcept nogil:
    cdef Py_ssize_t i, s, word, words = n // 5
    cdef int64_t left
    cdef uint64_t u, total, at
    cdef uint8_t c0, c1, c2, c3, c4
    while True:
        total = 0
        i = 0
        at = key
        for word in range(words):
            at += STEP
            u = mixed(at)
            c0 = table[u & 4095]
            c1 = table[u >> 12 & 4095]
            c2 = table[u >> 24 & 4095]
            c3 = table[u >> 36 & 4095]
            c4 = table[u >> 48 & 4095]
            if (c0 | c1 | c2 | c3 | c4) >= 128:         # only OPEN sets the highest bit
                if c0 == OPEN:
                    c0 = settled(key, i, u & 4095, limits, steps)
                if c1 == OPEN:
                    c1 = settled(key, i + 1, u >> 12 & 4095, limits, steps)
                if c2 == OPEN:
                    c2 = settled(key, i + 2, u >> 24 & 4095, limits, steps)
                if c3 == OPEN:
                    c3 = settled(key, i + 3, u >> 36 & 4095, limits, steps)
                if c4 == OPEN:
                    c4 = settled(key, i + 4, u >> 48 & 4095, limits, steps)
            out[i] = c0
            out[i + 1] = c1
            out[i + 2] = c2
            out[i + 3] = c3
            out[i + 4] = c4
            total += <uint64_t>c0 + c1 + c2 + c3 + c4
            i += 5
        u = mixed(at + STEP)
        while i < n:
            c0 = table[u & 4095]
            if c0 == OPEN:
                c0 = settled(key, i, u & 4095, limits, steps)
            u >>= 12
            out[i] = c0
            total += c0
            i += 1
        left = n - <int64_t>total
        if left >= 0:
            break
        key += AGAIN
    key ^= MORE
    for i in range(left):
        key += STEP
        out[<Py_ssize_t>(<double>(mixed(key) >> 11) * (1.0 / 9007199254740992.0) * n)] += 1


def weighted_sums(const uint8_t[:, ::1] counts, order, const int64_t[::1] starts, const double[:, ::1] values):
    cdef Py_ssize_t R = counts.shape[0], cells = starts.shape[0] - 1, q = values.shape[0], r, c, i, v, start, stop
    cdef bint gathered = order is not None
    cdef const int32_t[::1] at = order if gathered else np.empty(1, np.int32)
    out_ = np.zeros((R, cells, q))
    cdef double[:, :, ::1] out = out_
    cdef double[CHUNK] w
    with nogil:
        for r in range(R):
            for c in range(cells):
                start = starts[c]
                while start < starts[c + 1]:
                    stop = min(starts[c + 1], start + CHUNK)
                    if gathered:
                        for i in range(start, stop):
                            w[i - start] = counts[r, at[i]]
                    else:
                        for i in range(start, stop):
                            w[i - start] = counts[r, i]
                    for v in range(q):
                        out[r, c, v] += dot(w, &values[v, start], stop - start)
                    start = stop
    return out_


cdef inline double dot(const double* a, const double* b, Py_ssize_t n) noexcept nogil:
    # several sums at a time: one would wait for itself
    cdef double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0, s4 = 0.0, s5 = 0.0, s6 = 0.0, s7 = 0.0
    cdef Py_ssize_t i = 0
    while i + 8 <= n:
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
        s4 += a[i + 4] * b[i + 4]
        s5 += a[i + 5] * b[i + 5]
        s6 += a[i + 6] * b[i + 6]
        s7 += a[i + 7] * b[i + 7]
        i += 8
    while i < n:
        s0 += a[i] * b[i]
        i += 1
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


def ranks_among(const double[::1] others, const double[::1] scores):
    cdef Py_ssize_t m = others.shape[0], n = scores.shape[0], i, low = 0, high = 0
    below_, upto_ = np.empty(n, np.int32), np.empty(n, np.int32)
    cdef int32_t[::1] below = below_, upto = upto_
    with nogil:
        for i in range(n):
            while low < m and others[low] < scores[i]:
                low += 1
            high = high if high > low else low
            while high < m and others[high] <= scores[i]:
                high += 1
            below[i] = <int32_t>low
            upto[i] = <int32_t>high
    return below_, upto_


def two_class_wins(const uint8_t[:, ::1] counts, order, Py_ssize_t first, const int32_t[::1] below,
                   const int32_t[::1] upto):
    cdef Py_ssize_t R = counts.shape[0], n = counts.shape[1], r, i
    cdef bint gathered = order is not None, ties
    cdef const int32_t[::1] at = order if gathered else np.empty(1, np.int32)
    out_ = np.zeros(R)
    cdef double[::1] out = out_
    cdef int32_t* passed = <int32_t*>malloc((first + 1) * sizeof(int32_t))
    cdef const uint8_t* c
    cdef int32_t total
    cdef uint64_t won
    cdef Py_ssize_t others = n - first
    try:
        with nogil:
            ties = others > 0 and &below[0] != &upto[0]
            for r in range(R):
                c = &counts[r, 0]
                total = 0
                passed[0] = 0
                if gathered:
                    for i in range(first):
                        total += c[at[i]]
                        passed[i + 1] = total
                else:
                    for i in range(first):
                        total += c[i]
                        passed[i + 1] = total
                won = 0
                if gathered:
                    for i in range(others):
                        won += <uint64_t>c[at[first + i]] * <uint64_t>(<int64_t>passed[below[i]] + passed[upto[i]])
                elif ties:
                    for i in range(others):
                        won += <uint64_t>c[first + i] * <uint64_t>(<int64_t>passed[below[i]] + passed[upto[i]])
                else:
                    for i in range(others):
                        won += <uint64_t>c[first + i] * <uint64_t>passed[below[i]]
                    won *= 2
                out[r] = <double>won / 2
    finally:
        free(passed)
    return out_


def wins(const uint8_t[:, ::1] counts, const int32_t[::1] order, const int16_t[::1] label, const uint8_t[::1] fresh,
         Py_ssize_t j, Py_ssize_t k):
    # From the highest score down: `above` is the weight of class j so far, `base` what it was before this score. Cases
    # of class j add to a place of their own, which is not read.
    cdef Py_ssize_t R = counts.shape[0], n = order.shape[0], r, i
    out_ = np.zeros((R, k))
    cdef double[:, ::1] out = out_
    cdef uint64_t* won = <uint64_t*>malloc(k * sizeof(uint64_t))
    cdef uint64_t above, base, c
    cdef const uint8_t* row
    try:
        with nogil:
            for r in range(R):
                row = &counts[r, 0]
                memset(won, 0, k * sizeof(uint64_t))
                above = base = 0
                for i in range(n):
                    c = row[order[i]]
                    base = above if fresh[i] else base
                    above += c & -<uint64_t>(label[i] == j)
                    won[label[i]] += c * (base + above)
                won[j] = 0
                for i in range(k):
                    out[r, i] = <double>won[i] / 2
    finally:
        free(won)
    return out_


def walk(const uint8_t[:, ::1] counts, const int32_t[::1] order, const int16_t[::1] label, const uint8_t[::1] fresh,
         const double[::1] x, weight, Py_ssize_t j, Py_ssize_t k):
    cdef Py_ssize_t R = counts.shape[0], n = order.shape[0], r, i, start, stop
    cdef bint weighted = weight is not None
    cdef const double[::1] given = weight if weighted else np.empty(1)
    wins_, gains_, deviation_, refinement_ = np.zeros((R, k)), np.zeros((R, k)), np.zeros(R), np.zeros(R)
    cdef double[:, ::1] won = wins_, gained = gains_
    cdef double[::1] deviation = deviation_, refinement = refinement_
    cdef double above, mass, hits, total, w, off, mixed_, value, miss, hit
    cdef const uint8_t* row
    with nogil:
        for r in range(R):
            row = &counts[r, 0]
            above = mass = off = mixed_ = 0.0
            start = 0
            while start < n:
                value = x[start]
                if start + 1 == n or fresh[start + 1]:      # a score of its own
                    w = row[order[start]]
                    if weighted:
                        w *= given[start]
                    hit = <double>(label[start] == j)
                    won[r, label[start]] += w * above
                    gained[r, label[start]] += w * (mass - above * value)
                    off += w * (hit - value) * (hit - value)
                    above += w * hit
                    mass += w * hit * value
                    start += 1
                    continue
                hits = total = 0.0
                stop = start
                while True:
                    w = row[order[stop]]
                    if weighted:
                        w *= given[stop]
                    total += w
                    if label[stop] == j:
                        hits += w
                    stop += 1
                    if stop == n or fresh[stop]:
                        break
                if total > 0.0:
                    for i in range(start, stop):
                        w = row[order[i]]
                        if weighted:
                            w *= given[i]
                        won[r, label[i]] += w * (above + 0.5 * hits)
                        gained[r, label[i]] += w * (mass - above * value)
                    miss = value - hits / total
                    off += total * miss * miss
                    mixed_ += hits * (1.0 - hits / total)
                    above += hits
                    mass += hits * value
                start = stop
            won[r, j] = gained[r, j] = 0.0
            deviation[r] = off
            refinement[r] = mixed_
    return wins_, gains_, deviation_, refinement_
