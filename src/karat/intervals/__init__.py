"""How sure a number is: an interval for every measure."""
