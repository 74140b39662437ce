"""The native kernels: built where a compiler is found, left out (karat then runs on numpy) where not."""

import sys
from pathlib import Path

import numpy
from setuptools import Extension, setup

INCLUDED = [str(path) for path in Path("src/karat/kernels").glob("*.pxi")]
MACROS = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")]
FLAGS = ["-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]
FLAGS += ["-fno-tree-loop-distribution"]  # loops over few cells stay one loop
FLAGS = ["/O2"] if sys.platform == "win32" else FLAGS

setup(
    ext_modules=[
        Extension(
            f"karat.kernels.{name}",
            [f"src/karat/kernels/{name}.pyx"],
            depends=INCLUDED,
            include_dirs=[numpy.get_include()],
            define_macros=MACROS,
            extra_compile_args=FLAGS,
            optional=True,
        )
        for name in ("_native", "_native_replicates", "_native_laboratory")
    ]
)
