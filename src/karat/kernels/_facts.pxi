# One evaluation: all that formulas ask of it, and the formulas.


DEF TABLE = 13              # facts of every table
DEF ROW_FACTS = 4 * TABLE + 14
DEF COLUMN_FACTS = 16
DEF REGISTERS = 512         # numbers of a few formulas, with the steps between
DEF AT_ONCE = 64            # evaluations whose numbers stay in a processor's nearest cache


def row_facts(cnp.ndarray truth, cnp.ndarray proba, decided, weight, cnp.ndarray class_weight, Py_ssize_t l,
              double floor, Py_ssize_t given=-1):
    cdef Py_ssize_t n = proba.shape[1], k = proba.shape[2] if given < 0 else 2
    cdef const int32_t* y = places(truth)
    cdef const int32_t* d = places(decided) if decided is not None else NULL
    cdef const double* w = doubles(weight) if weight is not None else NULL
    cdef cnp.ndarray counts = zeros(k, l), sums = zeros(k, k), squares = zeros(k), logs = zeros(k)
    cdef cnp.ndarray facts = zeros(ROW_FACTS)
    cdef Rows rows = rows_of(proba, given)
    cdef const double* h = doubles(class_weight)
    cdef double* a = room_in(counts)
    cdef double* b = room_in(sums)
    cdef double* e = room_in(squares)
    cdef double* g = room_in(logs)
    cdef double* x = room_in(facts)
    with nogil:
        add_rows(y, &rows, d, w, 1, n, l, floor, a, b, e, g)
        free(rows.some)
        row_facts_of(a, b, e, g, h, k, l, x)
    return (counts, sums, squares, logs), facts


cdef void row_facts_of(const double* counts, const double* sums, const double* squares, const double* logs,
                       const double* weight, Py_ssize_t k, Py_ssize_t l, double* out) noexcept nogil:
    cdef double* shares = <double*>calloc(k * max(k, l), sizeof(double))
    table_facts_of(counts, k, l, out, out + TABLE)
    divide_rows(counts, NULL, k, l, shares)
    table_facts_of(shares, k, l, out + TABLE + 6, NULL)
    out += 2 * TABLE + 6
    class_sums_of(squares, weight, k, out + 2 * TABLE + 2, 1)
    class_sums_of(logs, weight, k, out + 2 * TABLE + 5, 1)
    out[0] = out[2 * TABLE + 3]                 # the weight of all cases
    out[2 * TABLE + 1] = k
    table_facts_of(sums, k, k, out + 1, NULL)
    memset(shares, 0, k * k * sizeof(double))
    divide_rows(sums, weight, k, k, shares)
    table_facts_of(shares, k, k, out + 1 + TABLE, NULL)
    free(shares)


cdef void table_facts_of(const double* table, Py_ssize_t k, Py_ssize_t l, double* out, double* more) noexcept nogil:
    # classes, decisions, ln 2(k - 1), sums, logarithms of the diagonal, confusion; more: logarithms, overlap.
    cdef double* t = <double*>malloc((3 * k + 3 * l) * sizeof(double))
    cdef double* u = t + k
    cdef double* missed = u + l
    cdef double* alarms = missed + k
    cdef double wrong = margins_of(table, k, l, t, u, missed, alarms)
    out[0] = k
    out[1] = l
    out[2] = log(<double>(2 * k - 2))
    sums_of(table, k, l, t, u, missed, alarms, wrong, alarms + l, out + 3, 1)
    out[12] = confusion_of(table, k, t, u, missed, alarms) if k == l else NAN
    if more == NULL:
        out[11] = diagonal_of(table, k, l, t)
    else:
        logs_of(table, k, l, t, u, more, 1)
        out[11] = more[3]
        more[5] = overlap_of(table, k, l, t, u)
    free(t)


def column_facts(cnp.ndarray wins, cnp.ndarray gains, cnp.ndarray sums, cnp.ndarray class_weight):
    cdef Py_ssize_t k = class_weight.shape[0]
    cdef const double* w = doubles(class_weight)
    cdef const double* s = doubles(sums)
    cdef cnp.ndarray facts = zeros(COLUMN_FACTS)
    cdef double* x = room_in(facts)
    pair_sums_of(doubles(wins), w, k, x, 1)
    pair_sums_of(doubles(gains), w, k, x + 5, 1)
    class_sums_of(s, w, k, x + 10, 1)
    class_sums_of(s + 2 * k, w, k, x + 13, 1)
    return facts


# ----------------------------------------------------------------------------------------------- formulas as steps


