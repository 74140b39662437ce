"""What a measure claims of itself, tried: the battery that all of karat's own measures pass, for yours."""

from karat.claims.trials import ClaimError, check_measure

__all__ = ["ClaimError", "check_measure"]
