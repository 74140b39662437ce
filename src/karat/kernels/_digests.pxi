# One evaluation, all of it at once.


cpdef object made(kind, dict fields):
    return karat_made(kind, fields)


def row_digest(tuple kinds, cnp.ndarray truth, cnp.ndarray proba, decided, weight, Py_ssize_t l, double floor):
    cdef Py_ssize_t n = proba.shape[1], k = proba.shape[2]
    cdef const int32_t* y = places(truth)
    cdef const int32_t* d = places(decided) if decided is not None else NULL
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef cnp.ndarray counts = zeros(k, l), shares = zeros(k, l), sums = zeros(k, k), means = zeros(k, k)
    cdef cnp.ndarray squares = zeros(k), logs = zeros(k), weights = zeros(k)
    cdef const double* p = doubles(proba)
    cdef double* a = room_in(counts)
    cdef double* b = room_in(sums)
    cdef double* e = room_in(squares)
    cdef double* g = room_in(logs)
    cdef double* h = room_in(weights)
    cdef double* share = room_in(shares)
    cdef double* mean = room_in(means)
    with nogil:
        add_rows(y, p, d, w, 1, n, k, l, floor, a, b, e, g)
        add_weights(y, w, n, k, h)
        divide_rows(a, NULL, k, l, share)
        divide_rows(b, h, k, k, mean)
    table, probable, lost = kinds
    squares_sums = class_sums_record(e, h, k)
    return (
        made(table, table_record(counts, k, l, made(table, table_record(shares, k, l)))),
        made(probable, {
            "sums": sums,
            "weight": weights,
            "total": squares_sums[1],
            "table": made(table, table_record(sums, k, k)),
            "relative": made(table, table_record(means, k, k)),
        }),
        made(lost, {
            "squares": squares,
            "logs": logs,
            "weight": weights,
            "squares_sums": squares_sums,
            "logs_sums": class_sums_record(g, h, k),
        }),
    )


cdef dict table_record(cnp.ndarray table, Py_ssize_t k, Py_ssize_t l, relative=None):
    cdef double[15] out
    cdef double ln_errors = log(<double>(2 * k - 2))
    facts_into(room_in(table), k, l, out)
    cdef dict record = {
        "table": table,
        "k": k,
        "l": l,
        "classes": <double>k,
        "ln_errors": ln_errors,
        "sums": floats(TableSums, out, 8),
        "logs": floats(TableLogs, &out[8], 5),
        "diagonal": out[11],
        "confusion": out[13],
        "overlap": out[14],
    }
    if relative is not None:
        record["relative"] = relative
    return record


def column_digest(tuple kinds, cnp.ndarray wins, cnp.ndarray gains, cnp.ndarray sums, cnp.ndarray weight):
    cdef Py_ssize_t k = weight.shape[0]
    cdef const double* w = doubles(weight)
    cdef const double* s = doubles(sums)
    cdef cnp.npy_intp[2] shape = [k, k]
    pairs, margins, segments, windows = kinds
    return (
        made(pairs, {"matrix": shared(wins, 2, shape), "weight": weight, "sums": pair_sums_record(doubles(wins), w, k)}),
        made(margins, {"matrix": shared(gains, 2, shape), "weight": weight, "sums": pair_sums_record(doubles(gains), w, k)}),
        made(segments, {
            "deviation": shared(sums, 1, shape),
            "refinement": shared(sums, 1, shape, k),
            "weight": weight,
            "sums": class_sums_record(s, w, k),
        }),
        made(windows, {
            "error": shared(sums, 1, shape, 2 * k),
            "weight": weight,
            "sums": class_sums_record(s + 2 * k, w, k),
        }),
    )


cdef inline object pair_sums_record(const double* matrix, const double* weight, Py_ssize_t k):
    cdef double[5] out
    pair_sums_of(matrix, weight, k, out, 1)
    return floats(PairSums, out, 5)


cdef inline object class_sums_record(const double* values, const double* weight, Py_ssize_t k):
    cdef double[3] out
    class_sums_of(values, weight, k, out, 1)
    return floats(ClassSums, out, 3)
