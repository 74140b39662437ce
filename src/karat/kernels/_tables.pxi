# Small tables.


#
# The inner functions are inlined into a loop for each small size, where the compiler unrolls them, and one for all others.


# Nothing is taken by subtraction that could be summed: with weights, what is left of a difference is noise, and a
# noise that should be 0 makes a number out of what is undefined.


cdef inline double margins_of(const double* c, Py_ssize_t k, Py_ssize_t l, double* t, double* u, double* missed,
                              double* alarms) noexcept nogil:
    # Row sums, column sums, both without the diagonal; returns the sum of either of the latter.
    cdef Py_ssize_t i, j
    cdef double off, x, wrong = 0.0
    for j in range(l):
        alarms[j] = 0.0
    for i in range(k):
        off = 0.0
        if k <= 3:                  # known to the compiler, which unrolls it
            for j in range(l):
                x = c[i * l + j] if i != j else 0.0
                off += x
                alarms[j] += x
        else:
            off = add_row(c + i * l, min(i, l), alarms)
            if i + 1 < l:
                off += add_row(c + i * l + i + 1, l - i - 1, alarms + i + 1)
        missed[i] = off
        t[i] = off + c[i * l + i] if i < l else off
        wrong += off
    for j in range(l):
        u[j] = alarms[j] + c[j * l + j] if j < k else alarms[j]
    return wrong


cdef inline double add_row(const double* row, Py_ssize_t n, double* columns) noexcept nogil:
    # Adds a part of a row to the columns and gives its sum: four sums at a time, one would wait for itself.
    cdef Py_ssize_t j
    cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0
    for j in range(0, n - 3, 4):
        a += row[j]
        b += row[j + 1]
        c += row[j + 2]
        d += row[j + 3]
        columns[j] += row[j]
        columns[j + 1] += row[j + 1]
        columns[j + 2] += row[j + 2]
        columns[j + 3] += row[j + 3]
    for j in range(n & ~3, n):
        a += row[j]
        columns[j] += row[j]
    return (a + b) + (c + d)


cdef inline void rest_of(const double* x, Py_ssize_t n, double* rest) noexcept nogil:
    # For each entry, the sum of all others.
    cdef Py_ssize_t i
    cdef double before = 0.0, after = 0.0
    for i in range(n):
        rest[i] = before
        before += x[i]
    for i in range(n - 1, -1, -1):
        rest[i] += after
        after += x[i]


