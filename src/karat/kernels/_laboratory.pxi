# The loops of the studies.


def adjacent_swaps(uint8_t[:, ::1] states, const uint32_t[:, ::1] drawn):
    cdef Py_ssize_t B = states.shape[0], T = drawn.shape[1], b, t, at
    cdef uint64_t places = states.shape[1] - 1
    cdef uint8_t kept
    cdef uint8_t* state
    with nogil:
        for b in range(B):
            state = &states[b, 0]
            for t in range(T):
                at = <Py_ssize_t>(drawn[b, t] * places >> 32)
                kept = state[at]
                state[at] = state[at + 1]
                state[at + 1] = kept


def by_group(const uint16_t[::1] group, const double[::1] value, double start, double scale, double[:, ::1] ends,
             double[:, ::1] sums, double[:, ::1] bins):
    cdef Py_ssize_t n = group.shape[0], last = bins.shape[1] - 2, i, g, b
    cdef double v, at
    with nogil:
        for i in range(n):
            g = group[i]
            v = value[i]
            if v != v:
                bins[g, last + 1] += 1
                continue
            if v < ends[g, 0]:
                ends[g, 0] = v
            if v > ends[g, 1]:
                ends[g, 1] = v
            sums[g, 0] += v
            sums[g, 1] += v * v
            at = (v - start) * scale + 1e-9
            b = 0 if at < 0 else (last if at > last else <Py_ssize_t>at)
            bins[g, b] += 1
