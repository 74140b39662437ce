# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""C4.5 compiled: the twin of `_growing.py` and `_pruning.py`, which say what is computed and why.

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

cdef double SMALL = 1e-6        # J48's tolerance of comparisons
cdef double CLOSE = 1e-5        # numeric values closer than this are never parted


cdef struct Entry:
    double v
    int id
    int cls


cdef struct Block:
    int m                       # cases
    int columns                 # that can still split, ascending
    bint whole                  # every weight is one
    int* ids
    double* w                   # not there if whole
    int* column
    int* length                 # known entries of each column (numeric only)
    Entry** entries             # NULL for a nominal column


cdef struct Item:
    Block* block
    int trees
    int* tree
    int* node


cdef struct Score:
    bint valid
    bint dead                   # no node below can split on it either
    double gain
    double ratio
    double cut                  # midpoint, or the value that is parted from all others


cdef struct Tree:
    int size
    int capacity
    int k
    int* attribute              # -1: a leaf
    int* first                  # first child; the others follow it
    int* branches
    double* cut
    double* bag                 # weight that the parent's split sent here
    double* counts              # [size, k]
    unsigned char* empty


cdef struct Problem:
    int n
    int p
    int k
    int cases                   # with weight
    int least                   # fewest cases of a branch
    bint binary
    const double* X             # [p, n]
    const int* codes            # [nominal columns, n], -1 missing
    const int* place            # [p]: row of codes, for a nominal column
    const int* values           # [p]: declared values, 0 for a numeric column
    const int* y
    const double* weight
    const double* logs          # x log2 x of whole numbers
    const unsigned char* masks  # [trees, p]: 1 is left out
    const unsigned char* many   # [trees]: all columns are nominal and of very many values
    Block* root
    # scratch
    double* wt                  # [n] weight of a case in the node at hand
    int* branch                 # [n]
    double* table               # [most values, k]
    double* bags                # [most values]
    double* sums                # [6, k]
    int* tally                  # [2, k]
    int* sent                   # [most values]
    Score* scores               # [p]


cdef inline double xlogx(double x) noexcept nogil:
    return x * log2(x) if x >= SMALL else 0.0


cdef inline int most(const double* counts, int k) noexcept nogil:
    """The class of most weight; the first of equals."""
    cdef int c, best = 0
    cdef double top = 0.0
    for c in range(k):
        if counts[c] - top > SMALL:
            top = counts[c]
            best = c
    return best


cdef inline double total_of(const double* counts, int k) noexcept nogil:
    cdef int c
    cdef double s = 0.0
    for c in range(k):
        s += counts[c]
    return s


cdef inline double errors_of(const double* counts, int k) noexcept nogil:
    return total_of(counts, k) - counts[most(counts, k)]


cdef inline bint is_leaf(const double* counts, int k, int least) noexcept nogil:
    """Too few cases for two branches, or all of one class?"""
    cdef double total = total_of(counts, k)
    return 2 * least - total > SMALL or fabs(total - counts[most(counts, k)]) < SMALL


# ---------------------------------------------------------------- trees and blocks


cdef int add_nodes(Tree* t, int count) noexcept nogil:
    """So many new leaves; the place of the first, or -1 without memory."""
    cdef int first = t.size, wanted = t.size + count
    cdef void* grown
    if wanted > t.capacity:
        t.capacity = 2 * wanted + 16
        grown = realloc(t.attribute, t.capacity * sizeof(int))
        if grown == NULL: return -1
        t.attribute = <int*>grown
        grown = realloc(t.first, t.capacity * sizeof(int))
        if grown == NULL: return -1
        t.first = <int*>grown
        grown = realloc(t.branches, t.capacity * sizeof(int))
        if grown == NULL: return -1
        t.branches = <int*>grown
        grown = realloc(t.cut, t.capacity * sizeof(double))
        if grown == NULL: return -1
        t.cut = <double*>grown
        grown = realloc(t.bag, t.capacity * sizeof(double))
        if grown == NULL: return -1
        t.bag = <double*>grown
        grown = realloc(t.counts, t.capacity * t.k * sizeof(double))
        if grown == NULL: return -1
        t.counts = <double*>grown
        grown = realloc(t.empty, t.capacity)
        if grown == NULL: return -1
        t.empty = <unsigned char*>grown
    cdef int i
    for i in range(first, wanted):
        t.attribute[i] = -1
        t.first[i] = t.branches[i] = 0
        t.cut[i] = t.bag[i] = 0.0
        t.empty[i] = 0
    t.size = wanted
    return first


