"""The twin of `_pruning.py`."""


cdef struct Pruning:
    Problem* P
    Tree* t
    bint raising
    double confidence
    double z
    bint fine


cdef void make_leaf(Tree* t, int node) noexcept nogil:
    t.attribute[node] = -1
    t.branches[node] = 0


cdef int collapse(Tree* t) noexcept nogil:
    """From the top down: a subtree that makes no fewer training errors than its node becomes a leaf."""
    cdef double* errors = <double*>malloc(t.size * sizeof(double))
    cdef unsigned char* gone = <unsigned char*>calloc(t.size, 1)
    cdef int node, i
    if errors == NULL or gone == NULL:
        free(errors); free(gone)
        return 0
    for node in range(t.size - 1, -1, -1):      # children come after their parents
        if t.attribute[node] < 0:
            errors[node] = errors_of(t.counts + <size_t>node * t.k, t.k)
        else:
            errors[node] = 0.0
            for i in range(t.branches[node]):
                errors[node] += errors[t.first[node] + i]
    for node in range(t.size):
        if t.attribute[node] < 0:
            continue
        if gone[node] or errors[node] >= errors_of(t.counts + <size_t>node * t.k, t.k) - 1e-3:
            for i in range(t.branches[node]):
                gone[t.first[node] + i] = 1
            make_leaf(t, node)
    free(errors); free(gone)
    return 1


cdef double more_errors(double N, double e, double confidence, double z) noexcept nogil:
    """What the upper confidence limit adds to e observed errors of N."""
    cdef double base, f, r
    if confidence > 0.5:
        return 0.0
    if e < 1:
        base = N * (1 - pow(confidence, 1 / N))
        if e == 0:
            return base
        return base + e * (more_errors(N, 1.0, confidence, z) - base)
    if e + 0.5 >= N:
        return N - e if N > e else 0.0
    f = (e + 0.5) / N
    r = (f + z * z / (2 * N) + z * sqrt(f / N - f * f / N + z * z / (4 * N * N))) / (1 + z * z / N)
    return r * N - e


cdef double estimate(Pruning* o, const double* counts) noexcept nogil:
    cdef double N = total_of(counts, o.t.k), e
    if fabs(N) < SMALL:
        return 0.0
    e = N - counts[most(counts, o.t.k)]
    return e + more_errors(N, e, o.confidence, o.z)


cdef double tree_errors(Pruning* o, int node) noexcept nogil:
    cdef int i
    cdef double s = 0.0
    if o.t.attribute[node] < 0:
        return estimate(o, o.t.counts + <size_t>node * o.t.k)
    for i in range(o.t.branches[node]):
        s += tree_errors(o, o.t.first[node] + i)
    return s


cdef struct Parts:
    int B
    int* ids                    # of all branches, one after the other
    double* w
    int* start                  # [B + 1]
    double* bag
    void* memory


cdef bint part(Pruning* o, int node, const int* ids, const double* w, int m, bint stored, Parts* out) noexcept nogil:
    """The cases of each branch. A missing value goes to all, by the shares that the tree has stored or by those of these
    cases."""
    cdef Tree* t = o.t
    cdef int B = t.branches[node], i, v, lost = 0, column = t.attribute[node], at
    cdef double known = 0.0, total = 0.0
    cdef Problem* P = o.P
    cdef double* share
    for i in range(m):
        lost += side(P, column, t.cut[node], P.binary, ids[i]) < 0
    cdef size_t room = <size_t>(m - lost) + <size_t>lost * B
    cdef char* memory = <char*>calloc(1, (room + 2 * B) * sizeof(double) + (room + B + 1) * sizeof(int))
    if memory == NULL:
        o.fine = False
        return False
    out.memory = memory
    out.B = B
    out.w = <double*>memory
    out.bag = out.w + room
    share = out.bag + B
    out.ids = <int*>(share + B)
    out.start = out.ids + room
    for i in range(m):
        v = side(P, column, t.cut[node], P.binary, ids[i])
        if v >= 0:
            out.bag[v] += w[i]
            known += w[i]
            out.start[v] += 1
        else:
            total += w[i]
    if stored:
        known = 0.0
        for v in range(B):
            share[v] = t.bag[t.first[node] + v]
            known += share[v]
        for v in range(B):
            share[v] = share[v] / known if known > 0 else 1.0 / B
    else:
        for v in range(B):
            share[v] = out.bag[v] / known if fabs(known) >= SMALL else 1.0 / B
    at = 0
    for v in range(B):
        i = out.start[v] + (lost if share[v] > SMALL else 0)
        out.bag[v] += share[v] * total
        out.start[v] = at
        at += i
    for i in range(m):
        v = side(P, column, t.cut[node], P.binary, ids[i])
        if v >= 0:
            out.ids[out.start[v]] = ids[i]
            out.w[out.start[v]] = w[i]
            out.start[v] += 1
        else:
            for v in range(B):
                if share[v] > SMALL:
                    out.ids[out.start[v]] = ids[i]
                    out.w[out.start[v]] = share[v] * w[i]
                    out.start[v] += 1
    for v in range(B, 0, -1):
        out.start[v] = out.start[v - 1]
    out.start[0] = 0
    return True


