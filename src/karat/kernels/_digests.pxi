# One evaluation, all of it at once.


def row_digest(cnp.ndarray truth, cnp.ndarray proba, decided, weight, Py_ssize_t l, double floor):
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
    with nogil:
        add_rows(y, p, d, w, 1, n, k, l, floor, a, b, e, g)
        add_weights(y, w, n, k, h)
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