cdef void set_counts(Tree* t, int node, const double* counts) noexcept nogil:
    memcpy(t.counts + <size_t>node * t.k, counts, t.k * sizeof(double))
    t.empty[node] = fabs(total_of(counts, t.k)) < SMALL


cdef void free_tree(Tree* t) noexcept nogil:
    free(t.attribute); free(t.first); free(t.branches); free(t.cut); free(t.bag); free(t.counts); free(t.empty)


cdef Block* new_block(int m, int columns, int numeric, bint whole) noexcept nogil:
    """One piece of memory: entries, weights, then whole numbers."""
    cdef size_t size = sizeof(Block) + <size_t>numeric * m * sizeof(Entry) + (0 if whole else m) * sizeof(double)
    size += columns * sizeof(Entry*) + (m + 2 * <size_t>columns) * sizeof(int)
    cdef char* at = <char*>malloc(size)
    if at == NULL:
        return NULL
    cdef Block* b = <Block*>at
    b.m, b.columns, b.whole = m, columns, whole
    at += sizeof(Block) + <size_t>numeric * m * sizeof(Entry)
    b.w = NULL
    if not whole:
        b.w = <double*>at
        at += m * sizeof(double)
    b.entries = <Entry**>at
    at += columns * sizeof(Entry*)
    b.ids = <int*>at
    b.column = b.ids + m
    b.length = b.column + columns
    return b


cdef inline Entry* entries_of(Block* b) noexcept nogil:
    return <Entry*>(<char*>b + sizeof(Block))


# ---------------------------------------------------------------- scores of a node


cdef void score_numeric(Problem* P, Block* b, int at, const double* counts, double W, Score* s) noexcept nogil:
    cdef Entry* e = b.entries[at]
    cdef int n = b.length[at], k = P.k, i, c, l, r, index = 0, cut = -1, low, high
    cdef double known = 0.0, fewest, old, factor, best = 0.0, gain, left, right, SL = 0.0, SR = 0.0, w, x, info
    cdef int* L = P.tally
    cdef int* R = P.tally + k
    cdef double* wL = P.sums
    cdef double* wR = P.sums + k
    cdef double* fL = P.sums + 2 * k
    cdef double* fR = P.sums + 3 * k
    cdef const double* F = P.logs
    s.valid = False
    s.dead = n < 2 * P.least or not e[0].v + CLOSE < e[n - 1].v
    if s.dead:
        return
    if b.whole:
        known = n
        if n == b.m:
            for c in range(k):
                R[c] = <int>counts[c]
        else:
            memset(R, 0, k * sizeof(int))
            for i in range(n):
                R[e[i].cls] += 1
    else:
        memset(wR, 0, k * sizeof(double))
        for i in range(n):
            w = P.wt[e[i].id]
            wR[e[i].cls] += w
            known += w
    fewest = 0.1 * known / k
    if fewest - P.least < SMALL:
        fewest = P.least
    elif fewest - 25 > SMALL:
        fewest = 25
    if 2 * fewest - n > SMALL:
        return
    factor = (1 - (W - known) / W) / known
    if b.whole:
        for c in range(k):
            SR += F[R[c]]
            L[c] = 0
        old = F[n] - SR
        low = <int>fewest
        while fewest - low >= SMALL:        # the first place where the left branch is large enough
            low += 1
        high = n - low
        for i in range(high):
            c = e[i].cls
            l = L[c]
            r = R[c]
            SL += F[l + 1] - F[l]
            SR -= F[r] - F[r - 1]
            L[c] = l + 1
            R[c] = r - 1
            if i + 1 >= low and e[i].v + CLOSE < e[i + 1].v:
                index += 1
                x = old - (F[i + 1] - SL + F[n - i - 1] - SR)
                gain = x * factor
                if gain - best > SMALL and fabs(gain * known) >= SMALL:
                    best = gain
                    cut = i
        if cut >= 0:
            left, right = cut + 1, n - cut - 1
    else:
        for c in range(k):
            fR[c] = xlogx(wR[c])
            SR += fR[c]
            wL[c] = fL[c] = 0.0
        old = xlogx(known) - SR
        left, right = 0.0, known
        low = 0
        x = 0.0
        for i in range(n - 1):
            c = e[i].cls
            w = P.wt[e[i].id]
            wL[c] += w
            wR[c] -= w
            left += w
            right -= w
            if right - fewest <= -SMALL:
                break
            SL -= fL[c]
            SR -= fR[c]
            fL[c] = xlogx(wL[c])
            fR[c] = xlogx(wR[c])
            SL += fL[c]
            SR += fR[c]
            if e[i].v + CLOSE < e[i + 1].v and fewest - left < SMALL and fewest - right < SMALL:
                index += 1
                gain = (old - (xlogx(left) - SL + xlogx(right) - SR)) * factor
                if gain - best > SMALL and fabs(gain * known) >= SMALL:
                    best = gain
                    cut = i
                    x = left
        left, right = x, known - x
    if index == 0 or cut < 0:
        return
    best -= log2(<double>index) / W
    if best < SMALL:
        return
    s.valid = True
    s.gain = best
    info = xlogx(W) - xlogx(left) - xlogx(right) - xlogx(W - known)
    s.ratio = 0.0 if fabs(info) < SMALL else best / (info / W)
    s.cut = (e[cut + 1].v + e[cut].v) / 2
    if s.cut == e[cut + 1].v:
        s.cut = e[cut].v


