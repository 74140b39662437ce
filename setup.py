"""The native kernels: built where a compiler is found, left out (karat then runs on numpy) where not.

`KARAT_BUILD=numpy` in the environment builds none; `native` insists: a kernel that does not compile is an error.
"""

import os
import sys
from pathlib import Path

import numpy
from setuptools import Extension, setup

MODULES = ("kernels/_native", "learners/_c45")
MACROS = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")]
FLAGS = ["-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]
FLAGS += ["-fno-tree-loop-distribution"]  # loops over few cells stay one loop
FLAGS = ["/O2"] if sys.platform == "win32" else FLAGS


asked = os.environ.get("KARAT_BUILD", "")
if asked not in ("", "numpy", "native"):
    raise SystemExit(f"KARAT_BUILD is {asked!r}; set it to numpy or native, or leave it out.")


def extension(module: str) -> Extension:
    source = Path("src/karat") / f"{module}.pyx"
    return Extension(
        f"karat.{module.replace('/', '.')}",
        [str(source)],
        depends=[str(path) for path in source.parent.glob("*.pxi")],
        include_dirs=[numpy.get_include()],
        define_macros=MACROS,
        extra_compile_args=FLAGS,
        optional=asked != "native",
    )


setup(ext_modules=[] if asked == "numpy" else [extension(module) for module in MODULES])
