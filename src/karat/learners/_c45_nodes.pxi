"""Nodes, blocks of cases, and the small sums that all parts use."""

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
    const double* logs          # x log2 x of whole numbers
    const double* steps         # from each of them to the next
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
    cdef size_t size = sizeof(Block) + (<size_t>numeric * m + 1) * sizeof(Entry) + (0 if whole else m) * sizeof(double)
    size += columns * sizeof(Entry*) + (m + 2 * <size_t>columns) * sizeof(int)
    cdef char* at = <char*>malloc(size)
    if at == NULL:
        return NULL
    cdef Block* b = <Block*>at
    b.m, b.columns, b.whole = m, columns, whole
    at += sizeof(Block) + (<size_t>numeric * m + 1) * sizeof(Entry)  # one more, for what `split` writes twice
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