cdef inline double gain_of(double old, double new, double known, double W) noexcept nogil:
    cdef double x = (1 - (W - known) / W) * (old - new)
    return 0.0 if fabs(x) < SMALL else x / known


cdef void score_nominal(Problem* P, Block* b, int column, double W, Score* s) noexcept nogil:
    cdef int k = P.k, V = P.values[column], i, v, c, id, large = 0, cls
    cdef const int* codes = P.codes + <size_t>P.place[column] * P.n
    cdef double* T = P.table
    cdef double* bag = P.bags
    cdef double* per = P.sums
    cdef double known = 0.0, old = 0.0, new = 0.0, split = 0.0, gain, ratio, rest, x, w
    cdef const double* F = P.logs
    s.valid = False
    s.dead = True
    memset(T, 0, <size_t>V * k * sizeof(double))
    if b.whole:
        for i in range(b.m):
            id = b.ids[i]
            v = codes[id]
            if v >= 0:
                T[v * k + P.y[id]] += 1.0
    else:
        for i in range(b.m):
            id = b.ids[i]
            v = codes[id]
            if v >= 0:
                T[v * k + P.y[id]] += b.w[i]
    for v in range(V):
        bag[v] = total_of(T + v * k, k)
        known += bag[v]
        large += bag[v] - P.least > -SMALL
    if P.binary:
        memset(per, 0, k * sizeof(double))
        for v in range(V):
            for c in range(k):
                per[c] += T[v * k + c]
        for c in range(k):
            old -= xlogx(per[c])
        old += xlogx(known)
        s.gain = s.ratio = 0.0
        s.cut = 0.0
        for v in range(V):
            rest = known - bag[v]
            if bag[v] - P.least > -SMALL and rest - P.least > -SMALL:
                s.valid = True
                s.dead = False
                new = xlogx(bag[v]) + xlogx(rest)
                for c in range(k):
                    new -= xlogx(T[v * k + c]) + xlogx(per[c] - T[v * k + c])
                gain = gain_of(old, new, known, W)
                x = xlogx(W) - xlogx(bag[v]) - xlogx(rest) - xlogx(W - known)
                ratio = 0.0 if fabs(x) < SMALL else gain / (x / W)
                if v == 0 or ratio - s.ratio > SMALL:
                    s.gain, s.ratio, s.cut = gain, ratio, v
        return
    if large < 2:
        return
    s.dead = False
    s.valid = True
    memset(per, 0, k * sizeof(double))
    if b.whole:
        for v in range(V):
            if bag[v] > 0.0:
                x = F[<int>bag[v]]
                new += x
                split += x
                for c in range(k):
                    w = T[v * k + c]
                    if w > 0.0:
                        new -= F[<int>w]
                        per[c] += w
        for c in range(k):
            old -= F[<int>per[c]]
        old += F[<int>known]
    else:
        for v in range(V):
            if bag[v] > 0.0:
                x = xlogx(bag[v])
                new += x
                split += x
                for c in range(k):
                    w = T[v * k + c]
                    if w > 0.0:
                        new -= xlogx(w)
                        per[c] += w
        for c in range(k):
            old -= xlogx(per[c])
        old += xlogx(known)
    s.gain = gain_of(old, new, known, W)
    x = xlogx(W) - split - xlogx(W - known)
    s.ratio = 0.0 if fabs(x) < SMALL else s.gain / (x / W)


