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
            pack_columns(y + b * n, p + b * n * k + first, n, k, last - first, base, bits, zero, key, n)
            key += (last - first) * n
    return keys


cdef struct Room:
    # What the scan of a column needs beside it: see `scan_column` and `tied_window_error`.
    int32_t* rank
    double* mass
    double* stretches


cdef Room room_for(Py_ssize_t n, Py_ssize_t size) noexcept nogil:
    cdef Room room
    room.rank = <int32_t*>malloc((size + 2) * sizeof(int32_t))
    room.mass = <double*>malloc((size + 2) * sizeof(double))
    room.rank[size + 1] = <int32_t>n            # no score is above one
    room.mass[size + 1] = 0.0
    room.stretches = <double*>malloc((n // STRETCH + 2) * sizeof(double)) if size else NULL
    return room


cdef void leave(Room room) noexcept nogil:
    free(room.rank)
    free(room.mass)
    free(room.stretches)


cdef class Sums:
    # What comes out of the scans of some columns, and where the next of them goes.
    cdef cnp.ndarray wins_, gains_, sums_
    cdef double* wins
    cdef double* gains
    cdef double* sums
    cdef Py_ssize_t k, step

    def __cinit__(self, Py_ssize_t B, Py_ssize_t columns, Py_ssize_t k):
        self.wins_, self.gains_, self.sums_ = zeros(B, columns, k), zeros(B, columns, k), zeros(SUMS, B, columns)
        self.wins, self.gains, self.sums = room_in(self.wins_), room_in(self.gains_), room_in(self.sums_)
        self.k, self.step = k, B * columns

    cdef tuple given(self):
        return self.wins_, self.gains_, self.sums_


def scan(cnp.ndarray keys, Py_ssize_t first, Py_ssize_t k, int bits, uint64_t base, table, weight, Py_ssize_t size,
         bint both=False, uint64_t zero=0):
    cdef Py_ssize_t B = keys.shape[0], columns = keys.shape[1], n = keys.shape[2], b, c
    cdef const double* v = doubles(table) if table is not None else NULL
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef uint64_t* key = <uint64_t*>cnp.PyArray_DATA(keys)
    cdef Packing how = Packing(base, zero, 0, bits)
    cdef Sums out = Sums(B, columns + both, k)
    cdef Room room = room_for(n, size)
    with nogil:
        for b in range(B):
            for c in range(columns):
                scan_sorted(key, n, first + c, &how, v, w, size, room, out, b * (columns + both) + c + both)
                key += n
                if w != NULL:
                    w += n
            if both:
                mirror(first, out, 2 * b)
    leave(room)
    return out.given()


def sorted_scan(cnp.ndarray truth, cnp.ndarray proba, weight, Py_ssize_t first, Py_ssize_t last, double low,
                double high, Py_ssize_t size, bint both=False, bint negative=False, double apart=-1.0, bint exact=False):
    cdef Py_ssize_t k = 2 if both else proba.shape[2]
    cdef Order order = Order(first, last, size, both, apart, exact, Packing(0, 0, 0, 0))
    cdef uint32_t narrow = 0
    cdef uint64_t wide = 0
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef bint single = cnp.PyArray_TYPE(proba) == cnp.NPY_FLOAT
    cdef Sums out
    if w == NULL and single and packing_in(low, high, negative, k, narrow, &order.how):
        out = Sums(proba.shape[0], last - first + both, k)
        sort_and_scan(truth, proba, floats(proba), w, &order, narrow, out)
    elif packing_in(low, high, negative, k, wide, &order.how):
        out = Sums(proba.shape[0], last - first + both, k)
        if single:
            sort_and_scan(truth, proba, floats(proba), w, &order, wide, out)
        else:
            sort_and_scan(truth, proba, doubles(proba), w, &order, wide, out)
    else:
        return None
    return out.given()


cdef struct Order:
    # What is asked of the columns first..last-1, and how their keys are packed.
    Py_ssize_t first
    Py_ssize_t last
    Py_ssize_t size
    bint both
    double apart
    bint exact
    Packing how


cdef int sort_and_scan(cnp.ndarray truth, cnp.ndarray proba, const real* p, const double* weight, Order* order,
                       word like, Sums out) except -1:
    # A column at a time; of much data some columns are packed at once, because reading all rows for one of them would
    # cost more than sorting it.
    cdef Py_ssize_t B = proba.shape[0], n = proba.shape[1], stride = proba.shape[2], b, j, at
    cdef Py_ssize_t first = order.first, last = order.last, both = order.both
    cdef const int32_t* y = places(truth)
    cdef Packing* how = &order.how
    cdef Py_ssize_t group = 1 if n * stride <= SMALL or stride <= 2 or weight != NULL else min(16, stride // 2)
    cdef word* keys = <word*>PyMem_RawMalloc(group * n * sizeof(word))  # so that who counts memory sees it
    cdef double* weights = <double*>PyMem_RawMalloc(n * sizeof(double)) if weight != NULL else NULL
    cdef word* key = keys
    cdef Room room = room_for(n, order.size)
    with nogil:
        for b in range(B):
            for j in range(first, last):
                at = b * (last - first + both) + j - first + both
                if group == 1:
                    sort_column(y, p + (j if stride > 1 else 0), weight, n, stride, how, keys, weights)
                else:
                    key += n
                    if (j - first) % group == 0:
                        key = keys
                        pack_columns(y, p + j, n, stride, min(group, last - j), <word>how.base, how.bits,
                                     <word>how.zero, keys, n)
                    sort_keys(key, n, how.bits)
                scan_sorted(key, n, j, how, NULL, weights, order.size, room, out, at)
                if both:
                    mirror(first, out, 2 * b)
                    if doubtful(out, 2 * b, order.apart, order.exact):
                        if order.exact and weight == NULL:
                            turn(keys, n, how, order.size > 0, sizeof(real) == 4)
                        else:
                            sort_column(y, p + 1 - j, weight, n, stride, how, keys, weights)
                        memset(out.wins + 4 * b, 0, 2 * sizeof(double))
                        memset(out.gains + 4 * b, 0, 2 * sizeof(double))
                        scan_sorted(keys, n, 1 - j, how, NULL, weights, order.size, room, out, 2 * b)
            y += n
            p += n * stride
            if weight != NULL:
                weight += n
    PyMem_RawFree(keys)
    PyMem_RawFree(weights)
    leave(room)
    return 0


cdef inline void sort_column(const int32_t* truth, const real* scores, const double* weight, Py_ssize_t n,
                             Py_ssize_t stride, Packing* how, word* keys, double* weights) noexcept nogil:
    if weight == NULL:
        sort_scores(truth, scores, n, stride, how, keys)
    else:
        pack_columns(truth, scores, n, stride, 1, <word>how.base, how.bits, <word>how.zero, keys, n)
        memcpy(weights, weight, n * sizeof(double))
        if word is uint64_t:                    # keys with weights are never narrow
            sort_weighted(keys, weights, n, how.bits)


cdef inline bint doubtful(Sums out, Py_ssize_t at, double apart, bint exact) noexcept nogil:
    # Is the other of two columns perhaps not in exactly the reverse order of the one that was scanned?
    return out.sums[3 * out.step + at] <= apart or (apart >= 0.0 and out.sums[4 * out.step + at] != 0.0 and not exact)


cdef void turn(word* keys, Py_ssize_t n, Packing* how, bint scanned, bint single) noexcept nogil:
    # From the keys of column 1 (scanned ones hold scores) the sorted ones of column 0, which is 1 - p in every row, in
    # the precision of the scores.
    cdef Py_ssize_t i
    cdef word left, right, base = <word>how.base
    for i in range((n + 1) // 2):
        left, right = keys[i], keys[n - 1 - i]
        keys[i] = turned(right, base, scanned, single)
        keys[n - 1 - i] = turned(left, base, scanned, single)


cdef inline word turned(word key, word base, bint scanned, bint single) noexcept nogil:
    cdef word none = 0
    cdef double x = 1.0 - (score_in(key) if scanned else value_at(<word>(key >> 1), base, none, NULL))
    return place_of(<double><float>x if single else x, base, none) << 1 | (own_in(key) if scanned else key & 1)


cdef inline void mirror(Py_ssize_t first, Sums out, Py_ssize_t at) noexcept nogil:
    # Of two classes: the other column, put before this one, as its mirror image.
    cdef Py_ssize_t c
    out.wins[2 * at + first] = out.wins[2 * at + 3 - first]
    out.gains[2 * at + first] = out.gains[2 * at + 3 - first]
    for c in range(SUMS):
        out.sums[c * out.step + at] = out.sums[c * out.step + at + 1]


cdef void scan_sorted(word* keys, Py_ssize_t n, Py_ssize_t j, Packing* how, const double* table, const double* weight,
                      Py_ssize_t size, Room room, Sums out, Py_ssize_t at) noexcept nogil:
    # Two classes without weights have loops of their own, in which everything stays in registers.
    cdef word base = <word>how.base, zero = <word>how.zero, none = 0
    cdef Py_ssize_t k = out.k, step = out.step
    cdef double* wins = out.wins + at * k
    cdef double* gains = out.gains + at * k
    cdef double* sums = out.sums + at
    cdef bint below = zero != 0 and keys[0] >> how.bits < zero or table != NULL and table[0] < 0.0
    if size == 0 and k == 2 and weight == NULL:
        scan_pairs(keys, n, j, base, zero, wins, sums, step)
        return
    if weight != NULL or table != NULL or zero != 0:
        scan_column(keys, n, j, k, how.bits, base, zero, table, weight, size, room.rank, room.mass, wins, gains, sums,
                    step)
    elif k == 2:
        scan_two(keys, n, j, base, size, room.rank, room.mass, wins, gains, sums, step)
    else:
        scan_column(keys, n, j, k, how.bits, base, none, NULL, NULL, size, room.rank, room.mass, wins, gains, sums, step)
    if weight != NULL or below or size == 0:
        sums[2 * step] = NAN
    elif sums[4 * step] == 0.0:
        sums[2 * step] = window_error(keys, n, size, room.rank, room.mass)
    else:
        sums[2 * step] = tied_window_error(keys, n, size, room)


cdef void scan_pairs(word* keys, Py_ssize_t n, word j, word base, word zero, double* wins, double* sums,
                     Py_ssize_t step) noexcept nogil:
    # Of two classes no more than the pairs: twice the cases of class j above each other one, ties once.
    cdef Py_ssize_t i = n - 1, end
    cdef int64_t above = 0, won = 0, hits, twice
    cdef word place
    cdef double x, last = INFINITY, gap = INFINITY
    cdef bint ties = False
    while i >= 0:
        place = keys[i] >> 1
        end = i
        hits = 0
        while i >= 0 and keys[i] >> 1 == place:
            hits += (keys[i] & 1) == j
            i -= 1
        ties |= end - i > 1
        won += (end - i - hits) * (2 * above + hits)
        above += hits
        x = value_at(place, base, zero, NULL)
        gap = min(gap, last - x)
        last = x
    wins[1 - j] = 0.5 * won
    sums[0] = sums[step] = sums[2 * step] = NAN
    sums[3 * step] = gap
    sums[4 * step] = ties


cdef void scan_two(word* keys, Py_ssize_t n, word j, word base, Py_ssize_t size, int32_t* rank, double* mass,
                   double* wins, double* gains, double* sums, Py_ssize_t step) noexcept nogil:
    # `scan_column` of two classes without weights, where nothing but a tie is branched on: each score leaves its place
    # and the sum so far at the highest share that it reaches, and shares that none stopped at have those of the next.
    cdef word key, place, next_key = keys[n - 1], own, sign = sign_bit(base), none = 0
    cdef Py_ssize_t i = n - 1, h, stop
    cdef double x, hit, miss, error, hits, total, above = 0.0, gathered = 0.0, off = 0.0, mixed = 0.0
    cdef double won = 0.0, gained = 0.0, gap = INFINITY, last = INFINITY, tail = 0.0, shares = <double>size
    cdef bint ties = False
    for h in range(size + 1):
        rank[h] = -1
    while i >= 0:
        key = next_key
        place = key >> 1
        next_key = keys[i - 1] if i > 0 else ~key
        x = value_at(place, base, none, NULL)
        gap = min(gap, last - x)
        last = x
        if next_key >> 1 != place:              # a score of its own
            own = -<word>((key & 1) == j)
            keys[i] = bits_like(x, base) | (own & sign)
            hit = one_if(own != 0)
            miss = 1.0 - hit
            error = hit - x
            won += miss * above
            gained += miss * (gathered - above * x)
            above += hit
            gathered += hit * x
            off += error * error
            tail += x
            stop = i - 1
        else:
            ties = True
            hits = 0.0
            stop = i
            while stop >= 0 and keys[stop] >> 1 == place:
                own = -<word>((keys[stop] & 1) == j)
                keys[stop] = bits_like(x, base) | (own & sign)
                hits += one_if(own != 0)
                stop -= 1
            total = i - stop
            won += (total - hits) * (above + 0.5 * hits)
            gained += (total - hits) * (gathered - above * x)
            above += hits
            gathered += hits * x
            off += total * (x - hits / total) * (x - hits / total)
            mixed += hits * (1.0 - hits / total)
            tail += x * total
            if stop >= 0:
                next_key = keys[stop]
        h = <Py_ssize_t>(min(x, 1.0) * shares)  # real scores may be above one
        rank[h] = <int32_t>(stop + 1)
        mass[h] = tail
        i = stop
    for h in range(size, -1, -1):
        if rank[h] < 0:
            rank[h] = rank[h + 1]
            mass[h] = mass[h + 1]
    rank[0] = 0
    mass[0] = tail
    wins[1 - j] += won
    gains[1 - j] += gained
    sums[0] = off
    sums[step] = mixed
    sums[3 * step] = gap
    sums[4 * step] = ties


cdef inline void scan_column(word* keys, Py_ssize_t n, word j, Py_ssize_t k, int bits, word base, word zero,
                             const double* table, const double* weight, Py_ssize_t size, int32_t* rank,
                             double* mass, double* wins, double* gains, double* sums, Py_ssize_t step) noexcept nogil:
    # From the highest score down: `above` and `gathered` are the weight and the sum of scores of class j so far, all
    # that a case of any other class has to know. Cases of class j write into wins[j], which is cleared in the end.
    # For the windows: the share of class j in one is 0/size, 1/size, ... or size/size; rank[h] and mass[h] are the
    # place of the first score that reaches h/size and the sum of the scores from there up. Each key is replaced by its
    # score, with the sign bit set for class j: all that the windows need.
    cdef word mask = (<word>1 << bits) - 1, key, place, next_key = keys[n - 1], label, sign = sign_bit(mask)
    cdef uint64_t own
    cdef Py_ssize_t i = n - 1, c, stop, h = size
    cdef double x, w = 1.0, hit, error, hits, total, above = 0.0, gathered = 0.0, off = 0.0, mixed = 0.0
    cdef double gap = INFINITY, last = INFINITY, tail = 0.0, share = 1.0, inverse = 1.0 / size
    cdef bint ties = False
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
            keys[i] = bits_like(x, mask) | (<word>own & sign)
            hit = double_of(own & ONE)
            error = hit - x
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
            keys[c] = bits_like(x, mask) | (<word>all_bits_if(label == j) & sign)
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
    wins[j] = gains[j] = 0.0
    sums[0] = off
    sums[step] = mixed
    sums[3 * step] = gap
    sums[4 * step] = ties


cdef double window_error(const word* scores, Py_ssize_t n, Py_ssize_t size, const int32_t* rank,
                         const double* mass) noexcept nogil:
    # From the highest window down; the sums are those of all scores from a place up, as in `mass`. Hits times places
    # are whole numbers, and so is their sum.
    cdef Py_ssize_t start, stop, middle, hits = 0, i
    cdef int64_t whole = 0
    cdef double from_start = 0.0, from_stop = 0.0, total = 0.0
    cdef double[3] sums
    for i in range(n - 1, n - size - 1, -1):
        hits += own_in(scores[i])
        from_start += score_in(scores[i])
    start = n - size
    while True:
        stop = start + size
        middle = rank[hits]
        sums[0] = mass[hits]                    # looked up, not branched on: the processor would often guess wrong
        sums[1] = from_start
        sums[2] = from_stop
        total += 2.0 * sums[(middle < start) + 2 * (middle > stop)] - from_start - from_stop
        middle = max(start, min(middle, stop))
        whole += hits * (2 * middle - start - stop)
        if start == 0:
            break
        start -= 1
        hits += <Py_ssize_t>own_in(scores[start]) - <Py_ssize_t>own_in(scores[stop - 1])
        from_start += score_in(scores[start])
        from_stop += score_in(scores[stop - 1])
    return (<double>whole / size + total) / size / (n - size + 1)


cdef struct Tie:
    # Cases of one score, at the places first..end-1, that an end of the window cuts; hits of them are of the class,
    # `inside` of them in the window.
    Py_ssize_t first
    Py_ssize_t end
    Py_ssize_t hits
    Py_ssize_t inside
    double share


cdef inline bint tied(word one, word other) noexcept nogil:
    return <word>((one ^ other) << 1) == 0      # but for the class


cdef void find_tie(Tie* tie, const word* scores, Py_ssize_t n, Py_ssize_t at) noexcept nogil:
    # The tie of the scores at - 1 and at.
    cdef Py_ssize_t i
    tie.first = tie.end = at
    tie.hits = 0
    while tie.first > 0 and tied(scores[tie.first - 1], scores[at]):
        tie.first -= 1
        tie.hits += <Py_ssize_t>own_in(scores[tie.first])
    while tie.end < n and tied(scores[tie.end], scores[at]):
        tie.hits += <Py_ssize_t>own_in(scores[tie.end])
        tie.end += 1
    tie.share = <double>tie.hits / (tie.end - tie.first)


cdef inline Py_ssize_t hits_between(const word* scores, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    cdef Py_ssize_t i, hits = 0
    for i in range(start, stop):
        hits += <Py_ssize_t>own_in(scores[i])
    return hits


cdef double tied_window_error(const word* scores, Py_ssize_t n, Py_ssize_t size, Room room) noexcept nogil:
    # As `window_error`, but each case counts with the share of the class among those of its score. That is its own
    # outcome, unless an end of the window cuts a tie: `low` is the one that the lower end cut last, `high` that of the
    # upper one. The share of the class may then lie between two of the ranks that are known, and the sum of the scores
    # from there up is taken from sums of stretches.
    cdef Py_ssize_t start = n - size, stop, hits = hits_between(scores, n - size, n), h, middle, i
    cdef double from_start = 0.0, from_stop = 0.0, from_middle, total = 0.0, inverse = 1.0 / size, counted, share
    cdef double[3] sums
    cdef bint cuts_low, cuts_high
    cdef Tie low, high
    low.first = high.first = n
    stretch_sums(scores, n, room.stretches)
    for i in range(n - 1, start - 1, -1):
        from_start += score_in(scores[i])
    while True:
        stop = start + size
        cuts_low = start > 0 and tied(scores[start - 1], scores[start])
        cuts_high = stop < n and tied(scores[stop - 1], scores[stop])
        if not (cuts_low or cuts_high):
            share = hits * inverse
            middle = room.rank[hits]
            sums[0] = room.mass[hits]           # looked up, not branched on: the processor would often guess wrong
            sums[1] = from_start
            sums[2] = from_stop
            from_middle = sums[(middle < start) + 2 * (middle > stop)]
            middle = max(start, min(middle, stop))
        else:
            if cuts_low:
                if start <= low.first:
                    find_tie(&low, scores, n, start)
                    low.inside = hits_between(scores, start, low.end)
                else:
                    low.inside += <Py_ssize_t>own_in(scores[start])
            if cuts_high:
                if stop <= high.first:
                    find_tie(&high, scores, n, stop)
                    high.inside = hits_between(scores, high.first, stop)
                else:
                    high.inside -= <Py_ssize_t>own_in(scores[stop])
            if cuts_low and cuts_high and low.first == high.first:
                counted = low.share * size
            else:
                counted = hits - (low.inside if cuts_low else 0) - (high.inside if cuts_high else 0)
                counted += low.share * (low.end - start) if cuts_low else 0.0
                counted += high.share * (stop - high.first) if cuts_high else 0.0
                if counted > size:              # by rounding
                    counted = size
            share = counted * inverse
            h = <Py_ssize_t>counted
            middle = room.rank[h]
            from_middle = room.mass[h]
            if score_in(scores[min(middle, n - 1)]) < share and middle < room.rank[h + 1]:
                middle = room.rank[h + 1]
                from_middle = room.mass[h + 1]
                if score_in(scores[middle - 1]) >= share:
                    middle = place_in(scores, room.rank[h], middle, share)
                    from_middle = -1.0
            if middle <= start:
                middle = start
                from_middle = from_start
            elif middle >= stop:
                middle = stop
                from_middle = from_stop
            elif from_middle < 0.0:
                from_middle = sum_from(scores, n, middle, room.stretches)
        total += share * (2 * middle - start - stop) + 2.0 * from_middle - from_start - from_stop
        if start == 0:
            break
        start -= 1
        hits += <Py_ssize_t>own_in(scores[start]) - <Py_ssize_t>own_in(scores[stop - 1])
        from_start += score_in(scores[start])
        from_stop += score_in(scores[stop - 1])
    return total * inverse / (n - size + 1)


cdef inline Py_ssize_t place_in(const word* scores, Py_ssize_t low, Py_ssize_t high, double x) noexcept nogil:
    # Of the sorted scores low..high-1, where the first of at least x is.
    cdef Py_ssize_t middle
    while low < high:
        middle = (low + high) >> 1
        if score_in(scores[middle]) < x:
            low = middle + 1
        else:
            high = middle
    return low


cdef void stretch_sums(const word* scores, Py_ssize_t n, double* stretches) noexcept nogil:
    # stretches[b]: the sum of the scores from place b * STRETCH up. Sums of stretches do not wait for each other.
    cdef Py_ssize_t b, i
    cdef double total = 0.0, part
    stretches[n // STRETCH + 1] = 0.0
    for b in range(n // STRETCH, -1, -1):
        part = 0.0
        for i in range(b * STRETCH, min(n, (b + 1) * STRETCH)):
            part += score_in(scores[i])
        total += part
        stretches[b] = total


cdef inline double sum_from(const word* scores, Py_ssize_t n, Py_ssize_t at, const double* stretches) noexcept nogil:
    cdef Py_ssize_t border = min(n, (at + STRETCH - 1) // STRETCH * STRETCH)
    cdef double total = stretches[(border + STRETCH - 1) // STRETCH]
    while at < border:
        border -= 1
        total += score_in(scores[border])
    return total
