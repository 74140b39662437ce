"""What the data say about models, and about measures: one method in a file. They know nothing of drawing."""
