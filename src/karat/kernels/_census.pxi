# Every table of whole numbers with a given total, in the order of its cells as digits. While only the last row changes,
# what is known of a table is a sum over its columns of what is known of each of them, which is looked up.

DEF KNOWN = 3               # of a column: its part of the covariance, of the spread of the decisions, of the confusion


cdef extern from *:
    """
    /* Four tables at a time, of which the last may be too many: the next run writes over them. */
    static inline void karat_run_of_tables(double* __restrict trace, double* __restrict covariance,
                                           double* __restrict decided, double* __restrict confusion, double hits,
                                           double a, double b, double c, const double* __restrict before,
                                           const double* __restrict last, Py_ssize_t step, Py_ssize_t n) {
        for (Py_ssize_t x = 0; x < n; x += 4)
            for (int i = 0; i < 4; i++) {
                Py_ssize_t at = x + i;
                double disorder = (c + before[2 * step + at]) + last[2 * step + at];
                trace[at] = hits - (double)at;
                covariance[at] = (a + before[at]) + last[at];
                decided[at] = (b + before[step + at]) + last[step + at];
                confusion[at] = disorder > 0.0 ? disorder : 0.0;
            }
    }
    /* A column of a class whose row lies above, if the last row has 0, 1, 2, ... cases in it. */
    static inline void karat_know_column(double* __restrict out, Py_ssize_t step, Py_ssize_t n, double row, double above,
                                         double hit, double s, const double* __restrict numbers,
                                         const double* __restrict ln, const double* __restrict x_ln_x) {
        for (Py_ssize_t x = 0; x < n; x++) {
            double sum = above + numbers[x];
            out[x] = -row * sum;
            out[step + x] = sum * (s - sum);
            out[2 * step + x] = (row + sum - 2.0 * hit) * ln[x] - 2.0 * x_ln_x[x];
        }
    }
    /* The last column, whose cell in the last row is on the diagonal: from the most cases down. */
    static inline void karat_know_last_column(double* __restrict out, Py_ssize_t step, Py_ssize_t n, double row,
                                              double above, double s, const double* __restrict numbers,
                                              const double* __restrict ln) {
        for (Py_ssize_t place = 0; place < n; place++) {
            double x = row - numbers[place], sum = above + x;
            out[place] = s * x - row * sum;
            out[step + place] = sum * (s - sum);
            out[2 * step + place] = (row + sum - 2.0 * x) * ln[n - 1 - place];
        }
    }
    """
    void karat_know_column(double* out, Py_ssize_t step, Py_ssize_t n, double row, double above, double hit, double s,
                           const double* numbers, const double* ln, const double* x_ln_x) noexcept nogil
    void karat_know_last_column(double* out, Py_ssize_t step, Py_ssize_t n, double row, double above, double s,
                                const double* numbers, const double* ln) noexcept nogil
    void karat_run_of_tables(double* trace, double* covariance, double* decided, double* confusion, double hits, double a,
                             double b, double c, const double* before, const double* last, Py_ssize_t step,
                             Py_ssize_t n) noexcept nogil


def census(Py_ssize_t k, list cells, Py_ssize_t block):
    cdef Py_ssize_t m = k * k, d, filled, total = sum(cells), step = total + 5
    cdef cnp.npy_intp[2] shape = [5, block + 4]
    cdef cnp.ndarray facts_ = cnp.PyArray_EMPTY(2, shape, cnp.NPY_DOUBLE, 0)
    # the cells but for the last two, which are 0 and `left`; of the rows above the last: sums over rows, and over columns
    cdef Py_ssize_t* c = <Py_ssize_t*>calloc(m + 2 * k, sizeof(Py_ssize_t))
    cdef Py_ssize_t left = cells[m - 1]
    cdef double* out = room_in(facts_)
    # ln x up to twice the total; x ln x, x; what is known of the columns
    cdef double* ln_of = <double*>calloc(4 * step + k * KNOWN * step, sizeof(double))
    for d in range(m - 2):
        c[d] = cells[d]
    for d in range(2 * total + 1):
        ln_of[d] = whole_ln(d)
    for d in range(total + 1):
        ln_of[2 * step + d] = whole_x_ln_x(d)
        ln_of[3 * step + d] = d
    with nogil:
        if k == 3:                              # known to the compiler
            filled = runs_of_tables(c, 3, &left, total, ln_of, step, out, block)
        else:
            filled = runs_of_tables(c, k, &left, total, ln_of, step, out, block)
    following = [c[d] for d in range(m - 2)] + [0, left] if left >= 0 else None
    free(c)
    free(ln_of)
    return facts_[:, :filled], following


