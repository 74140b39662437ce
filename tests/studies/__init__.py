"""Studies of measures, and the engine that runs them."""
