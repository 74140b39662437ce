"""The native kernels: built where a compiler is found, left out (karat then runs on numpy) where not."""

import sys

from setuptools import Extension, setup

FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]
MODULES = ("karat.kernels._native", "karat.learners._c45")

setup(
    ext_modules=[
        Extension(name, [f"src/{name.replace('.', '/')}.pyx"], extra_compile_args=FLAGS, optional=True)
        for name in MODULES
    ]
)