def table_sums(const double[:, :, ::1] table):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2], b
    out_ = np.empty((8, B))
    cdef double[:, ::1] out = out_
    cdef double* t = <double*>malloc((3 * k + 3 * l) * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + l
    cdef double* alarms = missed + k
    cdef double* room = alarms + l
    cdef double wrong
    cdef double[3] t_, u_, missed_, alarms_  # on the stack, where the compiler knows that nothing else points
    cdef double[6] room_
    with nogil:
        if k == 2 and l == 2:
            for b in range(B):
                wrong = margins_of(&table[b, 0, 0], 2, 2, t_, u_, missed_, alarms_)
                sums_of(&table[b, 0, 0], 2, 2, t_, u_, missed_, alarms_, wrong, room_, &out[0, b], B)
        elif k == 3 and l == 3:
            for b in range(B):
                wrong = margins_of(&table[b, 0, 0], 3, 3, t_, u_, missed_, alarms_)
                sums_of(&table[b, 0, 0], 3, 3, t_, u_, missed_, alarms_, wrong, room_, &out[0, b], B)
        else:
            for b in range(B):
                wrong = margins_of(&table[b, 0, 0], k, l, t, u, missed, alarms)
                sums_of(&table[b, 0, 0], k, l, t, u, missed, alarms, wrong, room, &out[0, b], B)
    free(t)
    return out_


cdef inline void sums_of(const double* c, Py_ssize_t k, Py_ssize_t l, const double* t, const double* u,
                         const double* missed, const double* alarms, double wrong, double* room, double* out,
                         Py_ssize_t step) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double s = 0.0, trace = 0.0, covariance = 0.0, truth = 0.0, decided = 0.0, present = 0.0, inside = 0.0
    cdef double hit, rest, by_row, by_column
    cdef double* others = room + k
    rest_of(t, k, room)
    rest_of(u, l, others)
    for i in range(k):
        s += t[i]
        rest = room[i]
        truth += t[i] * rest
        present += one_if(t[i] > 0.0)
        if i < l:
            hit = c[i * l + i]
            trace += hit
            # hit s - t u, by whichever is smaller of what is not in the row and what is not in the column
            by_row, by_column = hit * rest - t[i] * alarms[i], hit * others[i] - u[i] * missed[i]
            covariance += by_row if rest < others[i] else by_column
            inside += u[i] * one_if(t[i] > 0.0)
    for j in range(l):
        decided += u[j] * others[j]
    out[0] = s
    out[step] = trace
    out[2 * step] = wrong
    out[3 * step] = covariance
    out[4 * step] = truth
    out[5 * step] = decided
    out[6 * step] = present
    out[7 * step] = inside


def table_overlap(const double[:, :, ::1] table):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2], b
    out_ = np.empty(B)
    cdef double[::1] out = out_
    cdef double* t = <double*>malloc((3 * k + 3 * l) * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + l
    cdef double* alarms = missed + k
    with nogil:
        for b in range(B):
            margins_of(&table[b, 0, 0], k, l, t, u, missed, alarms)
            out[b] = overlap_of(&table[b, 0, 0], k, l, t, u)
    free(t)
    return out_


cdef inline double overlap_of(const double* c, Py_ssize_t k, Py_ssize_t l, const double* t,
                              const double* u) noexcept nogil:
    cdef Py_ssize_t i
    cdef double overlap = 0.0
    for i in range(min(k, l)):
        if t[i] > 0.0:
            overlap += 2.0 * c[i * l + i] / (t[i] + u[i])
    return overlap


def table_logs(const double[:, :, ::1] table):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2], b
    out_ = np.empty((5, B))
    cdef double[:, ::1] out = out_
    cdef double* t = <double*>malloc((3 * k + 3 * l) * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + l
    cdef double* alarms = missed + k
    with nogil:
        for b in range(B):
            margins_of(&table[b, 0, 0], k, l, t, u, missed, alarms)
            logs_of(&table[b, 0, 0], k, l, t, u, &out[0, b], B)
    free(t)
    return out_


cdef void logs_of(const double* c, Py_ssize_t k, Py_ssize_t l, const double* t, const double* u, double* out,
                  Py_ssize_t step) noexcept nogil:
    cdef Py_ssize_t i, j, main_row = -1, main_column = -1  # those that hold more than half, if any do
    cdef double s = 0.0, cells = 0.0, rows = 0.0, columns = 0.0, shared = 0.0, ln_s, ln_row, ln_x, x, row
    cdef double off_row = 0.0, off_column = 0.0, off, share
    cdef double[FEW] ln_u
    for i in range(k):
        s += t[i]
    ln_s = ln(s)
    for i in range(k):
        if 2.0 * t[i] > s:
            main_row, off_row = i, but_one(t, k, 1, i)
    for j in range(l):
        if 2.0 * u[j] > s:
            main_column, off_column = j, but_one(u, l, 1, j)
    for j in range(min(l, FEW)):
        ln_u[j] = ln(u[j])
    for i in range(k):
        row = t[i]
        ln_row = ln(row)
        rows += surprise(row, ln_s, ln_row) if i != main_row else surprise_of_most(row, off_row, s)
        for j in range(l):
            x = c[i * l + j]
            if x > 0.0:
                ln_x = ln(x)
                cells += surprise(x, ln_s, ln_x) if 2.0 * x <= s else surprise_of_most(
                    x, off_row + but_one(c + i * l, l, 1, j), s)
                share = ln_x + (ln_s - ln_row) - (ln_u[j] if j < FEW else ln(u[j]))  # ln(x s / (t u))
                if fabs(share) < 0.0625:  # the logarithms cancel: by x s - t u, see `sums_of`
                    if i == main_row and (j != main_column or off_row < off_column):
                        off = x * off_row - row * but_one(c + j, k, l, i)
                    elif j == main_column:
                        off = x * off_column - u[j] * but_one(c + i * l, l, 1, j)
                    else:
                        off = x * (((s - row) - u[j]) + x) - (row - x) * (u[j] - x)
                    share = log1p(off / row / u[j])
                shared += x * share
    for j in range(l):
        ln_x = ln_u[j] if j < FEW else ln(u[j])
        columns += surprise(u[j], ln_s, ln_x) if j != main_column else surprise_of_most(u[j], off_column, s)
    out[0] = cells
    out[step] = rows
    out[2 * step] = columns
    out[3 * step] = diagonal_of(c, k, l, t)
    out[4 * step] = shared


cdef inline double but_one(const double* x, Py_ssize_t n, Py_ssize_t step, Py_ssize_t left_out) noexcept nogil:
    # The sum of all others.
    cdef Py_ssize_t i
    cdef double total = 0.0
    for i in range(n):
        if i != left_out:
            total += x[i * step]
    return total


cdef inline double diagonal_of(const double* c, Py_ssize_t k, Py_ssize_t l, const double* t) noexcept nogil:
    cdef Py_ssize_t i
    cdef double total = 0.0
    for i in range(k):
        if t[i] > 0.0:
            total += ln_or_none(c[i * l + i]) if i < l else -INFINITY
    return total


def table_diagonal(cnp.ndarray table):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2], b
    cdef const double* c = doubles(table)
    out_ = zeros(B)
    cdef double* out = room_in(out_)
    cdef double* t = <double*>malloc(2 * (k + l) * sizeof(double))
    with nogil:
        for b in range(B):
            margins_of(c + b * k * l, k, l, t, t + k, t + k + l, t + 2 * k + l)
            out[b] = diagonal_of(c + b * k * l, k, l, t)
    free(t)
    return out_


