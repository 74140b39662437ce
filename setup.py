"""The native kernels: built where a compiler is found, left out (karat then runs on numpy) where not."""

import sys
from glob import glob

from setuptools import Extension, setup

FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]
SOURCES = {
    "karat.kernels._native": "src/karat/kernels/_native.pyx",
    "karat.learners._c45": "src/karat/learners/_c45.pyx",
}

setup(
    ext_modules=[
        Extension(
            name, [source], depends=glob(source.replace(".pyx", "*.pxi")), extra_compile_args=FLAGS, optional=True
        )
        for name, source in SOURCES.items()
    ]
)
