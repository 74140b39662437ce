"""From the task to a short list of measures and diagrams."""