cdef int chosen(Problem* P, Block* b, int tree) noexcept nogil:
    """The place among the block's columns of the best one for this tree, or -1."""
    cdef const unsigned char* mask = P.masks + <size_t>tree * P.p
    cdef int i, column, valid = 0, best = -1
    cdef double mean = 0.0, top = 0.0
    cdef Score* s
    for i in range(b.columns):
        column = b.column[i]
        s = P.scores + column
        if s.valid and not mask[column]:
            if P.values[column] == 0 or P.many[tree] or 0.3 * P.cases - P.values[column] > SMALL:
                mean += s.gain
                valid += 1
    if valid == 0:
        return -1
    mean /= valid
    for i in range(b.columns):
        column = b.column[i]
        s = P.scores + column
        if s.valid and not mask[column] and s.gain >= mean - 1e-3 and s.ratio - top > SMALL:
            best = i
            top = s.ratio
    return best if top >= SMALL else -1


cdef double lowered(Problem* P, int column, double middle) noexcept nogil:
    """The largest training value that is not above the middle, found as J48 finds it: in the order of cases, a value
    replaces another only if it is larger by more than its tolerance."""
    cdef Block* root = P.root
    cdef int at = 0, low, high, mid, i
    while root.column[at] != column:
        at += 1
    cdef Entry* e = root.entries[at]
    cdef double found, v
    low, high = 0, root.length[at]          # the first entry that is above
    while low < high:
        mid = (low + high) // 2
        if e[mid].v - middle < SMALL:
            low = mid + 1
        else:
            high = mid
    found = e[low - 1].v
    i = low - 1
    while i >= 0 and e[i].v == found:
        i -= 1
    if i < 0 or found - e[i].v > SMALL:
        return found
    found = -INFINITY
    for i in range(root.m):
        v = P.X[<size_t>column * P.n + root.ids[i]]
        if not isnan(v) and v - found > SMALL and v - middle < SMALL:
            found = v
    return found


# ---------------------------------------------------------------- growing


cdef inline int side(const Problem* P, int column, double cut, bint binary, int id) noexcept nogil:
    """The branch of a case, -1 if its value is missing."""
    cdef int v
    cdef double x
    if P.values[column] == 0:
        x = P.X[<size_t>column * P.n + id]
        if isnan(x):
            return -1
        return 0 if x - cut < SMALL or x <= cut else 1
    v = P.codes[<size_t>P.place[column] * P.n + id]
    if v < 0 or not binary:
        return v
    return 0 if v == <int>cut else 1


