# Tables of any sizes, one after the other as they lie in memory: nothing is copied or stacked.


def ragged_extent(list tables):
    cdef Py_ssize_t n = len(tables), b, i, cells
    out_ = zeros(4, n)
    cdef double* out = room_in(out_)
    cdef const double* c
    cdef double low, high, low_other, high_other, x, y
    cdef bint strange
    cdef cnp.ndarray table
    for b in range(n):
        if type(tables[b]) is not cnp.ndarray:
            return None
        table = <cnp.ndarray>tables[b]
        if cnp.PyArray_NDIM(table) != 2 or cnp.PyArray_TYPE(table) != cnp.NPY_DOUBLE or not (
                cnp.PyArray_ISCARRAY_RO(table)):
            return None
        cells = table.shape[0] * table.shape[1]
        out[b] = table.shape[0]
        out[n + b] = table.shape[1]
        c = <const double*>cnp.PyArray_DATA(table)
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


def ragged_sums(list tables):
    cdef Py_ssize_t n = len(tables), b, k, l, room_for = 0
    cdef cnp.ndarray table
    cdef const double* c
    cdef double* t = NULL
    cdef double* u
    cdef double* missed
    cdef double* alarms
    cdef double wrong
    out_ = zeros(10, n)
    cdef double* out = room_in(out_)
    for b in range(n):
        table = <cnp.ndarray>tables[b]
        k, l = table.shape[0], table.shape[1]
        c = doubles(table)
        if 3 * (k + l) > room_for:
            free(t)
            room_for = 3 * (k + l)
            t = <double*>malloc(room_for * sizeof(double))
        u = t + k
        missed = u + l
        alarms = missed + k
        wrong = margins_of(c, k, l, t, u, missed, alarms)
        sums_of(c, k, l, t, u, missed, alarms, wrong, alarms + l, out + b, n)
        out[8 * n + b] = confusion_of(c, k, t, u, missed, alarms) if k == l else NAN
        out[9 * n + b] = overlap_of(c, k, l, t, u)
    free(t)
    return out_


def ragged_logs(list tables):
    cdef Py_ssize_t n = len(tables), b, k, l
    cdef cnp.ndarray table
    cdef double* t
    out_ = zeros(5, n)
    for b in range(n):
        table = <cnp.ndarray>tables[b]
        k, l = table.shape[0], table.shape[1]
        t = <double*>malloc(2 * (k + l) * sizeof(double))
        margins_of(doubles(table), k, l, t, t + k, t + k + l, t + 2 * k + l)
        logs_of(doubles(table), k, l, t, t + k, room_in(out_) + b, n)
        free(t)
    return out_
