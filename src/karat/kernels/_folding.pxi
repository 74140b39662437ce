# Rows of two classes folded into sums and cells.

DEF FOLDED = 512                # rows summed before they are added to the total, which is kept with its rounding error
DEF OCTAVE_SHIFT = 38           # 52 bits of a float without those that tell the cells of an octave apart
DEF EDGE = 0.015625             # 1 / 64
DEF UNIFORM = 262144            # cells between 0 and 1 if all were as wide as those in the middle
DEF SMALL_CELLS = 16662528      # 1017 << 14
DEF LAST_CELL = 33579008        # twice these and the 253952 in the middle
DEF SMALL_HIT = 1e-5
DEF LEAST_HIT = 2.220446049250313e-16


def pack_pairs(cnp.ndarray truth, cnp.ndarray proba, cnp.ndarray keys):
    kind = truth.dtype
    if kind == np.bool_ or kind == np.uint8:
        return pack_of_places[uint8_t](truth.view(np.uint8), proba, keys)
    if kind == np.int8:
        return pack_of_places[int8_t](truth, proba, keys)
    if kind == np.int32:
        return pack_of_places[int32_t](truth, proba, keys)
    return pack_of_places[int64_t](truth.astype(np.int64, copy=False), proba, keys)


cdef Py_ssize_t pack_of_places(const integer[::1] truth, cnp.ndarray proba, cnp.ndarray keys):
    if keys.dtype == np.uint32:
        return pack_words[integer, float, uint32_t](truth, proba, keys)
    return pack_words[integer, double, uint64_t](truth, proba, keys)


cdef Py_ssize_t pack_words(const integer[::1] truth, const real[::1] proba, word[::1] keys):
    cdef Py_ssize_t i, n = truth.shape[0]
    cdef bint good = True
    cdef word bits
    cdef real p
    with nogil:
        for i in range(n):
            p = proba[i]
            good = good & (p >= 0) & (p <= 1) & ((truth[i] == 0) | (truth[i] == 1))
            memcpy(&bits, &p, sizeof(word))
            keys[i] = (bits << 1) | <word>(truth[i] & 1)     # the sign of -0 is shifted out
        if good:
            return -1
        for i in range(n):
            p = proba[i]
            if not (p >= 0 and p <= 1 and (truth[i] == 0 or truth[i] == 1)):
                return i
    return -1


cdef inline double score_of_key(word key) noexcept nogil:
    cdef word bits = key >> 1
    cdef float narrow
    cdef double wide
    if word is uint32_t:
        memcpy(&narrow, &bits, 4)
        return narrow
    else:
        memcpy(&wide, &bits, 8)
        return wide


def scores_of_keys(keys):
    out = np.empty(len(keys))
    if keys.dtype == np.uint32:
        fill_scores[uint32_t](keys, out)
    else:
        fill_scores[uint64_t](keys, out)
    return out


cdef void fill_scores(const word[::1] keys, double[::1] out):
    cdef Py_ssize_t i
    with nogil:
        for i in range(keys.shape[0]):
            out[i] = score_of_key(keys[i])


def order_sums(keys):
    return added_order[uint32_t](keys) if keys.dtype == np.uint32 else added_order[uint64_t](keys)


cdef tuple added_order(const word[::1] keys):
    # Pairs are counted twice, in whole numbers, so that a billion rows lose none.
    cdef Py_ssize_t i = 0, n = keys.shape[0]
    cdef uint64_t twice = 0, below = 0, ones, zeros
    cdef double gained = 0.0, lost = 0.0, refinement = 0.0, mass = 0.0, missed = 0.0, x, part, s
    cdef word here
    with nogil:
        while i < n:
            here = keys[i] >> 1
            ones = zeros = 0
            while i < n and keys[i] >> 1 == here:
                ones += keys[i] & 1
                zeros += 1 - (keys[i] & 1)
                i += 1
            x = number_of(here)
            twice += ones * (2 * below + zeros)
            part = <double>ones * (x * <double>below - (mass + missed))
            s = gained + part
            lost += (gained - s) + part if fabs(gained) >= fabs(part) else (part - s) + gained
            gained = s
            below += zeros
            part = x * <double>zeros
            s = mass + part
            missed += (mass - s) + part if mass >= part else (part - s) + mass
            mass = s
            if ones and zeros:
                refinement += <double>ones * <double>zeros / <double>(ones + zeros)
    return <double>twice / 2.0, gained + lost, refinement


cdef inline int32_t cell_of(double x) noexcept nogil:
    cdef double rest = 1.0 - x
    if x < EDGE:
        return <int32_t>(bits_of(x) >> OCTAVE_SHIFT)
    if rest < EDGE:
        return LAST_CELL - <int32_t>(bits_of(rest) >> OCTAVE_SHIFT)
    return SMALL_CELLS + <int32_t>((x - EDGE) * UNIFORM)


