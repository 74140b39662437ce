# Replicates: drawn, and what is summed over them.

DEF CHUNK = 1024            # counts turned into floats at a time: they stay in the first cache
DEF OPEN = 255

DEF AT_ONCE = 32            # windows that are looked at together

cdef enum Middle:
    INSIDE
    AT_START
    AT_STOP

cdef double[4] UP_TO_THREE      # not known to the compiler, which then does the same with all four
cdef double[2 * 256 * 2] HITS_AND_REST
UP_TO_THREE[:] = [0.0, 1.0, 2.0, 3.0]
for _x in range(256):           # [is it of the class][count]: the count as hits, and as others
    HITS_AND_REST[2 * _x] = HITS_AND_REST[2 * (256 + _x) + 1] = 0.0
    HITS_AND_REST[2 * _x + 1] = HITS_AND_REST[2 * (256 + _x)] = _x

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
    cdef TwoSides pairs
    if k == 2 and not weighted:
        pairs = two_sides(&order[0], &label[0], &fresh[0], &x[0], n, j)
    with nogil:
        for r in range(R):
            row = &counts[r, 0]
            if k == 2 and not weighted:
                walk_two(row, &pairs, n, &won[r, 1 - j], &gained[r, 1 - j], &deviation[r], &refinement[r])
                continue
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
    if k == 2 and not weighted:
        free(pairs.own)
        free(pairs.step)
        free(pairs.ties)
    return wins_, gains_, deviation_, refinement_


cdef struct TwoSides:
    # Of two classes without weights, of each case in its order: is it of the class; how far the next score is below its
    # own. By place among the counts: its squared error, 0 for cases with the same score as others, whose places are in
    # `ties`; all bits if it is not of the class.
    const int32_t* order
    const double* x
    uint8_t* own
    uint8_t* rest
    double* step
    double* square
    int32_t* ties               # first and last of each, then -1


cdef TwoSides two_sides(const int32_t* order, const int16_t* label, const uint8_t* fresh, const double* x,
                        Py_ssize_t n, Py_ssize_t j) noexcept nogil:
    cdef TwoSides sides
    cdef Py_ssize_t i, found = 0
    sides.order = order
    sides.x = x
    sides.own = <uint8_t*>malloc(2 * n)
    sides.rest = sides.own + n
    sides.step = <double*>malloc(2 * n * sizeof(double))
    sides.square = sides.step + n
    sides.ties = <int32_t*>malloc((n + 2) * sizeof(int32_t))
    for i in range(n):
        sides.own[i] = label[i] == j
        sides.rest[order[i]] = <uint8_t>all_bits_if(label[i] != j)
        sides.step[i] = x[i] - x[i + 1] if i + 1 < n else 0.0
        sides.square[order[i]] = (sides.own[i] - x[i]) * (sides.own[i] - x[i])
        if not fresh[i] or (i + 1 < n and not fresh[i + 1]):
            sides.square[order[i]] = 0.0
            if fresh[i] or i + 1 == n or fresh[i + 1]:
                sides.ties[found] = <int32_t>i
                found += 1
    sides.ties[found] = -1
    return sides


