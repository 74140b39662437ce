# Replicates: drawn, and what is summed over them.

DEF CHUNK = 1024            # counts turned into floats at a time: they stay in the first cache
DEF OPEN = 255

cdef uint64_t STEP = 0x9E3779B97F4A7C15
cdef uint64_t AGAIN = 0xD1342543DE82EF95
cdef uint64_t MORE = 0xA0761D6478BD642F


cdef inline uint64_t mixed(uint64_t x) noexcept nogil:
    x = (x ^ (x >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


def draw(const uint64_t[::1] keys, uint8_t[:, :] out, const uint8_t[:, ::1] table, const uint64_t[::1] limits,
         const uint8_t[:, ::1] pairs):
    cdef Py_ssize_t R = out.shape[0], n = out.shape[1], r
    if n == 0:
        return
    with nogil:
        for r in range(R):
            draw_one(keys[r], &out[r, 0], n, &table[0, 0], &limits[0], &pairs[0, 0])


cdef inline void settle_pair(uint8_t* out, Py_ssize_t room, uint64_t key, Py_ssize_t pair, uint64_t bits,
                        const uint64_t* limits, const uint8_t* pairs) noexcept nogil:
    # two counts that twelve bits did not tell
    cdef uint64_t place = bits << 52 | mixed(~key + <uint64_t>(pair + 1) * STEP) >> 12
    while limits[0] <= place:
        limits += 1
        pairs += 2
    out[0] = pairs[0]
    if room > 1:
        out[1] = pairs[1]


cdef inline uint64_t sum_of(const uint8_t* x, Py_ssize_t n) noexcept nogil:
    cdef uint32_t part = 0
    cdef uint64_t total = 0
    cdef Py_ssize_t i, start, stop
    for start in range(0, n, 65536):
        stop = min(n, start + 65536)
        part = 0
        for i in range(start, stop):
            part += x[i]
        total += part
    return total


cdef void draw_one(uint64_t key, uint8_t* out, Py_ssize_t n, const uint8_t* table, const uint64_t* limits,
                   const uint8_t* pairs) noexcept nogil:
    cdef Py_ssize_t i, s, word
    cdef int64_t left
    cdef uint64_t u, at
    cdef uint16_t c0, c1, c2, c3, c4
    while True:
        i = 0
        at = key
        while i + 10 <= n:
            at += STEP
            u = mixed(at)
            memcpy(&c0, table + 2 * (u & 4095), 2)
            memcpy(&c1, table + 2 * (u >> 12 & 4095), 2)
            memcpy(&c2, table + 2 * (u >> 24 & 4095), 2)
            memcpy(&c3, table + 2 * (u >> 36 & 4095), 2)
            memcpy(&c4, table + 2 * (u >> 48 & 4095), 2)
            memcpy(out + i, &c0, 2)
            memcpy(out + i + 2, &c1, 2)
            memcpy(out + i + 4, &c2, 2)
            memcpy(out + i + 6, &c3, 2)
            memcpy(out + i + 8, &c4, 2)
            if (c0 | c1 | c2 | c3 | c4) & 0x8080:           # only OPEN sets these bits
                for s in range(5):
                    if out[i + 2 * s] == OPEN:
                        settle_pair(out + i + 2 * s, 2, key, (i >> 1) + s, u >> (12 * s) & 4095, limits, pairs)
            i += 10
        u = mixed(at + STEP)
        while i < n:
            out[i] = table[2 * (u & 4095)]
            if i + 1 < n:
                out[i + 1] = table[2 * (u & 4095) + 1]
            if out[i] == OPEN:
                settle_pair(out + i, n - i, key, i >> 1, u & 4095, limits, pairs)
            u >>= 12
            i += 2
        left = n - <int64_t>sum_of(out, n)
        if left >= 0:
            break
        key += AGAIN
    key ^= MORE
    for i in range(left):
        key += STEP
        out[<Py_ssize_t>(<double>(mixed(key) >> 11) * (1.0 / 9007199254740992.0) * n)] += 1


def totals(const uint8_t[:, ::1] counts, const int64_t[::1] starts):
    cdef Py_ssize_t R = counts.shape[0], cells = starts.shape[0] - 1, r, c
    out_ = np.zeros((R, cells))
    cdef double[:, ::1] out = out_
    with nogil:
        for r in range(R):
            for c in range(cells):
                if starts[c + 1] > starts[c]:
                    out[r, c] = <double>sum_of(&counts[r, starts[c]], starts[c + 1] - starts[c])
    return out_


def weighted_sums(const uint8_t[:, ::1] counts, order, const int64_t[::1] starts, const double[:, ::1] values):
    cdef Py_ssize_t R = counts.shape[0], cells = starts.shape[0] - 1, q = values.shape[0], r, c, i, v, start, stop
    cdef bint gathered = order is not None
    cdef const int32_t[::1] at = order if gathered else np.empty(1, np.int32)
    out_ = np.zeros((R, cells, q))
    cdef double[:, :, ::1] out = out_
    cdef double[CHUNK] w
    cdef const uint8_t* row
    with nogil:
        for c in range(cells):
            start = starts[c]
            while start < starts[c + 1]:                        # all replicates use these values while they are at hand
                stop = min(starts[c + 1], start + CHUNK)
                for r in range(R):
                    row = &counts[r, 0]
                    if gathered:
                        for i in range(stop - start):
                            w[i] = row[at[start + i]]
                    else:
                        for i in range(stop - start):
                            w[i] = <double><int32_t>row[start + i]
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


def ranks(const double[::1] ones, const double[::1] others):
    cdef Py_ssize_t n = ones.shape[0], m = others.shape[0]
    one_, other_ = np.empty(n + 1, np.int32), np.empty(m + 1, np.int32)
    cdef int32_t[::1] one = one_, other = other_
    cdef bint ties
    with nogil:
        ties = merge(&ones[0] if n else NULL, n, &others[0] if m else NULL, m, False, &one[0], &other[0])
    below, upto = one_[:n], other_[:m]
    if not ties:
        return below, below, upto, upto
    one_, other_ = np.empty(n + 1, np.int32), np.empty(m + 1, np.int32)
    one, other = one_, other_
    with nogil:
        merge(&ones[0] if n else NULL, n, &others[0] if m else NULL, m, True, &one[0], &other[0])
    return below, one_[:n], other_[:m], upto


cdef bint merge(const double* ones, Py_ssize_t n, const double* others, Py_ssize_t m, bint others_first, int32_t* one,
                int32_t* other) noexcept nogil:
    # How many of the others come before each of the ones, and the other way round. Both ranks are written at every
    # step, the right one last: a processor can't guess which side is next.
    cdef Py_ssize_t i = 0, j = 0
    cdef bint ties = False, next_other
    cdef double x, y
    while i < n and j < m:
        x = ones[i]
        y = others[j]
        next_other = (y < x) | (others_first & (y == x))
        ties |= y == x
        one[i] = <int32_t>j
        other[j] = <int32_t>i
        j += next_other
        i += not next_other
    while i < n:
        one[i] = <int32_t>m
        i += 1
    while j < m:
        other[j] = <int32_t>n
        j += 1
    return ties


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


def walk_without(const int16_t[::1] label, const uint8_t[::1] fresh, const double[::1] x, weight,
                 const int32_t[::1] group, Py_ssize_t groups, Py_ssize_t j, Py_ssize_t k):
    # A group is left out of sums over pairs by taking off the pairs that it is part of, as the one (`lost`) or as the
    # other, and adding those within it, which were taken off twice (`within`).
    cdef Py_ssize_t n = label.shape[0], start = 0, stop, i, c, g, own
    cdef bint weighted = weight is not None, tied
    cdef const double[::1] given = weight if weighted else np.empty(1)
    wins_, gains_ = np.zeros((groups, k)), np.zeros((groups, k))
    deviation_, refinement_ = np.zeros(groups), np.zeros(groups)
    cdef double[:, ::1] won = wins_, gained = gains_
    cdef double[::1] deviation = deviation_, refinement = refinement_
    cdef double w, value, hits, total, size, above = 0.0, mass = 0.0, off = 0.0, mixed_ = 0.0, before, after, left, hit
    # of all classes: what is below, and of the present score; pairs of all
    cdef double* of_class = <double*>calloc(5 * k, sizeof(double))
    cdef double* below = of_class
    cdef double* below_mass = of_class + k
    cdef double* here = of_class + 2 * k
    cdef double* all_won = of_class + 3 * k
    cdef double* all_gained = of_class + 4 * k
    # of all groups: what is above, and of the present score
    cdef double* of_group = <double*>calloc(5 * groups, sizeof(double))
    cdef double* group_above = of_group
    cdef double* group_mass = of_group + groups
    cdef double* group_hits = of_group + 2 * groups
    cdef double* group_total = of_group + 3 * groups
    cdef double* group_size = of_group + 4 * groups
    with nogil:
        for i in range(n):
            w = given[i] if weighted else 1.0
            below[label[i]] += w
            below_mass[label[i]] += w * x[i]
        while start < n:
            value = x[start]
            stop = start
            hits = total = 0.0
            while True:
                w = given[stop] if weighted else 1.0
                g = group[stop]
                c = label[stop]
                here[c] += w
                below[c] -= w
                below_mass[c] -= w * value
                total += w
                group_total[g] += w
                group_size[g] += 1.0
                if c == j:
                    hits += w
                    group_hits[g] += w
                stop += 1
                if stop == n or fresh[stop]:
                    break
            for i in range(start, stop):
                w = given[i] if weighted else 1.0
                g = group[i]
                own = label[i]
                if own == j:
                    for c in range(k):
                        won[g, c] -= w * (below[c] + 0.5 * here[c])
                        gained[g, c] -= w * (value * below[c] - below_mass[c])
                else:
                    before = w * (above + 0.5 * hits)
                    after = w * (mass - above * value)
                    all_won[own] += before
                    all_gained[own] += after
                    won[g, own] += w * (group_above[g] + 0.5 * group_hits[g]) - before
                    gained[g, own] += w * (group_mass[g] - group_above[g] * value) - after
            size = <double>(stop - start)
            before = value - hits / total if total > 0.0 else 0.0
            before = total * before * before
            after = hits * (1.0 - hits / total) if total > 0.0 else 0.0
            off += before
            mixed_ += after
            for i in range(start, stop):
                g = group[i]
                if group_size[g] > 0.0:                     # once for each group that has this score
                    deviation[g] -= before
                    refinement[g] -= after
                    left = total - group_total[g]
                    if group_size[g] < size and left > 0.0:
                        hit = hits - group_hits[g]
                        w = value - hit / left
                        deviation[g] += left * w * w
                        refinement[g] += hit * (1.0 - hit / left)
                    group_above[g] += group_hits[g]
                    group_mass[g] += group_hits[g] * value
                    group_hits[g] = group_total[g] = group_size[g] = 0.0
                here[label[i]] = 0.0
            above += hits
            mass += hits * value
            start = stop
        for g in range(groups):
            for c in range(k):
                won[g, c] = max(won[g, c] + all_won[c], 0.0)
                gained[g, c] = max(gained[g, c] + all_gained[c], 0.0)
            won[g, j] = gained[g, j] = 0.0
            deviation[g] = max(deviation[g] + off, 0.0)
            refinement[g] = max(refinement[g] + mixed_, 0.0)
    free(of_class)
    free(of_group)
    return wins_, gains_, deviation_, refinement_


def sides(const uint8_t[:, ::1] counts, const int32_t[::1] order, const uint8_t[::1] own, const int32_t[::1] place,
          weight, Py_ssize_t m):
    cdef Py_ssize_t R = counts.shape[0], n = order.shape[0], r, i
    cdef bint weighted = weight is not None, distinct = m == n
    cdef const double[::1] given = weight if weighted else np.empty(1)
    out_ = np.zeros((R, 2, m))
    cdef double[:, :, ::1] out = out_
    cdef double* rest
    cdef double w
    cdef const uint8_t* row
    with nogil:
        for r in range(R):
            row = &counts[r, 0]
            rest = &out[r, 0, 0]
            if weighted:
                for i in range(n):
                    rest[own[i] * m + place[i]] += given[i] * row[order[i]]
            elif distinct:
                for i in range(n):
                    w = row[order[i]]
                    rest[own[i] * m + i] = w
            else:
                for i in range(n):
                    rest[own[i] * m + place[i]] += row[order[i]]
    return out_


def window_errors(const uint8_t[:, ::1] counts, const int32_t[::1] order, const uint8_t[::1] own,
                  const int32_t[::1] place, const double[::1] x, const int64_t[::1] sizes):
    # Two sums from the lowest place of a replicate up to each, of scores and of hits (inside a tie both rise evenly),
    # tell all of a window; `near` tells where a share lies among the scores, and `first` where these are in it. Nothing
    # here is branched on that a processor could not guess: most scores are drawn 0, 1 or 2 times.
    cdef Py_ssize_t R = counts.shape[0], n = order.shape[0], m = x.shape[0], cells = 4 * m + 4, r, i, t
    out_ = np.zeros(R)
    cdef double[::1] out = out_
    cdef Py_ssize_t most = 0
    for r in range(R):
        most = max(most, <Py_ssize_t>sum_of(&counts[r, 0], counts.shape[1]))
    cdef int32_t* near = <int32_t*>malloc((cells + 2) * sizeof(int32_t))
    cdef int32_t* first = <int32_t*>malloc((m + 1) * sizeof(int32_t))
    cdef int32_t* drawn = <int32_t*>malloc((m + 1) * sizeof(int32_t))
    cdef int32_t* hit = <int32_t*>malloc((m + 1) * sizeof(int32_t))
    cdef double* hits = <double*>malloc((most + 5) * sizeof(double))
    cdef double* mass = <double*>malloc((most + 5) * sizeof(double))
    cdef const uint8_t* row
    cdef int32_t at
    cdef double share, h, s
    with nogil:
        t = 0
        for i in range(cells + 2):
            while t < m and x[t] * cells < i:
                t += 1
            near[i] = <int32_t>t
        for r in range(R):
            row = &counts[r, 0]
            if m == n:
                for i in range(n):
                    drawn[i] = row[order[i]]
                    hit[i] = drawn[i] * own[i]
            else:
                memset(drawn, 0, m * sizeof(int32_t))
                memset(hit, 0, m * sizeof(int32_t))
                for i in range(n):
                    drawn[place[i]] += row[order[i]]
                    hit[place[i]] += row[order[i]] * own[i]
            at = 0
            h = s = 0.0
            for t in range(m):
                first[t] = at
                share = <double>own[t] if m == n else (<double>hit[t] / drawn[t] if drawn[t] else 0.0)
                for i in range(4):                          # what is too many is written over
                    hits[at + i] = h + i * share
                    mass[at + i] = s + i * x[t]
                for i in range(4, drawn[t]):
                    hits[at + i] = h + i * share
                    mass[at + i] = s + i * x[t]
                at += drawn[t]
                h += hit[t]
                s += drawn[t] * x[t]
            first[m] = at
            hits[at] = h
            mass[at] = s
            out[r] = window_error_of(m, cells, at, sizes[r], near, &x[0], first, hits, mass)
    free(near)
    free(first)
    free(drawn)
    free(hit)
    free(hits)
    free(mass)
    return out_


cdef double window_error_of(Py_ssize_t m, Py_ssize_t cells, Py_ssize_t n, Py_ssize_t size, const int32_t* near,
                            const double* x, const int32_t* first, const double* hits,
                            const double* mass) noexcept nogil:
    cdef Py_ssize_t start, stop, middle, t, top, cell
    cdef double inverse = 1.0 / size, total = 0.0, share
    for start in range(n - size + 1):
        stop = start + size
        share = (hits[stop] - hits[start]) * inverse
        share = max(0.0, min(share, 1.0))
        cell = <Py_ssize_t>(share * cells)
        t = near[cell]
        top = near[cell + 1]
        while top - t > 8:                                  # many scores in one cell
            if x[(t + top) // 2] < share:
                t = (t + top) // 2 + 1
            else:
                top = (t + top) // 2
        while t < m and x[t] < share:
            t += 1
        middle = max(start, min(<Py_ssize_t>first[t], stop))
        total += share * (2 * middle - start - stop) + mass[start] + mass[stop] - 2.0 * mass[middle]
    return total * inverse / (n - size + 1)
