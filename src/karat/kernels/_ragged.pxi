# Tables of any sizes, one after the other as they lie in memory: nothing is copied or stacked.


def ragged_floats(list tables):
    return [floats_of(table) for table in tables]


cdef object floats_of(object given):
    # The same if it is no table of whole numbers, or of some that floats can't tell apart.
    cdef int kind = kind_of_cells(given)
    if kind <= 0:
        return given
    cdef cnp.ndarray table = <cnp.ndarray>given
    cdef cnp.npy_intp[2] shape = [table.shape[0], table.shape[1]]
    cdef cnp.ndarray floats = cnp.PyArray_EMPTY(2, shape, cnp.NPY_DOUBLE, 0)
    return floats if copy_cells(cnp.PyArray_DATA(table), kind, shape[0] * shape[1], room_in(floats)) else given


cdef inline int kind_of_cells(object given):
    # 0: floats; the bytes of a whole number, and 16 if it has no sign; -1: something else, or not contiguous.
    if type(given) is not cnp.ndarray:
        return -1
    cdef cnp.ndarray table = <cnp.ndarray>given
    if cnp.PyArray_NDIM(table) != 2 or not cnp.PyArray_ISCARRAY_RO(table):
        return -1
    cdef int type_number = cnp.PyArray_TYPE(table), size = cnp.PyArray_ITEMSIZE(table)
    if type_number == cnp.NPY_DOUBLE:
        return 0
    if not cnp.PyTypeNum_ISINTEGER(type_number) or (size == 8 and cnp.PyTypeNum_ISUNSIGNED(type_number)):
        return -1
    return size + (16 if cnp.PyTypeNum_ISUNSIGNED(type_number) else 0)


cdef bint copy_cells(const void* cells, int kind, Py_ssize_t n, double* out) noexcept nogil:
    # As floats; False if these can't tell all of them apart.
    if kind == 8:
        return copy_exactly(<const int64_t*>cells, n, out)
    if kind == 4:
        return copy_exactly(<const int32_t*>cells, n, out)
    if kind == 2:
        return copy_exactly(<const int16_t*>cells, n, out)
    if kind == 1:
        return copy_exactly(<const int8_t*>cells, n, out)
    if kind == 20:
        return copy_exactly(<const uint32_t*>cells, n, out)
    if kind == 18:
        return copy_exactly(<const uint16_t*>cells, n, out)
    if kind == 17:
        return copy_exactly(<const uint8_t*>cells, n, out)
    memcpy(out, cells, n * sizeof(double))
    return True


cdef bint copy_exactly(const integer* cells, Py_ssize_t n, double* out) noexcept nogil:
    cdef Py_ssize_t i
    cdef bint exact = True
    for i in range(n):
        exact &= -LARGEST_EXACT <= <int64_t>cells[i] <= LARGEST_EXACT
        out[i] = <double>cells[i]
    return exact


def ragged_extent(list tables):
    cdef Py_ssize_t n = len(tables), b, i, cells
    out_ = zeros(4, n)
    cdef double* out = room_in(out_)
    cdef const double* c
    cdef double low, high, low_other, high_other, x, y
    cdef bint strange
    cdef cnp.ndarray table, room = zeros(64)
    cdef int kind
    for b in range(n):
        kind = kind_of_cells(tables[b])
        if kind < 0:
            return None
        table = <cnp.ndarray>tables[b]
        cells = table.shape[0] * table.shape[1]
        out[b] = table.shape[0]
        out[n + b] = table.shape[1]
        c = <const double*>cnp.PyArray_DATA(table)
        if kind > 0:
            if cells > room.shape[0]:
                room = zeros(cells)
            c = room_in(room)
            if not copy_cells(cnp.PyArray_DATA(table), kind, cells, room_in(room)):
                return None
        low = low_other = INFINITY
        high = high_other = -INFINITY
        strange = 0
        for i in range(0, cells - 1, 2):
            x = c[i]
            y = c[i + 1]
            strange |= (x != x) | (y != y)
            low = x if x < low else low
            low_other = y if y < low_other else low_other
            high = x if x > high else high
            high_other = y if y > high_other else high_other
        if cells & 1:
            x = c[cells - 1]
            strange |= x != x
            low = x if x < low else low
            high = x if x > high else high
        out[2 * n + b] = NAN if strange else min(low, low_other)
        out[3 * n + b] = NAN if strange else max(high, high_other)
    return out_


