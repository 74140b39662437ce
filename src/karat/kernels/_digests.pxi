# One evaluation, all of it at once.


def row_digest(cnp.ndarray truth, cnp.ndarray proba, decided, weight, cnp.ndarray class_weight, Py_ssize_t l,
               double floor, Py_ssize_t given=-1):
    cdef Py_ssize_t n = proba.shape[1], k = proba.shape[2] if given < 0 else 2
    cdef const int32_t* y = places(truth)
    cdef const int32_t* d = places(decided) if decided is not None else NULL
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef cnp.ndarray counts = zeros(k, l), shares = zeros(k, l), sums = zeros(k, k), means = zeros(k, k)
    cdef cnp.ndarray squares = zeros(k), logs = zeros(k)
    cdef Rows rows = rows_of(proba, given)
    cdef const double* h = doubles(class_weight)
    cdef double* a = room_in(counts)
    cdef double* b = room_in(sums)
    cdef double* e = room_in(squares)
    cdef double* g = room_in(logs)
    cdef double* share = room_in(shares)
    cdef double* mean = room_in(means)
    cdef double[15] facts
    with nogil:
        add_rows(y, &rows, d, w, 1, n, l, floor, a, b, e, g)
        divide_rows(a, NULL, k, l, share)
        divide_rows(b, h, k, k, mean)
    free(rows.some)
    facts_into(a, k, l, facts)
    squares_sums = class_sums_record(e, h, k)
    return (
        (counts, table_digest(facts, facts[11], facts[13], k), logs_record(&facts[8]), facts[14], shares,
         digest_of(share, k, l)),
        (sums, class_weight, squares_sums[1], digest_of(b, k, k), means, digest_of(mean, k, k)),
        (squares, logs, class_weight, squares_sums, class_sums_record(g, h, k)),
    )


cdef tuple digest_of(const double* table, Py_ssize_t k, Py_ssize_t l):
    cdef double[8] sums
    cdef double diagonal, confusion
    cdef double* t = <double*>malloc((3 * k + 3 * l) * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + l
    cdef double* alarms = missed + k
    cdef double wrong = margins_of(table, k, l, t, u, missed, alarms)
    sums_of(table, k, l, t, u, missed, alarms, wrong, alarms + l, sums, 1)
    diagonal = diagonal_of(table, k, l, t)
    confusion = confusion_of(table, k, t, u, missed, alarms) if k == l else NAN
    free(t)
    return table_digest(sums, diagonal, confusion, k)


cdef inline tuple table_digest(const double* sums, double diagonal, double confusion, Py_ssize_t k):
    return k, log(<double>(2 * k - 2)), sums_record(sums), diagonal, confusion


def column_digest(cnp.ndarray wins, cnp.ndarray gains, cnp.ndarray sums, cnp.ndarray class_weight):
    cdef Py_ssize_t k = class_weight.shape[0]
    cdef const double* w = doubles(class_weight)
    cdef const double* s = doubles(sums)
    cdef cnp.npy_intp[2] shape = [k, k]
    return (
        (shared(wins, 2, shape), class_weight, pair_sums_record(doubles(wins), w, k)),
        (shared(gains, 2, shape), class_weight, pair_sums_record(doubles(gains), w, k)),
        (shared(sums, 1, shape), shared(sums, 1, shape, k), class_weight, class_sums_record(s, w, k)),
        (shared(sums, 1, shape, 2 * k), class_weight, class_sums_record(s + 2 * k, w, k)),
    )


cdef inline object pair_sums_record(const double* matrix, const double* weight, Py_ssize_t k):
    cdef double[5] x
    pair_sums_of(matrix, weight, k, x, 1)
    return named(PairSums, (x[0], x[1], x[2], x[3], x[4]))


cdef inline object class_sums_record(const double* values, const double* weight, Py_ssize_t k):
    cdef double[3] x
    class_sums_of(values, weight, k, x, 1)
    return named(ClassSums, (x[0], x[1], x[2]))
