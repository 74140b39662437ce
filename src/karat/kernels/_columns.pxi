# One sorted column.

DEF MARK = 14               # bits of the mark of a score that is looked up among the rows
DEF FEW_CASES = 4096        # of so many the sums up to each place are kept, where windows begin and end
DEF CLOSE = 256             # such scores at most: one row in 64 has a mark of theirs by chance


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


cdef struct Tie:
    # Places first..end-1, which have one score, and cases of the class and others.
    int32_t first
    int32_t end


cdef struct Tally:
    # Of the cases of a class: the weight of class j above them, and by how much its scores are higher. Of class j itself:
    # what a case adds to its weight, and the bit that marks it.
    double won
    double gained
    double hit
    uint64_t mark


cdef struct Sum:
    # Over the cases from a place up: their scores, and how many are of class j.
    double scores
    int64_t own


cdef struct Room:
    # What the scan of a column leaves for its windows: see `scan_column` and `window_error`.
    Tally* tallies
    int32_t* rank
    Tie* ties                                   # from the highest score down
    Py_ssize_t tied
    Py_ssize_t most
    double* sums
    Py_ssize_t mask
    Sum* sums_from                              # of few cases: the sums from each place up
    Py_ssize_t all_places                       # -1: they are kept; 0: the last of them is


cdef Room room_for(Py_ssize_t n, Py_ssize_t size, Py_ssize_t k) noexcept nogil:
    cdef Room room
    room.tallies = <Tally*>malloc(k * sizeof(Tally))
    room.rank = <int32_t*>malloc((size + 2) * sizeof(int32_t))
    room.rank[size + 1] = <int32_t>n            # no score is above one
    room.tied = 0
    room.most = 64
    room.ties = <Tie*>malloc(room.most * sizeof(Tie))
    room.mask = 1
    while room.mask < size:
        room.mask = 2 * room.mask + 1
    room.sums = <double*>malloc((room.mask + 1) * sizeof(double))
    room.all_places = -1 if n <= FEW_CASES else 0
    room.sums_from = <Sum*>malloc(((n & room.all_places) + 1) * sizeof(Sum))
    return room


cdef void leave(Room room) noexcept nogil:
    free(room.tallies)
    free(room.rank)
    free(room.ties)
    free(room.sums)
    free(room.sums_from)


cdef inline void note_tie(Room* room, Py_ssize_t first, Py_ssize_t end) noexcept nogil:
    if room.tied == room.most:
        room.most *= 2
        room.ties = <Tie*>realloc(room.ties, room.most * sizeof(Tie))
    room.ties[room.tied] = Tie(<int32_t>first, <int32_t>end)
    room.tied += 1


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
    cdef Packing how = Packing(base, zero, 0, bits, 0)
    cdef Sums out = Sums(B, columns + both, k)
    cdef Room room = room_for(n, size, k)
    with nogil:
        for b in range(B):
            for c in range(columns):
                scan_sorted(key, n, first + c, &how, v, w, size, &room, out, b * (columns + both) + c + both)
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
    cdef Order order = Order(first, last, size, both, apart, exact, Packing(0, 0, 0, 0, 0))
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
    cdef word* keys = <word*>PyMem_RawMalloc((group * n + 2) * sizeof(word)) + 2  # so that who counts memory sees it
    cdef double* weights = <double*>PyMem_RawMalloc(n * sizeof(double)) if weight != NULL else NULL
    cdef word* key = keys
    cdef word* other = NULL                     # keys of the other column, if one sort served both
    cdef bint twofold = sizeof(word) == 4 and both and first and order.apart >= 0.0 and not order.exact \
        and 2 * SAMPLE <= n <= MOST_TWOFOLD
    cdef Room room = room_for(n, order.size, out.k)
    if twofold:
        other = <word*>PyMem_RawMalloc(n * sizeof(word))
    with nogil:
        for b in range(B):
            for j in range(first, last):
                at = b * (last - first + both) + j - first + both
                if group == 1:
                    twofold = twofold and sort_both(y, p, n, how, keys, other)
                    if not twofold:
                        sort_column(y, p + (j if stride > 1 else 0), weight, n, stride, how, keys, weights)
                else:
                    key += n
                    if (j - first) % group == 0:
                        key = keys
                        pack_columns(y, p + j, n, stride, min(group, last - j), <word>how.base, how.bits,
                                     <word>how.zero, keys, n)
                    sort_keys(key, n, how.bits)
                scan_sorted(key, n, j, how, NULL, weights, order.size, &room, out, at)
                if both:
                    mirror(first, out, 2 * b)
                    if order.apart >= 0.0 and not mirrored(keys, n, p, stride, j, order, out, 2 * b):
                        if order.exact and weight == NULL:
                            turn(keys, n, how, order.size > 0, sizeof(real) == 4)
                        elif not twofold:
                            sort_column(y, p + 1 - j, weight, n, stride, how, keys, weights)
                        memset(out.wins + 4 * b, 0, 2 * sizeof(double))
                        memset(out.gains + 4 * b, 0, 2 * sizeof(double))
                        scan_sorted(other if twofold else keys, n, 1 - j, how, NULL, weights, order.size, &room, out, 2 * b)
            y += n
            p += n * stride
            if weight != NULL:
                weight += n
    if sizeof(real) == 4:
        memset(out.sums + 3 * out.step, 0, out.step * sizeof(double))
    PyMem_RawFree(keys - 2)
    PyMem_RawFree(other)
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


