"""Deciding under costs: what decisions cost, the best threshold, and which model is best under which conditions."""