cdef void walk_two(const uint8_t* row, TwoSides* sides, Py_ssize_t n, double* wins, double* gains, double* deviation,
                   double* refinement) noexcept nogil:
    # All that is carried on are whole numbers: each pair of a case of the class at or above a score and another one
    # below it gains the step from that score to the next.
    cdef Py_ssize_t i, start, m
    cdef int64_t tied_pairs = 0, hits, rest, others = 0
    cdef double above = 0.0, below, won = 0.0, gained = 0.0, off = 0.0, mixed = 0.0, miss, total
    cdef double[CHUNK] w
    cdef const double* count
    cdef const int32_t* order = sides.order
    cdef const uint8_t* own = sides.own
    cdef const double* step = sides.step
    cdef const int32_t* tie = sides.ties
    for i in range(n):
        others += row[i] & sides.rest[i]
    below = <double>others
    for i in range(n):
        count = HITS_AND_REST + 2 * (256 * own[i] + row[order[i]])
        above += count[0]
        below -= count[1]
        won += count[1] * above
        gained += above * below * step[i]
    for start in range(0, n, CHUNK):
        m = min(CHUNK, n - start)
        for i in range(m):
            w[i] = <double><int32_t>row[start + i]
        off += dot(w, sides.square + start, m)
    while tie[0] >= 0:
        hits = rest = 0
        for i in range(tie[0], tie[1] + 1):
            hits += row[order[i]] & -<int64_t>own[i]
            rest += row[order[i]] & ~-<int64_t>own[i]
        if hits + rest > 0:
            total = <double>(hits + rest)
            miss = sides.x[tie[0]] - hits / total
            off += total * miss * miss
            mixed += hits * (rest / total)
            tied_pairs += hits * rest
        tie += 2
    wins[0] = won - 0.5 * tied_pairs
    gains[0] = gained
    deviation[0] = off
    refinement[0] = mixed


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


def precisions_without(const uint8_t[::1] own, const int32_t[::1] place, weight, const int32_t[::1] group,
                       Py_ssize_t groups):
    # Precision counts at cases of the class only, so only there all groups are gone through.
    cdef Py_ssize_t n = own.shape[0], stop = n, start, i, g
    cdef bint weighted = weight is not None
    cdef const double[::1] given = weight if weighted else np.empty(1)
    sums_ = np.zeros(groups)
    cdef double[::1] sums = sums_
    cdef double w, hits = 0.0, total = 0.0, here, left
    cdef double* of_group = <double*>calloc(3 * groups, sizeof(double))
    cdef double* group_hits = of_group
    cdef double* group_total = of_group + groups
    cdef double* group_here = of_group + 2 * groups
    with nogil:
        while stop > 0:
            start = stop
            here = 0.0
            while start > 0 and place[start - 1] == place[stop - 1]:
                start -= 1
                w = given[start] if weighted else 1.0
                g = group[start]
                total += w
                group_total[g] += w
                if own[start]:
                    here += w
                    group_here[g] += w
                    hits += w
                    group_hits[g] += w
            if here > 0.0:
                for g in range(groups):
                    left = total - group_total[g]
                    left = left if left > 1e-12 * total else INFINITY    # the rest of a sum of weights is rounding
                    sums[g] += (here - group_here[g]) * ((hits - group_hits[g]) / left)
                for i in range(start, stop):
                    group_here[group[i]] = 0.0
            stop = start
    free(of_group)
    return sums_


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
    if x.shape[0] == order.shape[0]:
        return window_errors_without_ties(counts, order, own, x, sizes)
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
            memset(drawn, 0, m * sizeof(int32_t))
            memset(hit, 0, m * sizeof(int32_t))
            for i in range(n):
                drawn[place[i]] += row[order[i]]
                hit[place[i]] += row[order[i]] * own[i]
            at = 0
            h = s = 0.0
            for t in range(m):
                first[t] = at
                share = <double>hit[t] / drawn[t] if drawn[t] else 0.0
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


