# One pass over the rows.


def row_sums(cnp.ndarray truth, cnp.ndarray proba, decided, weight, Py_ssize_t l, double floor, Py_ssize_t given=-1):
    cdef Py_ssize_t B = proba.shape[0], n = proba.shape[1], k = proba.shape[2] if given < 0 else 2
    cdef const int32_t* d = places(decided) if decided is not None else NULL
    cdef const double* w = doubles(weight) if weight is not None else NULL
    counts, sums, squares, logs = zeros(B, k, l), zeros(B, k, k), zeros(B, k), zeros(B, k)
    cdef const int32_t* y = places(truth)
    cdef Rows rows = rows_of(proba, given)
    cdef double* a = room_in(counts)
    cdef double* b = room_in(sums)
    cdef double* e = room_in(squares)
    cdef double* g = room_in(logs)
    with nogil:
        add_rows(y, &rows, d, w, B, n, l, floor, a, b, e, g)
    free(rows.some)
    return counts, sums, squares, logs


cdef void add_rows(const int32_t* truth, Rows* rows, const int32_t* decided, const double* weight, Py_ssize_t B,
                   Py_ssize_t n, Py_ssize_t l, double floor, double* counts, double* sums, double* squares,
                   double* logs) noexcept nogil:
    cdef Py_ssize_t b, piece, i, j, start, stop, y, top, k = rows.k, step = rows.at_once
    cdef bint plain = weight == NULL and floor >= 1e-16
    # Sums of a block of rows keep rounding small; with very many classes each has few rows, and no block is needed.
    cdef Py_ssize_t cells = k * k if k * k <= SMALL else 0
    cdef double* block = <double*>malloc((cells + 4 * k) * sizeof(double))
    cdef double* block_squares = block + cells
    cdef double* product = block_squares + k
    cdef double* ideal = product + k            # zeros around a one: what row y of the identity begins k - 1 - y after
    cdef const double* wanted
    cdef const double* p
    cdef const double* proba
    cdef double* s
    cdef double x, best, hit, square, w = 1.0
    memset(ideal, 0, 2 * k * sizeof(double))
    ideal[k - 1] = 1.0
    for b in range(B):
        for piece in range((n + step - 1) // step):
            start = piece * step
            stop = min(n, start + step)
            proba = some_rows(rows, b * n + start, stop - start)
            memset(block, 0, (cells + k) * sizeof(double))
            for j in range(k):
                product[j] = 1.0
            if plain and decided == NULL and k == 2 and l > 0:
                two_class_rows(truth + start, proba, stop - start, floor, counts, l, block, block_squares, product,
                               logs)
            else:
                for i in range(start, stop):
                    y = truth[i]
                    p = proba + (i - start) * k
                    s = block + y * k if cells else sums + y * k
                    if weight != NULL:
                        w = weight[i]
                    wanted = ideal + k - 1 - y
                    best = p[0]
                    top = 0
                    square = 0.0
                    for j in range(k):
                        x = p[j]
                        s[j] += w * x
                        hit = x - wanted[j]
                        square += hit * hit
                        if x > best:
                            best = x
                            top = j
                    hit = p[y]
                    block_squares[y] += w * square
                    if decided != NULL:
                        top = decided[i]
                    if l > 0:
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
            for j in range(cells):
                sums[j] += block[j]
        counts += k * l
        sums += k * k
        squares += k
        logs += k
        truth += n
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


def cell_weights(cnp.ndarray truth, cnp.ndarray decided, weight, Py_ssize_t k, Py_ssize_t l):
    cdef Py_ssize_t B = truth.shape[0], n = truth.shape[1], b, i
    cdef const int32_t* y = places(truth)
    cdef const int32_t* d = places(decided)
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef int32_t ones, decisions, both
    out_ = zeros(B, k, l)
    cdef double* out = room_in(out_)
    with nogil:
        for b in range(B):
            if k == 2 and l == 2 and w == NULL:
                ones = decisions = both = 0
                for i in range(n):
                    ones += y[i]
                    decisions += d[i]
                    both += y[i] & d[i]
                out[0] = n - ones - decisions + both
                out[1] = decisions - both
                out[2] = ones - both
                out[3] = both
            else:
                for i in range(n):
                    out[y[i] * l + d[i]] += w[i] if w != NULL else 1.0
            out += k * l
            y += n
            d += n
            if w != NULL:
                w += n
    return out_


def class_weights(cnp.ndarray truth, weight, Py_ssize_t k):
    cdef Py_ssize_t B = truth.shape[0], n = truth.shape[1], b
    cdef const int32_t* y = places(truth)
    cdef const double* w = doubles(weight) if weight is not None else NULL
    out_ = zeros(B, k)
    cdef double* out = room_in(out_)
    with nogil:
        for b in range(B):
            add_weights(y + b * n, w + b * n if w != NULL else NULL, n, k, out + b * k)
    return out_


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
