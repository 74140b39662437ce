# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The loops that matter, compiled. Each function is the twin of the one of the same name in the Python file of the same
chapter, which says what it computes; this one only says it faster. No function checks its input: the border did."""

import numpy as np

from karat.kernels.records import TableFacts, TableLogs, TableSums

cimport numpy as cnp
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.list cimport PyList_GET_ITEM
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject, PyTypeObject
from libc.math cimport INFINITY, NAN, exp, fabs, log, log1p, log2, sqrt, sqrtf
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

cnp.import_array()

ctypedef int (*Sort)(void*, Py_ssize_t, void*) noexcept nogil

cdef extern from *:
    """
    static PyArray_SortFunc* karat_sort_of(int type) {
        PyArray_Descr* kind = PyArray_DescrFromType(type);
        PyArray_SortFunc* sort = PyDataType_GetArrFuncs(kind)->sort[NPY_QUICKSORT];
        Py_DECREF(kind);
        return sort;
    }
    """
    Sort karat_sort_of(int type)


cdef extern from *:
    """
    typedef struct { PyUFuncGenericFunction loop; void* data; } karat_function;
    static karat_function karat_ln, karat_power_of_e;
    static karat_function karat_function_of(PyObject* ufunc) {
        PyUFuncObject* kinds = (PyUFuncObject*)ufunc;
        int i = 0;
        while (kinds->types[2 * i] != NPY_DOUBLE) i++;
        karat_function own = {kinds->functions[i], kinds->data[i]};
        return own;
    }
    static inline void karat_apply(karat_function f, const double* x, double* out, npy_intp n) {
        char* places[2] = {(char*)x, (char*)out};
        npy_intp steps[2] = {sizeof(double), sizeof(double)};
        f.loop(places, &n, steps, f.data);
    }
    """
    ctypedef struct Function "karat_function":
        pass
    Function karat_ln                           # numpy's own, which take several numbers in one step
    Function karat_power_of_e
    Function karat_function_of(object ufunc)


karat_ln, karat_power_of_e = karat_function_of(np.log), karat_function_of(np.exp)


cdef extern from *:
    """
    #if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
    #define karat_has_avx2() \
        (__builtin_cpu_init(), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
    #else
    #define karat_has_avx2() 0
    #endif
    """
    bint karat_has_avx2()


def processor_has_avx2():
    return karat_has_avx2()


cdef inline object named(type record, tuple fields):
    arguments = (fields,)                       # tuple.__new__(record, fields), which is what its own _make calls
    return (<PyTypeObject*>tuple).tp_new(record, <PyObject*>arguments, NULL)


cdef Sort sort_narrow = karat_sort_of(cnp.NPY_UINT32)       # numpy's own, which know the processor
cdef Sort sort_wide = karat_sort_of(cnp.NPY_UINT64)

ctypedef fused integer:
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t
    uint16_t
    uint32_t

DEF BLOCK = 4096            # rows summed before they are added to the total: keeps rounding small
DEF SMALL = 32768           # numbers that a processor's cache holds
DEF SUMS = 5                # of a scanned column: deviation, refinement, error, gap, ties
DEF LOGS = 4096             # x ln x (and ln x) is looked up for whole numbers below this
DEF FEW = 64                # columns of a table whose logarithms are kept
DEF NEAR = 1024             # objects whose place is remembered by their address

cdef double[LOGS] WHOLE_LN
cdef double[LOGS] WHOLE_X_LN_X
cdef int _x
WHOLE_LN[0] = WHOLE_X_LN_X[0] = 0.0
for _x in range(1, LOGS):
    WHOLE_LN[_x] = log(<double>_x)
    WHOLE_X_LN_X[_x] = _x * log(<double>_x)


cdef inline double x_ln_x(double x) noexcept nogil:
    cdef int64_t whole = <int64_t>x
    if <uint64_t>whole < LOGS and whole == x:   # negative ones are large as unsigned numbers
        return WHOLE_X_LN_X[whole]
    return x * log(x) if x > 0.0 else 0.0


cdef inline double x_ln_x_of(const double* x, Py_ssize_t n) noexcept nogil:
    # Over n values, two sums at a time.
    cdef Py_ssize_t j
    cdef double a = 0.0, b = 0.0
    for j in range(0, n - 1, 2):
        a += x_ln_x(x[j])
        b += x_ln_x(x[j + 1])
    return a + b + (x_ln_x(x[n - 1]) if n & 1 else 0.0)


cdef inline double whole_x_ln_x(Py_ssize_t x) noexcept nogil:
    return WHOLE_X_LN_X[x] if x < LOGS else x * log(<double>x)


cdef inline double whole_ln(Py_ssize_t x) noexcept nogil:
    return WHOLE_LN[x] if x < LOGS else log(<double>x)


cdef inline double ln(double x) noexcept nogil:
    """Natural logarithm, 0 at 0."""
    cdef int64_t whole = <int64_t>x
    if <uint64_t>whole < LOGS and whole == x:
        return WHOLE_LN[whole]
    return log(x) if x > 0.0 else 0.0


cdef inline double ln_or_none(double x) noexcept nogil:
    # Natural logarithm, -infinity at 0; nan of less.
    return ln(x) if x > 0.0 else log(x)


cdef inline uint64_t bits_of(double x) noexcept nogil:
    cdef uint64_t u
    memcpy(&u, &x, 8)
    return u


cdef inline double double_of(uint64_t u) noexcept nogil:
    cdef double x
    memcpy(&x, &u, 8)
    return x


cdef uint64_t ONE = 0x3FF0000000000000          # the bits of 1.0
cdef uint64_t INFINITE = 0x7FF0000000000000     # the bits of infinity
cdef uint64_t MIXER = 0x9E3779B97F4A7C15        # 2^64 over the golden ratio: spreads what is multiplied by it
cdef int64_t LARGEST_EXACT = 1 << 53             # above this, not every whole number is a float
cdef uint64_t SIGN = 0x8000000000000000         # the sign bit, which no score needs


cdef inline uint64_t all_bits_if(bint condition) noexcept nogil:
    # A mask instead of a branch: the class of a case is what a processor guesses wrong most often.
    return -<uint64_t>condition


cdef inline double one_if(bint condition) noexcept nogil:
    return double_of(all_bits_if(condition) & ONE)


# ----------------------------------------------------------------------------------------------------- arrays
#
# By numpy's own interface: for small data a typed view of an array costs more than the loop over it.


cdef inline cnp.ndarray zeros(Py_ssize_t a, Py_ssize_t b=-1, Py_ssize_t c=-1):
    cdef cnp.npy_intp[3] shape = [a, b, c]
    return cnp.PyArray_ZEROS(1 + (b >= 0) + (c >= 0), shape, cnp.NPY_DOUBLE, 0)


cdef inline const double* doubles(cnp.ndarray x) except NULL:
    if cnp.PyArray_TYPE(x) != cnp.NPY_DOUBLE or not cnp.PyArray_IS_C_CONTIGUOUS(x):
        raise TypeError("an array is not contiguous float64")
    return <const double*>cnp.PyArray_DATA(x)


cdef inline const float* floats(cnp.ndarray x) except NULL:
    if cnp.PyArray_TYPE(x) != cnp.NPY_FLOAT or not cnp.PyArray_IS_C_CONTIGUOUS(x):
        raise TypeError("an array is not contiguous float32")
    return <const float*>cnp.PyArray_DATA(x)


cdef inline const int32_t* places(cnp.ndarray x) except NULL:
    if cnp.PyArray_TYPE(x) != cnp.NPY_INT32 or not cnp.PyArray_IS_C_CONTIGUOUS(x):
        raise TypeError("an array is not contiguous int32")
    return <const int32_t*>cnp.PyArray_DATA(x)


cdef inline double* room_in(cnp.ndarray x) noexcept:
    return <double*>cnp.PyArray_DATA(x)


cdef inline cnp.ndarray shared(cnp.ndarray whole, int axes, cnp.npy_intp* shape, Py_ssize_t first=0):
    # The numbers of a contiguous array, or some of them, as an array of another shape; nothing is copied.
    cdef char* start = <char*>cnp.PyArray_DATA(whole) + first * cnp.PyArray_ITEMSIZE(whole)
    cdef cnp.ndarray view = cnp.PyArray_SimpleNewFromData(axes, shape, cnp.PyArray_TYPE(whole), start)
    cnp.set_array_base(view, whole)
    if not cnp.PyArray_ISWRITEABLE(whole):
        cnp.PyArray_CLEARFLAGS(view, cnp.NPY_ARRAY_WRITEABLE)
    return view


# ----------------------------------------------------------------------------------------------------- rows
#
# Probabilities stay what they were given as: float64 or float32, all columns or one of two. Loops over rows see float64
# and all columns, some rows at a time.


cdef struct Rows:
    const double* doubles                       # NULL: float32
    const float* floats
    Py_ssize_t k
    Py_ssize_t given                            # the one column that is held of two; -1: all are
    Py_ssize_t at_once
    double* some                                # as many rows, NULL if they can be read where they lie


cdef Rows rows_of(cnp.ndarray proba, Py_ssize_t given) except *:
    cdef bint single = cnp.PyArray_TYPE(proba) == cnp.NPY_FLOAT
    cdef Rows rows
    rows.doubles = NULL if single else doubles(proba)
    rows.floats = floats(proba) if single else NULL
    rows.k = proba.shape[cnp.PyArray_NDIM(proba) - 1] if given < 0 else 2
    rows.given = given
    rows.at_once = max(1, min(BLOCK, SMALL // max(1, rows.k)))
    rows.some = NULL
    if single or given >= 0:
        rows.at_once = max(1, rows.at_once // 4)    # a processor's nearest cache holds them
        rows.some = <double*>malloc(rows.at_once * rows.k * sizeof(double))
    return rows


cdef inline const double* some_rows(Rows* rows, Py_ssize_t start, Py_ssize_t n) noexcept nogil:
    # Rows start..start+n-1, at most `at_once` of them, until others are asked for.
    cdef Py_ssize_t i, at = start * rows.k
    if rows.some == NULL:
        return rows.doubles + at
    if rows.given < 0:
        for i in range(n * rows.k):
            rows.some[i] = rows.floats[at + i]
    elif rows.floats == NULL:
        for i in range(n):
            rows.some[2 * i + rows.given] = rows.doubles[start + i]
            rows.some[2 * i + 1 - rows.given] = 1.0 - rows.doubles[start + i]
    else:
        for i in range(n):
            rows.some[2 * i + rows.given] = rows.floats[start + i]
            rows.some[2 * i + 1 - rows.given] = 1.0 - <double>rows.floats[start + i]
    return rows.some


include "_keys.pxi"
include "_border.pxi"
include "_rows.pxi"
include "_columns.pxi"
include "_tables.pxi"
include "_facts.pxi"
include "_many_classes.pxi"
include "_ragged.pxi"
include "_census.pxi"
include "_resampling.pxi"
include "_curves.pxi"
include "_laboratory.pxi"
include "_folding.pxi"
include "_piling.pxi"
include "_tallies.pxi"
