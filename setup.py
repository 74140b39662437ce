"""The native kernels: built where a compiler is found, left out (karat then runs on numpy) where not."""

import sys

from setuptools import Extension, setup

SOURCES = ["src/karat/kernels/_native.pyx"]
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]

setup(ext_modules=[Extension("karat.kernels._native", SOURCES, extra_compile_args=FLAGS, optional=True)])
