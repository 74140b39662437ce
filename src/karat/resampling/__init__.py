"""Drawing again: which cases a replicate holds, the statistics of many replicates, and the measures' values in them."""
