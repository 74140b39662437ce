# The border.


def integer_classes(const integer[::1] labels, int64_t widest):
    return classes_of(&labels[0], labels.shape[0], widest)


cdef tuple classes_of(const integer* labels, Py_ssize_t n, int64_t widest):
    # Labels are mostly codes themselves: taken as such in the pass that looks for the least and the largest of them.
    cdef Py_ssize_t i
    cdef int64_t low = labels[0], high = labels[0], x, width
    cdef cnp.npy_intp size = n
    cdef cnp.ndarray codes = cnp.PyArray_EMPTY(1, &size, cnp.NPY_INT32, 0)
    cdef int32_t* code = <int32_t*>cnp.PyArray_DATA(codes)
    cdef int32_t classes = 0
    with nogil:
        for i in range(n):
            x = <int64_t>labels[i]
            low = x if x < low else low
            high = x if x > high else high
            code[i] = <int32_t>x
    if <double>high - <double>low >= <double>widest:
        return None
    width = high - low + 1
    if low != 0:
        with nogil:
            for i in range(n):
                code[i] = <int32_t>(labels[i] - low)
    if width == 2:                              # both are there
        return [low, high], codes
    cdef int32_t* place = <int32_t*>calloc(width, sizeof(int32_t))
    with nogil:
        for i in range(n):
            place[code[i]] = 1
        for i in range(width):
            if place[i]:
                place[i] = classes
                classes += 1
            else:
                place[i] = -1
        if classes < width:
            for i in range(n):
                code[i] = place[code[i]]
    values = [i + low for i in range(width) if place[i] >= 0]
    free(place)
    return values, codes


def text_classes(cnp.ndarray texts):
    # A hash table of places: slots hold the place of a text, or -1.
    cdef Py_ssize_t n = cnp.PyArray_SIZE(texts), width = cnp.PyArray_ITEMSIZE(texts) // 4, i, at, room = 64
    cdef const uint32_t* text = <const uint32_t*>cnp.PyArray_DATA(texts)
    cdef cnp.npy_intp size = n
    cdef cnp.ndarray codes = cnp.PyArray_EMPTY(1, &size, cnp.NPY_INT32, 0)
    cdef int32_t* code = <int32_t*>cnp.PyArray_DATA(codes)
    cdef int32_t place, classes = 0
    cdef int32_t* slots = <int32_t*>malloc(room * sizeof(int32_t))
    cdef int32_t* firsts = <int32_t*>malloc(max(n, 1) * sizeof(int32_t))
    with nogil:
        memset(slots, 0xFF, room * sizeof(int32_t))
        for i in range(n):
            at = slot_of(text, width, i, slots, room, firsts)
            place = slots[at]
            if place < 0:
                place = slots[at] = classes
                firsts[classes] = <int32_t>i
                classes += 1
                if 2 * classes > room:          # a larger table for the same texts
                    room *= 4
                    free(slots)
                    slots = <int32_t*>malloc(room * sizeof(int32_t))
                    memset(slots, 0xFF, room * sizeof(int32_t))
                    for at in range(classes):
                        slots[slot_of(text, width, firsts[at], slots, room, firsts)] = <int32_t>at
            code[i] = place
    found = [firsts[i] for i in range(classes)]
    free(slots)
    free(firsts)
    return found, codes


cdef inline Py_ssize_t slot_of(const uint32_t* text, Py_ssize_t width, Py_ssize_t i, const int32_t* slots,
                               Py_ssize_t room, const int32_t* firsts) noexcept nogil:
    # Where the i-th text is, or belongs.
    cdef const uint32_t* own = text + i * width
    cdef const uint32_t* other
    cdef uint64_t key = 0
    cdef Py_ssize_t j, at
    for j in range(width):
        if own[j] == 0:                         # most often, the rest is padding
            continue
        key = (key ^ (own[j] + <uint64_t>j)) * MIXER
    at = <Py_ssize_t>((key ^ (key >> 32)) & <uint64_t>(room - 1))
    while slots[at] >= 0:
        other = text + firsts[slots[at]] * width
        for j in range(width):
            if own[j] != other[j]:
                break
        else:
            return at
        at = (at + 1) & (room - 1)
    return at


