# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loops that matter, compiled. Each function is the twin of the one of the same name in `_numpy.py`,
which says what it computes; this file only says it faster. No function checks its input: the border did."""

import numpy as np

from libc.math cimport INFINITY, NAN, fabs, log, log1p, log2
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

ctypedef fused integer:
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t
    uint16_t
    uint32_t

DEF BLOCK = 4096            # rows summed before they are added to the total: keeps rounding small
DEF LOGS = 4096             # x ln x (and ln x) is looked up for whole numbers below this

cdef double[LOGS] WHOLE_LN
cdef double[LOGS] WHOLE_X_LN_X
cdef int _x
WHOLE_LN[0] = WHOLE_X_LN_X[0] = 0.0
for _x in range(1, LOGS):
    WHOLE_LN[_x] = log(<double>_x)
    WHOLE_X_LN_X[_x] = _x * log(<double>_x)


cdef inline double x_ln_x(double x) noexcept nogil:
    cdef int whole
    if x < LOGS:
        whole = <int>x
        if whole == x:
            return WHOLE_X_LN_X[whole]
    return x * log(x) if x > 0.0 else 0.0


cdef inline double ln(double x) noexcept nogil:
    """Natural logarithm, 0 at 0."""
    cdef int whole
    if x < LOGS:
        whole = <int>x
        if whole == x:
            return WHOLE_LN[whole]
    return log(x) if x > 0.0 else 0.0


cdef inline uint64_t bits_of(double x) noexcept nogil:
    cdef uint64_t u
    memcpy(&u, &x, 8)
    return u


cdef inline double double_of(uint64_t u) noexcept nogil:
    cdef double x
    memcpy(&x, &u, 8)
    return x


cdef uint64_t ONE = 0x3FF0000000000000          # the bits of 1.0
cdef uint64_t SIGN = 0x8000000000000000         # the sign bit, which no score needs


cdef inline uint64_t all_bits_if(bint condition) noexcept nogil:
    # A mask instead of a branch: the class of a case is what a processor guesses wrong most often.
    return -<uint64_t>condition


cdef inline double one_if(bint condition) noexcept nogil:
    return double_of(all_bits_if(condition) & ONE)


cdef inline uint64_t place_of(double x, uint64_t base) noexcept nogil:
    return (bits_of(x) - base) & all_bits_if(x > 0)


cdef inline double value_at(uint64_t place, uint64_t base, const double* table) noexcept nogil:
    if table != NULL:
        return table[place]
    return double_of((place + base) & all_bits_if(place != 0))


# ------------------------------------------------------------------------------------------------ the border


def integer_classes(const integer[::1] labels, int64_t widest):
    cdef Py_ssize_t n = labels.shape[0], i
    cdef int64_t low = labels[0], high = labels[0], x, width
    with nogil:
        for i in range(n):
            x = <int64_t>labels[i]
            low = x if x < low else low
            high = x if x > high else high
    if <double>high - <double>low >= <double>widest:
        return None
    width = high - low + 1
    codes = np.empty(n, np.int32)
    seen = np.zeros(width, np.int32)
    cdef int32_t[::1] code = codes, place = seen
    cdef int32_t classes = 0
    with nogil:
        for i in range(n):
            place[labels[i] - low] = 1
        for i in range(width):
            if place[i]:
                place[i] = classes
                classes += 1
            else:
                place[i] = -1
        if classes == width:
            for i in range(n):
                code[i] = <int32_t>(labels[i] - low)
        else:
            for i in range(n):
                code[i] = place[labels[i] - low]
    return [i + low for i in range(width) if place[i] >= 0], codes


def inspect(const double[:, ::1] proba, double tolerance):
    cdef Py_ssize_t n = proba.shape[0], k = proba.shape[1], i, j, row = -1
    cdef double low = 2.0, high = 0.0, worst = 0.0, total, other, off, x, y
    cdef bint fine
    cdef int problem = 0
    with nogil:
        for i in range(n):
            total = other = 0.0
            fine = True
            for j in range(0, k - 1, 2):        # two sums at a time: one would wait for itself
                x = proba[i, j]
                y = proba[i, j + 1]
                total += x
                other += y
                fine &= (x >= 0.0) & (x <= 1.0) & (y >= 0.0) & (y <= 1.0)
                low = x if (x < low) & (x > 0.0) else low
                low = y if (y < low) & (y > 0.0) else low
                high = x if x > high else high
                high = y if y > high else high
            if k & 1:
                x = proba[i, k - 1]
                total += x
                fine &= (x >= 0.0) & (x <= 1.0)
                low = x if (x < low) & (x > 0.0) else low
                high = x if x > high else high
            off = fabs(total + other - 1.0)
            worst = off if off > worst else worst
            fine &= off <= tolerance
            if not fine:
                row = i
                problem = 3
                for j in range(k):
                    x = proba[i, j]
                    if not (x >= 0.0 and x <= 1.0):
                        problem = 2
                for j in range(k):
                    x = proba[i, j]
                    if x - x != 0.0:
                        problem = 1
                break
    return problem, row, low, high, worst


# ----------------------------------------------------------------------------------------------- one row pass


def row_sums(const int32_t[:, ::1] truth, const double[:, :, ::1] proba, decided, weight, Py_ssize_t l, double floor):
    cdef Py_ssize_t B = truth.shape[0], n = truth.shape[1], k = proba.shape[2], b, i, j, start, stop
    cdef bint given = decided is not None, weighted = weight is not None, plain = not weighted and floor >= 1e-16
    cdef const int32_t[:, ::1] d = decided if given else truth
    cdef const double[:, ::1] w = weight if weighted else np.ones((1, 1))
    counts_, sums_ = np.zeros((B, k, l)), np.zeros((B, k, k))
    squares_, logs_ = np.zeros((B, k)), np.zeros((B, k))
    cdef double[:, :, ::1] counts = counts_, sums = sums_
    cdef double[:, ::1] squares = squares_, logs = logs_
    cdef double* block = <double*>malloc((k * k + 2 * k) * sizeof(double))
    cdef double* block_squares = block + k * k
    cdef double* product = block_squares + k
    cdef const double* p
    cdef double* s
    cdef double x, best, hit, square, weight_i = 1.0
    cdef Py_ssize_t y, top
    try:
        with nogil:
            for b in range(B):
                for start in range(0, n, BLOCK):
                    stop = min(n, start + BLOCK)
                    memset(block, 0, (k * k + k) * sizeof(double))
                    for j in range(k):
                        product[j] = 1.0
                    if plain and not given and k == 2:
                        two_class_rows(&truth[b, 0], &proba[b, 0, 0], start, stop, floor,
                                       &counts[b, 0, 0], l, block, block_squares, product, &logs[b, 0])
                    else:
                        for i in range(start, stop):
                            y = truth[b, i]
                            p = &proba[b, i, 0]
                            s = block + y * k
                            if weighted:
                                weight_i = w[b, i]
                            best = p[0]
                            top = 0
                            square = 0.0
                            for j in range(k):
                                x = p[j]
                                s[j] += weight_i * x
                                hit = x - one_if(j == y)
                                square += hit * hit
                                if x > best:
                                    best = x
                                    top = j
                            hit = p[y]
                            block_squares[y] += weight_i * square
                            if given:
                                top = d[b, i]
                            counts[b, y, top] += weight_i
                            hit = hit if hit > floor else floor
                            if plain:
                                product[y] *= hit
                                if product[y] < 1e-290:
                                    logs[b, y] += log2(product[y])
                                    product[y] = 1.0
                            elif weight_i > 0.0:
                                logs[b, y] += weight_i * log2(hit)
                    for y in range(k):
                        squares[b, y] += block_squares[y]
                        logs[b, y] += log2(product[y])
                        for j in range(k):
                            sums[b, y, j] += block[y * k + j]
    finally:
        free(block)
    return counts_, sums_, squares_, logs_


cdef void two_class_rows(const int32_t* truth, const double* proba, Py_ssize_t start, Py_ssize_t stop, double floor,
                         double* counts, Py_ssize_t l, double* sums, double* squares, double* product,
                         double* logs) noexcept nogil:
    # Nothing here branches on the data: a wrong guess of the processor costs more than all the arithmetic of a row.
    cdef Py_ssize_t i, y, pause
    cdef int64_t ones = 0, decided = 0, both = 0
    cdef uint64_t mask, kept
    cdef double p, q, hit, miss, error, one, zero, p_zero = 0.0, q_zero = 0.0, p_one = 0.0, q_one = 0.0
    cdef double error_zero = 0.0, error_one = 0.0, product_0 = 1.0, product_1 = 1.0
    cdef bint top
    i = start
    while i < stop:
        pause = min(stop, i + 16)               # sixteen factors of at least 1e-16 cannot underflow from 1e-40
        while i < pause:
            y = truth[i]
            p = proba[2 * i]
            q = proba[2 * i + 1]
            top = q > p
            ones += y
            decided += top
            both += y & top
            mask = all_bits_if(y)
            one = double_of(mask & ONE)
            zero = double_of(~mask & ONE)
            p_zero += zero * p
            q_zero += zero * q
            p_one += one * p
            q_one += one * q
            hit = proba[2 * i + y]
            miss = proba[2 * i + 1 - y]
            error = (1.0 - hit) * (1.0 - hit) + miss * miss
            error_zero += zero * error
            error_one += one * error
            kept = bits_of(hit if hit > floor else floor)
            product_0 *= double_of((kept & ~mask) | (ONE & mask))
            product_1 *= double_of((kept & mask) | (ONE & ~mask))
            i += 1
        if product_0 < 1e-40:
            logs[0] += log2(product_0)
            product_0 = 1.0
        if product_1 < 1e-40:
            logs[1] += log2(product_1)
            product_1 = 1.0
    product[0] = product_0
    product[1] = product_1
    sums[0] = p_zero
    sums[1] = q_zero
    sums[2] = p_one
    sums[3] = q_one
    squares[0] = error_zero
    squares[1] = error_one
    counts[0] += (stop - start) - ones - decided + both
    counts[1] += decided - both
    counts[l] += ones - both
    counts[l + 1] += both


def class_weights(const int32_t[:, ::1] truth, weight, Py_ssize_t k):
    cdef Py_ssize_t B = truth.shape[0], n = truth.shape[1], b, i
    cdef bint weighted = weight is not None
    cdef const double[:, ::1] w = weight if weighted else np.ones((1, 1))
    out_ = np.zeros((B, k))
    cdef double[:, ::1] out = out_
    cdef int64_t ones
    with nogil:
        for b in range(B):
            if k == 2 and not weighted:
                ones = 0
                for i in range(n):
                    ones += truth[b, i]
                out[b, 0] = n - ones
                out[b, 1] = ones
                continue
            for i in range(n):
                out[b, truth[b, i]] += w[b, i] if weighted else 1.0
    return out_


# ------------------------------------------------------------------------------------------ one sorted column


def pack(const int32_t[:, ::1] truth, const double[:, :, ::1] proba, Py_ssize_t first, Py_ssize_t last,
         uint64_t base, int bits):
    cdef Py_ssize_t B = truth.shape[0], n = truth.shape[1], b, i, j
    keys_ = np.empty((B, last - first, n), np.uint64)
    cdef uint64_t[:, :, ::1] keys = keys_
    with nogil:
        for b in range(B):
            for i in range(n):
                for j in range(first, last):
                    keys[b, j - first, i] = place_of(proba[b, i, j], base) << bits | <uint64_t>truth[b, i]
    return keys_


def scan(uint64_t[:, :, ::1] keys, const int32_t[:, ::1] truth, const double[:, :, ::1] proba, Py_ssize_t first,
         int bits, uint64_t base, table, weight, Py_ssize_t size, bint both=False):
    cdef Py_ssize_t B = keys.shape[0], columns = keys.shape[1], n = keys.shape[2], k = proba.shape[2], b, c, out
    cdef Py_ssize_t wide = columns + both, step = B * wide
    wins_, gains_, sums_ = np.zeros((B, wide, k)), np.zeros((B, wide, k)), np.empty((4, B, wide))
    cdef double[:, :, ::1] wins = wins_, gains = gains_, sums = sums_
    cdef const double[::1] values
    cdef const double[:, :, ::1] weights
    cdef const double* v = NULL
    cdef const double* w = NULL
    cdef int32_t* rank = <int32_t*>malloc((size + 1) * sizeof(int32_t))
    cdef double* mass = <double*>malloc((size + 1) * sizeof(double))
    cdef bint weighted = weight is not None
    if table is not None:
        values = table
        v = &values[0]
    if weighted:
        weights = weight
    try:
        with nogil:
            for b in range(B):
                for c in range(columns):
                    # one function, compiled three times: the compiler drops what a plain case does not need
                    out = c + both
                    if weighted or v != NULL:
                        if weighted:
                            w = &weights[b, c, 0]
                        scan_column(&keys[b, c, 0], n, first + c, k, bits, base, v, w, size, rank, mass,
                                    &wins[b, out, 0], &gains[b, out, 0], &sums[0, b, out], step)
                    elif k == 2:
                        scan_column(&keys[b, c, 0], n, first + c, 2, 1, base, NULL, NULL, size, rank, mass,
                                    &wins[b, out, 0], &gains[b, out, 0], &sums[0, b, out], step)
                    else:
                        scan_column(&keys[b, c, 0], n, first + c, k, bits, base, NULL, NULL, size, rank, mass,
                                    &wins[b, out, 0], &gains[b, out, 0], &sums[0, b, out], step)
                    if weighted or (v != NULL and v[0] < 0.0):
                        sums[2, b, out] = NAN
                    else:
                        if sums[3, b, out] == 0.0 and v == NULL:
                            settle(&keys[b, c, 0], &truth[b, 0], &proba[b, 0, first + c], n, k, first + c)
                        sums[2, b, out] = window_error(&keys[b, c, 0], n, size, rank, mass)
                if both:
                    wins[b, 0, first] = wins[b, 1, 1 - first]
                    gains[b, 0, first] = gains[b, 1, 1 - first]
                    for c in range(4):
                        sums[c, b, 0] = sums[c, b, 1]
    finally:
        free(rank)
        free(mass)
    return wins_, gains_, sums_


cdef inline void scan_column(uint64_t* keys, Py_ssize_t n, uint64_t j, Py_ssize_t k, int bits, uint64_t base,
                             const double* table, const double* weight, Py_ssize_t size, int32_t* rank,
                             double* mass, double* wins, double* gains, double* sums, Py_ssize_t step) noexcept nogil:
    # From the highest score down: `above` and `gathered` are the weight and the sum of scores of class j so far, all
    # that a case of any other class has to know. Cases of class j write into wins[j], which is cleared in the end.
    # For the windows: the share of class j in one is 0/size, 1/size, ... or size/size; rank[h] and mass[h] are the
    # place of the first score that reaches h/size and the sum of the scores from there up. Each key is replaced by its
    # score, with the sign bit set for class j: all that the windows need.
    cdef uint64_t mask = (<uint64_t>1 << bits) - 1, key, place, next_key = keys[n - 1], label, own
    cdef Py_ssize_t i = n - 1, c, stop, h = size
    cdef double x, w = 1.0, hit, miss, error, hits, total, above = 0.0, gathered = 0.0, off = 0.0, mixed = 0.0
    cdef double won = 0.0, gained = 0.0, gap = INFINITY, last = INFINITY, tail = 0.0, share = 1.0, inverse = 1.0 / size
    cdef bint two = k == 2 and weight == NULL
    while i >= 0:
        key = next_key
        place = key >> bits
        next_key = keys[i - 1] if i > 0 else ~key
        x = value_at(place, base, table)
        while x < share:
            rank[h] = i + 1
            mass[h] = tail
            h -= 1
            share = h * inverse if h >= 0 else -INFINITY
        if k == 2:
            gap = min(gap, last - x)
            last = x
        if next_key >> bits != place:           # a score of its own
            label = key & mask
            own = all_bits_if(label == j)
            keys[i] = bits_of(x) | (own & SIGN)
            hit = double_of(own & ONE)
            error = hit - x
            if two:
                miss = double_of(~own & ONE)
                won += miss * above
                gained += miss * (gathered - above * x)
                above += hit
                gathered += hit * x
                off += error * error
            else:
                if weight != NULL:
                    w = weight[i]
                    hit *= w
                wins[label] += w * above
                gains[label] += w * (gathered - above * x)
                above += hit
                gathered += hit * x
                off += w * error * error
            tail += x
            i -= 1
            continue
        gap = 0.0
        hits = total = 0.0
        stop = i
        while stop >= 0 and keys[stop] >> bits == place:
            if weight != NULL:
                w = weight[stop]
            total += w
            hits += w * one_if((keys[stop] & mask) == j)
            stop -= 1
        for c in range(stop + 1, i + 1):
            label = keys[c] & mask
            if weight != NULL:
                w = weight[c]
            wins[label] += w * (above + 0.5 * hits)
            gains[label] += w * (gathered - above * x)
            keys[c] = bits_of(x) | (all_bits_if(label == j) & SIGN)
        above += hits
        gathered += hits * x
        if total > 0.0:
            off += total * (x - hits / total) * (x - hits / total)
            mixed += hits * (1.0 - hits / total)
        tail += x * (i - stop)
        i = stop
        if i >= 0:
            next_key = keys[i]
    while h >= 0:
        rank[h] = 0
        mass[h] = tail
        h -= 1
    if two:
        wins[1 - j] += won
        gains[1 - j] += gained
    wins[j] = gains[j] = 0.0
    sums[0] = off
    sums[step] = mixed
    sums[3 * step] = gap


cdef void settle(uint64_t* scores, const int32_t* truth, const double* column, Py_ssize_t n, Py_ssize_t k,
                 Py_ssize_t j) noexcept nogil:
    # Tied cases come from the sort in the order of their classes; this puts them in the order of the cases.
    cdef Py_ssize_t i, groups = 0, low, high, middle
    cdef uint64_t value
    cdef uint64_t* values = <uint64_t*>malloc(n // 2 * sizeof(uint64_t))
    cdef Py_ssize_t* cursor = <Py_ssize_t*>malloc(n // 2 * sizeof(Py_ssize_t))
    for i in range(n - 1):
        value = scores[i] & ~SIGN
        if value == scores[i + 1] & ~SIGN and (groups == 0 or values[groups - 1] != value):
            values[groups] = value
            cursor[groups] = i
            groups += 1
    for i in range(n):
        value = bits_of(column[i * k]) & ~SIGN
        low = 0
        high = groups
        while low < high:
            middle = (low + high) >> 1
            if values[middle] < value:
                low = middle + 1
            else:
                high = middle
        if low < groups and values[low] == value:
            scores[cursor[low]] = value | (all_bits_if(truth[i] == j) & SIGN)
            cursor[low] += 1
    free(values)
    free(cursor)


cdef double window_error(const uint64_t* scores, Py_ssize_t n, Py_ssize_t size, const int32_t* rank,
                         const double* mass) noexcept nogil:
    # From the highest window down; the sums are those of all scores from a place up, as in `mass`.
    cdef Py_ssize_t start, stop, middle, hits = 0, i
    cdef double from_start = 0.0, from_stop = 0.0, from_middle, total = 0.0, inverse = 1.0 / size
    for i in range(n - 1, n - size - 1, -1):
        hits += scores[i] >> 63
        from_start += double_of(scores[i] & ~SIGN)
    start = n - size
    while True:
        stop = start + size
        middle = rank[hits]
        from_middle = mass[hits]
        from_middle = from_start if middle < start else from_middle
        middle = start if middle < start else middle
        from_middle = from_stop if middle > stop else from_middle
        middle = stop if middle > stop else middle
        total += hits * inverse * (2 * middle - start - stop) + 2.0 * from_middle - from_start - from_stop
        if start == 0:
            break
        start -= 1
        hits += <Py_ssize_t>(scores[start] >> 63) - <Py_ssize_t>(scores[stop - 1] >> 63)
        from_start += double_of(scores[start] & ~SIGN)
        from_stop += double_of(scores[stop - 1] & ~SIGN)
    return total * inverse / (n - size + 1)


# ------------------------------------------------------------------------------------------------ small tables
#
# The inner functions are inlined into a loop for each small size, where the compiler unrolls them, and one for all others.


# Nothing is taken by subtraction that could be summed: with weights, what is left of a difference is noise, and a
# noise that should be 0 makes a number out of what is undefined.


cdef inline double margins_of(const double* c, Py_ssize_t k, Py_ssize_t l, double* t, double* u, double* missed,
                              double* alarms) noexcept nogil:
    # Row sums, column sums, both without the diagonal; returns the sum of either of the latter.
    cdef Py_ssize_t i, j
    cdef double off, x, wrong = 0.0
    for j in range(l):
        alarms[j] = 0.0
    for i in range(k):
        off = 0.0
        if k <= 3:                  # known to the compiler, which unrolls it
            for j in range(l):
                x = c[i * l + j] if i != j else 0.0
                off += x
                alarms[j] += x
        else:
            for j in range(min(i, l)):
                off += c[i * l + j]
                alarms[j] += c[i * l + j]
            for j in range(i + 1, l):
                off += c[i * l + j]
                alarms[j] += c[i * l + j]
        missed[i] = off
        t[i] = off + c[i * l + i] if i < l else off
        wrong += off
    for j in range(l):
        u[j] = alarms[j] + c[j * l + j] if j < k else alarms[j]
    return wrong


cdef inline void rest_of(const double* x, Py_ssize_t n, double* rest) noexcept nogil:
    # For each entry, the sum of all others.
    cdef Py_ssize_t i
    cdef double before = 0.0, after = 0.0
    for i in range(n):
        rest[i] = before
        before += x[i]
    for i in range(n - 1, -1, -1):
        rest[i] += after
        after += x[i]


def table_sums(const double[:, :, ::1] table):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2], b
    out_ = np.empty((8, B))
    cdef double[:, ::1] out = out_
    cdef double* t = <double*>malloc((3 * k + 3 * l) * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + l
    cdef double* alarms = missed + k
    cdef double* room = alarms + l
    cdef double wrong
    cdef double[3] t_, u_, missed_, alarms_, room_  # on the stack, where the compiler knows that nothing else points
    with nogil:
        if k == 2 and l == 2:
            for b in range(B):
                wrong = margins_of(&table[b, 0, 0], 2, 2, t_, u_, missed_, alarms_)
                sums_of(&table[b, 0, 0], 2, 2, t_, u_, missed_, alarms_, wrong, room_, &out[0, b], B)
        elif k == 3 and l == 3:
            for b in range(B):
                wrong = margins_of(&table[b, 0, 0], 3, 3, t_, u_, missed_, alarms_)
                sums_of(&table[b, 0, 0], 3, 3, t_, u_, missed_, alarms_, wrong, room_, &out[0, b], B)
        else:
            for b in range(B):
                wrong = margins_of(&table[b, 0, 0], k, l, t, u, missed, alarms)
                sums_of(&table[b, 0, 0], k, l, t, u, missed, alarms, wrong, room, &out[0, b], B)
    free(t)
    return out_


cdef inline void sums_of(const double* c, Py_ssize_t k, Py_ssize_t l, const double* t, const double* u,
                         const double* missed, const double* alarms, double wrong, double* room, double* out,
                         Py_ssize_t step) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double s = 0.0, trace = 0.0, covariance = 0.0, truth = 0.0, decided = 0.0, present = 0.0, inside = 0.0
    cdef double hit, rest
    rest_of(t, k, room)
    for i in range(k):
        s += t[i]
        rest = room[i]
        truth += t[i] * rest
        present += one_if(t[i] > 0.0)
        if i < l:
            hit = c[i * l + i]
            trace += hit
            covariance += hit * (rest - alarms[i]) - missed[i] * alarms[i]
            inside += u[i] * one_if(t[i] > 0.0)
    rest_of(u, l, room)
    for j in range(l):
        decided += u[j] * room[j]
    out[0] = s
    out[step] = trace
    out[2 * step] = wrong
    out[3 * step] = covariance
    out[4 * step] = truth
    out[5 * step] = decided
    out[6 * step] = present
    out[7 * step] = inside


def table_overlap(const double[:, :, ::1] table):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2], b
    out_ = np.empty(B)
    cdef double[::1] out = out_
    cdef double* t = <double*>malloc((3 * k + 3 * l) * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + l
    cdef double* alarms = missed + k
    with nogil:
        for b in range(B):
            margins_of(&table[b, 0, 0], k, l, t, u, missed, alarms)
            out[b] = overlap_of(&table[b, 0, 0], k, l, t, u)
    free(t)
    return out_


cdef inline double overlap_of(const double* c, Py_ssize_t k, Py_ssize_t l, const double* t,
                              const double* u) noexcept nogil:
    cdef Py_ssize_t i
    cdef double overlap = 0.0
    for i in range(min(k, l)):
        if t[i] > 0.0:
            overlap += 2.0 * c[i * l + i] / (t[i] + u[i])
    return overlap


def table_logs(const double[:, :, ::1] table):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2], b
    out_ = np.empty((5, B))
    cdef double[:, ::1] out = out_
    cdef double* t = <double*>malloc((3 * k + 3 * l) * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + l
    cdef double* alarms = missed + k
    with nogil:
        for b in range(B):
            margins_of(&table[b, 0, 0], k, l, t, u, missed, alarms)
            logs_of(&table[b, 0, 0], k, l, t, u, &out[0, b], B)
    free(t)
    return out_


cdef void logs_of(const double* c, Py_ssize_t k, Py_ssize_t l, const double* t, const double* u, double* out,
                  Py_ssize_t step) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double s = 0.0, cells = 0.0, rows = 0.0, columns = 0.0, diagonal = 0.0, shared = 0.0, ln_s, x, row, column
    for i in range(k):
        s += t[i]
    ln_s = log(s) if s > 0.0 else 0.0
    for i in range(k):
        row = t[i]
        rows += surprise(row, s, ln_s)
        for j in range(l):
            x = c[i * l + j]
            if x > 0.0:
                column = u[j]
                cells += surprise(x, s, ln_s)
                # x ln(x s / (t u)), by the difference x s - t u written so that little of it cancels
                shared += x * log1p((x * (((s - row) - column) + x) - (row - x) * (column - x)) / row / column)
        if row > 0.0:
            diagonal += log(c[i * l + i]) if i < l else -INFINITY
    for j in range(l):
        columns += surprise(u[j], s, ln_s)
    out[0] = cells
    out[step] = rows
    out[2 * step] = columns
    out[3 * step] = diagonal
    out[4 * step] = shared


cdef inline double surprise(double x, double s, double ln_s) noexcept nogil:
    # x (ln s - ln x); of a cell that holds nearly everything by log1p, which keeps what the difference would lose
    if 2.0 * x > s:
        return -x * log1p((x - s) / s)
    return x * ln_s - x_ln_x(x) if x > 0.0 else 0.0


def confusion(const double[:, :, ::1] table):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], b
    out_ = np.empty(B)
    cdef double[::1] out = out_
    cdef double* t = <double*>malloc(4 * k * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + k
    cdef double* alarms = missed + k
    cdef double[3] t_, u_, missed_, alarms_     # on the stack, where the compiler knows that nothing else points
    with nogil:
        if k == 2:
            for b in range(B):
                margins_of(&table[b, 0, 0], 2, 2, t_, u_, missed_, alarms_)
                out[b] = confusion_of(&table[b, 0, 0], 2, t_, u_, missed_, alarms_)
        elif k == 3:
            for b in range(B):
                margins_of(&table[b, 0, 0], 3, 3, t_, u_, missed_, alarms_)
                out[b] = confusion_of(&table[b, 0, 0], 3, t_, u_, missed_, alarms_)
        else:
            for b in range(B):
                margins_of(&table[b, 0, 0], k, k, t, u, missed, alarms)
                out[b] = confusion_of(&table[b, 0, 0], k, t, u, missed, alarms)
    free(t)
    return out_


cdef inline double confusion_of(const double* c, Py_ssize_t k, const double* t, const double* u, const double* missed,
                                const double* alarms) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double total = 0.0, cells = 0.0
    for i in range(k):
        total += (missed[i] + alarms[i]) * ln(t[i] + u[i])
        if k <= 3:
            for j in range(k):
                if i != j:
                    cells += x_ln_x(c[i * k + j])
        else:
            for j in range(i):
                cells += x_ln_x(c[i * k + j])
            for j in range(i + 1, k):
                cells += x_ln_x(c[i * k + j])
    total -= 2.0 * cells
    return total if total > 0.0 else 0.0


def facts(const double[:, ::1] table):
    cdef Py_ssize_t k = table.shape[0], l = table.shape[1]
    cdef double[15] out
    cdef double* t = <double*>malloc((3 * k + 3 * l) * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + l
    cdef double* alarms = missed + k
    cdef double* room = alarms + l
    cdef double wrong
    wrong = margins_of(&table[0, 0], k, l, t, u, missed, alarms)
    sums_of(&table[0, 0], k, l, t, u, missed, alarms, wrong, room, out, 1)
    logs_of(&table[0, 0], k, l, t, u, &out[8], 1)
    out[13] = confusion_of(&table[0, 0], k, t, u, missed, alarms) if k == l else NAN
    out[14] = overlap_of(&table[0, 0], k, l, t, u)
    free(t)
    sums = out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7]
    return sums, (out[8], out[9], out[10], out[11], out[12]), out[13], out[14]


def one_against_rest(const double[:, :, ::1] table):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2], b, i, j
    out_ = np.zeros((4, B, k))
    cdef double[:, :, ::1] out = out_
    cdef double* after = <double*>malloc((l + 1) * sizeof(double))
    cdef double before
    with nogil:
        for b in range(B):
            for i in range(k):
                after[l] = 0.0
                for j in range(l - 1, -1, -1):
                    after[j] = after[j + 1] + table[b, i, j]
                before = 0.0
                for j in range(k):              # row i without column j, for the class j that it is a negative of
                    if j == i:
                        out[0, b, i] = table[b, i, i] if i < l else 0.0
                        out[1, b, i] = before + (after[j + 1] if j < l else 0.0)
                    else:
                        out[3, b, j] += before + (after[j + 1] if j < l else 0.0)
                        out[2, b, j] += table[b, i, j] if j < l else 0.0
                    if j < l:
                        before += table[b, i, j]
    free(after)
    return out_


def relative(const double[:, :, ::1] table, rows):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2], b, i, j
    out_ = np.empty((B, k, l))
    cdef double[:, :, ::1] out = out_
    cdef const double[:, ::1] given
    cdef bint known = rows is not None
    cdef double t
    if known:
        given = rows
    with nogil:
        for b in range(B):
            for i in range(k):
                t = 0.0
                if known:
                    t = given[b, i]
                else:
                    for j in range(l):
                        t += table[b, i, j]
                for j in range(l):
                    out[b, i, j] = table[b, i, j] / t if t > 0.0 else 0.0
    return out_


def pair_sums(const double[:, :, ::1] matrix, const double[:, ::1] weight):
    cdef Py_ssize_t B = matrix.shape[0], k = matrix.shape[1], b, i, j
    out_ = np.empty((5, B))
    cdef double[:, ::1] out = out_
    cdef double total, row, rest, others, pairs, pairs_prior, against, against_prior, present
    with nogil:
        for b in range(B):
            total = pairs = pairs_prior = against = against_prior = present = 0.0
            for i in range(k):
                total += weight[b, i]
                present += weight[b, i] > 0.0
            for i in range(k):
                if not weight[b, i] > 0.0:
                    continue
                row = rest = others = 0.0
                for j in range(k):
                    if j != i and weight[b, j] > 0.0:
                        row += matrix[b, i, j] / weight[b, j]
                        rest += matrix[b, i, j]
                        others += weight[b, j]
                row /= weight[b, i]
                pairs += row
                pairs_prior += row * weight[b, i]
                if others > 0.0:
                    rest /= weight[b, i] * others
                    against += rest
                    against_prior += rest * weight[b, i]
            out[0, b] = present
            out[1, b] = pairs
            out[2, b] = pairs_prior / total
            out[3, b] = against
            out[4, b] = against_prior / total
    return out_
