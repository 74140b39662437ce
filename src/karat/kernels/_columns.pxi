# One sorted column.


def pack(cnp.ndarray truth, cnp.ndarray proba, Py_ssize_t first, Py_ssize_t last, uint64_t base, int bits,
         uint64_t zero=0):
    cdef Py_ssize_t B = proba.shape[0], n = proba.shape[1], k = proba.shape[2], b
    cdef const int32_t* y = places(truth)
    cdef const double* p = doubles(proba)
    cdef cnp.npy_intp[3] shape = [B, last - first, n]
    cdef cnp.ndarray keys = cnp.PyArray_EMPTY(3, shape, cnp.NPY_UINT64, 0)
    cdef uint64_t* key = <uint64_t*>cnp.PyArray_DATA(keys)
    with nogil:
        for b in range(B):
            pack_columns(y + b * n, p + b * n * k + first, n, k, last - first, base, bits, zero, key)
            key += (last - first) * n
    return keys


cdef inline void pack_columns(const int32_t* truth, const double* proba, Py_ssize_t n, Py_ssize_t k, Py_ssize_t columns,
                              uint64_t base, int bits, uint64_t zero, uint64_t* keys) noexcept nogil:
    cdef Py_ssize_t i, j
    for i in range(n):
        for j in range(columns):
            keys[j * n + i] = place_of(proba[i * k + j], base, zero) << bits | <uint64_t>truth[i]


cdef struct Room:
    # What the scan of a column needs beside it: see `scan_column` and `tied_window_error`.
    int32_t* rank
    double* mass
    double* blocks


