# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""C4.5 compiled: the twin of `_growing.py` and `_python.py`, which say what is computed and why.

Each numeric column is sorted once, outside. A node owns a block: its cases, and for each numeric column that can still
split, its known entries in sorted order; a split copies them to the children in the same order, so nothing is sorted
again. While every weight is one, entropies are updated from a table of x log2 x. Children that will be leaves get no
block. A node may belong to several trees with different columns left out: it is scored once for all of them, and those
that choose alike stay together.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, isnan, log2, pow, sqrt
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

include "_c45_nodes.pxi"
include "_c45_scores.pxi"
include "_c45_growing.pxi"
include "_c45_pruning.pxi"


cdef tuple arrays(Tree* t):
    """The tree without what was cut off, children next to each other after their parents."""
    cdef int* old = <int*>malloc(t.size * sizeof(int))
    cdef int size = 1, at = 0, node, i, k = t.k
    if old == NULL:
        raise MemoryError
    old[0] = 0
    while at < size:
        node = old[at]
        for i in range(t.branches[node]):
            old[size] = t.first[node] + i
            size += 1
        at += 1
    cdef int[::1] attribute = np.empty(size, np.intc), first = np.zeros(size, np.intc)
    cdef int[::1] branches = np.empty(size, np.intc)
    cdef double[::1] cut = np.empty(size), bag = np.empty(size)
    cdef double[:, ::1] counts = np.empty((size, k))
    cdef unsigned char[::1] empty = np.empty(size, np.uint8)
    cdef int next_child = 1
    for at in range(size):
        node = old[at]
        attribute[at] = t.attribute[node]
        branches[at] = t.branches[node]
        first[at] = next_child if t.branches[node] else 0
        next_child += t.branches[node]
        cut[at] = t.cut[node] if t.attribute[node] >= 0 else 0.0
        bag[at] = t.bag[node]
        empty[at] = t.empty[node]
        memcpy(&counts[at, 0], t.counts + <size_t>node * k, k * sizeof(double))
    free(old)
    return (np.asarray(attribute), np.asarray(first), np.asarray(branches), np.asarray(cut), np.asarray(bag),
            np.asarray(counts), np.asarray(empty))


def grow(
    const double[:, ::1] X, const int[:, ::1] codes, const int[:, ::1] order, const double[:, ::1] ordered,
    const int[::1] known,    const int[::1] place, const int[::1] values, const int[::1] y, const double[::1] weight, const double[::1] logs,
    const double[::1] steps, int k, const unsigned char[:, ::1] masks, const unsigned char[::1] many, int least, bint binary, bint collapsing,
    bint pruning, bint raising, double confidence, double z,
):
    """One tree for each row of masks, as arrays; see `_growing.grow`."""
    cdef Problem P
    cdef int n = X.shape[1], p = X.shape[0], count_trees = masks.shape[0], widest = 2, i, j, c, t, m = 0
    cdef bint whole = True, fine = True
    for j in range(p):
        if values[j] > widest:
            widest = values[j]
    for i in range(n):
        m += weight[i] > 0
        whole = whole and (weight[i] == 0 or weight[i] == 1)
    P.n, P.p, P.k, P.cases, P.least, P.binary = n, p, k, m, least, binary
    P.X = &X[0, 0] if p and n else NULL
    P.codes = &codes[0, 0] if codes.shape[0] and n else NULL
    P.place = &place[0] if p else NULL
    P.values = &values[0] if p else NULL
    P.y, P.logs, P.steps = &y[0], &logs[0], &steps[0]
    P.masks = &masks[0, 0] if p else NULL
    P.many = &many[0]
    P.root = NULL
    P.wt = <double*>malloc(n * sizeof(double))
    P.branch = <int*>malloc(n * sizeof(int))
    P.table = <double*>malloc(<size_t>widest * k * sizeof(double))
    P.bags = <double*>malloc(widest * sizeof(double))
    P.sums = <double*>malloc(6 * k * sizeof(double))
    P.tally = <int*>malloc(2 * k * sizeof(int))
    P.sent = <int*>malloc(widest * sizeof(int))
    P.scores = <Score*>malloc((p + 1) * sizeof(Score))
    cdef Tree* trees = <Tree*>calloc(count_trees, sizeof(Tree))
    cdef Pruning o
    cdef Block* root
    cdef Entry* e
    cdef int numeric = 0
    try:
        if (P.wt == NULL or P.branch == NULL or P.table == NULL or P.bags == NULL or P.sums == NULL or P.tally == NULL
                or P.sent == NULL or P.scores == NULL or trees == NULL):
            raise MemoryError
        with nogil:
            for j in range(p):
                numeric += values[j] == 0
            root = P.root = new_block(m, p, numeric, whole)
            if root == NULL:
                fine = False
            else:
                m = 0
                memset(P.sums, 0, k * sizeof(double))
                for i in range(n):
                    P.branch[i] = weight[i] > 0
                    if weight[i] > 0:
                        root.ids[m] = i
                        if not whole:
                            root.w[m] = weight[i]
                        P.sums[y[i]] += weight[i]
                        m += 1
                e = entries_of(root)
                for j in range(p):
                    root.column[j] = j
                    root.entries[j] = NULL
                    root.length[j] = 0
                    if values[j] == 0:
                        root.entries[j] = e
                        for i in range(known[place[j]]):    # always written, kept if the case has weight
                            c = order[place[j], i]
                            e.v = ordered[place[j], i]
                            e.id = c
                            e.cls = y[c]
                            e += P.branch[c]
                        root.length[j] = <int>(e - root.entries[j])
                for t in range(count_trees):
                    trees[t].k = k
                    if fine and add_nodes(trees + t, 1) < 0:
                        fine = False
                    if fine:
                        set_counts(trees + t, 0, P.sums)
                if fine:
                    fine = grow_all(&P, trees, count_trees, widest)
                o.P, o.raising, o.confidence, o.z, o.fine = &P, raising, confidence, z, fine
                if pruning and not whole:
                    for i in range(root.m):
                        P.wt[i] = root.w[i]
                elif pruning:
                    for i in range(root.m):
                        P.wt[i] = 1.0
                for t in range(count_trees):
                    o.t = trees + t
                    if o.fine and collapsing:
                        o.fine = collapse(o.t)
                    if o.fine and pruning:
                        prune(&o, 0, root.ids, P.wt, root.m)
                fine = o.fine
        if not fine:
            raise MemoryError
        return [arrays(trees + t) for t in range(count_trees)]
    finally:
        if trees != NULL:
            for t in range(count_trees):
                free_tree(trees + t)
        free(trees); free(P.root); free(P.wt); free(P.branch); free(P.table); free(P.bags); free(P.sums)
        free(P.tally); free(P.sent); free(P.scores)


