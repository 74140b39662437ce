# Rows of two classes piled up in a table of cells, in whatever order they come.

DEF LOW_OCTAVES = 32            # below 1/64 that have places of their own; scores that are smaller still are sorted
DEF HIGH_OCTAVES = 47           # above 63/64: all that a float64 tells from 1
DEF FIRST_PLACE = SMALL_CELLS - (LOW_OCTAVES << 14)
DEF PLACES = (LOW_OCTAVES << 14) + 253952 + (HIGH_OCTAVES << 14)
DEF AT_ZERO = PLACES
DEF AT_ONE = PLACES + 1
DEF NO_PLACE = PLACES + 2       # what is put here is not read
DEF AHEAD = 64                  # rows between fetching a cell and adding to it; fetched all at once, most would be lost
DEF STEPS = 1024                # of scores, from which the range of a key is at most two edges away
DEF UNITED = 128                # rows between logarithms: 32 factors of at least 1e-5 do not underflow from 1e-100
DEF NARROW_OCTAVE_SHIFT = 9     # what OCTAVE_SHIFT is, of a float32, and how much more its exponents count in a float64
DEF REBIASED = (1023 - 127) << 14
DEF NARROW_ONE = 0x3F800000     # the bits of 1, of the largest float32 whose rest is no small hit, and of the least one
DEF NARROW_MOST = 0x3F7FFF58    # that is none
DEF NARROW_LEAST = 0x3727C5AD
DEF EXACT_EDGE = 0.0078125      # float32 from 2^-7 on are multiples of 2^-30: EXACT_ROWS of them add up without rounding
DEF EXACT_ROWS = 4194304

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define karat_fetch(address) __builtin_prefetch((address), 1)
    #else
    #define karat_fetch(address) ((void)0)
    #endif
    """
    void karat_fetch(const void* address) noexcept nogil


def pile_cells(keys, table):
    return piled_keys[uint32_t](keys, table) if keys.dtype == np.uint32 else piled_keys[uint64_t](keys, table)


cdef piled_keys(const word[::1] keys, uint64_t[:, ::1] table):
    cdef Py_ssize_t start, n = keys.shape[0], left = 0, i = 0
    with nogil:
        for start in range(0, n, FOLDED):
            left += pile_block(&keys[start], min(n - start, FOLDED), &table[0, 0])
    out = np.empty(left, np.asarray(keys).dtype)
    cdef word[::1] rest = out
    if left:
        for start in range(n):
            if place_in_table(keys[start]) == NO_PLACE:
                rest[i] = keys[start]
                i += 1
    return out


cdef Py_ssize_t pile_block(const word* keys, Py_ssize_t n, uint64_t* table) noexcept nogil:
    cdef int32_t[FOLDED + AHEAD] place
    cdef Py_ssize_t i, left, words = 2 if word is uint32_t else 3
    if word is uint32_t:
        left = narrow_places(keys, n, place)
    else:
        left = wide_places(keys, n, place)
    for i in range(n, n + AHEAD):
        place[i] = place[n - 1]
    for i in range(AHEAD):
        karat_fetch(table + <Py_ssize_t>place[i] * words)
    for i in range(n):
        karat_fetch(table + <Py_ssize_t>place[i + AHEAD] * words)
        add_to_cell(keys[i], table + <Py_ssize_t>place[i] * words)
    return left


cdef inline int32_t place_in_table(word key) noexcept nogil:
    cdef double x = score_of_key(key), rest = 1.0 - x
    cdef int32_t low = <int32_t>(bits_of(x) >> OCTAVE_SHIFT)
    cdef int32_t high = LAST_CELL - <int32_t>(bits_of(rest) >> OCTAVE_SHIFT)
    cdef int32_t cell = SMALL_CELLS + <int32_t>((x - EDGE) * UNIFORM)
    cell = low if x < EDGE else cell
    cell = (high if rest < EDGE else cell) - FIRST_PLACE
    if <uint32_t>cell < PLACES:
        return cell
    return AT_ZERO if x == 0.0 else AT_ONE if x == 1.0 else NO_PLACE


cdef Py_ssize_t wide_places(const uint64_t* keys, Py_ssize_t n, int32_t* place) noexcept nogil:
    cdef Py_ssize_t i, left = 0
    for i in range(n):
        place[i] = place_in_table(keys[i])
        left += place[i] == NO_PLACE
    return left


cdef Py_ssize_t narrow_places(const uint32_t* keys, Py_ssize_t n, int32_t* place) noexcept nogil:
    # `place_in_table` in 32 bits, where it is as exact, and without a branch: four rows at a time.
    cdef Py_ssize_t i
    cdef uint32_t bits, rest_bits
    cdef int32_t cell, low, high, other, left = 0
    cdef float x, rest
    for i in range(n):
        bits = keys[i] >> 1
        memcpy(&x, &bits, 4)
        rest = <float>1.0 - x                   # exact where it is asked for
        memcpy(&rest_bits, &rest, 4)
        low = <int32_t>(bits >> NARROW_OCTAVE_SHIFT) + (REBIASED - FIRST_PLACE)
        high = (LAST_CELL - FIRST_PLACE - REBIASED) - <int32_t>(rest_bits >> NARROW_OCTAVE_SHIFT)
        cell = <int32_t>(x * <float>UNIFORM) + (SMALL_CELLS - FIRST_PLACE - <int32_t>(EDGE * UNIFORM))
        cell = low if x < <float>EDGE else cell
        cell = high if rest < <float>EDGE else cell
        other = AT_ONE if bits == NARROW_ONE else NO_PLACE
        other = AT_ZERO if bits == 0 else other
        cell = cell if <uint32_t>cell < <uint32_t>PLACES else other
        place[i] = cell
        left += cell == NO_PLACE
    return left


cdef inline void add_to_cell(word key, uint64_t* at) noexcept nogil:
    # What is kept of a cell begins as 0: of the lowest score the inverted bits.
    cdef word bits = key >> 1
    cdef word inverted = ~bits
    cdef word* ends = <word*>at
    ends[0] = inverted if inverted > ends[0] else ends[0]
    ends[1] = bits if bits > ends[1] else ends[1]
    at[1 if word is uint32_t else 2] += <uint64_t>1 << ((key & 1) << 5)


def pile_sums(keys, steps, edges, ranges, totals):
    if keys.dtype == np.uint32:
        piled_sums[uint32_t](keys, steps, edges, ranges, totals)
    else:
        piled_sums[uint64_t](keys, steps, edges, ranges, totals)


cdef void piled_sums(const word[::1] keys, const int16_t[::1] steps, const word[::1] edges, double[:, :, ::1] ranges,
                     double[:, :, ::1] totals):
    cdef Py_ssize_t start, m, n = keys.shape[0], inexact = 0
    cdef double[::1] sums = np.zeros(4 * ranges.shape[0] if word is uint32_t else 1)
    if word is uint32_t:
        inexact = inexact_ranges(&edges[0])
    with nogil:
        for start in range(0, n, FOLDED):
            m = min(n - start, FOLDED)
            if word is uint32_t:
                add_to_exact_ranges(&keys[start], m, &steps[0], &edges[0], &sums[0])
                add_narrow_losses(&keys[start], m, &totals[0, 0, 0])
                let_go_ranges(&sums[0], &ranges[0, 0, 0], inexact if (start + FOLDED) % EXACT_ROWS else ranges.shape[0])
            else:
                add_to_ranges(&keys[start], m, &steps[0], &edges[0], &ranges[0, 0, 0])
                add_losses(&keys[start], m, &totals[0, 0, 0])
        if word is uint32_t:
            let_go_ranges(&sums[0], &ranges[0, 0, 0], ranges.shape[0])


cdef inline Py_ssize_t inexact_ranges(const uint32_t* edges) noexcept nogil:
    cdef Py_ssize_t r = 0
    while score_of_key(edges[r]) < EXACT_EDGE:
        r += 1
    return r + 1


cdef inline void add_to_exact_ranges(const uint32_t* keys, Py_ssize_t n, const int16_t* steps, const uint32_t* edges,
                                     double* sums) noexcept nogil:
    # Of each range and class the cases and, beside them, the sum of the smaller probabilities, which is not rounded.
    cdef double[FOLDED] smaller
    cdef int32_t[FOLDED] step
    cdef Py_ssize_t i, r
    cdef double p, q
    cdef double* at
    for i in range(n):
        p = score_of_key(keys[i])
        q = 1.0 - p
        smaller[i] = p if p < q else q
        step[i] = <int32_t>(<float>p * <float>STEPS)
    for i in range(n):
        r = steps[step[i]]
        r += keys[i] >= edges[r]
        r += keys[i] >= edges[r]
        at = sums + 4 * r + 2 * <Py_ssize_t>(keys[i] & 1)
        at[0] += 1.0
        at[1] += smaller[i]


cdef void let_go_ranges(double* sums, double* ranges, Py_ssize_t many) noexcept nogil:
    # Adds the first of them to the whole, with what is lost.
    cdef Py_ssize_t i
    cdef double s
    cdef double* at
    for i in range(2 * many):
        at = ranges + 4 * i
        at[0] += sums[2 * i]
        s = at[1] + sums[2 * i + 1]
        if at[1] >= sums[2 * i + 1]:
            at[2] += (at[1] - s) + sums[2 * i + 1]
        else:
            at[2] += (sums[2 * i + 1] - s) + at[1]
        at[1] = s
        sums[2 * i] = sums[2 * i + 1] = 0.0


cdef void add_narrow_losses(const uint32_t* keys, Py_ssize_t n, double* totals) noexcept nogil:
    # Every row is one of both classes; of the other it is a hit of 1, which adds nothing.
    cdef float[FOLDED + 4] misses
    cdef float[FOLDED + 4] hits
    cdef double[8] squares
    cdef double[8] product
    cdef double[4] block
    cdef double[2] logs
    cdef Py_ssize_t i, j, y
    cdef uint32_t bits, mask, miss, hit
    cdef int32_t small = 0
    for i in range(n):
        bits, mask = keys[i] >> 1, -(keys[i] & 1)
        miss, hit = bits & ~mask, (bits & mask) | (NARROW_ONE & ~mask)
        small |= (<int32_t>miss > NARROW_MOST) | (<int32_t>hit < NARROW_LEAST)
        memcpy(&misses[i], &miss, 4)
        memcpy(&hits[i], &hit, 4)
    if small:
        add_losses[uint32_t](keys, n, totals)
        return
    for i in range(n, n + 4):
        misses[i], hits[i] = 0.0, 1.0
    for j in range(8):
        squares[j], product[j] = 0.0, 1.0
    logs[0] = logs[1] = 0.0
    for i in range(0, n, UNITED):
        unite(misses + i, hits + i, min(n - i, UNITED), squares, product)
        for j in range(8):
            if product[j] < 1e-100:
                logs[j >> 2] += log2(product[j])
                product[j] = 1.0
    for y in range(2):
        j = 4 * y
        block[0] = (squares[j] + squares[j + 1]) + (squares[j + 2] + squares[j + 3])
        block[1] = logs[y] + (log2(product[j] * product[j + 1]) + log2(product[j + 2] * product[j + 3]))
        block[2] = block[3] = 0.0
        add_block(block, y, totals)


cdef void unite(const float* misses, const float* hits, Py_ssize_t n, double* squares, double* product) noexcept nogil:
    # Four rows at a time, of the first class (misses) and of the second (hits); there are 4 more of no effect.
    cdef double[8] s
    cdef double[8] p
    cdef Py_ssize_t i, j
    cdef double x, hit, y
    for j in range(8):
        s[j], p[j] = squares[j], product[j]
    for i in range(0, n, 4):
        for j in range(4):
            x, hit = misses[i + j], hits[i + j]
            y = 1.0 - hit
            s[j] += x * x
            s[4 + j] += y * y
            p[j] *= 1.0 - x
            p[4 + j] *= hit
    for j in range(8):
        squares[j], product[j] = s[j], p[j]


cdef inline void add_to_ranges(const word* keys, Py_ssize_t n, const int16_t* steps, const word* edges,
                               double* ranges) noexcept nogil:
    # The smaller of the probabilities of both classes is added up, from 1.0 on, so that what is lost is known exactly.
    cdef Py_ssize_t i, r
    cdef double* at
    cdef double p, q, s
    for i in range(n):
        p = score_of_key(keys[i])
        r = steps[<Py_ssize_t>(p * STEPS)]
        r += keys[i] >= edges[r]
        r += keys[i] >= edges[r]
        at = ranges + 8 * r + 4 * <Py_ssize_t>(keys[i] & 1)
        q = 1.0 - p
        p = p if p < q else q
        s = at[1] + p
        at[2] += p - (s - at[1])
        at[1] = s
        at[0] += 1.0


cdef void add_losses(const word* keys, Py_ssize_t n, double* totals) noexcept nogil:
    # Rows are put apart by their class; then each class is one loop without a condition.
    cdef double[2][FOLDED + 4] hits
    cdef double[2][FOLDED + 4] misses
    cdef Py_ssize_t[2] size
    cdef Py_ssize_t i, y, m
    cdef double[4] block
    cdef double p
    cdef uint64_t own, rest, other
    size[0] = size[1] = 0
    for i in range(n):
        y = keys[i] & 1
        p = score_of_key(keys[i])
        own, rest = bits_of(p), bits_of(1.0 - p)
        other = (own ^ rest) & -<uint64_t>y     # exchanges them without a condition, which nobody could foresee
        m = size[y]
        hits[y][m] = double_of(rest ^ other)
        misses[y][m] = double_of(own ^ other)
        size[y] = m + 1
    for y in range(2):
        for i in range(size[y], size[y] + 4):
            hits[y][i], misses[y][i] = 1.0, 0.0
        add_class_losses(hits[y], misses[y], size[y], block)
        add_block(block, y, totals)


cdef void add_block(const double* block, Py_ssize_t y, double* totals) noexcept nogil:
    cdef double* total = totals + 4 * y
    cdef double* lost = total + 8
    cdef Py_ssize_t f
    cdef double s
    for f in range(4):
        s = total[f] + block[f]
        if fabs(total[f]) >= fabs(block[f]):
            lost[f] += (total[f] - s) + block[f]
        else:
            lost[f] += (block[f] - s) + total[f]
        total[f] = s


cdef void add_class_losses(const double* hits, const double* misses, Py_ssize_t n, double* block) noexcept nogil:
    # block: squared misses, log2 of hits of at least SMALL_HIT, of smaller ones, and how many those are.
    cdef double[4] squares
    cdef double[4] product
    cdef Py_ssize_t i = 0, j, pause
    cdef double hit
    cdef int small
    for j in range(4):
        block[j] = squares[j] = 0.0
        product[j] = 1.0
    while i < n:
        pause, small = min(n, i + UNITED), 0
        j = i
        while i < pause:                        # there are 4 more of no effect at the end
            squares[0] += misses[i] * misses[i]
            squares[1] += misses[i + 1] * misses[i + 1]
            squares[2] += misses[i + 2] * misses[i + 2]
            squares[3] += misses[i + 3] * misses[i + 3]
            product[0] *= hits[i] if hits[i] >= SMALL_HIT else 1.0
            product[1] *= hits[i + 1] if hits[i + 1] >= SMALL_HIT else 1.0
            product[2] *= hits[i + 2] if hits[i + 2] >= SMALL_HIT else 1.0
            product[3] *= hits[i + 3] if hits[i + 3] >= SMALL_HIT else 1.0
            small |= (hits[i] < SMALL_HIT) | (hits[i + 1] < SMALL_HIT) | (hits[i + 2] < SMALL_HIT) | (hits[i + 3] < SMALL_HIT)
            i += 4
        if small:
            for j in range(j, pause):
                if hits[j] < SMALL_HIT:
                    block[2] += log2(hits[j] if hits[j] > LEAST_HIT else LEAST_HIT)
                    block[3] += 1.0
        for j in range(4):
            if product[j] < 1e-100:
                block[1] += log2(product[j])
                product[j] = 1.0
    block[0] = (squares[0] + squares[1]) + (squares[2] + squares[3])
    for j in range(4):
        block[1] += log2(product[j])


def piled_cells(table, bint narrow):
    return cells_in_pile[uint32_t](table, 0) if narrow else cells_in_pile[uint64_t](table, 0)


cdef tuple cells_in_pile(const uint64_t[:, ::1] table, word like):
    cdef Py_ssize_t i, m = 0, last = 1 if word is uint32_t else 2
    with nogil:
        for i in range(NO_PLACE):
            m += table[i, last] != 0
    cell_, ends_, cases_ = np.empty(m, np.int32), np.empty((2, m)), np.empty((2, m))
    cdef int32_t[::1] cell = cell_
    cdef double[:, ::1] ends = ends_, cases = cases_
    m = 0
    with nogil:
        m = put_cell[word](&table[AT_ZERO, 0], 0, &cell[0], &ends[0, 0], &cases[0, 0], m, ends.shape[1], like)
        for i in range(PLACES):
            m = put_cell[word](&table[i, 0], FIRST_PLACE + i, &cell[0], &ends[0, 0], &cases[0, 0], m, ends.shape[1], like)
        m = put_cell[word](&table[AT_ONE, 0], LAST_CELL, &cell[0], &ends[0, 0], &cases[0, 0], m, ends.shape[1], like)
    return cell_, ends_, cases_


cdef inline Py_ssize_t put_cell(const uint64_t* at, Py_ssize_t name, int32_t* cell, double* ends, double* cases,
                                Py_ssize_t m, Py_ssize_t size, word like) noexcept nogil:
    cdef uint64_t count = at[1 if word is uint32_t else 2]
    cdef const uint32_t* narrow = <const uint32_t*>at
    if count == 0:
        return m
    cell[m] = <int32_t>name
    if word is uint32_t:
        ends[m], ends[size + m] = number_of(<uint32_t>~narrow[0]), number_of(narrow[1])
    else:
        ends[m], ends[size + m] = double_of(~at[0]), double_of(at[1])
    cases[m], cases[size + m] = <double>(<uint32_t>count), <double>(count >> 32)
    return m + 1