cdef inline bint sort_both(const int32_t* truth, const real* rows, Py_ssize_t n, const Packing* how, word* keys,
                           word* other) noexcept nogil:
    # The sorted keys of column 1 and of column 0 by one sort; False if that can't be.
    cdef Packing both
    if word is uint32_t and real is float:
        return twofold_in(rows, n, how, &both) and sort_scores(truth, rows, n, 2, &both, keys) \
            and unfold(keys, n, &both, other)
    else:
        return False


cdef inline bint mirrored(const word* keys, Py_ssize_t n, const real* scores, Py_ssize_t stride, Py_ssize_t j, Order* order,
                          Sums out, Py_ssize_t at) noexcept nogil:
    # Is it certain that the other of two columns is column j, whose keys were scanned, turned round? Not if it differs from
    # that by more than rounding.
    cdef bint ties = out.sums[4 * out.step + at] != 0.0
    if sizeof(real) == 4 or order.apart == INFINITY or ties and not order.exact:
        return False
    return out.sums[3 * out.step + at] > order.apart or reversed_where_close(keys, n, scores, stride, j, order)


cdef bint reversed_where_close(const word* keys, Py_ssize_t n, const real* scores, Py_ssize_t stride, Py_ssize_t j,
                               Order* order) noexcept nogil:
    # Of many millions of scores a few are so close to the next that rounding may have put the other column in another
    # order: these are looked up among the rows. False if one is, or if they are too many.
    cdef double[CLOSE] close, other
    cdef uint64_t[CLOSE] marks
    cdef word none = 0, base = <word>order.how.base
    cdef double x, last = INFINITY
    cdef Py_ssize_t i, at, size = 0
    cdef uint64_t mark
    for i in range(n):
        x = score_in(keys[i]) if order.size > 0 else value_at(<word>(keys[i] >> order.how.bits), base, none, NULL)
        if 0.0 < x - last <= order.apart:
            if size + 2 > CLOSE:
                return False
            if size == 0 or close[size - 1] != last:
                close[size] = last
                size += 1
            close[size] = x
            size += 1
        last = x
    memset(marks, 0, sizeof(marks))
    for i in range(size):
        mark = bits_of(close[i]) * MIXER >> (64 - MARK)
        marks[mark >> 6] |= <uint64_t>1 << (mark & 63)
    for i in range(n):
        x = scores[i * stride + j] + 0.0        # -0.0 has other bits than the score that keys have of it
        mark = bits_of(x) * MIXER >> (64 - MARK)
        if marks[mark >> 6] >> (mark & 63) & 1:
            at = 0
            while at < size and close[at] != x:
                at += 1
            if at < size:
                other[at] = scores[i * stride + 1 - j]
    for i in range(1, size):
        if close[i] - close[i - 1] <= order.apart and not other[i] < other[i - 1]:
            return False
    return True


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
                      Py_ssize_t size, Room* room, Sums out, Py_ssize_t at) noexcept nogil:
    # Two classes without weights have loops of their own, in which everything stays in registers.
    cdef word base = <word>how.base, zero = <word>how.zero, none = 0
    cdef Py_ssize_t k = out.k, step = out.step
    cdef double* wins = out.wins + at * k
    cdef double* gains = out.gains + at * k
    cdef double* sums = out.sums + at
    cdef bint below = zero != 0 and keys[0] >> how.bits < zero or table != NULL and table[0] < 0.0
    cdef double top = value_at(<word>(keys[n - 1] >> how.bits), base, zero, NULL)
    if size == 0 and k == 2 and weight == NULL:
        scan_pairs(keys, n, j, base, zero, wins, sums, step)
        return
    if weight != NULL or table != NULL or zero != 0:
        scan_column(keys, n, j, k, how.bits, base, zero, table, weight, size, room, wins, gains, sums, step)
    elif k == 2 and top <= 1.0:
        scan_two(keys, n, j, base, size, room, wins, gains, sums, step)
    else:
        scan_column(keys, n, j, k, how.bits, base, none, NULL, NULL, size, room, wins, gains, sums, step)
    if weight != NULL or below or size == 0:
        sums[2 * step] = NAN
    elif k > 2 and room.all_places and not sums[4 * step]:
        sums[2 * step] = window_error_apart(n, size, room)
    else:
        sums[2 * step] = window_error(keys, n, size, room)