def cells_of_scores(scores):
    cdef const double[::1] x = np.ascontiguousarray(scores, np.float64) + 0.0   # no -0
    out = np.empty(x.shape[0], np.int32)
    cdef int32_t[::1] cell = out
    cdef Py_ssize_t i
    with nogil:
        for i in range(x.shape[0]):
            cell[i] = cell_of(x[i])
    return out


def cells_of_keys(keys):
    return filled_cells[uint32_t](keys) if keys.dtype == np.uint32 else filled_cells[uint64_t](keys)


cdef tuple filled_cells(const word[::1] keys):
    # Whether a new cell begins is anybody's guess, so it is no branch: every row writes what its cell is so far.
    cdef Py_ssize_t i, m = 0, n = keys.shape[0]
    cdef int32_t here, last = -1
    cdef uint64_t new
    cdef double x, y, first = 0.0, ones = 0.0, all_ = 0.0
    with nogil:
        for i in range(n):
            here = cell_of(score_of_key(keys[i]))
            m += here != last
            last = here
    cell_, ends_, cases_ = np.empty(m, np.int32), np.empty((2, m)), np.empty((2, m))
    cdef int32_t[::1] cell = cell_
    cdef double[:, ::1] ends = ends_, cases = cases_
    m, last = -1, -1
    with nogil:
        for i in range(n):
            x = score_of_key(keys[i])
            y = <double>(keys[i] & 1)
            here = cell_of(x)
            new = here != last
            m += new
            first = x if new else first
            ones = y if new else ones + y
            all_ = 1.0 if new else all_ + 1.0
            last = here
            cell[m] = here
            ends[0, m] = first
            ends[1, m] = x
            cases[0, m] = all_ - ones
            cases[1, m] = ones
    return cell_, ends_, cases_


def sort_pairs(keys):
    if keys.dtype == np.uint32:
        sort_pair_keys[uint32_t](keys)
    else:
        sort_pair_keys[uint64_t](keys)


cdef void sort_pair_keys(word[::1] keys):
    cdef word* first
    if keys.shape[0]:
        first = &keys[0]
        with nogil:
            sort_keys(first, keys.shape[0], 1)


def cells_joined(one, other):
    cdef const int32_t[::1] a = one[0], b = other[0]
    cdef const double[:, ::1] a_ends = one[1], b_ends = other[1], a_weight = one[2], b_weight = other[2]
    cdef Py_ssize_t rows = a_weight.shape[0], m = 0, i = 0, j = 0, r, size = a.shape[0] + b.shape[0]
    cdef bint left, right
    cell_, ends_, weight_ = np.empty(size, np.int32), np.empty((2, size)), np.empty((rows, size))
    cdef int32_t[::1] cell = cell_
    cdef double[:, ::1] ends = ends_, weight = weight_
    with nogil:
        while i < a.shape[0] or j < b.shape[0]:
            left = j == b.shape[0] or (i < a.shape[0] and a[i] <= b[j])
            right = i == a.shape[0] or (j < b.shape[0] and b[j] <= a[i])
            cell[m] = a[i] if left else b[j]
            ends[0, m] = min(a_ends[0, i] if left else INFINITY, b_ends[0, j] if right else INFINITY)
            ends[1, m] = max(a_ends[1, i] if left else -INFINITY, b_ends[1, j] if right else -INFINITY)
            for r in range(rows):
                weight[r, m] = (a_weight[r, i] if left else 0.0) + (b_weight[r, j] if right else 0.0)
            i += left
            j += right
            m += 1
    return cell_[:m].copy(), ends_[:, :m].copy(), weight_[:, :m].copy()


def cells_apart(ends, weight, Py_ssize_t own, bint best):
    cdef const double[:, ::1] x = np.ascontiguousarray(ends), w = np.ascontiguousarray(weight)
    cdef Py_ssize_t i, c, rows = w.shape[0], m = x.shape[1], size = 0
    cdef int side, sides
    cdef bint used
    at_ = np.empty(2 * m, np.int64)
    cdef int64_t[::1] at = at_                  # twice the cell, and one more at its highest score
    with nogil:
        for i in range(m):
            sides = 1 + (x[0, i] != x[1, i])
            for side in range(sides):
                used = False
                for c in range(rows):
                    used = used | ((w[c, i] != 0.0) & ((sides == 1) | (((c == own) == best) == side)))
                at[size] = 2 * i + side
                size += used
    scores_, weight_, apart_ = np.empty(size), np.empty((rows, size)), np.empty(size, bool)
    cdef double[::1] scores = scores_
    cdef double[:, ::1] put = weight_
    cdef uint8_t[::1] apart = apart_.view(np.uint8)
    cdef Py_ssize_t j
    with nogil:
        for j in range(size):
            i, side = at[j] >> 1, at[j] & 1
            scores[j] = x[side, i]
            apart[j] = x[0, i] != x[1, i]
        for c in range(rows):
            for j in range(size):
                i, side = at[j] >> 1, at[j] & 1
                put[c, j] = w[c, i] if (not apart[j]) | (((c == own) == best) == side) else 0.0
    return scores_, weight_, apart_