# ------------------------------------------------------------------------------------------- tables side by side
#
# Small tables of one shape, so many of them at a time that the processor takes several in one step: cell after cell, the
# cells of all tables side by side. Taken one by one, tables of different sizes cost most for loops whose ends nobody can
# guess.

DEF LANES = 16              # tables side by side
DEF SMALL_SIDE = 8          # rows and columns of such tables
DEF CANCELLED = 0.004       # share of a logarithm: what is less is left of logarithms with too few digits


cdef extern from *:
    """
    #define KARAT_LANES 16
    #define KARAT_EACH for (int b = 0; b < KARAT_LANES; b++)
    /* Where the compiler sees the loops around a division, it takes the tables one by one. */
    #ifdef _MSC_VER
    #define KARAT_CALLED static __declspec(noinline)
    #else
    #define KARAT_CALLED static __attribute__((noinline))
    #endif
    typedef double* __restrict karat_out;
    typedef const double* __restrict karat_in;
    static inline void karat_add(karat_out a, karat_in x) { KARAT_EACH a[b] += x[b]; }
    static inline void karat_sum(karat_out a, karat_in x, karat_in y) { KARAT_EACH a[b] = x[b] + y[b]; }
    static inline void karat_add_product(karat_out a, karat_in x, karat_in y) { KARAT_EACH a[b] += x[b] * y[b]; }
    static inline void karat_take_twice(karat_out a, karat_in x) { KARAT_EACH a[b] -= 2.0 * x[b]; }
    static inline void karat_add_to_two(karat_out a, karat_out c, karat_in x) { KARAT_EACH { a[b] += x[b]; c[b] += x[b]; } }
    static inline void karat_add_if_there(karat_out a, karat_in x, karat_in t) { KARAT_EACH a[b] += t[b] > 0.0 ? x[b] : 0.0; }
    static inline void karat_count_there(karat_out a, karat_in t) { KARAT_EACH a[b] += t[b] > 0.0 ? 1.0 : 0.0; }
    /* hit s - t u, by whichever is smaller of what is not in the row and what is not in the column */
    static inline void karat_add_together(karat_out a, karat_in hit, karat_in rest, karat_in others, karat_in t, karat_in u,
                                          karat_in missed, karat_in alarms) {
        KARAT_EACH {
            double by_row = hit[b] * rest[b] - t[b] * alarms[b], by_column = hit[b] * others[b] - u[b] * missed[b];
            a[b] += rest[b] < others[b] ? by_row : by_column;
        }
    }
    /* Of nothing there is no part: 0 / 1. */
    static inline double karat_divisor(double x) { return x > 0.0 ? x : 1.0; }
    KARAT_CALLED void karat_add_overlap(karat_out a, karat_in hit, karat_in t, karat_in u) {
        KARAT_EACH a[b] += 2.0 * hit[b] / karat_divisor(t[b] + u[b]);
    }
    KARAT_CALLED void karat_add_share(karat_out a, karat_in x, karat_in t) { KARAT_EACH a[b] += x[b] / karat_divisor(t[b]); }
    static inline void karat_add_diagonal(karat_out a, karat_in x, karat_in ln_x, karat_in t) {
        KARAT_EACH { double ln = x[b] > 0.0 ? ln_x[b] : -INFINITY; a[b] += t[b] > 0.0 ? ln : 0.0; }
    }
    /* What a class brings to the confusion of the shares; `off` is its sum of x ln x off the diagonal. */
    KARAT_CALLED void karat_add_share_confusion(karat_out a, karat_in hit, karat_in missed, karat_in alarms, karat_in off,
                                                karat_in t, karat_in ln_t) {
        double ln[KARAT_LANES];
        KARAT_EACH ln[b] = karat_divisor((t[b] > 0.0 ? 1.0 : 0.0) + (alarms[b] + hit[b] / karat_divisor(t[b])));
        karat_apply(karat_ln, ln, ln, KARAT_LANES);
        KARAT_EACH {
            double all = karat_divisor(t[b]), cells = (off[b] - missed[b] * ln_t[b]) / all;
            a[b] += (alarms[b] + missed[b] / all) * ln[b] - 2.0 * cells;
        }
    }
    static inline void karat_at_least_zero(karat_out a) { KARAT_EACH a[b] = a[b] > 0.0 ? a[b] : 0.0; }
    static inline void karat_take_from_product(karat_out a, karat_in x, karat_in y) { KARAT_EACH a[b] = x[b] * y[b] - a[b]; }
    static inline int karat_any_most(karat_in x, karat_in s) {
        int any = 0;
        KARAT_EACH any |= x[b] > 0.75 * s[b];
        return any;
    }
    """
    void karat_add(double* a, const double* x) noexcept nogil
    void karat_sum(double* a, const double* x, const double* y) noexcept nogil
    void karat_add_product(double* a, const double* x, const double* y) noexcept nogil
    void karat_take_twice(double* a, const double* x) noexcept nogil
    void karat_add_to_two(double* a, double* c, const double* x) noexcept nogil
    void karat_add_if_there(double* a, const double* x, const double* t) noexcept nogil
    void karat_count_there(double* a, const double* t) noexcept nogil
    void karat_add_together(double* a, const double* hit, const double* rest, const double* others, const double* t,
                            const double* u, const double* missed, const double* alarms) noexcept nogil
    void karat_add_overlap(double* a, const double* hit, const double* t, const double* u) noexcept nogil
    void karat_add_share(double* a, const double* x, const double* t) noexcept nogil
    void karat_add_diagonal(double* a, const double* x, const double* ln_x, const double* t) noexcept nogil
    void karat_add_share_confusion(double* a, const double* hit, const double* missed, const double* alarms,
                                   const double* off, const double* t, const double* ln_t) noexcept nogil
    void karat_at_least_zero(double* a) noexcept nogil
    void karat_take_from_product(double* a, const double* x, const double* y) noexcept nogil
    bint karat_any_most(const double* x, const double* s) noexcept nogil