cdef void scan_pairs(word* keys, Py_ssize_t n, word j, word base, word zero, double* wins, double* sums,
                     Py_ssize_t step) noexcept nogil:
    # Of two classes no more than the pairs: twice the cases of class j above each other one, ties once.
    cdef Py_ssize_t i = n - 1, end
    cdef int64_t above = 0, won = 0, hits
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


cdef void scan_two(word* keys, Py_ssize_t n, word j, word base, Py_ssize_t size, Room* room,
                   double* wins, double* gains, double* sums, Py_ssize_t step) noexcept nogil:
    # `scan_column` of two classes without weights and scores above one, where nothing but a tie is branched on.
    # `won` is first what all cases have above them, those of class j too. The gap is not looked for between single
    # precision scores, where `sorted_scan` does not say it. The first score is stepped down to from anywhere.
    cdef word key, place, own, bits, other = 1 - j
    cdef int top = 8 * sizeof(word) - 1
    cdef Py_ssize_t i = n - 1, h, stop, least = 0
    cdef int32_t* rank = room.rank
    cdef double[2] HIT = [0.0, 1.0]
    cdef double x, hit, error, hits, total, above = 0.0, lead = 0.0, off = 0.0, mixed = 0.0
    cdef double won = 0.0, gained = 0.0, gap = INFINITY, down, last = 3.0, shares = <double>size
    cdef bint ties = False
    room.tied = 0
    memset(rank, 0xFF, (size + 1) * sizeof(int32_t))
    while least < n and keys[least] >> 1 == 0:  # scores of 0
        least += 1
    least = max(least, 1)
    while i >= 0:
        while i >= least:                       # scores of their own
            key = keys[i]
            place = key >> 1
            if keys[i - 1] >> 1 == place:
                break
            own = (key ^ other) & 1
            bits = place + base
            x = number_of(bits)
            keys[i] = bits | own << top
            down = last - x
            last = x
            if word is uint64_t:
                gap = min(gap, down)
            hit = HIT[own]
            error = hit - x
            lead += above * down
            won += above
            gained += (1.0 - hit) * lead
            above += hit
            off += error * error
            h = <Py_ssize_t>(x * shares)
            rank[h] = <int32_t>i
            i -= 1
        if i < 0:
            break
        place = keys[i] >> 1
        bits = (place + base) & -<word>(place != 0)
        x = number_of(bits)
        down = last - x
        last = x
        if word is uint64_t:
            gap = min(gap, down)
        lead += above * down
        hits = 0.0
        stop = i
        while stop >= 0 and keys[stop] >> 1 == place:
            own = (keys[stop] ^ other) & 1
            keys[stop] = bits | own << top
            hits += HIT[own]
            stop -= 1
        total = i - stop
        won += (total - hits) * (above + 0.5 * hits) + hits * (above + 0.5 * (hits - 1.0))
        gained += (total - hits) * lead
        above += hits
        off += total * (x - hits / total) * (x - hits / total)
        mixed += hits * (1.0 - hits / total)
        ties |= total > 1.0
        if 0.0 < hits < total:
            note_tie(room, stop + 1, i + 1)
        h = <Py_ssize_t>(x * shares)
        rank[h] = <int32_t>(stop + 1)
        i = stop
    fill_ranks(rank, size)
    wins[1 - j] += won - 0.5 * above * (above - 1.0)
    gains[1 - j] += gained
    sums[0] = off
    sums[step] = mixed
    sums[3 * step] = gap if gap <= 1.0 else INFINITY     # the first score has none
    sums[4 * step] = ties


