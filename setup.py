"""The native kernels: built where a compiler is found, left out (karat then runs on numpy) where not.

The kernels are compiled twice for Intel and AMD: for every such processor, and for those of the last ten years (AVX2),
which do the same a tenth sooner, to the same bits. `karat.kernels` chooses when it is imported.

`KARAT_BUILD=numpy` in the environment builds none; `native` insists: a kernel that does not compile is an error;
`portable` insists on those for every processor, and builds no others.
"""

import os
import platform
import sys
from pathlib import Path

import numpy
from setuptools import Extension, setup

MODULES = ("kernels/_native", "learners/_c45")
FASTER = "kernels/_native_avx2"
MACROS = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")]
FLAGS = ["-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]
FLAGS += ["-fno-tree-loop-distribution"]  # loops over few cells stay one loop
FLAGS += ["-falign-loops=64"]  # or the same loop takes up to half as long again, wherever other code moves it
FLAGS = ["/O2"] if sys.platform == "win32" else FLAGS
AVX2 = ["-mavx2", "-mbmi", "-mbmi2", "-mlzcnt"]


asked = os.environ.get("KARAT_BUILD", "")
if asked not in ("", "numpy", "native", "portable"):
    raise SystemExit(f"KARAT_BUILD is {asked!r}; set it to numpy, native or portable, or leave it out.")


def extension(module: str, flags: list[str]) -> Extension:
    source = Path("src/karat") / f"{module}.pyx"
    return Extension(
        f"karat.{module.replace('/', '.')}",
        [str(source)],
        depends=[str(path) for path in (*source.parent.glob("*.pxi"), *source.parent.glob("*.pyx"))],
        include_dirs=[numpy.get_include()],
        define_macros=MACROS,
        extra_compile_args=flags,
        optional=not asked,
    )


extensions = [] if asked == "numpy" else [extension(module, FLAGS) for module in MODULES]
if asked in ("", "native") and sys.platform != "win32" and platform.machine() == "x86_64":
    extensions.append(extension(FASTER, FLAGS + AVX2))
setup(ext_modules=extensions, options={"build_ext": {"parallel": len(extensions) or None}})
