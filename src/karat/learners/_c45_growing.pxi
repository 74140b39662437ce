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


cdef struct Split:
    int column
    double cut
    int B                       # branches
    int lost                    # cases whose value is missing
    bint parts                  # two branches have cases of their own
    int alive                   # columns that can still split below
    int numeric                 # of them
    double* share               # of each branch in the known weight
    Block** child               # NULL for a branch that will be a leaf
    Entry** tip                 # where its next entry goes
    int* keep                   # places of the columns that can still split
    void* memory


cdef bint prepare(Problem* P, Item* item, int at, const int* picked, Split* s) noexcept nogil:
    """Which branch each case takes, and which columns those below may use. False if memory ran out."""
    cdef Block* b = item.block
    cdef int i, j, t, column = b.column[at], B = 2 if P.values[column] == 0 or P.binary else P.values[column]
    s.column, s.B = column, B
    s.cut = lowered(P, column, P.scores[column].cut) if P.values[column] == 0 else P.scores[column].cut
    s.lost = s.alive = s.numeric = 0
    s.memory = calloc(B * (sizeof(double) + sizeof(Block*) + sizeof(Entry*)) + b.columns * sizeof(int), 1)
    if s.memory == NULL:
        return False
    s.share = <double*>s.memory
    s.child = <Block**>(s.share + B)
    s.tip = <Entry**>(s.child + B)
    s.keep = <int*>(s.tip + B)
    deal(P, b, s)
    for i in range(b.columns):
        j = b.column[i]
        if P.scores[j].dead:
            continue
        for t in range(item.trees):
            if picked[t] == at and not P.masks[<size_t>item.tree[t] * P.p + j]:
                s.keep[s.alive] = i
                s.alive += 1
                s.numeric += P.values[j] == 0
                break
    return True


cdef void deal(Problem* P, Block* b, Split* s) noexcept nogil:
    """Into P: the branch of each case, and of each branch its classes (table), its weight (bags), its cases (sent)."""
    cdef int i, v, id, k = P.k
    cdef double known = 0.0, w
    memset(P.table, 0, <size_t>s.B * k * sizeof(double))
    memset(P.bags, 0, s.B * sizeof(double))
    memset(P.sent, 0, s.B * sizeof(int))
    for i in range(b.m):
        id = b.ids[i]
        v = side(P, s.column, s.cut, P.binary, id)
        P.branch[id] = v
        if v < 0:
            s.lost += 1
        else:
            w = 1.0 if b.whole else b.w[i]
            P.table[v * k + P.y[id]] += w
            P.bags[v] += w
            P.sent[v] += 1
            known += w
    s.parts = False
    for v in range(s.B):
        s.share[v] = P.bags[v] / known
        s.parts = s.parts or 0 < P.sent[v] < b.m - s.lost
    if s.lost == 0:
        return
    for i in range(b.m):
        id = b.ids[i]
        if P.branch[id] < 0:
            w = 1.0 if b.whole else b.w[i]
            for v in range(s.B):
                P.bags[v] += s.share[v] * w
                if s.share[v] > SMALL:
                    P.table[v * k + P.y[id]] += s.share[v] * w
    for v in range(s.B):
        if s.share[v] > SMALL:
            P.sent[v] += s.lost


cdef bint attach(Problem* P, Split* s, Tree* t, int node) noexcept nogil:
    """The tree's new children. False if memory ran out."""
    cdef int v, first = add_nodes(t, s.B)
    if first < 0:
        return False
    t.attribute[node], t.cut[node], t.first[node], t.branches[node] = s.column, s.cut, first, s.B
    for v in range(s.B):
        t.bag[first + v] = P.bags[v]
        set_counts(t, first + v, P.table + <size_t>v * P.k)
    return True


cdef bint make_blocks(Problem* P, Block* b, Split* s) noexcept nogil:
    """A block for each branch that may split again. False if memory ran out."""
    cdef int v, i
    cdef Block* child
    for v in range(s.B):
        if not is_leaf(P.table + <size_t>v * P.k, P.k, P.least):
            child = s.child[v] = new_block(P.sent[v], s.alive, s.numeric, b.whole and s.lost == 0)
            if child == NULL:
                return False
            child.m = 0
            s.tip[v] = entries_of(child)
            for i in range(s.alive):
                child.column[i] = b.column[s.keep[i]]
                child.entries[i] = NULL
                child.length[i] = 0
    return True


