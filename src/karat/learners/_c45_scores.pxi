"""How well each column parts the cases of a node; the twin of `_score` and `_choice` in `_growing.py`."""


cdef void score_numeric(Problem* P, Block* b, int at, const double* counts, double W, Score* s) noexcept nogil:
    cdef Entry* e = b.entries[at]
    cdef int n = b.length[at], k = P.k, i, c, l, index = 0, cut = -1, low, high
    cdef double known = 0.0, fewest, old, factor, best = 0.0, gain, left, right, SL = 0.0, SR = 0.0, w, x, info
    cdef int* L = P.tally
    cdef int* R = P.tally + k
    cdef double* wL = P.sums
    cdef double* wR = P.sums + k
    cdef double* fL = P.sums + 2 * k
    cdef double* fR = P.sums + 3 * k
    cdef double* seen = P.sums + 4 * k
    cdef const double* F = P.logs
    cdef const double* D = P.steps
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
        SL = SR                             # from here on the sum of both sides
        low = <int>fewest
        while fewest - low >= SMALL:        # the first place where the left branch is large enough
            low += 1
        high = n - low
        x = SMALL / factor - old            # what the sum below has to exceed, for a gain above the best one
        for c in range(k):
            R[c] -= 1                       # less L: those right of the next case of this class
        for i in range(low - 1):
            c = e[i].cls
            l = L[c]
            SL += D[l] - D[R[c] - l]
            L[c] = l + 1
        for i in range(low - 1, high):
            c = e[i].cls
            l = L[c]
            SL += D[l] - D[R[c] - l]
            L[c] = l + 1
            if e[i].v + CLOSE < e[i + 1].v:
                index += 1
                gain = SL - F[i + 1] - F[n - i - 1]
                if gain > x:
                    cut = i
                    best = (old + gain) * factor
                    x = (best + SMALL) / factor - old
        if cut >= 0:
            left, right = cut + 1, n - cut - 1
    else:
        for c in range(k):
            fR[c] = xlogx(wR[c])
            SR += fR[c]
            wL[c] = fL[c] = seen[c] = 0.0
        old = xlogx(known) - SR
        left, right = 0.0, known
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
            if e[i].v + CLOSE < e[i + 1].v and fewest - left < SMALL:
                index += 1
                for c in range(k):
                    if seen[c] != wL[c]:    # logarithms only of what has changed since the last cut
                        seen[c] = wL[c]
                        SL -= fL[c]
                        SR -= fR[c]
                        fL[c] = xlogx(wL[c])
                        fR[c] = xlogx(wR[c])
                        SL += fL[c]
                        SR += fR[c]
                gain = (old - (xlogx(left) - SL + xlogx(right) - SR)) * factor
                if gain - best > SMALL and fabs(gain * known) >= SMALL:
                    best = gain
                    cut = i
                    x = left                # at the best cut
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
    s.cut = 0.0
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