def object_classes(cnp.ndarray values):
    cdef Py_ssize_t n = cnp.PyArray_SIZE(values), i, at
    cdef PyObject** value = <PyObject**>cnp.PyArray_DATA(values)
    cdef cnp.npy_intp size = n
    cdef cnp.ndarray codes = cnp.PyArray_EMPTY(1, &size, cnp.NPY_INT32, 0)
    cdef int32_t* code = <int32_t*>cnp.PyArray_DATA(codes)
    cdef size_t[NEAR] near
    cdef int32_t[NEAR] place_near
    cdef int32_t place
    cdef dict places = {}
    cdef set types = set()
    cdef object last = None
    memset(near, 0, sizeof(near))
    for i in range(n):
        at = (<size_t>value[i] >> 4) & (NEAR - 1)
        if near[at] == <size_t>value[i]:
            code[i] = place_near[at]
            continue
        one = <object>value[i]
        if type(one) is not last:
            last = type(one)
            types.add(last)
        try:
            found = places.get(one)
            if found is None:
                found = len(places)
                places[one] = found
        except Exception:
            return None
        place = found
        code[i] = place_near[at] = place
        near[at] = <size_t>value[i]
    return list(places), codes, types


def plain_list(list values):
    cdef cnp.npy_intp n = len(values)
    cdef Py_ssize_t i
    cdef int beyond = 0
    if n == 0 or not (PyFloat_CheckExact(values[0]) or PyLong_CheckExact(values[0])):
        return None
    cdef bint real = PyFloat_CheckExact(values[0])
    cdef cnp.ndarray array = cnp.PyArray_EMPTY(1, &n, cnp.NPY_DOUBLE if real else cnp.NPY_INT64, 0)
    cdef double* x = <double*>cnp.PyArray_DATA(array)
    cdef int64_t* whole = <int64_t*>cnp.PyArray_DATA(array)
    for i in range(n):
        one = <object>PyList_GET_ITEM(values, i)
        if real:
            if not PyFloat_CheckExact(one):
                return None
            x[i] = PyFloat_AS_DOUBLE(one)
        else:
            if not PyLong_CheckExact(one):
                return None
            whole[i] = PyLong_AsLongLongAndOverflow(one, &beyond)
            if beyond:
                return None
    return array


def plain_arrays(y_true, y_proba, int64_t widest, double tolerance):
    if not (type(y_true) is cnp.ndarray and type(y_proba) is cnp.ndarray):
        return None
    cdef cnp.ndarray labels = y_true, proba = y_proba
    cdef bint alone = cnp.PyArray_NDIM(proba) == 1
    if not (cnp.PyArray_NDIM(labels) == 1 and (alone or cnp.PyArray_NDIM(proba) == 2)
            and labels.shape[0] == proba.shape[0] > 0
            and cnp.PyArray_TYPE(labels) == cnp.NPY_INT64
            and (cnp.PyArray_TYPE(proba) == cnp.NPY_DOUBLE or cnp.PyArray_TYPE(proba) == cnp.NPY_FLOAT)
            and cnp.PyArray_ISCARRAY_RO(labels) and cnp.PyArray_ISCARRAY_RO(proba)):
        return None
    coded = classes_of(<const int64_t*>cnp.PyArray_DATA(labels), labels.shape[0], widest)
    if coded is None or (coded[0] != [0, 1] if alone else len(coded[0]) != proba.shape[1]):
        return None
    cdef const void* start = cnp.PyArray_DATA(proba)
    cdef bint single = cnp.PyArray_TYPE(proba) == cnp.NPY_FLOAT
    cdef double first = (<const float*>start)[0] if single else (<const double*>start)[0]
    if alone and (first == 0.0 or first == 1.0):
        return None
    cdef cnp.ndarray truth = coded[1]
    cdef Py_ssize_t k = 2 if alone else proba.shape[1]
    cdef cnp.npy_intp[3] shape = [1, proba.shape[0], 1 if alone else k]
    problem, _, low, high, uneven, exact = inspect(shared(proba, 2, &shape[1]), tolerance, 1 if alone else -1)
    if problem:
        return None
    cdef cnp.ndarray weights = zeros(k)
    add_weights(places(truth), NULL, truth.shape[0], k, room_in(weights))
    seen = (low, high, uneven, False, 1 if alone else None, exact)
    return coded[0], shared(truth, 2, shape), weights, shared(proba, 3, shape), seen