ctypedef double[SMALL_SIDE * LANES] Line        # a row or column of all tables
ctypedef double[SMALL_SIDE * SMALL_SIDE * LANES] Cells


cdef struct Side:
    Py_ssize_t k
    Py_ssize_t l
    Cells c
    Cells ln_c
    Line off                                    # sums of x ln x over each row without the diagonal
    Line given                                  # to each column, of the shares of the rows, without the diagonal
    Line t
    Line u
    Line missed
    Line alarms
    Line rest
    Line others
    Line ln_t
    Line ln_u
    double[LANES] wrong
    double[LANES] ln_s
    double[10 * LANES] sums
    double[5 * LANES] logs
    double[4 * LANES] shares                    # see `ragged_facts`


cdef inline void take_tables(Side* side, const void** tables, const int8_t* kinds, const int32_t* places,
                             Py_ssize_t n) noexcept nogil:
    # n tables, at most as many as there are lanes; the last of them also in the lanes that are left over.
    cdef Py_ssize_t b, i, at
    cdef const double* c
    cdef double[SMALL_SIDE * SMALL_SIDE] floats
    for b in range(LANES):
        at = places[min(b, n - 1)]
        c = <const double*>tables[at]
        if kinds[at]:
            copy_cells(tables[at], kinds[at], side.k * side.l, floats)
            c = floats
        for i in range(side.k * side.l):
            side.c[i * LANES + b] = c[i]


