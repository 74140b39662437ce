# What curves of one class against the rest are made of.


def precision_sums(const double[:, :] positive, const double[:, :] negative):
    cdef Py_ssize_t R = positive.shape[0], m = positive.shape[1], r, i
    out_ = np.zeros(R)
    cdef double[::1] out = out_
    cdef double hits, misses, total
    with nogil:
        for r in range(R):
            hits = misses = total = 0.0
            for i in range(m - 1, -1, -1):
                hits += positive[r, i]
                misses += negative[r, i]
                if positive[r, i] != 0.0:
                    total += positive[r, i] * (hits / (hits + misses))
            out[r] = total
    return out_


def hulls(const double[:, :] positive, const double[:, :] negative):
    cdef Py_ssize_t R = positive.shape[0], m = positive.shape[1], r, i, top
    ends_ = np.zeros(R + 1, np.int64)
    cdef int64_t[::1] ends = ends_, part
    cdef double[:, ::1] at
    cdef int64_t* kept = <int64_t*>malloc((m + 1) * sizeof(int64_t))
    cdef double* x = <double*>malloc((m + 1) * sizeof(double))
    cdef double* y = <double*>malloc((m + 1) * sizeof(double))
    cdef double u, v
    found, reached = [], []
    for r in range(R):
        with nogil:
            top = 0
            kept[0] = 0
            x[0] = y[0] = u = v = 0.0
            for i in range(m):
                u += negative[r, m - 1 - i]
                v += positive[r, m - 1 - i]
                if u == x[top] and v == y[top]:
                    continue
                while top > 0 and (u - x[top - 1]) * (y[top] - y[top - 1]) <= (x[top] - x[top - 1]) * (v - y[top - 1]):
                    top -= 1
                top += 1
                kept[top] = i + 1
                x[top] = u
                y[top] = v
        part_ = np.empty(top + 1, np.int64)
        at_ = np.empty((2, top + 1))
        part = part_
        at = at_
        for i in range(top + 1):
            part[i] = kept[i]
            at[0, i] = x[i]
            at[1, i] = y[i]
        found.append(part_)
        reached.append(at_)
        ends[r + 1] = ends[r] + top + 1
    free(kept)
    free(x)
    free(y)
    return np.concatenate(found), np.concatenate(reached, axis=1), ends_


def envelope(const double[::1] left, const double[::1] right, double slack):
    cdef Py_ssize_t n = left.shape[0], i, now = 0, best, steps = 0
    breaks_, which_ = np.zeros(n + 1), np.zeros(n, np.int64)
    cdef double[::1] breaks = breaks_
    cdef int64_t[::1] which = which_
    cdef double least, where, ahead
    with nogil:
        for i in range(1, n):
            if left[i] < left[now] or (left[i] == left[now] and right[i] < right[now]):
                now = i
        which[0] = now
        while True:
            least = INFINITY
            for i in range(n):
                if right[i] < right[now] - slack:
                    ahead = max(left[i] - left[now], 0.0)
                    least = min(least, ahead / (ahead + (right[now] - right[i])))
            if least == INFINITY:
                break
            best = -1
            for i in range(n):
                if right[i] < right[now] - slack:
                    ahead = max(left[i] - left[now], 0.0)
                    where = ahead / (ahead + (right[now] - right[i]))
                    if where <= least + slack and (best < 0 or right[i] < right[best]):
                        best = i
            now = best
            if least >= 1.0 - slack:
                break
            if least - breaks[steps] <= slack:
                which[steps] = now
            else:
                steps += 1
                breaks[steps] = least
                which[steps] = now
        breaks[steps + 1] = 1.0
    return breaks_[:steps + 2], which_[:steps + 1]
