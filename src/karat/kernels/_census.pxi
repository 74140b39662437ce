# Every table of whole numbers with a given total, in the order of its cells as digits. Two neighbours differ in their
# last two cells, so most of what is known of one is known of the next.


def census(Py_ssize_t k, list cells, Py_ssize_t block):
    cdef Py_ssize_t m = k * k, d, filled
    cdef cnp.npy_intp[2] shape = [9, block]
    cdef cnp.ndarray sums_ = cnp.PyArray_EMPTY(2, shape, cnp.NPY_DOUBLE, 0)
    # the cells but for the last two, which are 0 and `left`; sums of x ln x before each of them, over rows, over columns
    cdef double* c = <double*>calloc(2 * m + 2 * k, sizeof(double))
    cdef double* logs = c + m
    cdef double* t = logs + m
    cdef double* u = t + k
    cdef double left = cells[m - 1], total = left
    cdef double* out = room_in(sums_)
    for d in range(m - 2):
        c[d] = cells[d]
        total += c[d]
        t[d // k] += c[d]
        u[d % k] += c[d]
        logs[d + 1] = logs[d] + off_diagonal(c[d], d, k)
    with nogil:
        if k == 3:                              # known to the compiler
            filled = runs_of_tables(c, logs, t, u, 3, &left, total, out, block)
        else:
            filled = runs_of_tables(c, logs, t, u, k, &left, total, out, block)
    following = [int(c[d]) for d in range(m - 2)] + [0, int(left)] if left >= 0.0 else None
    free(c)
    return sums_[:, :filled], following


cdef inline double off_diagonal(double x, Py_ssize_t place, Py_ssize_t k) noexcept nogil:
    return x_ln_x(x) if place % (k + 1) else 0.0


cdef inline Py_ssize_t runs_of_tables(double* c, double* logs, double* t, double* u, Py_ssize_t k, double* rest,
                                      double total, double* out, Py_ssize_t block) noexcept nogil:
    # Fills as many tables as there is room for and gives their number; `rest` is the last cell of the next one, or -1.
    cdef Py_ssize_t m = k * k, d, j, filled = 0
    cdef double left = rest[0], log
    while filled + left < block:
        run_of_tables(c, t, u, logs[m - 2], k, left, total, out + filled, block)
        filled += <Py_ssize_t>left + 1
        if left > 0.0:
            left -= 1.0
            c[m - 3] += 1.0
            t[(m - 3) // k] += 1.0
            u[(m - 3) % k] += 1.0
            logs[m - 2] = logs[m - 3] + off_diagonal(c[m - 3], m - 3, k)
            continue
        d = m - 3                               # carry: the last cell that is not 0 gives all it has
        while d >= 0 and c[d] == 0.0:
            d -= 1
        if d <= 0:
            left = -1.0
            break
        left = c[d] - 1.0
        t[d // k] -= c[d]
        u[d % k] -= c[d]
        c[d] = 0.0
        d -= 1
        c[d] += 1.0
        t[d // k] += 1.0
        u[d % k] += 1.0
        log = logs[d] + off_diagonal(c[d], d, k)
        for j in range(d + 1, m - 1):
            logs[j] = log
    rest[0] = left
    return filled


cdef inline void run_of_tables(const double* c, const double* t, const double* u, double off, Py_ssize_t k, double left,
                               double s, double* out, Py_ssize_t step) noexcept nogil:
    # The tables whose last two cells are x and left - x. All sums are whole numbers, so differences of them are exact.
    cdef Py_ssize_t i, x, before = <Py_ssize_t>(t[k - 2] + u[k - 2]), behind = <Py_ssize_t>(t[k - 1] + u[k - 1] + 2 * left)
    cdef double trace = left, products = 0.0, truth = 0.0, squares = 0.0, present = 0.0, inside = 0.0, fixed = 0.0
    cdef double row = t[k - 1] + left, rest = t[k - 2], first = u[k - 2], second = u[k - 1] + left
    cdef double hit = c[(k - 2) * (k + 1)], here = one_if(rest > 0.0), there = one_if(row > 0.0), disorder, last = left
    for i in range(k - 2):
        trace += c[i * (k + 1)]
        products += t[i] * u[i]
        truth += t[i] * (s - t[i])
        squares += u[i] * (s - u[i])
        present += one_if(t[i] > 0.0)
        inside += u[i] * one_if(t[i] > 0.0)
        fixed += disorder_of(t[i] + u[i] - 2.0 * c[i * (k + 1)], ln(t[i] + u[i]))
    trace += hit
    truth += rest * (s - rest) + row * (s - row)
    present += here + there
    for x in range(<Py_ssize_t>left + 1):
        disorder = (fixed + disorder_of(rest + first - 2.0 * hit, whole_ln(before + x))
                    + disorder_of(row + second - 2.0 * last, whole_ln(behind - x))) - 2.0 * (off + whole_x_ln_x(x))
        out[x] = s
        out[step + x] = trace
        out[2 * step + x] = s - trace
        out[3 * step + x] = trace * s - products - rest * first - row * second
        out[4 * step + x] = truth
        out[5 * step + x] = squares + first * (s - first) + second * (s - second)
        out[6 * step + x] = present
        out[7 * step + x] = inside + first * here + second * there
        out[8 * step + x] = disorder if disorder > 0.0 else 0.0
        trace -= 1.0
        last -= 1.0
        first += 1.0
        second -= 1.0


def census_tables(Py_ssize_t k, list cells, Py_ssize_t count):
    cdef Py_ssize_t m = k * k, b, d
    tables = zeros(count, k, k)
    cdef double* c = room_in(tables)
    for d in range(m):
        c[d] = cells[d]
    for b in range(1, count):
        memcpy(c + m, c, m * sizeof(double))
        c += m
        d = m - 2
        if c[m - 1] == 0.0:                     # carry
            while c[d] == 0.0:
                d -= 1
            c[m - 1] = c[d]
            c[d] = 0.0
            d -= 1
        c[m - 1] -= 1.0
        c[d] += 1.0
    return tables