cdef void lines_of(Side* side) noexcept nogil:
    # As `margins_of`; and the sums of x ln x.
    cdef Py_ssize_t k = side.k, l = side.l, i, j, at
    cdef const double* c = &side.c[0]
    memset(side.off, 0, k * LANES * sizeof(double))
    memset(side.alarms, 0, l * LANES * sizeof(double))
    memset(side.missed, 0, k * LANES * sizeof(double))
    memset(side.wrong, 0, LANES * sizeof(double))
    for i in range(k):
        for j in range(l):
            if i != j:
                at = (i * l + j) * LANES
                karat_add_to_two(side.missed + i * LANES, side.alarms + j * LANES, c + at)
                karat_add_product(side.off + i * LANES, c + at, side.ln_c + at)
        karat_add(side.wrong, side.missed + i * LANES)
        memcpy(side.t + i * LANES, side.missed + i * LANES, LANES * sizeof(double))
        if i < l:
            karat_add(side.t + i * LANES, c + (i * l + i) * LANES)
    for j in range(l):
        memcpy(side.u + j * LANES, side.alarms + j * LANES, LANES * sizeof(double))
        if j < k:
            karat_add(side.u + j * LANES, c + (j * l + j) * LANES)


cdef inline void rests_of(const double* x, Py_ssize_t n, double* rest) noexcept nogil:
    # As `rest_of`.
    cdef Py_ssize_t i
    cdef double[LANES] run
    memset(run, 0, sizeof(run))
    for i in range(n):
        memcpy(rest + i * LANES, run, sizeof(run))
        karat_add(run, x + i * LANES)
    memset(run, 0, sizeof(run))
    for i in range(n - 1, -1, -1):
        karat_add(rest + i * LANES, run)
        karat_add(run, x + i * LANES)


cdef void side_sums(Side* side) noexcept nogil:
    # As `sums_of`, `confusion_of` and `overlap_of`.
    cdef Py_ssize_t k = side.k, l = side.l, i, j, at, b
    cdef const double* c = &side.c[0]
    cdef double* out = side.sums
    cdef double[LANES] both
    memset(out, 0, sizeof(side.sums))
    rests_of(side.t, k, side.rest)
    rests_of(side.u, l, side.others)
    memcpy(out + 2 * LANES, side.wrong, LANES * sizeof(double))
    for i in range(k):
        at = i * LANES
        karat_add(out, side.t + at)
        karat_add_product(out + 4 * LANES, side.t + at, side.rest + at)
        karat_count_there(out + 6 * LANES, side.t + at)
        if i < l:
            karat_add(out + LANES, c + (i * l + i) * LANES)
            karat_add_together(out + 3 * LANES, c + (i * l + i) * LANES, side.rest + at, side.others + at, side.t + at,
                               side.u + at, side.missed + at, side.alarms + at)
            karat_add_if_there(out + 7 * LANES, side.u + at, side.t + at)
            karat_add_overlap(out + 9 * LANES, c + (i * l + i) * LANES, side.t + at, side.u + at)
    for j in range(l):
        karat_add_product(out + 5 * LANES, side.u + j * LANES, side.others + j * LANES)
    if k != l:
        for b in range(LANES):
            out[8 * LANES + b] = NAN
        return
    for i in range(k):
        at = i * LANES
        for b in range(LANES):
            both[b] = ln(side.t[at + b] + side.u[at + b])
        karat_add_product(out + 8 * LANES, side.missed + at, both)
        karat_add_product(out + 8 * LANES, side.alarms + at, both)
        karat_take_twice(out + 8 * LANES, side.off + at)
    karat_at_least_zero(out + 8 * LANES)


cdef inline void lns_of(const double* x, Py_ssize_t n, double* out) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n * LANES):
        out[i] = ln(x[i])


cdef void side_shares(Side* side) noexcept nogil:
    # Of the shares of the rows: their sum, those on the diagonal, the confusion, and sums of logarithms on the diagonal.
    cdef Py_ssize_t k = side.k, l = side.l, i, j, at, b
    cdef double* out = &side.shares[0]
    memset(out, 0, sizeof(side.shares))
    memset(side.given, 0, l * LANES * sizeof(double))
    for i in range(k):
        at = i * LANES
        karat_count_there(out, side.t + at)
        for j in range(l):
            if i != j:
                karat_add_share(side.given + j * LANES, side.c + (i * l + j) * LANES, side.t + at)
        if i < l:
            karat_add_share(out + LANES, side.c + (i * l + i) * LANES, side.t + at)
        for b in range(LANES):
            out[3 * LANES + b] -= side.ln_t[at + b]
    diagonal_logs(side, out + 3 * LANES)
    for i in range(k if k == l else 0):
        at = i * LANES
        karat_add_share_confusion(out + 2 * LANES, side.c + (i * l + i) * LANES, side.missed + at, side.given + at,
                                  side.off + at, side.t + at, side.ln_t + at)
    karat_at_least_zero(out + 2 * LANES)
    for b in range(0 if k == l else LANES):
        out[2 * LANES + b] = NAN