cdef extern from *:
    """
    #define KARAT_ROUNDING 1e-9
    #define KARAT_STEP(code, result) case code: for (Py_ssize_t i = 0; i < n; i++) out[i] = result; break;
    /* x, or an end of its range where rounding left it just beyond, which is rare: so it is looked for first. */
    static inline void karat_within(double* __restrict out, const double* x, const double* low, const double* high,
                                    Py_ssize_t n) {
        int64_t beyond = 0;                     /* as wide as the numbers, so that many are compared at once */
        for (Py_ssize_t i = 0; i < n; i++) {
            beyond |= -(int64_t)(x[i] < low[i]) | -(int64_t)(x[i] > high[i]);
            out[i] = x[i];
        }
        for (Py_ssize_t i = 0; beyond && i < n; i++) {
            double nearest = x[i] < low[i] ? low[i] : x[i];
            nearest = nearest > high[i] ? high[i] : nearest;
            out[i] = fabs(x[i] - nearest) <= KARAT_ROUNDING ? nearest : x[i];
        }
    }
    /* The operations in the order of `OPERATIONS`, of n numbers each. */
    static inline void karat_step(int code, double* __restrict out, const double* a, const double* b, const double* c,
                                  Py_ssize_t n) {
        switch (code) {
            KARAT_STEP(0, a[i] + b[i])
            KARAT_STEP(1, a[i] - b[i])
            KARAT_STEP(2, a[i] * b[i])
            KARAT_STEP(3, a[i] / b[i])
            KARAT_STEP(4, -a[i])
            case 5: karat_apply(karat_ln, a, out, n); break;
            case 6: karat_apply(karat_power_of_e, a, out, n); break;
            KARAT_STEP(7, sqrt(a[i]))
            KARAT_STEP(8, a[i] > b[i] || a[i] != a[i] ? a[i] : b[i])
            KARAT_STEP(9, a[i] > b[i] ? 1.0 : 0.0)
            KARAT_STEP(10, a[i] == b[i] ? 1.0 : 0.0)
            KARAT_STEP(11, a[i] != 0.0 ? b[i] : c[i])
            case 12: karat_within(out, a, b, c, n); break;
        }
    }
    """
    void karat_step(int code, double* out, const double* a, const double* b, const double* c, Py_ssize_t n) noexcept nogil


def follow(cnp.ndarray steps, cnp.ndarray constants, cnp.ndarray outputs, cnp.ndarray facts, tuple symbols, dict out):
    cdef Py_ssize_t given = facts.shape[0], fixed = constants.shape[0], many = steps.shape[0], i
    cdef Py_ssize_t registers = given + fixed + many
    cdef double[REGISTERS] few
    cdef double* x = few
    cdef const int32_t* step = places(steps)
    cdef const int32_t* asked = places(outputs)
    cdef bint defined = True
    if registers > REGISTERS:
        x = <double*>malloc(registers * sizeof(double))
    memcpy(x, doubles(facts), given * sizeof(double))
    memcpy(x + given, doubles(constants), fixed * sizeof(double))
    for i in range(given + fixed, registers):
        karat_step(step[0], x + i, x + step[1], x + step[2], x + step[3], 1)
        step += 4
    for i in range(outputs.shape[0]):
        defined = defined and x[asked[i]] == x[asked[i]]
        out[symbols[i]] = x[asked[i]]
    if registers > REGISTERS:
        free(x)
    return defined


def follow_many(cnp.ndarray steps, cnp.ndarray constants, cnp.ndarray outputs, list facts, cnp.ndarray out):
    cdef Py_ssize_t given = len(facts), fixed = given + constants.shape[0], many = steps.shape[0], n = out.shape[1], i, j
    cdef Py_ssize_t registers = fixed + many, row = out.strides[0] // sizeof(double), start = 0, here
    cdef const int32_t* step = places(steps)
    cdef const int32_t* asked = places(outputs)
    cdef const double* constant = doubles(constants)
    cdef const double* known
    cdef double* values = room_in(out)
    cdef list kept = [None if fact is None else float64_of(fact, n) for fact in facts]
    if n == 0:
        return
    cdef double* room = <double*>malloc(registers * AT_ONCE * sizeof(double))
    cdef const double** x = <const double**>malloc(registers * sizeof(double*))     # where the numbers at hand are
    cdef bint* varies = <bint*>calloc(registers, sizeof(bint))                      # or are they the same of all?
    for i in range(registers):
        x[i] = room + i * AT_ONCE
    for i in range(fixed):
        if i < given and kept[i] is None:
            continue
        known = doubles(kept[i]) if i < given else constant + i - given
        if i < given and cnp.PyArray_SIZE(kept[i]) > 1:
            varies[i] = True
            x[i] = known
            continue
        for j in range(AT_ONCE):
            room[i * AT_ONCE + j] = known[0]
    with nogil:
        for i in range(many):                   # what is the same of all is computed once
            varies[fixed + i] = varies[step[4 * i + 1]] or varies[step[4 * i + 2]] or varies[step[4 * i + 3]]
            if not varies[fixed + i]:
                take_step(step + 4 * i, x, room + (fixed + i) * AT_ONCE, AT_ONCE)
        while start < n:
            here = min(AT_ONCE, n - start)
            for i in range(many):
                if varies[fixed + i]:
                    take_step(step + 4 * i, x, room + (fixed + i) * AT_ONCE, here)
            for i in range(outputs.shape[0]):
                memcpy(values + i * row + start, x[asked[i]], here * sizeof(double))
            for i in range(given):
                x[i] += here if varies[i] else 0
            start += here
    free(varies)
    free(x)
    free(room)


cdef cnp.ndarray float64_of(object x, Py_ssize_t n):
    # n numbers, or one.
    cdef cnp.ndarray numbers = cnp.PyArray_FROM_OTF(x, cnp.NPY_DOUBLE, cnp.NPY_ARRAY_IN_ARRAY)
    if cnp.PyArray_SIZE(numbers) not in (1, n):
        raise ValueError("a fact is neither one number nor one for each evaluation")
    return numbers


cdef inline void take_step(const int32_t* step, const double** x, double* out, Py_ssize_t n) noexcept nogil:
    karat_step(step[0], out, x[step[1]], x[step[2]], x[step[3]], n)