cdef window_errors_without_ties(const uint8_t[:, ::1] counts, const int32_t[::1] order, const uint8_t[::1] own,
                                const double[::1] x, const int64_t[::1] sizes):
    # The cases of the class in a window are then a whole number h: where the scores reach h / size is known beforehand.
    cdef Py_ssize_t R = counts.shape[0], n = order.shape[0], r, h, t, most = 0, widest = 0, cases, size = -1
    out_ = np.zeros(R)
    cdef double[::1] out = out_
    for r in range(R):
        most = max(most, <Py_ssize_t>sum_of(&counts[r, 0], counts.shape[1]))
        widest = max(widest, <Py_ssize_t>sizes[r])
    cdef int32_t* reach = <int32_t*>malloc((widest + 1) * sizeof(int32_t))
    cdef int32_t* middles = <int32_t*>malloc((widest + 1 + 2 * AT_ONCE) * sizeof(int32_t))
    cdef double* below = <double*>malloc((widest + 1) * sizeof(double))
    cdef int32_t* first = <int32_t*>malloc((n + 1) * sizeof(int32_t))
    cdef uint8_t* outcome = <uint8_t*>malloc(most + 4)
    cdef double* mass = <double*>malloc((most + 4) * sizeof(double))
    with nogil:
        for r in range(R):
            if sizes[r] != size:
                size = sizes[r]
                t = 0
                for h in range(size + 1):
                    while t < n and x[t] * size < h:
                        t += 1
                    reach[h] = <int32_t>t
            cases = repeat(&counts[r, 0], &order[0], &own[0], &x[0], n, first, outcome, mass)
            for h in range(size + 1):
                t = first[reach[h]]
                middles[AT_ONCE + h] = <int32_t>t
                below[h] = <double>(h * t) / size - mass[t]
            for h in range(AT_ONCE):            # no window has fewer hits than none, or more than all
                middles[h] = middles[AT_ONCE]
                middles[AT_ONCE + size + 1 + h] = middles[AT_ONCE + size]
            out[r] = whole_window_error(cases, size, outcome, mass, middles + AT_ONCE, below)
    free(reach)
    free(middles)
    free(below)
    free(first)
    free(outcome)
    free(mass)
    return out_


cdef Py_ssize_t repeated(const uint8_t* row, const int32_t* order, const uint8_t* own, const double* x, Py_ssize_t n,
                         int32_t* first, uint8_t* outcome, double* mass) noexcept nogil:
    # Cases as often as they were drawn: where the first of each is, and of each place its outcome and the sum of the
    # scores before it. Four are written of each, without asking: what is too many is written over.
    cdef Py_ssize_t t, at = 0, count
    cdef uint32_t four
    cdef double s = 0.0, value
    cdef double none = UP_TO_THREE[0], once = UP_TO_THREE[1], twice = UP_TO_THREE[2], thrice = UP_TO_THREE[3]
    for t in range(n):
        count = row[order[t]]
        value = x[t]
        four = own[t] * <uint32_t>0x01010101
        first[t] = <int32_t>at
        memcpy(outcome + at, &four, 4)
        mass[at] = s + none * value
        mass[at + 1] = s + once * value
        mass[at + 2] = s + twice * value
        mass[at + 3] = s + thrice * value
        if count > 4:
            repeat_further(count, own[t], s, value, outcome + at, mass + at)
        at += count
        s += <int32_t>count * value
    first[n] = <int32_t>at
    outcome[at] = 0
    mass[at] = s
    return at


cdef void repeated_further(Py_ssize_t count, uint8_t own, double s, double value, uint8_t* outcome,
                           double* mass) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(4, count):
        outcome[i] = own
        mass[i] = s + i * value


cdef double whole_window_error(Py_ssize_t n, Py_ssize_t size, const uint8_t* outcome, const double* mass,
                               const int32_t* middles, const double* below) noexcept nogil:
    # A window from `start` to `stop`, of which h cases are hits, is off by 2 d(middle) - d(start) - d(stop), where d(q)
    # is the sum of h / size - x over the q lowest cases (`below[h]` if q is where x reaches h / size). `middle` is that
    # place, but never outside the window. From one window to the next h changes by one at most, so mostly it is known
    # of many of them at once that it is inside, or at the same end.
    cdef Py_ssize_t windows = n - size + 1, start, h = 0, lowest, highest
    cdef double total = 0.0
    for start in range(size):
        h += outcome[start]
    start = 0
    while start + AT_ONCE <= windows:
        lowest, highest = middles[h - AT_ONCE], middles[h + AT_ONCE]
        if lowest >= start + AT_ONCE and highest <= start + size:
            total += windows_at_once(start, size, INSIDE, outcome + start, mass + start, below, &h)
        elif highest <= start:
            total += windows_at_once(start, size, AT_START, outcome + start, mass + start, below, &h)
        elif lowest >= start + size + AT_ONCE:
            total += windows_at_once(start, size, AT_STOP, outcome + start, mass + start, below, &h)
        else:
            total += windows_one_by_one(start, start + AT_ONCE, size, outcome, mass, middles, &h)
        start += AT_ONCE
    total += windows_one_by_one(start, windows, size, outcome, mass, middles, &h)
    return total / size / windows


