"""Two or more models on the same cases: which is better, on which measures, by how much, and how surely."""
