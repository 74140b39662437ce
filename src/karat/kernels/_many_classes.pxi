# Very many classes: what formulas ask of tables over pairs of classes, a row of them at a time.

DEF BESIDE = 8              # columns that are read together: as many doubles as a line of the cache holds


def class_columns(cnp.ndarray truth, cnp.ndarray proba, weight, cnp.ndarray place, cnp.ndarray each, Py_ssize_t size):
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef Py_ssize_t n = proba.shape[0], k = proba.shape[1], m = each.shape[0], first, j, c, beside = min(k, BESIDE)
    cdef const int32_t* y = places(truth)
    cdef const int32_t* class_of = places(place)
    cdef const double* times = doubles(each)
    cdef bint single = cnp.PyArray_TYPE(proba) == cnp.NPY_FLOAT
    cdef const float* narrow = floats(proba) if single else NULL
    cdef const double* wide = NULL if single else doubles(proba)
    cdef Sums out = Sums(1, 1, m)
    cdef Packing how = Packing(0, 0, 0, bits_for(m))
    cdef Room room = room_for(n, size, m)
    cdef double* scores = <double*>PyMem_RawMalloc((beside + 1) * n * sizeof(double))
    cdef double* distinct = scores + beside * n
    cdef double* weights = <double*>PyMem_RawMalloc(n * sizeof(double)) if w != NULL else NULL
    cdef uint64_t* keys = <uint64_t*>PyMem_RawMalloc(n * sizeof(uint64_t))
    facts_ = zeros(7, k)
    cdef double* facts = room_in(facts_)
    with nogil:
        for first in range(0, k, BESIDE):
            beside = min(k - first, BESIDE)
            if single:
                put_side_by_side(narrow + first, n, k, beside, scores)
            else:
                put_side_by_side(wide + first, n, k, beside, scores)
            for j in range(first, first + beside):
                rank_scores(scores + (j - first) * n, y, w, n, how.bits, keys, distinct, weights)
                memset(out.wins, 0, m * sizeof(double))
                memset(out.gains, 0, m * sizeof(double))
                scan_sorted(keys, n, class_of[j], &how, distinct, weights, size, &room, out, 0)
                for c in range(m):
                    facts[j] += out.wins[c] * times[c]
                    facts[k + j] += out.gains[c] * times[c]
                    facts[2 * k + j] += out.wins[c]
                    facts[3 * k + j] += out.gains[c]
                for c in range(3):
                    facts[(4 + c) * k + j] = out.sums[c]
    PyMem_RawFree(scores)
    PyMem_RawFree(weights)
    PyMem_RawFree(keys)
    leave(room)
    return facts_


cdef inline int bits_for(Py_ssize_t numbers) noexcept nogil:
    # Bits that the numbers below this take.
    cdef int bits = 1
    while (numbers - 1) >> bits:
        bits += 1
    return bits


cdef inline void put_side_by_side(const real* scores, Py_ssize_t n, Py_ssize_t stride, Py_ssize_t columns,
                                  double* out) noexcept nogil:
    cdef Py_ssize_t i, j
    for i in range(n):
        for j in range(columns):
            out[j * n + i] = scores[i * stride + j] + 0.0           # no -0.0


cdef inline uint64_t in_order(double x) noexcept nogil:
    # A number that grows with x.
    cdef uint64_t bits = bits_of(x)
    return bits ^ (SIGN | -(bits >> 63))


cdef void rank_scores(const double* scores, const int32_t* truth, const double* weight, Py_ssize_t n, int bits,
                      uint64_t* keys, double* distinct, double* weights) noexcept nogil:
    # Sorted keys of the rank of a score among the distinct ones, and the class. They are sorted by as many bits of the
    # score as there is room for beside the number of the case, and then where these are equal by those that were left.
    cdef uint64_t low = in_order(scores[0]), high = low, u, kept
    cdef int number = bits_for(n), left = 0
    cdef Py_ssize_t i, at, stop, rank = -1
    for i in range(n):
        u = in_order(scores[i])
        low = min(low, u)
        high = max(high, u)
    while (high - low) >> left >> (64 - number):
        left += 1
    for i in range(n):
        keys[i] = (in_order(scores[i]) - low) >> left << number | <uint64_t>i
    sort_keys(keys, n, number)
    kept = (<uint64_t>1 << number) - 1
    if left:
        at = 0
        while at < n:
            stop = at + 1
            while stop < n and keys[stop] >> number == keys[at] >> number:
                stop += 1
            if stop - at > 1:
                for i in range(at, stop):
                    u = keys[i] & kept
                    keys[i] = ((in_order(scores[u]) - low) & ((<uint64_t>1 << left) - 1)) << number | u
                sort_wide(keys + at, stop - at, NULL)
            at = stop
    for i in range(n):
        u = keys[i] & kept
        if rank < 0 or scores[u] != distinct[rank]:
            rank += 1
            distinct[rank] = scores[u]
        keys[i] = <uint64_t>rank << bits | <uint64_t>truth[u]
        if weight != NULL:
            weights[i] = weight[u]