cdef void diagonal_logs(Side* side, double* out) noexcept nogil:
    # Adds ln c_jj over the classes with cases.
    cdef Py_ssize_t i, at
    cdef double[LANES] none
    memset(none, 0, sizeof(none))
    for i in range(side.k):
        at = (i * side.l + i) * LANES
        if i < side.l:
            karat_add_diagonal(out, side.c + at, side.ln_c + at, side.t + i * LANES)
        else:
            karat_add_diagonal(out, none, none, side.t + i * LANES)


cdef void side_logs(Side* side) noexcept nogil:
    # As `logs_of`; what truth and decision share is what they hold less than one by one.
    cdef Py_ssize_t k = side.k, l = side.l, i, at, b
    cdef double* out = side.logs
    cdef double* s = side.sums
    cdef double* ln_s = side.ln_s
    memset(out, 0, sizeof(side.logs))
    lns_of(s, 1, ln_s)
    for i in range(k):
        at = i * LANES
        karat_add(out, side.off + at)
        if i < l:
            karat_add_product(out, side.c + i * l * LANES + at, side.ln_c + i * l * LANES + at)
        karat_add_product(out + LANES, side.t + at, side.ln_t + at)
    for i in range(l):
        karat_add_product(out + 2 * LANES, side.u + i * LANES, side.ln_u + i * LANES)
    for i in range(3):
        karat_take_from_product(out + i * LANES, s, ln_s)
    if by_the_rest(side.t, side.ln_t, k, s, ln_s, out + LANES):     # a cell that holds nearly everything is in such a row
        by_the_rest(side.c, side.ln_c, k * l, s, ln_s, out)
    by_the_rest(side.u, side.ln_u, l, s, ln_s, out + 2 * LANES)
    diagonal_logs(side, out + 3 * LANES)
    for b in range(LANES):
        out[4 * LANES + b] = (out[LANES + b] + out[2 * LANES + b]) - out[b]
    for b in range(LANES):
        if out[4 * LANES + b] < CANCELLED * (1.0 + fabs(ln_s[b])) * s[b]:
            out[4 * LANES + b] = shared_of(side, b)


cdef double shared_of(Side* side, Py_ssize_t b) noexcept nogil:
    # The sum of x ln(x s / (t u)) where so little is left of it that the logarithms must not cancel.
    cdef Py_ssize_t i, j, at
    cdef double total = 0.0, share
    for i in range(side.k):
        for j in range(side.l):
            at = (i * side.l + j) * LANES + b
            if side.c[at] > 0.0:
                share = side.ln_c[at] + (side.ln_s[b] - side.ln_t[i * LANES + b]) - side.ln_u[j * LANES + b]
                total += side.c[at] * (share_near_one(side, i, j, b) if fabs(share) < 0.0625 else share)
    return total


cdef inline bint by_the_rest(const double* x, const double* ln_x, Py_ssize_t n, const double* s, const double* ln_s,
                             double* out) noexcept nogil:
    # Sums of x (ln s - ln x) once more, where one holds nearly everything: by the rest, because the difference would lose
    # it. Gives whether there are any.
    cdef Py_ssize_t i, j, b
    cdef double rest
    cdef bint most = False
    for i in range(n):
        if not karat_any_most(x + i * LANES, s):
            continue
        most = True
        for b in range(LANES):
            if x[i * LANES + b] > 0.75 * s[b]:
                rest = 0.0
                out[b] = 0.0
                for j in range(n):
                    if j != i:
                        rest += x[j * LANES + b]
                        out[b] += surprise(x[j * LANES + b], ln_s[b], ln_x[j * LANES + b])
                out[b] += surprise_of_most(x[i * LANES + b], rest, s[b])
    return most