cdef inline Py_ssize_t runs_of_tables(Py_ssize_t* c, Py_ssize_t k, Py_ssize_t* rest, Py_ssize_t total, double* ln_of,
                                      Py_ssize_t step, double* out, Py_ssize_t block) noexcept nogil:
    # Fills as many tables as there is room for and gives their number; `rest` is the last cell of the next one, or -1.
    cdef Py_ssize_t m = k * k, last_row = m - k, d, j, x, filled = 0, left = rest[0], wide = block + 4, taken
    cdef double* known = ln_of + 4 * step
    cdef double trace = 0.0, truth = 0.0, fixed = 0.0, a, b, e
    cdef bint same = False                      # are the rows above the last those of the last run?
    while filled + left < block:
        if not same:
            know_columns(c, k, total, ln_of, step, known, &trace, &truth, &fixed)
            same = True
        a = trace * total
        b = 0.0
        e = fixed
        taken = 0
        for j in range(k - 2):
            x = c[last_row + j]
            a += known[j * KNOWN * step + x]
            b += known[(j * KNOWN + 1) * step + x]
            e += known[(j * KNOWN + 2) * step + x]
            taken += x
        karat_run_of_tables(out + filled, out + wide + filled, out + 3 * wide + filled, out + 4 * wide + filled,
                            trace + left, a, b, e, known + (k - 2) * KNOWN * step,
                            known + (k - 1) * KNOWN * step + taken, step, left + 1)
        for j in range(left + 1):
            out[2 * wide + filled + j] = truth
        filled += left + 1
        d = m - 3
        if left > 0:
            left -= 1
            c[d] += 1
            same = d >= last_row                # of two classes it is a cell of the row above
            continue
        while d >= 0 and c[d] == 0:             # carry: the last cell that is not 0 gives all it has
            d -= 1
        if d <= 0:
            left = -1
            break
        left = c[d] - 1
        c[d] = 0
        c[d - 1] += 1
        same = d > last_row
    rest[0] = left
    return filled


cdef inline void know_columns(const Py_ssize_t* c, Py_ssize_t k, Py_ssize_t total, const double* ln_of, Py_ssize_t step,
                              double* known, double* trace, double* truth, double* fixed) noexcept nogil:
    # What each column brings, if the last row has 0, 1, 2, ... cases in it; of the last column from the most cases down.
    # And the trace, the spread of the classes, and the part of the confusion that lies in the rows above.
    cdef Py_ssize_t i, j, row, above, most = total
    cdef const double* x_ln_x_of = ln_of + 2 * step
    cdef const double* numbers = ln_of + 3 * step
    cdef double s = <double>total
    trace[0] = truth[0] = fixed[0] = 0.0
    for i in range(k - 1):
        row = 0
        for j in range(k):
            row += c[i * k + j]
            if i != j:
                fixed[0] -= 2.0 * x_ln_x_of[c[i * k + j]]
        trace[0] += c[i * k + i]
        truth[0] += row * (s - row)
        most -= row
    truth[0] += most * (s - most)
    for j in range(k - 1):
        above = row = 0
        for i in range(k):
            row += c[j * k + i]
            above += c[i * k + j] if i < k - 1 else 0
        karat_know_column(known + j * KNOWN * step, step, most + 1, row, above, c[j * k + j], s, numbers,
                          ln_of + row + above, x_ln_x_of)
    above = 0
    for i in range(k - 1):
        above += c[i * k + k - 1]
    karat_know_last_column(known + (k - 1) * KNOWN * step, step, most + 1, most, above, s, numbers, ln_of + most + above)


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