def class_rows(cnp.ndarray truth, cnp.ndarray proba, weight, cnp.ndarray order, cnp.ndarray class_weight, double floor):
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef Py_ssize_t n = proba.shape[0], k = proba.shape[1], at = 0, i, j, y
    cdef const int32_t* class_of = places(truth)
    cdef const int64_t* case_at = <const int64_t*>cnp.PyArray_DATA(order)
    cdef const double* total = doubles(class_weight)
    cdef bint single = cnp.PyArray_TYPE(proba) == cnp.NPY_FLOAT
    cdef const float* narrow = floats(proba) if single else NULL
    cdef const double* wide = NULL if single else doubles(proba)
    cdef double* row = <double*>PyMem_RawMalloc(k * sizeof(double))
    cdef double times = 1.0
    losses_, whole_, relative_ = zeros(2, k), zeros(3, k), zeros(3, k)
    cdef double* losses = room_in(losses_)
    cdef double* whole = room_in(whole_)
    cdef double* relative = room_in(relative_)
    cdef double whole_spread = 0.0, relative_spread = 0.0, spread
    with nogil:
        while at < n:
            y = class_of[case_at[at]]
            memset(row, 0, k * sizeof(double))
            while at < n and class_of[case_at[at]] == y:
                i = case_at[at]
                if w != NULL:
                    times = w[i]
                if single:
                    add_case(narrow + i * k, k, y, times, floor, row, losses)
                else:
                    add_case(wide + i * k, k, y, times, floor, row, losses)
                at += 1
            if total[y] > 0.0:
                spread = add_class(row, k, y, whole)
                whole_spread += spread
                if total[y] == 1.0:             # the same numbers again
                    for j in range(k):
                        relative[2 * k + j] += row[j] if j != y else 0.0
                    relative[y] = whole[y]
                    relative[k + y] = whole[k + y]
                else:
                    for j in range(k):
                        row[j] /= total[y]
                    spread = add_class(row, k, y, relative)
                relative_spread += spread
    PyMem_RawFree(row)
    return losses_, whole_, relative_, whole_spread, relative_spread


cdef inline void add_case(const real* p, Py_ssize_t k, Py_ssize_t y, double weight, double floor, double* row,
                          double* losses) noexcept nogil:
    cdef Py_ssize_t j
    cdef double hit = p[y], square = (hit - 1.0) * (hit - 1.0), even = 0.0, odd = 0.0, x, next_x
    for j in range(0, k - 1, 2):
        x = p[j]
        next_x = p[j + 1]
        row[j] += weight * x
        row[j + 1] += weight * next_x
        x = x if j != y else 0.0
        next_x = next_x if j + 1 != y else 0.0
        even += x * x
        odd += next_x * next_x
    if k & 1:
        x = p[k - 1]
        row[k - 1] += weight * x
        x = x if k - 1 != y else 0.0
        even += x * x
    losses[y] += weight * (square + (even + odd))
    losses[k + y] += weight * log2(hit if hit > floor else floor)


cdef inline double add_class(const double* row, Py_ssize_t k, Py_ssize_t y, double* parts) noexcept nogil:
    # The row of class y, to (diagonal, missed, alarms)[3, k]; gives the sum of c ln c of its other cells.
    cdef Py_ssize_t j
    cdef double missed = 0.0, spread = 0.0, x
    parts[y] = row[y]
    for j in range(k):
        x = row[j] if j != y else 0.0
        parts[2 * k + j] += x
        missed += x
        spread += x_ln_x(x)
    parts[k + y] = missed
    return spread