cdef inline void fill_ranks(int32_t* rank, Py_ssize_t size) noexcept nogil:
    # Shares that no score stopped at have the place of the next.
    cdef Py_ssize_t h
    cdef int32_t place = rank[size + 1]
    for h in range(size, -1, -1):
        place = rank[h] if rank[h] >= 0 else place
        rank[h] = place
    rank[0] = 0


cdef inline void scan_column(word* keys, Py_ssize_t n, word j, Py_ssize_t k, int bits, word base, word zero,
                             const double* table, const double* weight, Py_ssize_t size, Room* room,
                             double* wins, double* gains, double* sums, Py_ssize_t step) noexcept nogil:
    # From the highest score down: `above` is the weight of class j so far, and `lead` by how much its scores are higher in
    # all, which is all that a case of any other class has to know. `lead` grows with each step down and is never the
    # difference of large sums. Cases of class j have a tally as well, which is not asked for.
    # For the windows: the share of class j in one is 0/size, 1/size, ... or size/size; rank[h] is the place of the first
    # score that reaches h/size, as each leaves its place at the highest share that it reaches. Each key is replaced by
    # its score, with the sign bit set for class j.
    cdef word mask = (<word>1 << bits) - 1, place, mark
    cdef Py_ssize_t i = n - 1, c, stop, h, least = n
    cdef int32_t* rank = room.rank
    cdef Tally* tallies = room.tallies
    cdef Tally* tally
    cdef Sum* sums_from = room.sums_from
    cdef Py_ssize_t all_places = room.all_places
    cdef double x, w = 1.0, hit, error, hits, total, above = 0.0, lead = 0.0, off = 0.0, mixed = 0.0, scores = 0.0
    cdef double gap = INFINITY, down, last = value_at(<word>(keys[n - 1] >> bits), base, zero, table), shares = <double>size
    cdef bint ties = False
    room.tied = 0
    memset(rank, 0xFF, (size + 1) * sizeof(int32_t))
    memset(tallies, 0, k * sizeof(Tally))
    tallies[j].hit = 1.0
    tallies[j].mark = sign_bit(mask)
    if weight == NULL and table == NULL and zero == 0 and k > 2 and last <= 1.0:
        least = 0
        while least < n and keys[least] >> bits == 0:       # scores of 0
            least += 1
        least = max(least, 1)
    while i >= 0:
        while i >= least:                       # scores of their own, where nothing but a tie is branched on
            place = keys[i] >> bits
            if keys[i - 1] >> bits == place:
                break
            tally = tallies + (keys[i] & mask)
            mark = place + base
            x = number_of(mark)
            keys[i] = mark | <word>tally.mark
            down = last - x
            last = x
            lead += above * down
            tally.won += above
            tally.gained += lead
            error = tally.hit - x
            above += tally.hit
            off += error * error
            scores += x
            sums_from[i & all_places] = Sum(scores, <int64_t>above)
            h = <Py_ssize_t>(x * shares)
            rank[h] = <int32_t>i
            i -= 1
        if i < 0:
            break
        place = keys[i] >> bits
        x = value_at(place, base, zero, table)
        mark = bits_like(x, mask)
        h = <Py_ssize_t>(max(0.0, min(x, 1.0)) * shares)    # real scores may be below 0 and above one
        down = last - x
        last = x
        if k == 2 and down > 0.0:               # it is not at the first score
            gap = min(gap, down)
        lead += above * down
        if i == 0 or keys[i - 1] >> bits != place:
            tally = tallies + (keys[i] & mask)
            keys[i] = mark | <word>tally.mark
            hit = tally.hit
            error = hit - x
            if weight != NULL:
                w = weight[i]
                hit *= w
            tally.won += w * above
            tally.gained += w * lead
            above += hit
            off += w * error * error
            scores += x
            sums_from[i & all_places] = Sum(scores, <int64_t>above)
            rank[h] = <int32_t>i
            i -= 1
            continue
        hits = total = 0.0
        stop = i
        while stop >= 0 and keys[stop] >> bits == place:
            if weight != NULL:
                w = weight[stop]
            total += w
            hits += w * tallies[keys[stop] & mask].hit
            stop -= 1
        for c in range(stop + 1, i + 1):
            tally = tallies + (keys[c] & mask)
            if weight != NULL:
                w = weight[c]
            tally.won += w * (above + 0.5 * hits)
            tally.gained += w * lead
            keys[c] = mark | <word>tally.mark
        above += hits
        if total > 0.0:
            off += total * (x - hits / total) * (x - hits / total)
            mixed += hits * (1.0 - hits / total)
        ties = True
        if 0.0 < hits < total:
            note_tie(room, stop + 1, i + 1)
        rank[h] = <int32_t>(stop + 1)
        i = stop
    fill_ranks(rank, size)
    for c in range(k):
        wins[c] = tallies[c].won if c != <Py_ssize_t>j else 0.0
        gains[c] = tallies[c].gained if c != <Py_ssize_t>j else 0.0
    sums[0] = off
    sums[step] = mixed
    sums[3 * step] = gap
    sums[4 * step] = ties