cdef double windows_together(Py_ssize_t start, Py_ssize_t size, Middle where, const uint8_t* outcome,
                             const double* mass, const double* below, Py_ssize_t* hits) noexcept nogil:
    # Eight changes of h are added up by one product: its byte j is the first j + 1 of them, and j + 1.
    cdef Py_ssize_t h = hits[0], i, j, before
    cdef uint64_t leaving, entering, changes, ones = 0x0101010101010101
    cdef int64_t sum_h = 0, sums_h = 0
    cdef double even = 0.0, odd = 0.0, starts, stops, at_places
    for i in range(0, AT_ONCE, 8):
        memcpy(&leaving, outcome + i, 8)
        memcpy(&entering, outcome + size + i, 8)
        changes = (entering + ones - leaving) * ones
        before = h
        for j in range(0, 8, 2):
            even += below[h]
            sum_h += h
            sums_h += sum_h
            h = before + <Py_ssize_t>(changes >> 8 * j & 255) - (j + 1)
            odd += below[h]
            sum_h += h
            sums_h += sum_h
            h = before + <Py_ssize_t>(changes >> 8 * (j + 1) & 255) - (j + 2)
    hits[0] = h
    starts, stops = sum_at_once(mass), sum_at_once(mass + size)
    if where == INSIDE:
        at_places = <double>((2 * (start + AT_ONCE) + size) * sum_h - 2 * sums_h)   # the sum of h (start + stop)
        return 2.0 * (even + odd) - at_places / size + (starts + stops)
    return (stops - starts) - sum_h if where == AT_START else sum_h - (stops - starts)


cdef inline double sum_at_once(const double* x) noexcept nogil:
    cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0
    cdef Py_ssize_t i
    for i in range(0, AT_ONCE, 4):
        a += x[i]
        b += x[i + 1]
        c += x[i + 2]
        d += x[i + 3]
    return (a + b) + (c + d)


cdef double windows_one_by_one(Py_ssize_t start, Py_ssize_t last, Py_ssize_t size, const uint8_t* outcome,
                               const double* mass, const int32_t* middles, Py_ssize_t* hits) noexcept nogil:
    cdef Py_ssize_t h = hits[0], stop, middle
    cdef double total = 0.0
    for start in range(start, last):
        stop = start + size
        middle = max(start, min(<Py_ssize_t>middles[h], stop))
        total += <double>(h * (2 * middle - start - stop)) / size
        total += (mass[start] - mass[middle]) + (mass[stop] - mass[middle])
        h += <Py_ssize_t>outcome[stop] - <Py_ssize_t>outcome[start]
    hits[0] = h
    return total


# Called by address: as parts of what calls them they would run out of registers, and take half as long again.
cdef Py_ssize_t (*repeat)(const uint8_t*, const int32_t*, const uint8_t*, const double*, Py_ssize_t, int32_t*, uint8_t*,
                          double*) noexcept nogil
cdef void (*repeat_further)(Py_ssize_t, uint8_t, double, double, uint8_t*, double*) noexcept nogil
cdef double (*windows_at_once)(Py_ssize_t, Py_ssize_t, Middle, const uint8_t*, const double*, const double*,
                               Py_ssize_t*) noexcept nogil
repeat, repeat_further, windows_at_once = repeated, repeated_further, windows_together


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
