"""The native kernels: built where a compiler is found, left out (karat then runs on numpy) where not."""

import sys

from setuptools import Extension, setup

MODULES = ("_native", "_native_replicates", "_native_laboratory")
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]

setup(
    ext_modules=[
        Extension(f"karat.kernels.{name}", [f"src/karat/kernels/{name}.pyx"], extra_compile_args=FLAGS, optional=True)
        for name in MODULES
    ]
)