cdef double share_near_one(Side* side, Py_ssize_t i, Py_ssize_t j, Py_ssize_t b) noexcept nogil:
    # ln(x s / (t u)) where the logarithms cancel, see `logs_of`.
    cdef Py_ssize_t l = side.l
    cdef const double* c = side.c + b
    cdef double x = c[(i * l + j) * LANES], t = side.t[i * LANES + b], u = side.u[j * LANES + b], s = side.sums[b], off
    cdef double rest = side.rest[i * LANES + b], others = side.others[j * LANES + b]
    if 2.0 * t > s and not (2.0 * u > s and others < rest):
        off = x * rest - t * but_one(c + j * LANES, side.k, l * LANES, i)
    elif 2.0 * u > s:
        off = x * others - u * but_one(c + i * l * LANES, l, LANES, j)
    else:
        off = x * (((s - t) - u) + x) - (t - x) * (u - x)
    return log1p(off / t / u)


# ----------------------------------------------------------------------------------------------- any sizes


def ragged_facts(list tables, bint sums, bint logs, bint shares, room=None):
    cdef Py_ssize_t n = len(tables), b, k, l, bucket, start, stop, small = SMALL_SIDE * SMALL_SIDE
    cdef cnp.ndarray table
    cdef Side* side = <Side*>malloc(sizeof(Side))
    cdef const void** cells = <const void**>malloc(n * sizeof(void*))
    cdef int8_t* kinds = <int8_t*>malloc(n * sizeof(int8_t))
    cdef int32_t* places = <int32_t*>malloc(n * sizeof(int32_t))
    cdef uint8_t* shape = <uint8_t*>malloc(n * sizeof(uint8_t))
    cdef int32_t[SMALL_SIDE * SMALL_SIDE + 2] ends
    sums_ = facts_room(room, 0, 10, n) if sums else None
    logs_ = facts_room(room, 10, 5, n) if logs else None
    shares_ = facts_room(room, 15, 4, n) if shares else None
    cdef double* of_sums = room_in(sums_) if sums else NULL
    cdef double* of_logs = room_in(logs_) if logs else NULL
    cdef double* of_shares = room_in(shares_) if shares else NULL
    memset(ends, 0, sizeof(ends))
    for b in range(n):
        table = <cnp.ndarray>tables[b]
        k, l = table.shape[0], table.shape[1]
        kinds[b] = kind_of_cells(table)
        if kinds[b] < 0:
            raise TypeError("a table is not contiguous, or not of numbers")
        cells[b] = cnp.PyArray_DATA(table)
        shape[b] = (k - 1) * SMALL_SIDE + l - 1 if k <= SMALL_SIDE and l <= SMALL_SIDE else small
        ends[shape[b] + 1] += 1
    for bucket in range(small + 1):
        ends[bucket + 1] += ends[bucket]
    for b in range(n):                          # from here on, ends[i] is where bucket i ends so far
        places[ends[shape[b]]] = <int32_t>b
        ends[shape[b]] += 1
    start = 0
    for bucket in range(small):
        side.k, side.l = bucket // SMALL_SIDE + 1, bucket % SMALL_SIDE + 1
        while start < ends[bucket]:
            stop = min(start + LANES, <Py_ssize_t>ends[bucket])
            with nogil:
                side_facts(side, cells, kinds, places + start, stop - start, n, of_sums, of_logs, of_shares)
            start = stop
    for start in range(start, n):
        b = places[start]
        table = <cnp.ndarray>floats_of(tables[b])
        large_facts(doubles(table), table.shape[0], table.shape[1], b, n, of_sums, of_logs, of_shares)
    free(side)
    free(cells)
    free(kinds)
    free(places)
    free(shape)
    return sums_, logs_, shares_


