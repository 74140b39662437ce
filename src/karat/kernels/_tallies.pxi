# Cases counted by their scores.

DEF FACTS = 8


def score_counts(cnp.ndarray column, cnp.ndarray own):
    if cnp.PyArray_TYPE(column) == cnp.NPY_FLOAT:
        return counted_scores[float, uint32_t](column, own.view(np.uint8), np.empty(len(column), np.uint32))
    return counted_scores[double, uint64_t](column, own.view(np.uint8), np.empty(len(column), np.uint64))


cdef tuple counted_scores(const real[::1] column, const uint8_t[::1] own, word[::1] keys):
    cdef Py_ssize_t i, n = column.shape[0], m = 0
    cdef word bits
    cdef real x
    cdef double* score
    cdef double* rest
    if n == 0:
        return zeros(0), zeros(2, 0)
    with nogil:
        for i in range(n):
            x = column[i]
            memcpy(&bits, &x, sizeof(word))
            keys[i] = (bits << 1) | own[i]              # the sign of -0 is shifted out
        sort_keys(&keys[0], n, 1)
        for i in range(n):
            m += i == 0 or keys[i] >> 1 != keys[i - 1] >> 1
    scores, counts = zeros(m), zeros(2, m)
    score, rest = room_in(scores) - 1, room_in(counts) - 1
    with nogil:
        for i in range(n):
            if i == 0 or keys[i] >> 1 != keys[i - 1] >> 1:
                score += 1
                rest += 1
                score[0] = score_of_key(keys[i])
            rest[m * (keys[i] & 1)] += 1.0
    return scores, counts


cdef inline Py_ssize_t bin_of(double x, const double* edges, Py_ssize_t bins) noexcept nogil:
    # Bins of equal width are guessed at once; rounding is put right.
    cdef Py_ssize_t i = <Py_ssize_t>(x * bins)
    i = 0 if i < 0 else bins - 1 if i >= bins else i
    while i > 0 and x <= edges[i - 1]:
        i -= 1
    while i < bins - 1 and x > edges[i]:
        i += 1
    return i


def confidence_bins(cnp.ndarray truth, cnp.ndarray proba, weight, cnp.ndarray edges, Py_ssize_t given=-1):
    return binned_rows(truth, proba, weight, edges, given, True)


def class_bins(cnp.ndarray truth, cnp.ndarray proba, weight, cnp.ndarray edges, Py_ssize_t given=-1):
    return binned_rows(truth, proba, weight, edges, given, False)


cdef cnp.ndarray binned_rows(cnp.ndarray truth, cnp.ndarray proba, weight, cnp.ndarray edges, Py_ssize_t given,
                             bint highest):
    cdef Py_ssize_t B = proba.shape[0], n = proba.shape[1], bins = edges.shape[0] + 1
    cdef Rows rows = rows_of(proba, given)
    cdef Py_ssize_t k = rows.k, columns = 1 if highest else rows.k, size = B * columns * bins
    cdef Py_ssize_t b, i, j, piece, start, m, top
    cdef const int32_t* y = places(truth)
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef const double* e = doubles(edges)
    cdef const double* p
    cdef double case = 1.0
    cdef double* at
    out = zeros(3, size)
    cdef double* room = room_in(out)
    with nogil:
        for b in range(B):
            for piece in range((n + rows.at_once - 1) // rows.at_once):
                start = piece * rows.at_once
                m = min(rows.at_once, n - start)
                p = some_rows(&rows, b * n + start, m)
                for i in range(b * n + start, b * n + start + m):
                    if w != NULL:
                        case = w[i]
                    if highest:
                        top = 0
                        for j in range(1, k):
                            top = j if p[j] > p[top] else top
                        at = room + b * bins + bin_of(p[top], e, bins)
                        at[0] += case
                        at[size] += case * p[top]
                        at[2 * size] += case * one_if(top == y[i])
                    else:
                        for j in range(k):
                            at = room + (b * k + j) * bins + bin_of(p[j], e, bins)
                            at[0] += case
                            at[size] += case * p[j]
                            at[2 * size] += case * one_if(j == y[i])
                    p += k
    free(rows.some)
    return out.reshape(3, B, bins) if highest else out.reshape(3, B, k, bins)


def probability_facts(cnp.ndarray truth, cnp.ndarray proba, weight, squares, Py_ssize_t given=-1):
    cdef Py_ssize_t n = proba.shape[0], i, j, piece, start, m, top, highest, y
    cdef Rows rows = rows_of(proba, given)
    cdef Py_ssize_t k = rows.k
    cdef const int32_t* truths = places(truth)
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef const double* v = doubles(squares) if squares is not None else w
    cdef double case = 1.0, square = 1.0, x, best, right
    cdef const double* p
    facts, columns = zeros(FACTS), zeros(k, 3)
    cdef double* f = room_in(facts)
    cdef double* c = room_in(columns)
    cdef double* block = <double*>malloc((FACTS + 3 * k) * sizeof(double))
    cdef double* own = block + FACTS
    with nogil:
        for piece in range((n + rows.at_once - 1) // rows.at_once):
            start = piece * rows.at_once
            m = min(rows.at_once, n - start)
            p = some_rows(&rows, start, m)
            memset(block, 0, (FACTS + 3 * k) * sizeof(double))
            for i in range(start, start + m):
                y = truths[i]
                if w != NULL:
                    case, square = w[i], v[i]
                top, highest, best = 0, 1, p[0]
                for j in range(1, k):
                    highest = 1 if p[j] > best else highest + (p[j] == best)
                    top = j if p[j] > best else top
                    best = p[j] if p[j] > best else best
                right = one_if(top == y)
                block[0] += case
                block[1] += case * best
                block[2] += case * right
                block[3] += case * (right - best)
                block[4] += square * best * (1.0 - best)
                block[5] += case * one_if(best == 1.0)
                block[6] += one_if(highest > 1 and case > 0.0)
                block[7] += one_if(p[y] == 0.0 and case > 0.0)
                for j in range(k):
                    x = p[j]
                    own[3 * j] -= case * x
                    own[3 * j + 1] += square * x * (1.0 - x)
                    own[3 * j + 2] += case * x
                own[3 * y] += case
                p += k
            for j in range(FACTS):
                f[j] += block[j]
            for j in range(3 * k):
                c[j] += own[j]
    free(block)
    free(rows.some)
    return facts, columns