cdef inline double surprise(double x, double ln_s, double ln_x) noexcept nogil:
    # x (ln s - ln x)
    return x * ln_s - x * ln_x if x > 0.0 else 0.0


cdef inline double surprise_of_most(double x, double rest, double s) noexcept nogil:
    # The same of what holds nearly everything, from the rest: the difference would lose it.
    return -x * log1p(-rest / s)


def confusion(const double[:, :, ::1] table):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], b
    out_ = np.empty(B)
    cdef double[::1] out = out_
    cdef double* t = <double*>malloc(4 * k * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + k
    cdef double* alarms = missed + k
    cdef double[3] t_, u_, missed_, alarms_     # on the stack, where the compiler knows that nothing else points
    with nogil:
        if k == 2:
            for b in range(B):
                margins_of(&table[b, 0, 0], 2, 2, t_, u_, missed_, alarms_)
                out[b] = confusion_of(&table[b, 0, 0], 2, t_, u_, missed_, alarms_)
        elif k == 3:
            for b in range(B):
                margins_of(&table[b, 0, 0], 3, 3, t_, u_, missed_, alarms_)
                out[b] = confusion_of(&table[b, 0, 0], 3, t_, u_, missed_, alarms_)
        else:
            for b in range(B):
                margins_of(&table[b, 0, 0], k, k, t, u, missed, alarms)
                out[b] = confusion_of(&table[b, 0, 0], k, t, u, missed, alarms)
    free(t)
    return out_


cdef inline double disorder_of(double wrong, double ln_d) noexcept nogil:
    # What a class with so many wrong cases among D brings to the confusion.
    return wrong * ln_d


cdef inline double confusion_of(const double* c, Py_ssize_t k, const double* t, const double* u, const double* missed,
                                const double* alarms) noexcept nogil:
    return confusion_from(off_diagonal_x_ln_x(c, k), k, t, u, missed, alarms)


cdef inline double confusion_from(double cells, Py_ssize_t k, const double* t, const double* u, const double* missed,
                                  const double* alarms) noexcept nogil:
    # `cells`: the sum of x ln x off the diagonal.
    cdef Py_ssize_t i
    cdef double total = 0.0
    for i in range(k):
        total += disorder_of(missed[i] + alarms[i], ln(t[i] + u[i]))
    total -= 2.0 * cells
    return total if total > 0.0 else 0.0


cdef inline double off_diagonal_x_ln_x(const double* c, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double cells = 0.0
    for i in range(k):
        if k <= 3:
            for j in range(k):
                if i != j:
                    cells += x_ln_x(c[i * k + j])
        else:
            cells += x_ln_x_of(c + i * k, i) + x_ln_x_of(c + i * k + i + 1, k - i - 1)
    return cells


def facts(cnp.ndarray table):
    cdef double[15] x
    facts_into(doubles(table), table.shape[0], table.shape[1], x)
    return named(TableFacts, (sums_record(x), logs_record(x + 8), x[13], x[14]))


cdef inline object sums_record(const double* x):
    return named(TableSums, (x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]))


cdef inline object logs_record(const double* x):
    return named(TableLogs, (x[0], x[1], x[2], x[3], x[4]))


cdef void facts_into(const double* c, Py_ssize_t k, Py_ssize_t l, double* out) noexcept:
    cdef double* t = <double*>malloc((3 * k + 3 * l) * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + l
    cdef double* alarms = missed + k
    cdef double* room = alarms + l
    cdef double wrong
    wrong = margins_of(c, k, l, t, u, missed, alarms)
    sums_of(c, k, l, t, u, missed, alarms, wrong, room, out, 1)
    logs_of(c, k, l, t, u, &out[8], 1)
    out[13] = confusion_of(c, k, t, u, missed, alarms) if k == l else NAN
    out[14] = overlap_of(c, k, l, t, u)
    free(t)


def one_against_rest(cnp.ndarray table):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2], b, i, j
    cdef const double* row = doubles(table)
    out_ = zeros(4, B, k)
    cdef double* hits = room_in(out_)
    cdef double* missed = hits + B * k
    cdef double* alarms = missed + B * k
    cdef double* others = alarms + B * k
    cdef double* after = <double*>malloc((l + 1) * sizeof(double))
    cdef double before, cell, without
    with nogil:
        for b in range(B):
            for i in range(k):
                after[l] = 0.0
                for j in range(l - 1, -1, -1):
                    after[j] = after[j + 1] + row[j]
                before = 0.0
                for j in range(k):              # row i without column j, for the class j that it is a negative of
                    cell = row[j] if j < l else 0.0
                    without = before + (after[j + 1] if j < l else 0.0)
                    if j == i:
                        hits[i] = cell
                        missed[i] = without
                    else:
                        alarms[j] += cell
                        others[j] += without
                    before += cell
                row += l
            hits += k
            missed += k
            alarms += k
            others += k
    free(after)
    return out_


def relative(cnp.ndarray table, rows):
    cdef Py_ssize_t B = table.shape[0], k = table.shape[1], l = table.shape[2]
    out_ = zeros(B, k, l)
    divide_rows(doubles(table), doubles(rows) if rows is not None else NULL, B * k, l, room_in(out_))
    return out_


cdef void divide_rows(const double* c, const double* by, Py_ssize_t rows, Py_ssize_t l, double* out) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double t
    for i in range(rows):
        t = 0.0
        if by != NULL:
            t = by[i]
        else:
            for j in range(l):
                t += c[j]
        if t > 0.0:
            for j in range(l):
                out[j] = c[j] / t
        c += l
        out += l


def pair_sums(cnp.ndarray matrix, cnp.ndarray weight):
    cdef Py_ssize_t B = matrix.shape[0], k = matrix.shape[1], b
    cdef const double* m = doubles(matrix)
    cdef const double* w = doubles(weight)
    out_ = zeros(5, B)
    cdef double* out = room_in(out_)
    with nogil:
        for b in range(B):
            pair_sums_of(m + b * k * k, w + b * k, k, out + b, B)
    return out_


cdef inline void pair_sums_of(const double* matrix, const double* weight, Py_ssize_t k, double* out,
                              Py_ssize_t step) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef double total = 0.0, present = 0.0, pairs = 0.0, pairs_prior = 0.0, against = 0.0, against_prior = 0.0
    cdef double row, rest, others
    for i in range(k):
        total += weight[i]
        present += weight[i] > 0.0
    for i in range(k):
        if not weight[i] > 0.0:
            continue
        row = rest = others = 0.0
        for j in range(k):
            if j != i and weight[j] > 0.0:
                row += matrix[i * k + j] / weight[j]
                rest += matrix[i * k + j]
                others += weight[j]
        row /= weight[i]
        pairs += row
        pairs_prior += row * weight[i]
        if others > 0.0:
            rest /= weight[i] * others
            against += rest
            against_prior += rest * weight[i]
    out[0] = present
    out[step] = pairs
    out[2 * step] = pairs_prior / total
    out[3 * step] = against
    out[4 * step] = against_prior / total


def class_sums(cnp.ndarray values, cnp.ndarray weight):
    cdef Py_ssize_t B = weight.shape[0], k = weight.shape[1], b
    cdef const double* v = doubles(values)
    cdef const double* w = doubles(weight)
    out_ = zeros(3, B)
    cdef double* out = room_in(out_)
    with nogil:
        for b in range(B):
            class_sums_of(v + b * k, w + b * k, k, out + b, B)
    return out_


cdef inline void class_sums_of(const double* values, const double* weight, Py_ssize_t k, double* out,
                               Py_ssize_t step) noexcept nogil:
    cdef Py_ssize_t i
    cdef double present = 0.0, total = 0.0, sum = 0.0
    for i in range(k):
        if weight[i] > 0.0:
            present += 1.0
            total += weight[i]
            sum += values[i]
    out[0] = present
    out[step] = total
    out[2 * step] = sum
