"""What the data say about models: decisions under costs, findings in plain words. They know nothing of drawing."""
