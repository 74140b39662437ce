# Tables of any sizes, one after the other as they lie in memory: nothing is copied or stacked.


def ragged_floats(list tables):
    return [floats_of(table) for table in tables]


cdef object floats_of(object given):
    # The same if it is no table of whole numbers, or of some that floats can't tell apart.
    if type(given) is not cnp.ndarray:
        return given
    cdef cnp.ndarray table = <cnp.ndarray>given
    if cnp.PyArray_NDIM(table) != 2 or not cnp.PyArray_ISCARRAY_RO(table):
        return given
    cdef cnp.npy_intp[2] shape = [table.shape[0], table.shape[1]]
    cdef int kind = cnp.PyArray_TYPE(table), size = cnp.PyArray_ITEMSIZE(table)
    cdef const void* cells = cnp.PyArray_DATA(table)
    cdef Py_ssize_t n = shape[0] * shape[1]
    cdef cnp.ndarray floats
    cdef double* out
    cdef bint exact = False
    if not cnp.PyTypeNum_ISINTEGER(kind) or (size == 8 and cnp.PyTypeNum_ISUNSIGNED(kind)):
        return given
    floats = cnp.PyArray_EMPTY(2, shape, cnp.NPY_DOUBLE, 0)
    out = room_in(floats)
    if cnp.PyTypeNum_ISUNSIGNED(kind):
        if size == 1:
            exact = copy_exactly(<const uint8_t*>cells, n, out)
        elif size == 2:
            exact = copy_exactly(<const uint16_t*>cells, n, out)
        elif size == 4:
            exact = copy_exactly(<const uint32_t*>cells, n, out)
    elif size == 1:
        exact = copy_exactly(<const int8_t*>cells, n, out)
    elif size == 2:
        exact = copy_exactly(<const int16_t*>cells, n, out)
    elif size == 4:
        exact = copy_exactly(<const int32_t*>cells, n, out)
    elif size == 8:
        exact = copy_exactly(<const int64_t*>cells, n, out)
    return floats if exact else given


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


def ragged_sums(list tables, bint shares=False):
    cdef Py_ssize_t n = len(tables), b, k, l, room = 0
    cdef cnp.ndarray table
    cdef const double* c
    cdef double* t = NULL
    cdef double* u
    cdef double* missed
    cdef double* alarms
    cdef double* share
    cdef double wrong, cells
    out_ = zeros(10, n)
    cdef double* out = room_in(out_)
    for b in range(n):
        table = <cnp.ndarray>tables[b]
        k, l = table.shape[0], table.shape[1]
        c = doubles(table)
        if 3 * (k + l) + k * l > room:
            free(t)
            room = 3 * (k + l) + k * l
            t = <double*>malloc(room * sizeof(double))
        u = t + k
        missed = u + l
        alarms = missed + k
        share = alarms + 2 * l + k
        cells = off_diagonal_x_ln_x(c, k) if k == l and not shares else 0.0
        if shares:
            memset(share, 0, k * l * sizeof(double))
            divide_rows(c, NULL, k, l, share)
            cells = shares_x_ln_x(c, share, k, l) if k == l else 0.0
            c = share
        wrong = margins_of(c, k, l, t, u, missed, alarms)
        sums_of(c, k, l, t, u, missed, alarms, wrong, alarms + l, out + b, n)
        out[8 * n + b] = confusion_from(cells, k, t, u, missed, alarms) if k == l else NAN
        out[9 * n + b] = overlap_of(c, k, l, t, u)
    free(t)
    return out_


cdef double shares_x_ln_x(const double* c, const double* share, Py_ssize_t k, Py_ssize_t l) noexcept nogil:
    # The sum of x ln x over the shares off the diagonal; the logarithms of counts are looked up.
    cdef Py_ssize_t i, j
    cdef double total = 0.0, row, ln_row, cells
    for i in range(k):
        row = cells = 0.0
        for j in range(l):
            row += c[i * l + j]
        ln_row = ln(row)
        for j in range(l):
            if j != i and share[i * l + j] > 0.0:
                cells += share[i * l + j] * (ln(c[i * l + j]) - ln_row)
        total += cells
    return total


def ragged_logs(list tables):
    cdef Py_ssize_t n = len(tables), b, k, l, room = 0
    cdef cnp.ndarray table
    cdef const double* c
    cdef double* t = NULL
    out_ = zeros(5, n)
    cdef double* out = room_in(out_)
    for b in range(n):
        table = <cnp.ndarray>tables[b]
        k, l = table.shape[0], table.shape[1]
        c = doubles(table)
        if 2 * (k + l) > room:
            free(t)
            room = 2 * (k + l)
            t = <double*>malloc(room * sizeof(double))
        margins_of(c, k, l, t, t + k, t + k + l, t + 2 * k + l)
        logs_of(c, k, l, t, t + k, out + b, n)
    free(t)
    return out_


def ragged_relative(list tables):
    return [shares_of(table) for table in tables]


cdef cnp.ndarray shares_of(cnp.ndarray table):
    cdef cnp.ndarray out = zeros(table.shape[0], table.shape[1])
    divide_rows(doubles(table), NULL, table.shape[0], table.shape[1], room_in(out))
    return out


def ragged_diagonal(list tables, bint shares=False):
    cdef Py_ssize_t n = len(tables), b, i, j
    cdef cnp.ndarray table
    cdef const double* c
    cdef double row, total
    out_ = zeros(n)
    cdef double* out = room_in(out_)
    for b in range(n):
        table = <cnp.ndarray>tables[b]
        c = doubles(table)
        total = 0.0
        for i in range(table.shape[0]):
            row = 0.0
            for j in range(table.shape[1]):
                row += c[j]
            if row > 0.0:
                total += ln_or_none(c[i]) if i < table.shape[1] else -INFINITY
                if shares:
                    total -= ln(row)
            c += table.shape[1]
        out[b] = total
    return out_
