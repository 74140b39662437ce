# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# The same once more, compiled for processors with AVX2: see setup.py.

include "_native.pyx"
