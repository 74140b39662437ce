# Keys: packed from scores and classes, and sorted.
#
# A key has 32 bits where the scores are float32 and leave room for the class, else 64.

ctypedef fused real:
    float
    double

ctypedef fused word:
    uint32_t
    uint64_t

DEF CELLS = 1024            # that many the range of the keys is divided into first
DEF PER_BUCKET = 512        # bytes of keys that a bucket should hold: of wide ones as many as the processor sorts soonest
DEF MOST_BUCKETS = 16384    # wanted at a time: more would be too many places to write to
DEF DIRECT = 2048           # bytes of keys that numpy's sort puts in order in the registers of the processor
DEF MERGED = 8              # times as many are sorted in such parts, and these merged: buckets would take longer to make
DEF SPARE = 4096            # keys that so many bytes hold at most
DEF FEW_WIDE = 64           # wide keys that numpy's sort puts in order soonest
DEF NUMBER = 10             # bits of the number of a wide key among those that are sorted by narrow ones
DEF SAMPLE = 4096           # keys that are looked at to see where most of them are
DEF NUMBERED = 256          # keys with weights that are sorted by numpy's sort, with their number in 8 low bits
DEF VERY_MANY = 1572864     # narrow keys from which on buckets are too many to be written to side by side
DEF DIGIT = 11              # bits of a digit: a pass writes to 2,048 places
DEF PACKED = 2048           # keys that are packed at a time on their way into buckets
DEF CROWDED = 0.0009765625  # 2^-10: above 1 less this, float32 has few numbers
DEF MOST_TWOFOLD = 2097152  # cases up to which the keys of both columns are held at once: of more, memory counts more
DEF EVEN = 2                # the larger of two probabilities is 1 less the smaller
DEF FEW_OFF = 4             # rows of a sample where it is not, though the smaller is small
DEF SPREAD = 2048           # keys that are first put where their score would be if all were spread evenly
DEF SPREAD_ENDS = 3074      # half as many again, and two


cdef inline word bits_like(double x, word like) noexcept nogil:
    # The bits of a number, in as many of them as a key has.
    cdef uint32_t narrow
    cdef float single
    if word is uint32_t:
        single = <float>x
        memcpy(&narrow, &single, 4)
        return narrow
    else:
        return bits_of(x)


cdef inline double number_of(word u) noexcept nogil:
    # The number that has these bits.
    cdef float single
    if word is uint32_t:
        memcpy(&single, &u, 4)
        return single
    else:
        return double_of(u)


cdef inline word sign_bit(word like) noexcept nogil:
    return <word>1 << (8 * sizeof(word) - 1)


cdef inline double score_in(word u) noexcept nogil:
    # The score of a scanned key, whose sign bit marks the class.
    return number_of(<word>(u & ~sign_bit(u)))


cdef inline word own_in(word u) noexcept nogil:
    # 1 if a scanned key is of the class, else 0.
    return u >> (8 * sizeof(word) - 1)


cdef inline word place_of(real x, word base, word zero) noexcept nogil:
    # `zero` is the place of 0; without negative scores it is 0.
    if zero == 0:
        return (bits_like(x, base) - base) & -<word>(x > 0)
    return zero + (bits_like(x, base) - base) if x > 0 else zero - ((bits_like(-x, base) - base) & -<word>(x < 0))


cdef inline double value_at(word place, word base, word zero, const double* table) noexcept nogil:
    if table != NULL:
        return table[place] + 0.0               # -0.0 would have the bit that marks a class
    if zero == 0:
        return number_of(<word>((place + base) & -<word>(place != 0)))
    if place < zero:
        return -number_of(<word>(zero - place + base))
    return number_of(<word>((place - zero + base) & -<word>(place != zero)))


cdef struct Packing:
    # How score and class become one key: `place << bits | class`.
    uint64_t base
    uint64_t zero
    uint64_t highest                            # no key is larger
    int bits
    uint64_t half                               # 0, unless keys are of two columns: see `twofold_in`


cdef bint packing_in(double low, double high, bint negative, Py_ssize_t k, word like, Packing* packing) noexcept nogil:
    # The packing of scores, in size at most high and at least low where they are not 0; False if keys have too few bits.
    cdef int bits = 1, width = 8 * sizeof(word)
    while (k - 1) >> bits:
        bits += 1
    if word is uint32_t:
        if high > 3e38 or low < 1e-37:           # beyond the normal ones
            return False
    cdef uint64_t base = bits_like(low, like) - 1
    cdef uint64_t span = bits_like(high if high > 0.0 else low, like) - base
    if span >> (width - bits - negative):
        return False
    packing.base = base
    packing.zero = span if negative else 0
    packing.highest = ((span + packing.zero) << bits) | ((<uint64_t>1 << bits) - 1)
    packing.bits = bits
    packing.half = 0
    return True