cdef void count(Pruning* o, const int* ids, const double* w, int m, double* counts) noexcept nogil:
    cdef int i
    memset(counts, 0, o.t.k * sizeof(double))
    for i in range(m):
        counts[o.P.y[ids[i]]] += w[i]


cdef double branch_errors(Pruning* o, int node, const int* ids, const double* w, int m) noexcept nogil:
    """Estimated errors of a subtree if it had these cases."""
    cdef Parts parts
    cdef int v
    cdef double s = 0.0
    if o.t.attribute[node] < 0:
        count(o, ids, w, m, o.P.sums)
        return estimate(o, o.P.sums)
    if not part(o, node, ids, w, m, False, &parts):
        return 0.0
    for v in range(parts.B):
        s += branch_errors(o, o.t.first[node] + v, parts.ids + parts.start[v], parts.w + parts.start[v],
                           parts.start[v + 1] - parts.start[v])
    free(parts.memory)
    return s


cdef void redistribute(Pruning* o, int node, const int* ids, const double* w, int m) noexcept nogil:
    """Count these cases in the subtree, all the way down."""
    cdef Parts parts
    cdef int v
    cdef double* counts = o.t.counts + <size_t>node * o.t.k
    count(o, ids, w, m, counts)
    if o.t.attribute[node] < 0:
        if fabs(total_of(counts, o.t.k)) >= SMALL:
            o.t.empty[node] = 0
        return
    if not part(o, node, ids, w, m, False, &parts):
        return
    for v in range(parts.B):
        o.t.bag[o.t.first[node] + v] = parts.bag[v]
        redistribute(o, o.t.first[node] + v, parts.ids + parts.start[v], parts.w + parts.start[v],
                     parts.start[v + 1] - parts.start[v])
    free(parts.memory)


cdef void prune(Pruning* o, int node, const int* ids, const double* w, int m) noexcept nogil:
    """From the bottom up: a leaf, the largest branch in its place, or as it is: whatever is expected to err least."""
    cdef Tree* t = o.t
    cdef Parts parts
    cdef int v, largest, son
    cdef double top, as_leaf, as_branch, as_tree
    while o.fine and t.attribute[node] >= 0:
        if not part(o, node, ids, w, m, True, &parts):
            return
        for v in range(parts.B):
            if t.attribute[t.first[node] + v] >= 0:
                prune(o, t.first[node] + v, parts.ids + parts.start[v], parts.w + parts.start[v],
                      parts.start[v + 1] - parts.start[v])
        free(parts.memory)
        top = 0.0
        largest = 0
        for v in range(t.branches[node]):
            if top - t.bag[t.first[node] + v] < SMALL:      # the last of equals
                top = t.bag[t.first[node] + v]
                largest = v
        son = t.first[node] + largest
        as_branch = branch_errors(o, son, ids, w, m) if o.raising else INFINITY
        as_leaf = estimate(o, t.counts + <size_t>node * t.k)
        as_tree = tree_errors(o, node)
        if as_leaf - (as_tree + 0.1) < SMALL and as_leaf - (as_branch + 0.1) < SMALL:
            make_leaf(t, node)
            return
        if not as_branch - (as_tree + 0.1) < SMALL:
            return
        t.attribute[node] = t.attribute[son]
        t.cut[node] = t.cut[son]
        t.branches[node] = t.branches[son]
        t.first[node] = t.first[son]
        redistribute(o, node, ids, w, m)