cdef void fill_cases(Problem* P, Block* b, Split* s) noexcept nogil:
    cdef int i, v, id
    cdef double w
    cdef Block* child
    for i in range(b.m):
        id = b.ids[i]
        v = P.branch[id]
        w = 1.0 if b.whole else b.w[i]
        if v >= 0:
            child = s.child[v]
            if child != NULL:
                child.ids[child.m] = id
                if not child.whole:
                    child.w[child.m] = w
                child.m += 1
        else:
            for v in range(s.B):
                child = s.child[v]
                if child != NULL and s.share[v] > SMALL:
                    child.ids[child.m] = id
                    child.w[child.m] = s.share[v] * w
                    child.m += 1


cdef void fill_column(Problem* P, Split* s, const Entry* e, int n, int at) noexcept nogil:
    """Copy a sorted column to the children, in order."""
    cdef int i, v
    cdef Entry* a
    cdef Entry* z
    cdef Entry[2] idle
    cdef int keeps_a, keeps_z
    for v in range(s.B):
        if s.child[v] != NULL:
            s.child[v].entries[at] = s.tip[v]
    if s.lost == 0 and s.B == 2:        # without a guess which way: written twice, kept once
        keeps_a, keeps_z = s.child[0] != NULL, s.child[1] != NULL
        a = s.tip[0] if keeps_a else &idle[0]
        z = s.tip[1] if keeps_z else &idle[1]
        for i in range(n):
            v = P.branch[e[i].id]
            a[0] = e[i]
            z[0] = e[i]
            a += (1 - v) & keeps_a
            z += v & keeps_z
        s.tip[0], s.tip[1] = a, z
    else:
        for i in range(n):
            v = P.branch[e[i].id]
            if v >= 0:
                if s.child[v] != NULL:
                    s.tip[v][0] = e[i]
                    s.tip[v] += 1
            else:
                for v in range(s.B):
                    if s.child[v] != NULL and s.share[v] > SMALL:
                        s.tip[v][0] = e[i]
                        s.tip[v] += 1
    for v in range(s.B):
        if s.child[v] != NULL:
            s.child[v].length[at] = <int>(s.tip[v] - s.child[v].entries[at])


cdef bint push(Split* s, Item* item, int v, Tree* trees, int at, const int* picked, Item* out) noexcept nogil:
    """The child as work to do, for the trees that chose this split. False if memory ran out."""
    cdef int t, tree
    out.tree = <int*>malloc(2 * item.trees * sizeof(int))
    if out.tree == NULL:
        return False
    out.node = out.tree + item.trees
    out.block = s.child[v]
    out.trees = 0
    for t in range(item.trees):
        if picked[t] == at:
            tree = item.tree[t]
            out.tree[out.trees] = tree
            out.node[out.trees] = trees[tree].first[item.node[t]] + v
            out.trees += 1
    return True


cdef bint split(Problem* P, Item* item, int at, Tree* trees, const int* picked, Item* stack, int* height) noexcept nogil:
    """Split on the block's column `at`, for the trees that picked it; children that may split again go on the stack."""
    cdef Block* b = item.block
    cdef Split s
    cdef int i, v, t
    if not prepare(P, item, at, picked, &s):
        return False
    if not s.parts:                         # the node stays a leaf, where J48 would call itself for ever
        free(s.memory)
        return True
    cdef bint fine = True
    for t in range(item.trees):
        if picked[t] == at and fine:
            fine = attach(P, &s, trees + item.tree[t], item.node[t])
    fine = fine and make_blocks(P, b, &s)
    if fine:
        fill_cases(P, b, &s)
        for i in range(s.alive):
            if b.entries[s.keep[i]] != NULL:
                fill_column(P, &s, b.entries[s.keep[i]], b.length[s.keep[i]], i)
    for v in range(s.B - 1, -1, -1):        # the first child on top
        if s.child[v] != NULL:
            fine = fine and push(&s, item, v, trees, at, picked, stack + height[0])
            if fine:
                height[0] += 1
            else:
                free(s.child[v])
    free(s.memory)
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
                    fine = split(P, &item, g, trees, picked, stack, &height)
        if b != P.root:
            free(b)
        free(item.tree)
    free(stack); free(picked)
    return fine