cdef struct Cut:
    # The tie that an end of the window cuts: the share of the class in it, and how many of the class are above the cut.
    const Tie* tie
    Py_ssize_t hits
    double share


cdef inline bint cuts(Cut* cut, const word* scores, Py_ssize_t at) noexcept nogil:
    # Does an end of the window, which comes down place by place, lie between cases of one score?
    while cut.tie.first >= at:
        cut.tie += 1
        cut.hits = -1
    if at >= cut.tie.end:
        return False
    if cut.hits < 0:
        cut.hits = hits_between(scores, at, cut.tie.end)
        cut.share = <double>(cut.hits + hits_between(scores, cut.tie.first, at)) / (cut.tie.end - cut.tie.first)
    else:
        cut.hits += <Py_ssize_t>own_in(scores[at])
    return True


cdef inline Py_ssize_t hits_between(const word* scores, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    cdef Py_ssize_t i, hits = 0
    for i in range(start, stop):
        hits += <Py_ssize_t>own_in(scores[i])
    return hits


cdef double window_error(const word* scores, Py_ssize_t n, Py_ssize_t size, Room* room) noexcept nogil:
    # From the highest window down. The sums of all scores from a place up are kept for the places of the window. Each
    # case counts with the share of the class among those of its score, which is its own outcome unless an end of the
    # window cuts a tie: between such cuts hits times places are whole numbers, and nothing is branched on. Their sum is
    # put away before it could leave 64 bits.
    cdef const int32_t* rank = room.rank
    cdef double* sums = room.sums
    cdef Py_ssize_t mask = room.mask, start = n - size, stop, until, middle, hits = 0, h, i
    cdef int64_t whole, most = ((<int64_t>1 << 62) // size) // size
    cdef double from_start = 0.0, total = 0.0, inverse = 1.0 / size, counted, share
    cdef bint cuts_low, cuts_high
    note_tie(room, -1, 0)                       # below all others
    cdef Cut low = Cut(room.ties, -1, 0.0), high = Cut(room.ties, -1, 0.0)
    sums[n & mask] = 0.0
    for i in range(n - 1, start - 1, -1):
        hits += <Py_ssize_t>own_in(scores[i])
        from_start += score_in(scores[i])
        sums[i & mask] = from_start
    while True:
        cuts_low = cuts(&low, scores, start)
        cuts_high = cuts(&high, scores, start + size)
        if not (cuts_low or cuts_high):
            until = max(<Py_ssize_t>low.tie.end, high.tie.end - size, 1, start - most)
            whole = 0
            while start >= until:
                stop = start + size
                middle = max(start, min(<Py_ssize_t>rank[hits], stop))
                whole += hits * (2 * middle - start - stop)
                total += 2.0 * sums[middle & mask] - from_start - sums[stop & mask]
                start -= 1
                hits += <Py_ssize_t>own_in(scores[start]) - <Py_ssize_t>own_in(scores[stop - 1])
                from_start += score_in(scores[start])
                sums[start & mask] = from_start
            total += <double>whole * inverse
            cuts_low = cuts(&low, scores, start)
            cuts_high = cuts(&high, scores, start + size)
        stop = start + size
        counted = hits
        if cuts_low:
            counted += low.share * (low.tie.end - start) - low.hits
        if cuts_high:
            counted -= high.share * (high.tie.end - stop) - high.hits
        if cuts_low and cuts_high and low.tie == high.tie:
            counted = low.share * size
        counted = max(0.0, min(counted, <double>size))      # rounding may lead beyond
        share = counted * inverse
        h = <Py_ssize_t>counted
        middle = rank[h]
        if score_in(scores[min(middle, n - 1)]) < share:    # the share lies between two ranks
            middle = place_in(scores, middle, rank[h + 1], share)
        middle = max(start, min(middle, stop))
        total += share * (2 * middle - start - stop) + 2.0 * sums[middle & mask] - from_start - sums[stop & mask]
        if start == 0:
            break
        start -= 1
        hits += <Py_ssize_t>own_in(scores[start]) - <Py_ssize_t>own_in(scores[stop - 1])
        from_start += score_in(scores[start])
        sums[start & mask] = from_start
    return total * inverse / (n - size + 1)


cdef double window_error_apart(Py_ssize_t n, Py_ssize_t size, Room* room) noexcept nogil:
    # The same of few cases without ties, whose sums up to each place are known: no window waits for the one above.
    cdef const int32_t* rank = room.rank
    cdef Sum* sums = room.sums_from
    cdef Py_ssize_t start, stop, middle
    cdef int64_t whole = 0, hits
    cdef double total = 0.0, inverse = 1.0 / size
    sums[n] = Sum(0.0, 0)
    for start in range(n - size, -1, -1):
        stop = start + size
        hits = sums[start].own - sums[stop].own
        middle = max(start, min(<Py_ssize_t>rank[hits], stop))
        whole += hits * (2 * middle - start - stop)
        total += 2.0 * sums[middle].scores - sums[start].scores - sums[stop].scores
    return (total + <double>whole * inverse) * inverse / (n - size + 1)


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