cdef Room room_for(Py_ssize_t n, Py_ssize_t size) noexcept nogil:
    cdef Room room
    room.rank = <int32_t*>malloc((size + 1) * sizeof(int32_t))
    room.mass = <double*>malloc((size + 1) * sizeof(double))
    room.blocks = <double*>malloc((n // BLOCK + 2) * sizeof(double))
    return room


cdef void leave(Room room) noexcept nogil:
    free(room.rank)
    free(room.mass)
    free(room.blocks)


def scan(cnp.ndarray keys, Py_ssize_t first, Py_ssize_t k, int bits, uint64_t base, table, weight, Py_ssize_t size,
         bint both=False, uint64_t zero=0):
    cdef Py_ssize_t B = keys.shape[0], columns = keys.shape[1], n = keys.shape[2], b, c, at
    cdef Py_ssize_t wide = columns + both, step = B * wide
    cdef const double* v = doubles(table) if table is not None else NULL
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef uint64_t* key = <uint64_t*>cnp.PyArray_DATA(keys)
    wins_, gains_, sums_ = zeros(B, wide, k), zeros(B, wide, k), zeros(SUMS, B, wide)
    cdef double* wins = room_in(wins_)
    cdef double* gains = room_in(gains_)
    cdef double* sums = room_in(sums_)
    cdef Room room = room_for(n, size)
    with nogil:
        for b in range(B):
            for c in range(columns):
                at = b * wide + c + both
                scan_sorted(key, n, first + c, k, bits, base, zero, v, w, size, room, wins + at * k, gains + at * k,
                            sums + at, step)
                key += n
                if w != NULL:
                    w += n
            if both:
                mirror(first, wins + b * 4, gains + b * 4, sums + b * 2, step)
    leave(room)
    return wins_, gains_, sums_


def sorted_scan(cnp.ndarray truth, cnp.ndarray proba, weight, Py_ssize_t first, Py_ssize_t last, double low,
                double high, Py_ssize_t size, bint both=False, bint negative=False):
    cdef Py_ssize_t B = proba.shape[0], n = proba.shape[1], k = proba.shape[2], b, j, at
    cdef Py_ssize_t wide = last - first + both, step = B * wide
    cdef int bits = 1
    while (k - 1) >> bits:
        bits += 1
    cdef uint64_t base = bits_of(low) - 1, span = bits_of(high if high > 0.0 else 0.0) - base, zero = 0
    if span >> (63 if negative else 64 - bits):
        return None
    if negative:
        zero = span
        span *= 2
        if span >> (64 - bits):
            return None
    cdef uint64_t lift = <uint64_t>1 << (52 - bits)
    cdef bint as_floats = not negative and base > lift and span < INFINITE and (span + lift) >> (64 - bits) == 0 and (
        (span + lift) << bits < INFINITE)
    if as_floats:
        base -= lift
    if weight is not None:
        return weighted_scan(truth, proba, weight, first, last, bits, base, zero, size, both)
    cdef const int32_t* y = places(truth)
    cdef const double* p = doubles(proba)
    wins_, gains_, sums_ = zeros(B, wide, k), zeros(B, wide, k), zeros(SUMS, B, wide)
    cdef double* wins = room_in(wins_)
    cdef double* gains = room_in(gains_)
    cdef double* sums = room_in(sums_)
    cdef Room room = room_for(n, size)
    # A column at a time, so that its keys stay in the processor's cache; of much data some columns are packed at once,
    # because reading all rows for one of them would cost more than sorting it.
    cdef Py_ssize_t group = 1 if n * k <= SMALL else max(1, min(16, k // 2))
    cdef uint64_t* keys = <uint64_t*>PyMem_RawMalloc(group * n * sizeof(uint64_t))  # so that who counts memory sees it
    cdef uint64_t* key = keys
    cdef uint64_t* spare = NULL
    cdef uint64_t lowest = 0 if negative else place_of(low, base, 0) << bits
    cdef uint64_t highest = (place_of(high, base, zero) + 1) << bits
    cdef Sort sort = sort_floats if as_floats else sort_integers
    if group > 1 and n > 4096:                  # buckets pay, and one column more is little beside the others
        spare = <uint64_t*>PyMem_RawMalloc(n * sizeof(uint64_t))
    with nogil:
        for b in range(B):
            for j in range(first, last):
                key += n
                if (j - first) % group == 0:
                    key = keys
                    if group == 1:              # known to the compiler
                        pack_columns(y, p + j, n, k, 1, base, bits, zero, keys)
                    else:
                        pack_columns(y, p + j, n, k, min(group, last - j), base, bits, zero, keys)
                if spare != NULL:
                    sort_by_buckets(key, spare, n, lowest, highest, sort)
                else:
                    sort(key, n, NULL)
                at = b * wide + j - first + both
                scan_sorted(key if spare == NULL else spare, n, j, k, bits, base, zero, NULL, NULL, size, room,
                            wins + at * k, gains + at * k, sums + at, step)
            if both:
                mirror(first, wins + b * 4, gains + b * 4, sums + b * 2, step)
            y += n
            p += n * k
    PyMem_RawFree(keys)
    PyMem_RawFree(spare)
    leave(room)
    return wins_, gains_, sums_


cdef void sort_by_buckets(const uint64_t* keys, uint64_t* out, Py_ssize_t n, uint64_t low, uint64_t high,
                          Sort sort) noexcept nogil:
    # Into buckets by the leading bits of the keys, then each bucket, which takes few steps. Keys below `low` (those of
    # zeros) go into the first.
    cdef uint32_t[BUCKETS + 1] ends
    cdef int shift = 0
    cdef Py_ssize_t i, wanted = min(BUCKETS, n // 16 + 1)
    cdef uint32_t start = 0
    while (high - low) >> shift >= <uint64_t>wanted:
        shift += 1
    memset(ends, 0, (wanted + 1) * sizeof(uint32_t))
    for i in range(n):
        ends[bucket_of(keys[i], low, shift) + 1] += 1
    for i in range(1, wanted):
        ends[i] += ends[i - 1]
    for i in range(n):                          # from here on, ends[i] is where bucket i ends so far
        out[claimed(&ends[bucket_of(keys[i], low, shift)])] = keys[i]
    for i in range(wanted):
        if ends[i] > start + 1:
            sort(out + start, ends[i] - start, NULL)
        start = ends[i]


cdef inline uint64_t bucket_of(uint64_t key, uint64_t low, int shift) noexcept nogil:
    return ((key - low) & all_bits_if(key >= low)) >> shift


cdef inline uint32_t claimed(uint32_t* end) noexcept nogil:
    end[0] += 1
    return end[0] - 1


cdef tuple weighted_scan(cnp.ndarray truth, cnp.ndarray proba, weight, Py_ssize_t first, Py_ssize_t last, int bits,
                         uint64_t base, uint64_t zero, Py_ssize_t size, bint both):
    keys = pack(truth, proba, first, last, base, bits, zero)
    order = np.argsort(keys, axis=-1)
    weights = np.take_along_axis(np.broadcast_to(weight[:, None, :], keys.shape), order, axis=-1)
    keys = np.take_along_axis(keys, order, axis=-1)
    return scan(keys, first, proba.shape[2], bits, base, None, weights, size, both, zero)


cdef inline void mirror(Py_ssize_t first, double* wins, double* gains, double* sums, Py_ssize_t step) noexcept nogil:
    # Of two classes: the other column, put before this one, as its mirror image.
    cdef Py_ssize_t c
    wins[first] = wins[3 - first]
    gains[first] = gains[3 - first]
    for c in range(SUMS):
        sums[c * step] = sums[c * step + 1]


cdef void scan_sorted(uint64_t* keys, Py_ssize_t n, Py_ssize_t j, Py_ssize_t k, int bits, uint64_t base,
                      uint64_t zero, const double* table, const double* weight, Py_ssize_t size, Room room,
                      double* wins, double* gains, double* sums, Py_ssize_t step) noexcept nogil:
    # one function, compiled three times: the compiler drops what a plain case does not need
    cdef bint below = zero != 0 and keys[0] >> bits < zero or table != NULL and table[0] < 0.0
    if weight != NULL or table != NULL or zero != 0:
        scan_column(keys, n, j, k, bits, base, zero, table, weight, size, room.rank, room.mass, wins, gains, sums, step)
    elif k == 2:
        scan_column(keys, n, j, 2, 1, base, 0, NULL, NULL, size, room.rank, room.mass, wins, gains, sums, step)
    else:
        scan_column(keys, n, j, k, bits, base, 0, NULL, NULL, size, room.rank, room.mass, wins, gains, sums, step)
    if weight != NULL or below:
        sums[2 * step] = NAN
        return
    if sums[4 * step] == 0.0:
        sums[2 * step] = window_error(keys, n, size, room.rank, room.mass)
    else:
        sums[2 * step] = tied_window_error(keys, n, size, room)


cdef inline void scan_column(uint64_t* keys, Py_ssize_t n, uint64_t j, Py_ssize_t k, int bits, uint64_t base,
                             uint64_t zero, const double* table, const double* weight, Py_ssize_t size, int32_t* rank,
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
    cdef bint ties = False
    cdef bint two = k == 2 and weight == NULL
    while i >= 0:
        key = next_key
        place = key >> bits
        next_key = keys[i - 1] if i > 0 else ~key
        x = value_at(place, base, zero, table)
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
        ties = True
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
    sums[4 * step] = ties


cdef double window_error(const uint64_t* scores, Py_ssize_t n, Py_ssize_t size, const int32_t* rank,
                         const double* mass) noexcept nogil:
    # From the highest window down; the sums are those of all scores from a place up, as in `mass`.
    cdef Py_ssize_t start, stop, middle, hits = 0, i
    cdef double from_start = 0.0, from_stop = 0.0, from_middle, total = 0.0, inverse = 1.0 / size
    cdef double[3] sums
    for i in range(n - 1, n - size - 1, -1):
        hits += scores[i] >> 63
        from_start += double_of(scores[i] & ~SIGN)
    start = n - size
    while True:
        stop = start + size
        middle = rank[hits]
        sums[0] = mass[hits]                    # looked up, not branched on: the processor would often guess wrong
        sums[1] = from_start
        sums[2] = from_stop
        from_middle = sums[(middle < start) + 2 * (middle > stop)]
        middle = max(start, min(middle, stop))
        total += hits * inverse * (2 * middle - start - stop) + 2.0 * from_middle - from_start - from_stop
        if start == 0:
            break
        start -= 1
        hits += <Py_ssize_t>(scores[start] >> 63) - <Py_ssize_t>(scores[stop - 1] >> 63)
        from_start += double_of(scores[start] & ~SIGN)
        from_stop += double_of(scores[stop - 1] & ~SIGN)
    return total * inverse / (n - size + 1)


cdef struct Tie:
    # Cases of one score, at the places first..end-1; hits of them are of the class.
    Py_ssize_t first
    Py_ssize_t end
    Py_ssize_t hits


cdef inline void next_tie(Tie* tie, const uint64_t* scores) noexcept nogil:
    # The tie below.
    cdef Py_ssize_t i = tie.first - 1
    cdef uint64_t value
    tie.end = tie.first
    tie.hits = 0
    if i >= 0:
        value = scores[i] & ~SIGN
        while i >= 0 and scores[i] & ~SIGN == value:
            tie.hits += scores[i] >> 63
            i -= 1
    tie.first = i + 1


cdef double tied_window_error(const uint64_t* scores, Py_ssize_t n, Py_ssize_t size, Room room) noexcept nogil:
    # As `window_error`, but each case counts with the share of the class among those of its score. That is its own
    # outcome, unless an end of the window cuts a tie: `low` is the tie at the lower end, `high` that at the upper one,
    # and `whole` counts the hits of the ties between them. The share of the class may then lie between two of the ranks
    # that are known, and the sum of the scores from there up is taken from sums of blocks.
    cdef Py_ssize_t start = n - size, stop, whole = 0, h, at, middle, i
    cdef double from_start = 0.0, from_stop = 0.0, from_middle, total = 0.0, inverse = 1.0 / size, hits, share
    cdef Tie low, high
    block_sums(scores, n, room.blocks)
    low.first = high.first = n
    next_tie(&high, scores)
    low = high
    while low.first > start:
        if low.first != high.first:
            whole += low.hits
        next_tie(&low, scores)
    for i in range(n - 1, start - 1, -1):
        from_start += double_of(scores[i] & ~SIGN)
    while True:
        stop = start + size
        if low.first == high.first:
            hits = size * (<double>low.hits / (low.end - low.first))
        else:
            hits = whole + low.hits * (<double>(low.end - start) / (low.end - low.first)) + (
                high.hits * (<double>(stop - high.first) / (high.end - high.first)))
            if hits > size:                     # by rounding
                hits = size
        share = hits * inverse
        h = <Py_ssize_t>hits
        if hits == h:
            middle = room.rank[h]
            from_middle = room.mass[h]
        else:
            middle = place_in(scores, room.rank[h], room.rank[h + 1], share)
            from_middle = -1.0
        if middle <= start:
            middle = start
            from_middle = from_start
        elif middle >= stop:
            middle = stop
            from_middle = from_stop
        elif from_middle < 0.0:
            from_middle = sum_from(scores, n, middle, room.blocks)
        total += share * (2 * middle - start - stop) + 2.0 * from_middle - from_start - from_stop
        if start == 0:
            break
        start -= 1
        stop -= 1
        from_start += double_of(scores[start] & ~SIGN)
        from_stop += double_of(scores[stop] & ~SIGN)
        if start < low.first:
            if low.first != high.first:
                whole += low.hits
            next_tie(&low, scores)
        if stop == high.first:
            next_tie(&high, scores)
            if high.first != low.first:
                whole -= high.hits
    return total * inverse / (n - size + 1)


cdef inline Py_ssize_t place_in(const uint64_t* scores, Py_ssize_t low, Py_ssize_t high, double x) noexcept nogil:
    # Of the sorted scores low..high-1, where the first of at least x is.
    cdef Py_ssize_t middle
    while low < high:
        middle = (low + high) >> 1
        if double_of(scores[middle] & ~SIGN) < x:
            low = middle + 1
        else:
            high = middle
    return low


cdef void block_sums(const uint64_t* scores, Py_ssize_t n, double* blocks) noexcept nogil:
    # blocks[b]: the sum of the scores from place b * BLOCK up.
    cdef Py_ssize_t i = n - 1
    cdef double total = 0.0
    blocks[n // BLOCK + 1] = 0.0
    while i >= 0:
        total += double_of(scores[i] & ~SIGN)
        if i % BLOCK == 0:
            blocks[i // BLOCK] = total
        i -= 1
    if n % BLOCK == 0:
        blocks[n // BLOCK] = 0.0


cdef inline double sum_from(const uint64_t* scores, Py_ssize_t n, Py_ssize_t at, const double* blocks) noexcept nogil:
    cdef Py_ssize_t border = min(n, (at + BLOCK - 1) // BLOCK * BLOCK)
    cdef double total = blocks[(border + BLOCK - 1) // BLOCK]
    while at < border:
        border -= 1
        total += double_of(scores[border] & ~SIGN)
    return total