cdef struct Shape:
    const int* attribute
    const int* first
    const int* branches
    const double* cut
    const double* bag
    const unsigned char* empty
    const double* leaf          # [size, k]
    const int* values
    int k
    bint binary


cdef inline int branch_of(const Shape* s, int node, double x) noexcept nogil:
    cdef int V = s.values[s.attribute[node]]
    if V == 0:
        if isnan(x):
            return -1
        return 0 if x - s.cut[node] < SMALL or x <= s.cut[node] else 1
    if not (x >= 0 and x < V):      # missing, or a value that was not declared
        return -1
    if s.binary:
        return 0 if <int>x == <int>s.cut[node] else 1
    return <int>x


cdef bint follow(const Shape* s, int node, double weight, const double* row, double* out) noexcept nogil:
    """Add what the tree says; was a value missing on the way?"""
    cdef int v, c, son
    cdef double total = 0.0
    while s.attribute[node] >= 0:
        v = branch_of(s, node, row[s.attribute[node]])
        if v < 0:
            for v in range(s.branches[node]):
                total += s.bag[s.first[node] + v]
            for v in range(s.branches[node]):
                son = s.first[node] + v
                if not s.empty[son]:
                    follow(s, son, weight * s.bag[son] / total, row, out)
            return True
        node = s.first[node] + v
    for c in range(s.k):
        out[c] += weight * s.leaf[<size_t>node * s.k + c]
    return False


def follow_all(
    const int[::1] attribute, const int[::1] first, const int[::1] branches, const double[::1] cut,
    const double[::1] bag, const unsigned char[::1] empty, const double[:, ::1] leaf, const int[::1] values, bint binary,
    const double[:, ::1] X,
):
    """(Probabilities [n, k] of the rows of X, whether a missing value was met); see `_following.follow_all`."""
    cdef double[:, ::1] out = np.zeros((X.shape[0], leaf.shape[1]))
    cdef Shape s
    cdef Py_ssize_t i
    cdef bint met = False
    if X.shape[0] == 0:
        return np.asarray(out), False
    s.attribute, s.first, s.branches = &attribute[0], &first[0], &branches[0]
    s.cut, s.bag, s.empty, s.leaf = &cut[0], &bag[0], &empty[0], &leaf[0, 0]
    s.values = &values[0] if values.shape[0] else NULL
    s.k, s.binary = leaf.shape[1], binary
    with nogil:
        for i in range(X.shape[0]):
            met |= follow(&s, 0, 1.0, &X[i, 0] if X.shape[1] else NULL, &out[i, 0])
    return np.asarray(out), met != 0
