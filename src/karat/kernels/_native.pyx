# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loops that matter, compiled. Each function is the twin of the one of the same name in `_numpy.py`,
which says what it computes; this file only says it faster. No function checks its input: the border did."""

import numpy as np

from karat.kernels.records import ClassSums, PairSums, TableLogs, TableSums

cimport numpy as cnp
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport INFINITY, NAN, fabs, log, log1p, log2
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

cnp.import_array()

ctypedef int (*Sort)(void*, Py_ssize_t, void*) noexcept nogil

cdef extern from *:
    """
    static PyArray_SortFunc* karat_sort_of(int type) {
        PyArray_Descr* kind = PyArray_DescrFromType(type);
        PyArray_SortFunc* sort = PyDataType_GetArrFuncs(kind)->sort[NPY_QUICKSORT];
        Py_DECREF(kind);
        return sort;
    }
    """
    Sort karat_sort_of(int type)

cdef Sort sort_floats = karat_sort_of(cnp.NPY_DOUBLE)       # numpy's own, which know the processor
cdef Sort sort_integers = karat_sort_of(cnp.NPY_UINT64)

ctypedef fused integer:
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t
    uint16_t
    uint32_t

DEF BLOCK = 4096            # rows summed before they are added to the total: keeps rounding small
DEF SMALL = 32768           # numbers that a processor's cache holds
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


cdef inline double x_ln_x_of(const double* x, Py_ssize_t n) noexcept nogil:
    # Over n values, two sums at a time.
    cdef Py_ssize_t j
    cdef double a = 0.0, b = 0.0
    for j in range(0, n - 1, 2):
        a += x_ln_x(x[j])
        b += x_ln_x(x[j + 1])
    return a + b + (x_ln_x(x[n - 1]) if n & 1 else 0.0)


cdef inline double whole_x_ln_x(Py_ssize_t x) noexcept nogil:
    return WHOLE_X_LN_X[x] if x < LOGS else x * log(<double>x)


cdef inline double whole_ln(Py_ssize_t x) noexcept nogil:
    return WHOLE_LN[x] if x < LOGS else log(<double>x)


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
cdef uint64_t INFINITE = 0x7FF0000000000000     # the bits of infinity
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


# ----------------------------------------------------------------------------------------------------- arrays
#
# By numpy's own interface: for small data a typed view of an array costs more than the loop over it.


cdef inline cnp.ndarray zeros(Py_ssize_t a, Py_ssize_t b=-1, Py_ssize_t c=-1):
    cdef cnp.npy_intp[3] shape = [a, b, c]
    return cnp.PyArray_ZEROS(1 + (b >= 0) + (c >= 0), shape, cnp.NPY_DOUBLE, 0)


cdef inline const double* doubles(cnp.ndarray x) except NULL:
    if cnp.PyArray_TYPE(x) != cnp.NPY_DOUBLE or not cnp.PyArray_IS_C_CONTIGUOUS(x):
        raise TypeError("an array is not contiguous float64")
    return <const double*>cnp.PyArray_DATA(x)


cdef inline const int32_t* places(cnp.ndarray x) except NULL:
    if cnp.PyArray_TYPE(x) != cnp.NPY_INT32 or not cnp.PyArray_IS_C_CONTIGUOUS(x):
        raise TypeError("an array is not contiguous int32")
    return <const int32_t*>cnp.PyArray_DATA(x)


cdef inline double* room_in(cnp.ndarray x) noexcept:
    return <double*>cnp.PyArray_DATA(x)


# ------------------------------------------------------------------------------------------------ the border


def integer_classes(const integer[::1] labels, int64_t widest):
    return classes_of(&labels[0], labels.shape[0], widest)


cdef tuple classes_of(const integer* labels, Py_ssize_t n, int64_t widest):
    cdef Py_ssize_t i
    cdef int64_t low = labels[0], high = labels[0], x, width
    with nogil:
        for i in range(n):
            x = <int64_t>labels[i]
            low = x if x < low else low
            high = x if x > high else high
    if <double>high - <double>low >= <double>widest:
        return None
    width = high - low + 1
    cdef cnp.npy_intp size = n
    cdef cnp.ndarray codes = cnp.PyArray_EMPTY(1, &size, cnp.NPY_INT32, 0)
    cdef int32_t* code = <int32_t*>cnp.PyArray_DATA(codes)
    cdef int32_t classes = 0
    cdef int32_t* place = <int32_t*>calloc(width, sizeof(int32_t))
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
    values = [i + low for i in range(width) if place[i] >= 0]
    free(place)
    return values, codes


def plain_arrays(y_true, y_proba, int64_t widest, double tolerance):
    if not (type(y_true) is cnp.ndarray and type(y_proba) is cnp.ndarray):
        return None
    cdef cnp.ndarray labels = y_true, proba = y_proba
    if not (cnp.PyArray_NDIM(labels) == 1 and cnp.PyArray_NDIM(proba) == 2 and labels.shape[0] == proba.shape[0] > 0
            and cnp.PyArray_TYPE(labels) == cnp.NPY_INT64 and cnp.PyArray_TYPE(proba) == cnp.NPY_DOUBLE
            and cnp.PyArray_ISCARRAY_RO(labels) and cnp.PyArray_ISCARRAY_RO(proba)):
        return None
    found = classes_of(<const int64_t*>cnp.PyArray_DATA(labels), labels.shape[0], widest)
    if found is None or len(found[0]) != proba.shape[1]:
        return None
    problem, _, low, high, uneven = inspect(proba, tolerance)
    return None if problem else (*found, low, high, uneven)


def plain_batch(y_true, y_proba):
    if not (type(y_true) is cnp.ndarray and type(y_proba) is cnp.ndarray):
        return None
    cdef cnp.ndarray labels = y_true, column = y_proba
    cdef int i, axes = cnp.PyArray_NDIM(labels)
    if not (0 < axes == cnp.PyArray_NDIM(column) < 8 and cnp.PyArray_SIZE(labels) > 0
            and cnp.PyArray_TYPE(labels) == cnp.NPY_INT64 and cnp.PyArray_TYPE(column) == cnp.NPY_DOUBLE
            and cnp.PyArray_ISCARRAY_RO(labels) and cnp.PyArray_ISCARRAY_RO(column)):
        return None
    cdef cnp.npy_intp[2] shape
    for i in range(axes):
        if labels.shape[i] != column.shape[i]:
            return None
    shape[1] = labels.shape[axes - 1]
    shape[0] = cnp.PyArray_SIZE(labels) // shape[1]
    cdef cnp.npy_intp[3] twice = [shape[0], shape[1], 2]
    cdef cnp.ndarray truth = cnp.PyArray_EMPTY(2, shape, cnp.NPY_INT32, 0)
    cdef cnp.ndarray proba = cnp.PyArray_EMPTY(3, twice, cnp.NPY_DOUBLE, 0)
    cdef const int64_t* y = <const int64_t*>cnp.PyArray_DATA(labels)
    cdef const double* x = <const double*>cnp.PyArray_DATA(column)
    cdef int32_t* code = <int32_t*>cnp.PyArray_DATA(truth)
    cdef double* p = <double*>cnp.PyArray_DATA(proba)
    cdef Py_ssize_t at, n = shape[0] * shape[1]
    cdef uint64_t seen = 0
    cdef double low = INFINITY, high = -INFINITY, q
    cdef bint fine = True
    with nogil:
        for at in range(n):
            q = x[at]
            seen |= <uint64_t>y[at]
            code[at] = <int32_t>y[at]
            fine &= (q > 0.0) & (q < 1.0)
            low = q if q < low else low
            high = q if q > high else high
            p[2 * at] = 1.0 - q
            p[2 * at + 1] = q
    return (truth, proba, low, high) if fine and seen < 2 else None


cpdef tuple inspect(cnp.ndarray proba, double tolerance):
    cdef const double* p = doubles(proba)
    cdef Py_ssize_t n = proba.shape[0], k = proba.shape[1], row
    cdef double low = 2.0, high = 0.0, worst = 0.0
    with nogil:
        if k == 2:
            row = first_bad_row(p, n, 2, tolerance, &low, &high, &worst)
        else:
            row = first_bad_row(p, n, k, tolerance, &low, &high, &worst)
    return problem_of(p + row * k, k) if row >= 0 else 0, row, low, high, worst


cdef inline Py_ssize_t first_bad_row(const double* p, Py_ssize_t n, Py_ssize_t k, double tolerance, double* lowest,
                                     double* highest, double* worst) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double low_x = 2.0, low_y = 2.0, high_x = 0.0, high_y = 0.0, far = 0.0, total, other, off, x, y
    cdef bint fine
    for i in range(n):
        total = other = 0.0
        fine = True
        for j in range(0, k - 1, 2):            # two sums at a time: one would wait for itself
            x = p[j]
            y = p[j + 1]
            total += x
            other += y
            fine &= (x >= 0.0) & (x <= 1.0) & (y >= 0.0) & (y <= 1.0)
            high_x = x if x > high_x else high_x
            high_y = y if y > high_y else high_y
            x = x if x > 0.0 else 2.0
            y = y if y > 0.0 else 2.0
            low_x = x if x < low_x else low_x
            low_y = y if y < low_y else low_y
        if k & 1:
            x = p[k - 1]
            total += x
            fine &= (x >= 0.0) & (x <= 1.0)
            high_x = x if x > high_x else high_x
            x = x if x > 0.0 else 2.0
            low_x = x if x < low_x else low_x
        off = fabs(total + other - 1.0)
        far = off if off > far else far
        fine &= off <= tolerance
        if not fine:
            return i
        p += k
    lowest[0] = min(low_x, low_y)
    highest[0] = max(high_x, high_y)
    worst[0] = far
    return -1


cdef int problem_of(const double* p, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t j
    cdef int problem = 3
    for j in range(k):
        if p[j] - p[j] != 0.0:
            return 1
        if not (p[j] >= 0.0 and p[j] <= 1.0):
            problem = 2
    return problem


# ----------------------------------------------------------------------------------------------- one row pass


def row_sums(cnp.ndarray truth, cnp.ndarray proba, decided, weight, Py_ssize_t l, double floor):
    cdef Py_ssize_t B = proba.shape[0], n = proba.shape[1], k = proba.shape[2]
    cdef const int32_t* d = places(decided) if decided is not None else NULL
    cdef const double* w = doubles(weight) if weight is not None else NULL
    counts, sums, squares, logs = zeros(B, k, l), zeros(B, k, k), zeros(B, k), zeros(B, k)
    add_rows(places(truth), doubles(proba), d, w, B, n, k, l, floor, room_in(counts), room_in(sums), room_in(squares),
             room_in(logs))
    return counts, sums, squares, logs


cdef void add_rows(const int32_t* truth, const double* proba, const int32_t* decided, const double* weight,
                   Py_ssize_t B, Py_ssize_t n, Py_ssize_t k, Py_ssize_t l, double floor, double* counts, double* sums,
                   double* squares, double* logs) noexcept nogil:
    cdef Py_ssize_t b, i, j, start, stop, y, top
    cdef bint plain = weight == NULL and floor >= 1e-16
    cdef double* block = <double*>malloc((k * k + 2 * k) * sizeof(double))
    cdef double* block_squares = block + k * k
    cdef double* product = block_squares + k
    cdef const double* p
    cdef double* s
    cdef double x, best, hit, square, w = 1.0
    for b in range(B):
        for start in range(0, n, BLOCK):
            stop = min(n, start + BLOCK)
            memset(block, 0, (k * k + k) * sizeof(double))
            for j in range(k):
                product[j] = 1.0
            if plain and decided == NULL and k == 2:
                two_class_rows(truth + start, proba + 2 * start, stop - start, floor, counts, l, block,
                               block_squares, product, logs)
            else:
                for i in range(start, stop):
                    y = truth[i]
                    p = proba + i * k
                    s = block + y * k
                    if weight != NULL:
                        w = weight[i]
                    best = p[0]
                    top = 0
                    square = 0.0
                    for j in range(k):
                        x = p[j]
                        s[j] += w * x
                        hit = x - one_if(j == y)
                        square += hit * hit
                        if x > best:
                            best = x
                            top = j
                    hit = p[y]
                    block_squares[y] += w * square
                    if decided != NULL:
                        top = decided[i]
                    counts[y * l + top] += w
                    hit = hit if hit > floor else floor
                    if plain:
                        product[y] *= hit
                        if product[y] < 1e-290:
                            logs[y] += log2(product[y])
                            product[y] = 1.0
                    elif w > 0.0:
                        logs[y] += w * log2(hit)
            for y in range(k):
                squares[y] += block_squares[y]
                logs[y] += log2(product[y])
                for j in range(k):
                    sums[y * k + j] += block[y * k + j]
        counts += k * l
        sums += k * k
        squares += k
        logs += k
        truth += n
        proba += n * k
        if decided != NULL:
            decided += n
        if weight != NULL:
            weight += n
    free(block)


cdef void two_class_rows(const int32_t* truth, const double* proba, Py_ssize_t n, double floor, double* counts,
                         Py_ssize_t l, double* sums, double* squares, double* product, double* logs) noexcept nogil:
    # Nothing here branches on the data: a wrong guess of the processor costs more than all the arithmetic of a row.
    # Each class has its sums [p, q, squared error, product of the probabilities of the truth] side by side, and even
    # and odd rows have theirs, so that a sum rarely waits for the row before.
    cdef Py_ssize_t i = 0, y, pause
    cdef int64_t ones = 0, decided = 0, both = 0
    cdef double p, q, hit, miss
    cdef bint top
    cdef double[16] sets
    cdef double* s
    memset(sets, 0, sizeof(sets))
    for i in range(3, 16, 4):
        sets[i] = 1.0
    i = 0
    while i < n:
        pause = min(n, i + 16)                  # sixteen factors of at least 1e-16 cannot underflow from 1e-40
        while i < pause:
            y = truth[i]
            p = proba[2 * i]
            q = proba[2 * i + 1]
            top = q > p
            ones += y
            decided += top
            both += y & top
            hit = proba[2 * i + y]
            miss = proba[2 * i + 1 - y]
            s = sets + ((i & 1) << 3) + (y << 2)
            s[0] += p
            s[1] += q
            s[2] += (1.0 - hit) * (1.0 - hit) + miss * miss
            s[3] *= hit if hit > floor else floor
            i += 1
        for y in range(3, 16, 4):
            if sets[y] < 1e-40:
                logs[(y >> 2) & 1] += log2(sets[y])
                sets[y] = 1.0
    for y in range(2):
        s = sets + 4 * y
        sums[2 * y] = s[0] + s[8]
        sums[2 * y + 1] = s[1] + s[9]
        squares[y] = s[2] + s[10]
        product[y] = s[3] * s[11]
    counts[0] += n - ones - decided + both
    counts[1] += decided - both
    counts[l] += ones - both
    counts[l + 1] += both


def class_weights(cnp.ndarray truth, weight, Py_ssize_t k):
    cdef Py_ssize_t B = truth.shape[0], n = truth.shape[1], b
    cdef const int32_t* y = places(truth)
    cdef const double* w = doubles(weight) if weight is not None else NULL
    found = zeros(B, k)
    cdef double* out = room_in(found)
    with nogil:
        for b in range(B):
            add_weights(y + b * n, w + b * n if w != NULL else NULL, n, k, out + b * k)
    return found


cdef inline void add_weights(const int32_t* truth, const double* weight, Py_ssize_t n, Py_ssize_t k,
                             double* out) noexcept nogil:
    cdef Py_ssize_t i
    cdef int32_t ones = 0
    if k == 2 and weight == NULL:
        for i in range(n):
            ones += truth[i]
        out[0] = n - ones
        out[1] = ones
    else:
        for i in range(n):
            out[truth[i]] += weight[i] if weight != NULL else 1.0


# ------------------------------------------------------------------------------------------ one sorted column


def pack(cnp.ndarray truth, cnp.ndarray proba, Py_ssize_t first, Py_ssize_t last, uint64_t base, int bits):
    cdef Py_ssize_t B = proba.shape[0], n = proba.shape[1], k = proba.shape[2], b
    cdef const int32_t* y = places(truth)
    cdef const double* p = doubles(proba)
    cdef cnp.npy_intp[3] shape = [B, last - first, n]
    cdef cnp.ndarray keys = cnp.PyArray_EMPTY(3, shape, cnp.NPY_UINT64, 0)
    cdef uint64_t* key = <uint64_t*>cnp.PyArray_DATA(keys)
    with nogil:
        for b in range(B):
            pack_columns(y + b * n, p + b * n * k + first, n, k, last - first, base, bits, key)
            key += (last - first) * n
    return keys


cdef inline void pack_columns(const int32_t* truth, const double* proba, Py_ssize_t n, Py_ssize_t k, Py_ssize_t columns,
                              uint64_t base, int bits, uint64_t* keys) noexcept nogil:
    cdef Py_ssize_t i, j
    for i in range(n):
        for j in range(columns):
            keys[j * n + i] = place_of(proba[i * k + j], base) << bits | <uint64_t>truth[i]


cdef struct Room:
    # What the scan of a column needs beside it: see `scan_column`.
    int32_t* rank
    double* mass


def scan(cnp.ndarray keys, cnp.ndarray truth, cnp.ndarray proba, Py_ssize_t first, int bits, uint64_t base, table,
         weight, Py_ssize_t size, bint both=False):
    cdef Py_ssize_t B = keys.shape[0], columns = keys.shape[1], n = keys.shape[2], k = proba.shape[2], b, c, at
    cdef Py_ssize_t wide = columns + both, step = B * wide
    cdef const int32_t* y = places(truth)
    cdef const double* p = doubles(proba)
    cdef const double* v = doubles(table) if table is not None else NULL
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef uint64_t* key = <uint64_t*>cnp.PyArray_DATA(keys)
    wins_, gains_, sums_ = zeros(B, wide, k), zeros(B, wide, k), zeros(4, B, wide)
    cdef double* wins = room_in(wins_)
    cdef double* gains = room_in(gains_)
    cdef double* sums = room_in(sums_)
    cdef Room room
    room.rank = <int32_t*>malloc((size + 1) * sizeof(int32_t))
    room.mass = <double*>malloc((size + 1) * sizeof(double))
    with nogil:
        for b in range(B):
            for c in range(columns):
                at = b * wide + c + both
                scan_sorted(key, y, p + first + c, n, first + c, k, bits, base, v, w, size, room, wins + at * k,
                            gains + at * k, sums + at, step)
                key += n
                if w != NULL:
                    w += n
            if both:
                mirror(first, wins + b * 4, gains + b * 4, sums + b * 2, step)
            y += n
            p += n * k
    free(room.rank)
    free(room.mass)
    return wins_, gains_, sums_


def sorted_scan(cnp.ndarray truth, cnp.ndarray proba, weight, Py_ssize_t first, Py_ssize_t last, double low,
                double high, Py_ssize_t size, bint both=False):
    cdef Py_ssize_t B = proba.shape[0], n = proba.shape[1], k = proba.shape[2], b, j, at
    cdef Py_ssize_t wide = last - first + both, step = B * wide
    cdef int bits = 1
    while (k - 1) >> bits:
        bits += 1
    cdef uint64_t base = bits_of(low) - 1, span = bits_of(high if high > 0.0 else 0.0) - base
    if span >> (64 - bits):
        return None
    cdef uint64_t lift = <uint64_t>1 << (52 - bits)
    cdef bint as_floats = base > lift and span < INFINITE and (span + lift) >> (64 - bits) == 0 and (
        (span + lift) << bits < INFINITE)
    if as_floats:
        base -= lift
    if weight is not None:
        return weighted_scan(truth, proba, weight, first, last, bits, base, size, both)
    cdef const int32_t* y = places(truth)
    cdef const double* p = doubles(proba)
    wins_, gains_, sums_ = zeros(B, wide, k), zeros(B, wide, k), zeros(4, B, wide)
    cdef double* wins = room_in(wins_)
    cdef double* gains = room_in(gains_)
    cdef double* sums = room_in(sums_)
    cdef double gap = INFINITY
    cdef Room room
    # A column at a time, so that its keys stay in the processor's cache; of much data some columns are packed at once,
    # because reading all rows for one of them would cost more than sorting it.
    cdef Py_ssize_t group = 1 if n * k <= SMALL else max(1, min(8, k // 2))
    cdef uint64_t* keys = <uint64_t*>PyMem_RawMalloc(group * n * sizeof(uint64_t))  # so that who counts memory sees it
    cdef uint64_t* key = keys
    room.rank = <int32_t*>malloc((size + 1) * sizeof(int32_t))
    room.mass = <double*>malloc((size + 1) * sizeof(double))
    with nogil:
        for b in range(B):
            for j in range(first, last):
                key += n
                if (j - first) % group == 0:
                    key = keys
                    if group == 1:              # known to the compiler
                        pack_columns(y, p + j, n, k, 1, base, bits, keys)
                    else:
                        pack_columns(y, p + j, n, k, min(group, last - j), base, bits, keys)
                if as_floats:
                    sort_floats(key, n, NULL)
                else:
                    sort_integers(key, n, NULL)
                at = b * wide + j - first + both
                scan_sorted(key, y, p + j, n, j, k, bits, base, NULL, NULL, size, room, wins + at * k,
                            gains + at * k, sums + at, step)
                gap = min(gap, sums[3 * step + at])
            if both:
                mirror(first, wins + b * 4, gains + b * 4, sums + b * 2, step)
            y += n
            p += n * k
    PyMem_RawFree(keys)
    free(room.rank)
    free(room.mass)
    return wins_, gains_, sums_, gap


cdef tuple weighted_scan(cnp.ndarray truth, cnp.ndarray proba, weight, Py_ssize_t first, Py_ssize_t last, int bits,
                         uint64_t base, Py_ssize_t size, bint both):
    keys = pack(truth, proba, first, last, base, bits)
    order = np.argsort(keys, axis=-1)
    weights = np.take_along_axis(np.broadcast_to(weight[:, None, :], keys.shape), order, axis=-1)
    keys = np.take_along_axis(keys, order, axis=-1)
    wins, gains, sums = scan(keys, truth, proba, first, bits, base, None, weights, size, both)
    return wins, gains, sums, float(sums[3].min())


cdef inline void mirror(Py_ssize_t first, double* wins, double* gains, double* sums, Py_ssize_t step) noexcept nogil:
    # Of two classes: the other column, put before this one, as its mirror image.
    cdef Py_ssize_t c
    wins[first] = wins[3 - first]
    gains[first] = gains[3 - first]
    for c in range(4):
        sums[c * step] = sums[c * step + 1]


cdef void scan_sorted(uint64_t* keys, const int32_t* truth, const double* column, Py_ssize_t n, Py_ssize_t j,
                      Py_ssize_t k, int bits, uint64_t base, const double* table, const double* weight,
                      Py_ssize_t size, Room room, double* wins, double* gains, double* sums,
                      Py_ssize_t step) noexcept nogil:
    # one function, compiled three times: the compiler drops what a plain case does not need
    if weight != NULL or table != NULL:
        scan_column(keys, n, j, k, bits, base, table, weight, size, room.rank, room.mass, wins, gains, sums, step)
    elif k == 2:
        scan_column(keys, n, j, 2, 1, base, NULL, NULL, size, room.rank, room.mass, wins, gains, sums, step)
    else:
        scan_column(keys, n, j, k, bits, base, NULL, NULL, size, room.rank, room.mass, wins, gains, sums, step)
    if weight != NULL or (table != NULL and table[0] < 0.0):
        sums[2 * step] = NAN
        return
    if sums[3 * step] == 0.0 and table == NULL:
        settle(keys, truth, column, n, k, j)
    sums[2 * step] = window_error(keys, n, size, room.rank, room.mass)


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
            off = add_row(c + i * l, min(i, l), alarms)
            if i + 1 < l:
                off += add_row(c + i * l + i + 1, l - i - 1, alarms + i + 1)
        missed[i] = off
        t[i] = off + c[i * l + i] if i < l else off
        wrong += off
    for j in range(l):
        u[j] = alarms[j] + c[j * l + j] if j < k else alarms[j]
    return wrong


cdef inline double add_row(const double* row, Py_ssize_t n, double* columns) noexcept nogil:
    # Adds a part of a row to the columns and gives its sum: four sums at a time, one would wait for itself.
    cdef Py_ssize_t j
    cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0
    for j in range(0, n - 3, 4):
        a += row[j]
        b += row[j + 1]
        c += row[j + 2]
        d += row[j + 3]
        columns[j] += row[j]
        columns[j + 1] += row[j + 1]
        columns[j + 2] += row[j + 2]
        columns[j + 3] += row[j + 3]
    for j in range(n & ~3, n):
        a += row[j]
        columns[j] += row[j]
    return (a + b) + (c + d)


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
    cdef double s = 0.0, cells = 0.0, rows = 0.0, columns = 0.0, shared = 0.0, ln_s, x, row, column
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
    for j in range(l):
        columns += surprise(u[j], s, ln_s)
    out[0] = cells
    out[step] = rows
    out[2 * step] = columns
    out[3 * step] = diagonal_of(c, k, l, t)
    out[4 * step] = shared


cdef inline double diagonal_of(const double* c, Py_ssize_t k, Py_ssize_t l, const double* t) noexcept nogil:
    cdef Py_ssize_t i
    cdef double total = 0.0
    for i in range(k):
        if t[i] > 0.0:
            total += log(c[i * l + i]) if i < l else -INFINITY
    return total


def table_diagonal(cnp.ndarray table):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2], b
    cdef const double* c = doubles(table)
    found = zeros(B)
    cdef double* out = room_in(found)
    cdef double* t = <double*>malloc(2 * (k + l) * sizeof(double))
    with nogil:
        for b in range(B):
            margins_of(c + b * k * l, k, l, t, t + k, t + k + l, t + 2 * k + l)
            out[b] = diagonal_of(c + b * k * l, k, l, t)
    free(t)
    return found


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


cdef inline double disorder_of(double wrong, double ln_d) noexcept nogil:
    # What a class with so many wrong cases among D brings to the confusion.
    return wrong * ln_d


cdef inline double confusion_of(const double* c, Py_ssize_t k, const double* t, const double* u, const double* missed,
                                const double* alarms) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double total = 0.0, cells = 0.0
    for i in range(k):
        total += disorder_of(missed[i] + alarms[i], ln(t[i] + u[i]))
        if k <= 3:
            for j in range(k):
                if i != j:
                    cells += x_ln_x(c[i * k + j])
        else:
            cells += x_ln_x_of(c + i * k, i) + x_ln_x_of(c + i * k + i + 1, k - i - 1)
    total -= 2.0 * cells
    return total if total > 0.0 else 0.0


def facts(cnp.ndarray table):
    return facts_of(doubles(table), table.shape[0], table.shape[1])


cdef dict facts_of(const double* c, Py_ssize_t k, Py_ssize_t l):
    cdef double[15] out
    cdef double* t = <double*>malloc((3 * k + 3 * l) * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + l
    cdef double* alarms = missed + k
    cdef double* room = alarms + l
    cdef double wrong
    wrong = margins_of(c, k, l, t, u, missed, alarms)
    sums_of(c, k, l, t, u, missed, alarms, wrong, room, out, 1)
    logs_of(c, k, l, t, u, &out[8], 1)
    out[13] = confusion_of(c, k, t, u, missed, alarms) if k == l else NAN
    out[14] = overlap_of(c, k, l, t, u)
    free(t)
    return {
        "sums": new(TableSums, (out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7])),
        "logs": new(TableLogs, (out[8], out[9], out[10], out[11], out[12])),
        "confusion": out[13],
        "overlap": out[14],
    }


new = tuple.__new__             # makes a named tuple of a tuple faster than its own constructor


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


def relative(cnp.ndarray table, rows):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2]
    found = zeros(B, k, l)
    divide_rows(doubles(table), doubles(rows) if rows is not None else NULL, B * k, l, room_in(found))
    return found


cdef void divide_rows(const double* c, const double* by, Py_ssize_t rows, Py_ssize_t l, double* out) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double t
    for i in range(rows):
        t = 0.0
        if by != NULL:
            t = by[i]
        else:
            for j in range(l):
                t += c[j]
        if t > 0.0:
            for j in range(l):
                out[j] = c[j] / t
        c += l
        out += l


def pair_sums(cnp.ndarray matrix, cnp.ndarray weight):
    cdef Py_ssize_t B = matrix.shape[0], k = matrix.shape[1], b
    cdef const double* m = doubles(matrix)
    cdef const double* w = doubles(weight)
    found = zeros(5, B)
    cdef double* out = room_in(found)
    with nogil:
        for b in range(B):
            pair_sums_of(m + b * k * k, w + b * k, k, out + b, B)
    return found


cdef inline void pair_sums_of(const double* matrix, const double* weight, Py_ssize_t k, double* out,
                              Py_ssize_t step) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double total = 0.0, present = 0.0, pairs = 0.0, pairs_prior = 0.0, against = 0.0, against_prior = 0.0
    cdef double row, rest, others
    for i in range(k):
        total += weight[i]
        present += weight[i] > 0.0
    for i in range(k):
        if not weight[i] > 0.0:
            continue
        row = rest = others = 0.0
        for j in range(k):
            if j != i and weight[j] > 0.0:
                row += matrix[i * k + j] / weight[j]
                rest += matrix[i * k + j]
                others += weight[j]
        row /= weight[i]
        pairs += row
        pairs_prior += row * weight[i]
        if others > 0.0:
            rest /= weight[i] * others
            against += rest
            against_prior += rest * weight[i]
    out[0] = present
    out[step] = pairs
    out[2 * step] = pairs_prior / total
    out[3 * step] = against
    out[4 * step] = against_prior / total


def class_sums(cnp.ndarray values, cnp.ndarray weight):
    cdef Py_ssize_t B = weight.shape[0], k = weight.shape[1], b
    cdef const double* v = doubles(values)
    cdef const double* w = doubles(weight)
    found = zeros(3, B)
    cdef double* out = room_in(found)
    with nogil:
        for b in range(B):
            class_sums_of(v + b * k, w + b * k, k, out + b, B)
    return found


cdef inline void class_sums_of(const double* values, const double* weight, Py_ssize_t k, double* out,
                               Py_ssize_t step) noexcept nogil:
    cdef Py_ssize_t i
    cdef double present = 0.0, total = 0.0, sum = 0.0
    for i in range(k):
        if weight[i] > 0.0:
            present += 1.0
            total += weight[i]
            sum += values[i]
    out[0] = present
    out[step] = total
    out[2 * step] = sum


# ------------------------------------------------------------------------------- one evaluation, all of it at once


def row_digest(cnp.ndarray truth, cnp.ndarray proba, decided, weight, Py_ssize_t l, double floor):
    cdef Py_ssize_t n = proba.shape[1], k = proba.shape[2]
    cdef const int32_t* y = places(truth)
    cdef const int32_t* d = places(decided) if decided is not None else NULL
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef cnp.ndarray counts = zeros(k, l), shares = zeros(k, l), sums = zeros(k, k), means = zeros(k, k)
    cdef cnp.ndarray squares = zeros(k), logs = zeros(k), weights = zeros(k)
    add_rows(y, doubles(proba), d, w, 1, n, k, l, floor, room_in(counts), room_in(sums), room_in(squares),
             room_in(logs))
    add_weights(y, w, n, k, room_in(weights))
    divide_rows(room_in(counts), NULL, k, l, room_in(shares))
    divide_rows(room_in(sums), room_in(weights), k, k, room_in(means))
    squares_sums = class_sums_record(room_in(squares), room_in(weights), k)
    cdef dict counted = table_record(counts, k, l)
    counted["relative"] = table_record(shares, k, l)
    return (
        counted,
        {
            "sums": sums,
            "weight": weights,
            "total": squares_sums[1],
            "table": table_record(sums, k, k),
            "relative": table_record(means, k, k),
        },
        {
            "squares": squares,
            "logs": logs,
            "weight": weights,
            "squares_sums": squares_sums,
            "logs_sums": class_sums_record(room_in(logs), room_in(weights), k),
        },
    )


cdef dict table_record(cnp.ndarray table, Py_ssize_t k, Py_ssize_t l):
    cdef dict record = facts_of(room_in(table), k, l)
    record["table"] = table
    record["k"] = k
    record["l"] = l
    return record


def column_digest(cnp.ndarray wins, cnp.ndarray gains, cnp.ndarray sums, cnp.ndarray weight):
    cdef Py_ssize_t k = weight.shape[0]
    cdef const double* w = doubles(weight)
    cdef const double* s = doubles(sums)
    return (
        {"matrix": wins[0], "weight": weight, "sums": pair_sums_record(doubles(wins), w, k)},
        {"matrix": gains[0], "weight": weight, "sums": pair_sums_record(doubles(gains), w, k)},
        {"deviation": sums[0, 0], "refinement": sums[1, 0], "weight": weight, "sums": class_sums_record(s, w, k)},
        {"error": sums[2, 0], "weight": weight, "sums": class_sums_record(s + 2 * k, w, k)},
    )


cdef inline object pair_sums_record(const double* matrix, const double* weight, Py_ssize_t k):
    cdef double[5] out
    pair_sums_of(matrix, weight, k, out, 1)
    return new(PairSums, (out[0], out[1], out[2], out[3], out[4]))


cdef inline object class_sums_record(const double* values, const double* weight, Py_ssize_t k):
    cdef double[3] out
    class_sums_of(values, weight, k, out, 1)
    return new(ClassSums, (out[0], out[1], out[2]))


# ------------------------------------------------------------------------------------------- tables of any sizes

include "_ragged.pxi"
include "_census.pxi"
