# ruff: noqa: F403
# The compiled twins have the signatures of those that can be read.
from karat.kernels._border import *
from karat.kernels._census import *
from karat.kernels._columns import *
from karat.kernels._curves import *
from karat.kernels._facts import *
from karat.kernels._folding import *
from karat.kernels._laboratory import *
from karat.kernels._many_classes import *
from karat.kernels._piling import *
from karat.kernels._ragged import *
from karat.kernels._resampling import *
from karat.kernels._rows import *
from karat.kernels._tables import *
from karat.kernels._tallies import *