def plain_batch(y_true, y_proba):
    if not (type(y_true) is cnp.ndarray and type(y_proba) is cnp.ndarray):
        return None
    cdef cnp.ndarray labels = y_true, column = y_proba
    cdef int i, axes = cnp.PyArray_NDIM(labels)
    if not (0 < axes == cnp.PyArray_NDIM(column) < 8 and cnp.PyArray_SIZE(labels) > 0
            and cnp.PyArray_TYPE(labels) == cnp.NPY_INT64 and cnp.PyArray_TYPE(column) == cnp.NPY_DOUBLE
            and cnp.PyArray_ISCARRAY_RO(labels) and cnp.PyArray_ISCARRAY_RO(column)):
        return None
    cdef cnp.npy_intp[2] shape
    for i in range(axes):
        if labels.shape[i] != column.shape[i]:
            return None
    shape[1] = labels.shape[axes - 1]
    shape[0] = cnp.PyArray_SIZE(labels) // shape[1]
    cdef cnp.npy_intp[3] one = [shape[0], shape[1], 1]
    cdef cnp.ndarray truth = cnp.PyArray_EMPTY(2, shape, cnp.NPY_INT32, 0)
    cdef const int64_t* y = <const int64_t*>cnp.PyArray_DATA(labels)
    cdef const double* x = <const double*>cnp.PyArray_DATA(column)
    cdef int32_t* code = <int32_t*>cnp.PyArray_DATA(truth)
    cdef Py_ssize_t at, n = shape[0] * shape[1]
    cdef uint64_t seen = 0
    cdef double low = INFINITY, high = -INFINITY, q
    cdef bint fine = True
    with nogil:
        for at in range(n):
            q = x[at]
            seen |= <uint64_t>y[at]
            code[at] = <int32_t>y[at]
            fine &= (q > 0.0) & (q < 1.0)
            low = q if q < low else low
            high = q if q > high else high
    return (truth, shared(column, 3, one), low, high) if fine and seen < 2 else None


def sizes(cnp.ndarray scores):
    if cnp.PyArray_TYPE(scores) == cnp.NPY_FLOAT:
        return sizes_of(floats(scores), cnp.PyArray_SIZE(scores))
    return sizes_of(doubles(scores), cnp.PyArray_SIZE(scores))


cdef tuple sizes_of(const real* x, Py_ssize_t n):
    cdef Sizes sizes = Sizes(bits_of(2.0) - 1, 0, 0)
    with nogil:
        look_at_sizes(x, n, &sizes)
    if sizes.largest >= <int64_t>INFINITE:
        return False, 2.0, 0.0, False
    return True, double_of(sizes.least + 1), double_of(sizes.largest), sizes.signs != 0


cdef struct Sizes:
    # The smallest positive size of some numbers, less one, and the largest, as bits, which have the order of the sizes
    # (those of nan are above all); and is any number negative?
    int64_t least
    int64_t largest
    int64_t signs


cdef inline void look_at_sizes(const real* x, Py_ssize_t n, Sizes* sizes) noexcept nogil:
    cdef Py_ssize_t i
    cdef int64_t bits, size, all_but_sign = <int64_t>(~SIGN)
    cdef int64_t least = sizes.least, largest = sizes.largest, signs = sizes.signs
    for i in range(n):
        bits = bits_of(x[i])
        size = bits & all_but_sign
        signs |= bits & -size                   # of -0.0 it is not set
        largest = max(largest, size)
        least = min(least, (size - 1) & all_but_sign)   # 0 goes last, as the largest
    sizes.least, sizes.largest, sizes.signs = least, largest, signs & <int64_t>SIGN