cdef int split(Problem* P, Item* item, int at, Tree* trees, const int* picked, int group,
               Item* out, int* pushed) noexcept nogil:
    """Give the trees of this group their children; those that may split again are pushed. 0 if memory ran out."""
    cdef Block* b = item.block
    cdef int column = b.column[at], k = P.k, i, j, c, v, id, t, lost = 0, first, last, alive = 0, numeric = 0, m, tr
    cdef double cut = P.scores[column].cut, known = 0.0, w
    cdef int B = 2 if P.values[column] == 0 or P.binary else P.values[column]
    cdef double* T = P.table
    cdef double* bag = P.bags
    cdef int* sent = P.sent
    cdef Block* child
    cdef Block** child_of
    cdef Entry** tip
    cdef Entry* e
    cdef int* keep
    if P.values[column] == 0:
        cut = lowered(P, column, cut)
    memset(T, 0, <size_t>B * k * sizeof(double))
    memset(bag, 0, B * sizeof(double))
    memset(sent, 0, B * sizeof(int))
    for i in range(b.m):
        id = b.ids[i]
        v = side(P, column, cut, P.binary, id)
        P.branch[id] = v
        if v < 0:
            lost += 1
        else:
            w = 1.0 if b.whole else b.w[i]
            T[v * k + P.y[id]] += w
            bag[v] += w
            sent[v] += 1
            known += w
    cdef double* share = <double*>malloc(B * sizeof(double))
    child_of = <Block**>calloc(B, sizeof(Block*))
    tip = <Entry**>malloc(B * sizeof(Entry*))
    keep = <int*>malloc(b.columns * sizeof(int))
    if share == NULL or child_of == NULL or tip == NULL or keep == NULL:
        free(share); free(child_of); free(tip); free(keep)
        return 0
    for v in range(B):
        share[v] = bag[v] / known
    if lost:
        for i in range(b.m):
            id = b.ids[i]
            if P.branch[id] < 0:
                w = 1.0 if b.whole else b.w[i]
                for v in range(B):
                    bag[v] += share[v] * w
                    if share[v] > SMALL:
                        T[v * k + P.y[id]] += share[v] * w
        for v in range(B):
            if share[v] > SMALL:
                sent[v] += lost
    # which columns can still split below, for a tree of this group?
    for i in range(b.columns):
        j = b.column[i]
        if P.scores[j].dead:
            continue
        for t in range(item.trees):
            if picked[t] == group and not P.masks[<size_t>item.tree[t] * P.p + j]:
                keep[alive] = i
                alive += 1
                numeric += P.values[j] == 0
                break
    cdef bint fine = True
    cdef int members = 0
    for t in range(item.trees):
        if picked[t] != group:
            continue
        members += 1
        tr = item.tree[t]
        first = add_nodes(trees + tr, B)
        if first < 0:
            fine = False
            break
        trees[tr].attribute[item.node[t]] = column
        trees[tr].cut[item.node[t]] = cut
        trees[tr].first[item.node[t]] = first
        trees[tr].branches[item.node[t]] = B
        for v in range(B):
            trees[tr].bag[first + v] = bag[v]
            set_counts(trees + tr, first + v, T + v * k)
    for v in range(B):
        if fine and not is_leaf(T + v * k, k, P.least):
            child = child_of[v] = new_block(sent[v], alive, numeric, b.whole and lost == 0)
            if child == NULL:
                fine = False
                break
            child.m = 0
            for i in range(alive):
                child.column[i] = b.column[keep[i]]
    if fine:
        for i in range(b.m):
            id = b.ids[i]
            v = P.branch[id]
            if v >= 0:
                child = child_of[v]
                if child != NULL:
                    child.ids[child.m] = id
                    if not child.whole:
                        child.w[child.m] = 1.0 if b.whole else b.w[i]
                    child.m += 1
            else:
                for v in range(B):
                    child = child_of[v]
                    if child != NULL and share[v] > SMALL:
                        child.ids[child.m] = id
                        child.w[child.m] = share[v] * (1.0 if b.whole else b.w[i])
                        child.m += 1
        for v in range(B):
            tip[v] = NULL if child_of[v] == NULL else entries_of(child_of[v])
        for i in range(alive):
            j = keep[i]
            e = b.entries[j]
            if e == NULL:
                for v in range(B):
                    if child_of[v] != NULL:
                        child_of[v].entries[i] = NULL
                        child_of[v].length[i] = 0
                continue
            for v in range(B):
                if child_of[v] != NULL:
                    child_of[v].entries[i] = tip[v]
            for m in range(b.length[j]):
                v = P.branch[e[m].id]
                if v >= 0:
                    if tip[v] != NULL:
                        tip[v][0] = e[m]
                        tip[v] += 1
                else:
                    for v in range(B):
                        if tip[v] != NULL and share[v] > SMALL:
                            tip[v][0] = e[m]
                            tip[v] += 1
            for v in range(B):
                if child_of[v] != NULL:
                    child_of[v].length[i] = <int>(tip[v] - child_of[v].entries[i])
    for v in range(B - 1, -1, -1):
        child = child_of[v]
        if child == NULL:
            continue
        if fine:
            out[pushed[0]].tree = <int*>malloc(2 * members * sizeof(int))
            fine = out[pushed[0]].tree != NULL
        if not fine:
            free(child)
            continue
        out[pushed[0]].node = out[pushed[0]].tree + members
        out[pushed[0]].block = child
        out[pushed[0]].trees = members
        m = 0
        for t in range(item.trees):
            if picked[t] == group:
                tr = item.tree[t]
                out[pushed[0]].tree[m] = tr
                out[pushed[0]].node[m] = trees[tr].first[item.node[t]] + v
                m += 1
        pushed[0] += 1
    free(share); free(child_of); free(tip); free(keep)
    return fine