cdef inline void pack_columns(const int32_t* truth, const real* scores, Py_ssize_t n, Py_ssize_t stride,
                              Py_ssize_t columns, word base, int bits, word zero, word* keys, Py_ssize_t step) noexcept nogil:
    cdef Py_ssize_t i, j
    for i in range(n):
        for j in range(columns):
            keys[j * step + i] = place_of(scores[i * stride + j], base, zero) << bits | <word>truth[i]


cdef bint twofold_in(const float* rows, Py_ssize_t n, const Packing* how, Packing* both) noexcept nogil:
    # Two columns that add up to one but for rounding, in one narrow key: the place of the smaller probability m of a row,
    # the class, and by how many numbers the larger is off 1 - m. Rows whose m is of column 1 come first, ascending, then
    # the others, descending; this is the order of column 1, and turned round that of column 0, but for larger probabilities
    # that rounding put in another order. False if there is no room for this, or if rows that are looked at show that these
    # may be too many: where m is small, many rows have the same few larger ones.
    cdef uint32_t like = 0
    cdef Py_ssize_t i, off = 0
    cdef const float* row
    both.base, both.zero, both.bits = how.base, 0, 3
    both.half = bits_like(0.5, like) - how.base
    both.highest = both.half << 4 | 15
    for i in range(SAMPLE):
        row = rows + 2 * i * (n // SAMPLE)
        off += min(row[0], row[1]) < CROWDED and rounding_of(row) != EVEN
    return how.zero == 0 and 0 < both.half < 1 << 28 and off < FEW_OFF


cdef inline uint32_t rounding_of(const float* row) noexcept nogil:
    # By how many numbers the larger probability of a row is above 1 - m; EVEN is none.
    cdef uint32_t like = 0
    cdef float rest = <float>1.0 - min(row[0], row[1])
    return bits_like(max(row[0], row[1]), like) - bits_like(rest, like) + EVEN


cdef inline uint32_t pack_twofold(const int32_t* truth, const float* rows, Py_ssize_t n, const Packing* how,
                                  uint32_t* keys) noexcept nogil:
    # Also says how far off a row is at most, which must be less than four: no more is kept.
    cdef uint32_t base = <uint32_t>how.base, half = <uint32_t>how.half, none = 0, place, rounding, most = 0
    cdef Py_ssize_t i
    for i in range(n):
        place = min(half, place_of(min(rows[2 * i], rows[2 * i + 1]), base, none))
        place = place if rows[2 * i + 1] <= rows[2 * i] else 2 * half + 1 - place
        rounding = rounding_of(rows + 2 * i)
        most = max(most, rounding)
        keys[i] = place << 3 | <uint32_t>truth[i] << 2 | (rounding & 3)
    return most


cdef bint unfold(uint32_t* keys, Py_ssize_t n, const Packing* how, uint32_t* other) noexcept nogil:
    # From the sorted keys of two columns those of column 1, in place, and of column 0; False if too many are out of order.
    cdef uint32_t base = <uint32_t>how.base, half = <uint32_t>how.half, none = 0, key, place, small, large
    cdef Py_ssize_t i, firsts = 0
    for i in range(n):
        key = keys[i]
        place = key >> 3
        firsts += place <= half
        small = place if place <= half else 2 * half + 1 - place
        large = bits_like(<float>1.0 - <float>value_at(small, base, none, NULL), base) + (key & 3) - EVEN - base
        keys[i] = (small if place <= half else large) << 1 | (key >> 2 & 1)
        other[n - 1 - i] = (large if place <= half else small) << 1 | (key >> 2 & 1)
    return settle(keys, firsts, n) and settle(other, n - firsts, n)


cdef bint settle(uint32_t* keys, Py_ssize_t start, Py_ssize_t n) noexcept nogil:
    # Each key from `start` on past those of larger scores before it, of which there should be few; False if there are many.
    # Of one score any order of the classes will do.
    cdef Py_ssize_t i, at, moves = 0
    cdef uint32_t key
    for i in range(max(start, 1), n):
        if keys[i - 1] >> 1 > keys[i] >> 1:
            key = keys[i]
            at = i
            while at > 0 and keys[at - 1] >> 1 > key >> 1:
                keys[at] = keys[at - 1]
                at -= 1
            keys[at] = key
            moves += i - at
            if moves > n:
                return False
    return True


cdef struct Grid:
    # Buckets of about the same number of keys: the range of the keys is divided into cells, and each cell into 2^m
    # buckets, more of them where there are more keys.
    uint64_t low
    int shift                                   # cell = (key - low) >> shift
    Py_ssize_t buckets
    uint8_t[CELLS] within                       # how far to shift keys of each cell for the place among its buckets
    uint32_t[CELLS] first                       # and what to add for the bucket, of which 32 bits are enough


cdef inline Py_ssize_t bucket_of(uint64_t key, const Grid* grid) noexcept nogil:
    cdef uint64_t off = key - grid.low, cell = off >> grid.shift
    return <uint32_t>(grid.first[cell] + <uint32_t>(off >> grid.within[cell]))


cdef void make_grid(const word* sample, Py_ssize_t size, Py_ssize_t step, uint64_t low, uint64_t high, Py_ssize_t n,
                    Grid* grid) noexcept nogil:
    # For n keys from low to high, by every step-th of `size` of them.
    cdef Py_ssize_t i, at = 0, cells, seen = 0, wanted = min(MOST_BUCKETS, n * sizeof(word) // PER_BUCKET + 1)
    cdef uint32_t[CELLS] counts
    cdef int within
    grid.low = low
    grid.shift = 0
    while (high - low) >> grid.shift >= CELLS or (high - low) >> grid.shift > <uint64_t>n:
        grid.shift += 1
    cells = <Py_ssize_t>((high - low) >> grid.shift) + 1
    memset(counts, 0, cells * sizeof(uint32_t))
    i = 0
    while i < size:
        counts[(sample[i] - low) >> grid.shift] += 1
        seen += 1
        i += step
    for i in range(cells):
        within = grid.shift
        while within > 0 and (<Py_ssize_t>1 << (grid.shift - within)) * seen < counts[i] * wanted:
            within -= 1
        grid.first[i] = <uint32_t>at - <uint32_t>((<uint64_t>i << grid.shift) >> within)
        grid.within[i] = within
        at += <Py_ssize_t>1 << (grid.shift - within)
    grid.buckets = at


cdef inline uint32_t claimed(uint32_t* end) noexcept nogil:
    end[0] += 1
    return end[0] - 1


cdef inline void count_keys(const word* keys, Py_ssize_t n, const Grid* grid, uint32_t* ends) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        ends[bucket_of(keys[i], grid) + 1] += 1


cdef inline void place_keys(const word* keys, Py_ssize_t n, const Grid* grid, uint32_t* ends, word* out) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):                          # from here on, ends[i] is where bucket i ends so far
        out[claimed(&ends[bucket_of(keys[i], grid)])] = keys[i]


cdef void sort_keys(word* keys, Py_ssize_t n, int bits) noexcept nogil:
    # In place: into buckets, and each of them, until numpy's sort takes few steps.
    cdef word low = keys[0], high = keys[0]
    cdef Py_ssize_t i
    cdef Grid grid
    cdef uint32_t* ends
    cdef word* spare
    cdef bint small = n * sizeof(word) <= MERGED * DIRECT
    if small and keys[0] >> bits != keys[n - 1] >> bits:
        sort_merged(keys, n)
        return
    if word is uint32_t and n >= VERY_MANY:
        sort_digits(keys, n)
        return
    for i in range(n):
        low = keys[i] if keys[i] < low else low
        high = keys[i] if keys[i] > high else high
    if low >> bits == high >> bits and bits <= 8:
        sort_classes(keys, n, bits)
        return
    if small:
        sort_merged(keys, n)
        return
    make_grid(keys, n, max(1, n // SAMPLE), low, high, n, &grid)
    spare = <word*>PyMem_RawMalloc(n * sizeof(word))
    ends = <uint32_t*>calloc(grid.buckets + 1, sizeof(uint32_t))
    memcpy(spare, keys, n * sizeof(word))
    count_keys(spare, n, &grid, ends)
    for i in range(1, grid.buckets):
        ends[i] += ends[i - 1]
    place_keys(spare, n, &grid, ends, keys)
    PyMem_RawFree(spare)
    sort_buckets(keys, ends, grid.buckets, bits)
    free(ends)


cdef void sort_digits(uint32_t* keys, Py_ssize_t n) noexcept nogil:
    # By a digit at a time, from the lowest up; one that all keys share is passed over.
    cdef uint32_t* room = <uint32_t*>PyMem_RawMalloc(n * sizeof(uint32_t))
    cdef uint32_t* a = keys
    cdef uint32_t* b = room
    cdef uint32_t[3 << DIGIT] counts
    cdef uint32_t* count
    cdef uint32_t key, at, size
    cdef Py_ssize_t i
    cdef int digit, shift
    memset(counts, 0, sizeof(counts))
    for i in range(n):
        key = keys[i]
        for digit in range(3):
            counts[(digit << DIGIT) + ((key >> (DIGIT * digit)) & ((1 << DIGIT) - 1))] += 1
    for digit in range(3):
        count = counts + (digit << DIGIT)
        shift = DIGIT * digit
        if count[(a[0] >> shift) & ((1 << DIGIT) - 1)] == <uint32_t>n:
            continue
        at = 0
        for i in range(1 << DIGIT):
            size = count[i]
            count[i] = at
            at += size
        for i in range(n):
            key = a[i]
            b[count[(key >> shift) & ((1 << DIGIT) - 1)]] = key
            count[(key >> shift) & ((1 << DIGIT) - 1)] += 1
        a, b = b, a
    if a != keys:
        memcpy(keys, a, n * sizeof(uint32_t))
    PyMem_RawFree(room)


cdef inline uint32_t pack_some(const int32_t* truth, const real* scores, Py_ssize_t n, Py_ssize_t stride,
                               const Packing* how, word* keys) noexcept nogil:
    # Of one column, or of both: then it says how far off a row is at most.
    if word is uint32_t and real is float:
        if how.half:
            return pack_twofold(truth, scores, n, how, keys)
    pack_columns(truth, scores, n, stride, 1, <word>how.base, how.bits, <word>how.zero, keys, n)
    return 0


cdef bint sort_scores(const int32_t* truth, const real* scores, Py_ssize_t n, Py_ssize_t stride, const Packing* how,
                      word* keys) noexcept nogil:
    # The sorted keys of one column (of both: False if a row is too far off), packed on their way into buckets; beside them
    # no more than the bucket of each wide key is kept, which costs more to find twice than to remember.
    cdef Py_ssize_t i, j, m, step = n // SAMPLE
    cdef uint32_t most = 0
    cdef Grid grid
    cdef uint32_t* ends
    cdef uint16_t* bucket = NULL
    cdef word[PACKED] some
    if n < 2 * SAMPLE:
        if how.zero != 0 or n > SPREAD or not sort_spread(truth, scores, n, stride, how, keys):
            pack_some(truth, scores, n, stride, how, keys)
            sort_keys(keys, n, how.bits)
        return True
    for i in range(SAMPLE):                     # `keys` has room for the sample now
        pack_some(truth + i * step, scores + i * step * stride, 1, stride, how, keys + i)
    make_grid(keys, SAMPLE, 1, 0, how.highest, n, &grid)
    ends = <uint32_t*>calloc(grid.buckets + 1, sizeof(uint32_t))
    if word is uint64_t:                        # there are fewer than 2^16 of them
        bucket = <uint16_t*>PyMem_RawMalloc(n * sizeof(uint16_t))
    for i in range(0, n, PACKED):
        m = min(PACKED, n - i)
        most = max(most, pack_some(truth + i, scores + i * stride, m, stride, how, some))
        if word is uint64_t:
            for j in range(m):
                bucket[i + j] = <uint16_t>bucket_of(some[j], &grid)
                ends[bucket[i + j] + 1] += 1
        else:
            count_keys(some, m, &grid, ends)
    if most > 3:
        free(ends)
        return False
    for i in range(1, grid.buckets):
        ends[i] += ends[i - 1]
    for i in range(0, n, PACKED):
        m = min(PACKED, n - i)
        pack_some(truth + i, scores + i * stride, m, stride, how, some)
        if word is uint64_t:
            for j in range(m):
                keys[claimed(&ends[bucket[i + j]])] = some[j]
        else:
            place_keys(some, m, &grid, ends, keys)
    PyMem_RawFree(bucket)
    sort_buckets(keys, ends, grid.buckets, how.bits)
    free(ends)
    return True


cdef extern from *:
    """
    /* Each of n small numbers becomes the sum of those up to it: four at a time, whose sums are the digits of a product. */
    static inline void karat_add_up(uint16_t* x, Py_ssize_t n) {
        Py_ssize_t i = 1;
    #if NPY_BYTE_ORDER == NPY_LITTLE_ENDIAN
        const uint64_t each = 0x0001000100010001;
        uint64_t four, sums, before = 0;
        for (i = 0; i < n - 3; i += 4) {
            memcpy(&four, x + i, sizeof(four));
            four *= each;
            sums = four + before;
            memcpy(x + i, &sums, sizeof(four));
            before += (four >> 48) * each;
        }
        i += i == 0;
    #endif
        for (; i < n; i++) x[i] += x[i - 1];
    }
    """
    void karat_add_up(uint16_t* x, Py_ssize_t n) noexcept nogil


cdef bint sort_spread(const int32_t* truth, const real* scores, Py_ssize_t n, Py_ssize_t stride, const Packing* how,
                      word* keys) noexcept nogil:
    # Into half as many buckets again as there are keys, by the root of the score, since small ones are frequent; then each
    # key past the larger ones of its bucket, mostly one or none: by how many is what a processor can't guess, so that the
    # step past one is taken without a branch. False if keys are too close together for this, and not sorted. A place that
    # has no key yet has 0, which is past nobody, and so have the two before the first: `sort_and_scan` left room for them.
    cdef word[SPREAD] key
    cdef float[SPREAD] square
    cdef int32_t[SPREAD] bucket
    cdef uint16_t[SPREAD_ENDS] ends
    cdef word base = <word>how.base, none = 0, own, below
    cdef word* last
    cdef Py_ssize_t i, moves = 0, buckets = n + n // 2
    cdef double top = value_at(<word>(how.highest >> how.bits), base, none, NULL)
    cdef double scale = (buckets - 1.0) * (buckets - 1.0) / top
    if scale > 1e300:                           # of scores so small it might be infinite
        return False
    memset(keys - 2, 0, (n + 2) * sizeof(word))
    memset(ends, 0, (buckets + 1) * sizeof(uint16_t))
    for i in range(n):
        key[i] = place_of(scores[i * stride], base, none) << how.bits | <word>truth[i]
        square[i] = <float>(scores[i * stride] * scale)
    for i in range(n):                          # many at a time, as they lie side by side
        bucket[i] = <int32_t>sqrtf(square[i])
    for i in range(n):
        ends[<Py_ssize_t>bucket[i] + 1] += 1
    karat_add_up(ends, buckets)
    for i in range(n):
        last = keys - 2 + ends[bucket[i]]       # three places, of which the last is new
        ends[bucket[i]] += 1
        own = key[i]
        below = last[1]
        last[2] = max(below, own)
        last[1] = min(below, own)
        if last[0] > own:
            while last[0] > own:
                last[1] = last[0]
                last -= 1
                moves += 1
            last[1] = own
            if moves > 4 * n:
                return False
    return True


cdef void sort_buckets(word* keys, const uint32_t* ends, Py_ssize_t buckets, int bits) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint32_t start = 0
    for i in range(buckets):
        if ends[i] > start + 1:
            sort_keys(keys + start, ends[i] - start, bits)
        start = ends[i]


cdef void sort_merged(word* keys, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t half = n // 2
    if word is uint64_t:
        if FEW_WIDE < n <= 1 << NUMBER and sort_by_narrow(keys, n):
            return
    if n * sizeof(word) <= DIRECT:
        sort_directly(keys, n)
    else:
        sort_merged(keys, half)
        sort_merged(keys + half, n - half)
        merge_halves(keys, n)


cdef bint sort_by_narrow(uint64_t* keys, Py_ssize_t n) noexcept nogil:
    # Narrow keys are sorted in half the time of wide ones: here they hold the highest bits in which wide ones differ,
    # and the number of one. Few are out of place then; False if many are, and all are as they were.
    cdef uint32_t[1 << NUMBER] narrow
    cdef uint64_t[1 << NUMBER] spare
    cdef uint64_t unlike = 0, key
    cdef Py_ssize_t i, j, moves = 0
    cdef int shift = 0
    for i in range(n):
        unlike |= keys[i] ^ keys[0]
    while unlike >> shift >> (32 - NUMBER):
        shift += 1
    for i in range(n):
        narrow[i] = <uint32_t>(keys[i] >> shift) << NUMBER | <uint32_t>i
    memcpy(spare, keys, n * sizeof(uint64_t))
    sort_narrow(narrow, n, NULL)
    for i in range(n):
        key = spare[narrow[i] & ((1 << NUMBER) - 1)]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key
        moves += i - j
        if moves > 4 * n:
            memcpy(keys, spare, n * sizeof(uint64_t))
            return False
    return True


cdef void merge_halves(word* keys, Py_ssize_t n) noexcept nogil:
    # From both ends at once, which do not wait for each other, and without a branch. No half can end too early: each
    # end takes as many steps as the shorter of them has keys.
    cdef word[SPARE] spare
    cdef Py_ssize_t half = n // 2, t, i = 0, j = half, last_i = half - 1, last_j = n - 1
    cdef word x, y, right
    memcpy(spare, keys, n * sizeof(word))
    for t in range(half):
        x, y = spare[i], spare[j]
        right = y < x
        keys[t] = x ^ ((x ^ y) & -right)
        i += <Py_ssize_t>(1 - right)
        j += <Py_ssize_t>right
        x, y = spare[last_i], spare[last_j]
        right = y >= x
        keys[n - 1 - t] = x ^ ((x ^ y) & -right)
        last_i -= <Py_ssize_t>(1 - right)
        last_j -= <Py_ssize_t>right
    if n & 1:
        keys[half] = spare[i] if i <= last_i else spare[j]


cdef inline void sort_directly(word* keys, Py_ssize_t n) noexcept nogil:
    if word is uint32_t:
        sort_narrow(keys, n, NULL)
    else:
        sort_wide(keys, n, NULL)


cdef void sort_classes(word* keys, Py_ssize_t n, int bits) noexcept nogil:
    # Of one and the same score: they are counted.
    cdef uint32_t[256] counts
    cdef Py_ssize_t i, j, at = 0
    cdef word first = keys[0] >> bits << bits
    memset(counts, 0, (<size_t>1 << bits) * sizeof(uint32_t))
    for i in range(n):
        counts[keys[i] - first] += 1
    for i in range(<Py_ssize_t>1 << bits):
        for j in range(counts[i]):
            keys[at + j] = first + <word>i
        at += counts[i]


cdef void sort_weighted(uint64_t* keys, double* weights, Py_ssize_t n, int bits) noexcept nogil:
    # Keys and the weights that belong to them, in place; those of one score in any order.
    cdef uint64_t low = keys[0], high = keys[0]
    cdef Py_ssize_t i, at
    cdef Grid grid
    cdef uint32_t start = 0
    for i in range(n):
        low = keys[i] if keys[i] < low else low
        high = keys[i] if keys[i] > high else high
    if low >> bits == high >> bits:
        return
    if n <= NUMBERED and (high - low) >> 56 == 0:
        sort_numbered(keys, weights, n, low)
        return
    make_grid(keys, n, max(1, n // SAMPLE), low, high, n, &grid)
    cdef uint64_t* key = <uint64_t*>PyMem_RawMalloc(n * sizeof(uint64_t))
    cdef double* weight = <double*>PyMem_RawMalloc(n * sizeof(double))
    cdef uint32_t* ends = <uint32_t*>calloc(grid.buckets + 1, sizeof(uint32_t))
    memcpy(key, keys, n * sizeof(uint64_t))
    memcpy(weight, weights, n * sizeof(double))
    count_keys(key, n, &grid, ends)
    for i in range(1, grid.buckets):
        ends[i] += ends[i - 1]
    for i in range(n):
        at = claimed(&ends[bucket_of(key[i], &grid)])
        keys[at] = key[i]
        weights[at] = weight[i]
    PyMem_RawFree(key)
    PyMem_RawFree(weight)
    for i in range(grid.buckets):
        if ends[i] > start + 1:
            sort_weighted(keys + start, weights + start, ends[i] - start, bits)
        start = ends[i]
    free(ends)


cdef void sort_numbered(uint64_t* keys, double* weights, Py_ssize_t n, uint64_t low) noexcept nogil:
    # The number of a key goes into its low bits, and says where its weight is.
    cdef double[NUMBERED] weight
    cdef Py_ssize_t i
    memcpy(weight, weights, n * sizeof(double))
    for i in range(n):
        keys[i] = (keys[i] - low) << 8 | <uint64_t>i
    sort_directly(keys, n)
    for i in range(n):
        weights[i] = weight[keys[i] & 255]
        keys[i] = (keys[i] >> 8) + low