cpdef tuple inspect(cnp.ndarray proba, double tolerance, Py_ssize_t given=-1):
    cdef Py_ssize_t n = proba.shape[0], start, m, row = -1
    cdef Rows rows = rows_of(proba, given)
    cdef Seen seen = Seen(2.0, 0.0, 0.0, rows.k == 2)
    cdef bint single = rows.doubles == NULL and given < 0, fine
    cdef int problem = 0
    cdef const double* p
    with nogil:
        start = 0
        while start < n and row < 0:
            m = min(rows.at_once, n - start)
            if single:
                fine = fine_rows(rows.floats + start * rows.k, m, rows.k, tolerance, &seen)
            else:
                fine = fine_rows(some_rows(&rows, start, m), m, rows.k, tolerance, &seen)
            if not fine:
                p = some_rows(&rows, start, m)
                row = first_bad_row(p, m, rows.k, tolerance)
                problem = problem_of(p + row * rows.k, rows.k)
                row += start
            start += m
    free(rows.some)
    return problem, row, seen.low, seen.high, seen.worst, seen.exact


cdef struct Seen:
    # The smallest positive and the largest probability, the largest distance of a row's sum from one; and of two
    # classes, is the first always 1 - p, in the type that holds them?
    double low
    double high
    double worst
    bint exact


cdef bint fine_rows(const real* p, Py_ssize_t n, Py_ssize_t k, double tolerance, Seen* seen) noexcept nogil:
    # All rows are looked at without a branch; False if one is bad, and must be found the long way.
    cdef Py_ssize_t i
    cdef Sizes sizes = Sizes(bits_of(seen.low) - 1, bits_of(seen.high), 0)
    cdef int64_t far = bits_of(seen.worst)
    cdef bint exact = seen.exact
    look_at_sizes(p, k * n, &sizes)
    if k == 2:
        for i in range(n):
            far = max(far, off_one(p + 2 * i, 2))
    else:
        for i in range(n):
            far = max(far, off_one(p + k * i, k))
    if sizes.signs or double_of(sizes.largest) > 1.0 or not double_of(far) <= tolerance:
        return False
    seen.low = double_of(sizes.least + 1)
    seen.high = double_of(sizes.largest)
    seen.worst = double_of(far)
    if exact:                                   # no row before was not
        for i in range(n):
            exact &= <real>(1.0 - p[2 * i + 1]) == p[2 * i]
        seen.exact = exact
    return True


cdef inline int64_t off_one(const real* row, Py_ssize_t k) noexcept nogil:
    # How far the sum of a row is from one, as bits, of which those of nan are the largest.
    cdef double total = 0.0, other = 0.0
    cdef Py_ssize_t j
    for j in range(0, k - 1, 2):                # two sums at a time: one would wait for itself
        total += row[j]
        other += row[j + 1]
    if k & 1:
        total += row[k - 1]
    return <int64_t>bits_of(fabs(total + other - 1.0))


cdef Py_ssize_t first_bad_row(const double* p, Py_ssize_t n, Py_ssize_t k, double tolerance) noexcept nogil:
    # Of rows one of which is bad.
    cdef Py_ssize_t i, j
    cdef bint fine
    for i in range(n):
        fine = double_of(off_one(p, k)) <= tolerance
        for j in range(k):
            fine &= (p[j] >= 0.0) & (p[j] <= 1.0)
        if not fine:
            return i
        p += k
    return n - 1


cdef int problem_of(const double* p, Py_ssize_t k) noexcept nogil:
    cdef Py_ssize_t j
    cdef int problem = 3
    for j in range(k):
        if p[j] - p[j] != 0.0:
            return 1
        if not (p[j] >= 0.0 and p[j] <= 1.0):
            problem = 2
    return problem