cdef int grow_all(Problem* P, Tree* trees, int count, int widest) noexcept nogil:
    """All trees from the root block. 0 if memory ran out."""
    cdef Item* stack = <Item*>malloc((widest * count + 1) * sizeof(Item))
    cdef int capacity = widest * count + 1, height = 1, i, t, g, column, j
    cdef int* picked = <int*>malloc(count * sizeof(int))
    cdef Item item
    cdef Item* larger
    cdef Block* b
    cdef double* counts
    cdef double W
    cdef bint fine = stack != NULL and picked != NULL, wanted
    if fine:
        stack[0].tree = <int*>malloc(2 * count * sizeof(int))
        fine = stack[0].tree != NULL
    if not fine:
        free(stack); free(picked)
        return 0
    stack[0].node = stack[0].tree + count
    stack[0].block = P.root
    stack[0].trees = count
    for t in range(count):
        stack[0].tree[t] = t
        stack[0].node[t] = 0
    if is_leaf(trees[0].counts, P.k, P.least):
        free(stack[0].tree)
        height = 0
    while height:
        height -= 1
        item = stack[height]
        b = item.block
        if fine:
            if height + widest * item.trees > capacity:
                capacity = 2 * capacity + widest * item.trees
                larger = <Item*>realloc(stack, capacity * sizeof(Item))
                fine = larger != NULL
                if fine:
                    stack = larger
        if fine:
            counts = trees[item.tree[0]].counts + <size_t>item.node[0] * P.k
            W = total_of(counts, P.k)
            if not b.whole:
                for i in range(b.m):
                    P.wt[b.ids[i]] = b.w[i]
            for i in range(b.columns):
                column = b.column[i]
                if P.values[column]:
                    score_nominal(P, b, column, W, P.scores + column)
                else:
                    score_numeric(P, b, i, counts, W, P.scores + column)
            for t in range(item.trees):
                picked[t] = chosen(P, b, item.tree[t])
            for t in range(item.trees):
                g = picked[t]
                wanted = g >= 0
                for j in range(t):
                    if picked[j] == g:
                        wanted = False
                        break
                if wanted and fine:
                    fine = split(P, &item, g, trees, picked, g, stack, &height)
        if b != P.root:
            free(b)
        free(item.tree)
    free(stack); free(picked)
    return fine


# ---------------------------------------------------------------- collapsing and pruning


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
        for v in range(B):
            total += 0.0
            share[v] = t.bag[t.first[node] + v]
        known = 0.0
        for v in range(B):
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


# ---------------------------------------------------------------- what Python sees


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
    const double[:, ::1] X, const int[:, ::1] codes, const int[:, ::1] order, const int[::1] known,
    const int[::1] place, const int[::1] values, const int[::1] y, const double[::1] weight, const double[::1] logs,
    int k, const unsigned char[:, ::1] masks, const unsigned char[::1] many, int least, bint binary, bint collapsing,
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
    P.y, P.weight, P.logs = &y[0], &weight[0], &logs[0]
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
                        for i in range(known[place[j]]):
                            c = order[place[j], i]
                            if weight[c] > 0:
                                e.v = X[j, c]
                                e.id = c
                                e.cls = y[c]
                                e += 1
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


cdef void follow(const Shape* s, int node, double weight, const double* row, double* out) noexcept nogil:
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
            return
        node = s.first[node] + v
    for c in range(s.k):
        out[c] += weight * s.leaf[<size_t>node * s.k + c]


def follow_all(
    const int[::1] attribute, const int[::1] first, const int[::1] branches, const double[::1] cut,
    const double[::1] bag, const unsigned char[::1] empty, const double[:, ::1] leaf, const int[::1] values, bint binary,
    const double[:, ::1] X,
):
    """Probabilities [n, k] of the rows of X; see `_growing.follow_all`."""
    cdef double[:, ::1] out = np.zeros((X.shape[0], leaf.shape[1]))
    cdef Shape s
    cdef Py_ssize_t i
    if X.shape[0] == 0:
        return np.asarray(out)
    s.attribute, s.first, s.branches = &attribute[0], &first[0], &branches[0]
    s.cut, s.bag, s.empty, s.leaf = &cut[0], &bag[0], &empty[0], &leaf[0, 0]
    s.values = &values[0] if values.shape[0] else NULL
    s.k, s.binary = leaf.shape[1], binary
    with nogil:
        for i in range(X.shape[0]):
            follow(&s, 0, 1.0, &X[i, 0] if X.shape[1] else NULL, &out[i, 0])
    return np.asarray(out)
