"""Do measures say the same? How they order models, and which of them tell all that the others tell."""
