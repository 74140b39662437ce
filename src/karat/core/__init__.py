"""What the words mean: statistic, measure, trait, registry. Imports nothing of karat's."""
