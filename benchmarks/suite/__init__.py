"""The benchmarks, one file each: `rows(quick)` gives what was measured."""
