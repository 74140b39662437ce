from karat.learners.boosting import AdaBoostM1 as AdaBoostM1
from karat.learners.c45 import C45Classifier as C45Classifier
from karat.learners.c45 import fit_masked as fit_masked
from karat.learners.columns import Columns as Columns
from karat.learners.encoding import Encoded as Encoded
from karat.learners.families import FAMILIES as FAMILIES
from karat.learners.families import family as family
from karat.learners.families import learner as learner
from karat.learners.naive_bayes import NaiveBayes as NaiveBayes
from karat.learners.neighbours import NearestNeighbours as NearestNeighbours

HOMES: dict[str, str]
