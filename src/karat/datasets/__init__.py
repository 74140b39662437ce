"""Real data sets for studies, with nominal attributes and missing values kept.

`load("iris")` works anywhere; `data=` or the environment variable KARAT_DATA names a folder of ARFF or CSV files;
`load("openml:vehicle")` downloads from OpenML. `published` lists the data sets of the papers.
"""

from karat.datasets.arff import parse_arff, read_arff
from karat.datasets.csv_tables import parse_csv, read_csv
from karat.datasets.data_set import NO_CLASS, DataSet
from karat.datasets.folders import available, load
from karat.datasets.openml import from_openml
from karat.datasets.published import Published, published, studies

__all__ = [
    "NO_CLASS",
    "DataSet",
    "Published",
    "available",
    "from_openml",
    "load",
    "parse_arff",
    "parse_csv",
    "published",
    "read_arff",
    "read_csv",
    "studies",
]
