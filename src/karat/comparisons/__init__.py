"""What the data say about two or more models, and about two or more measures: one method in a file."""
