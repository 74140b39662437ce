"""Many models on many data sets: tests of ranks and of folds."""
