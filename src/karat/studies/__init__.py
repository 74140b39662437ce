"""Questions about measures, answered by experiments."""
