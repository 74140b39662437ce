"""What should be known about a model, or about several, in plain words: one declared check for each."""
