"""What a user is told when karat will not go on. Each message says what was given, what was expected, what to do."""

from __future__ import annotations


class InputError(ValueError):
    """Input that karat will not guess its way around."""


class UnknownNameError(InputError, KeyError):
    """No such thing was declared; the message suggests what was meant."""

    def __str__(self) -> str:
        return str(self.args[0])