cdef cnp.ndarray facts_room(object room, Py_ssize_t above, Py_ssize_t rows, Py_ssize_t n):
    cdef cnp.npy_intp[2] shape = [rows, n]
    return zeros(rows, n) if room is None else shared(<cnp.ndarray>room, 2, shape, above * n)


cdef void side_facts(Side* side, const void** tables, const int8_t* kinds, const int32_t* places, Py_ssize_t here,
                     Py_ssize_t n, double* of_sums, double* of_logs, double* of_shares) noexcept nogil:
    # Of tables of one shape, as many as there are lanes or fewer.
    take_tables(side, tables, kinds, places, here)
    lns_of(side.c, side.k * side.l, side.ln_c)
    lines_of(side)
    if of_logs != NULL or of_shares != NULL:
        lns_of(side.t, side.k, side.ln_t)
    if of_sums != NULL or of_logs != NULL:
        side_sums(side)
    if of_sums != NULL:
        put_in_places(side.sums, 10, places, here, of_sums, n)
    if of_logs != NULL:
        lns_of(side.u, side.l, side.ln_u)
        side_logs(side)
        put_in_places(side.logs, 5, places, here, of_logs, n)
    if of_shares != NULL:
        side_shares(side)
        put_in_places(side.shares, 4, places, here, of_shares, n)


cdef inline void put_in_places(const double* facts, Py_ssize_t rows, const int32_t* places, Py_ssize_t here,
                               double* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t row, b
    for row in range(rows):
        for b in range(here):
            out[row * n + places[b]] = facts[row * LANES + b]


cdef void large_facts(const double* c, Py_ssize_t k, Py_ssize_t l, Py_ssize_t b, Py_ssize_t n, double* of_sums,
                      double* of_logs, double* of_shares) noexcept nogil:
    cdef double* t = <double*>malloc((3 * k + 3 * l) * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + l
    cdef double* alarms = missed + k
    cdef double* room = alarms + l
    cdef double wrong = margins_of(c, k, l, t, u, missed, alarms)
    if of_sums != NULL:
        sums_of(c, k, l, t, u, missed, alarms, wrong, room, of_sums + b, n)
        of_sums[8 * n + b] = confusion_of(c, k, t, u, missed, alarms) if k == l else NAN
        of_sums[9 * n + b] = overlap_of(c, k, l, t, u)
    if of_logs != NULL:
        logs_of(c, k, l, t, u, of_logs + b, n)
    if of_shares != NULL:
        shares_into(c, k, l, t, u, missed, alarms, of_shares + b, n)
    free(t)


cdef void shares_into(const double* c, Py_ssize_t k, Py_ssize_t l, double* t, double* u, double* missed, double* alarms,
                      double* out, Py_ssize_t step) noexcept nogil:
    # As `side_shares`; what was summed of the table becomes that of its shares. Logarithms are those of counts, which
    # are looked up.
    cdef Py_ssize_t i, j
    cdef double present = 0.0, trace = 0.0, cells = 0.0, diagonal = diagonal_of(c, k, l, t), share, ln_row
    memset(alarms, 0, l * sizeof(double))
    memset(u, 0, l * sizeof(double))
    for i in range(k):
        if not t[i] > 0.0:
            continue
        ln_row = ln(t[i])
        diagonal -= ln_row
        for j in range(l):
            share = c[i * l + j] / t[i]
            u[j] += share
            if i == j:
                trace += share
            else:
                alarms[j] += share
                cells += share * (ln(c[i * l + j]) - ln_row)
        missed[i] /= t[i]
        t[i] = 1.0
        present += 1.0
    out[0] = present
    out[step] = trace
    out[2 * step] = confusion_from(cells, k, t, u, missed, alarms) if k == l else NAN
    out[3 * step] = diagonal


def ragged_relative(list tables):
    return [shares_of(floats_of(table)) for table in tables]


cdef cnp.ndarray shares_of(cnp.ndarray table):
    cdef cnp.ndarray out = zeros(table.shape[0], table.shape[1])
    divide_rows(doubles(table), NULL, table.shape[0], table.shape[1], room_in(out))
    return out
