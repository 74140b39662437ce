"""Splitting nodes until nothing is left to split; the twin of `grown` in `_growing.py`."""


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
    cdef Entry* a
    cdef Entry* z
    cdef Entry[2] idle
    cdef int[2] keeps = [0, 0]
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
        if B == 2:
            keeps[0], keeps[1] = tip[0] != NULL, tip[1] != NULL
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
            if lost == 0 and B == 2:            # without a guess which way: written twice, kept once
                a = tip[0] if tip[0] != NULL else &idle[0]
                z = tip[1] if tip[1] != NULL else &idle[1]
                for m in range(b.length[j]):
                    v = P.branch[e[m].id]
                    a[0] = e[m]
                    z[0] = e[m]
                    a += (1 - v) & keeps[0]
                    z += v & keeps[1]
                tip[0] = a if tip[0] != NULL else NULL
                tip[1] = z if tip[1] != NULL else NULL
            else:
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
