"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest

from karat.core.words import at_one_precision, interval, number, percent

ROUNDED_UP = {
    0.00099999: "0.00100",
    0.0099996: "0.0100",
    0.09999: "0.100",
    0.9999: "0.9999",  # never as 1 if it is not
    9.999: "10.0",
    99.99: "100",
    999.9: "1000",
}


@pytest.mark.parametrize(("value", "text"), ROUNDED_UP.items())
def test_a_number_that_is_rounded_up_to_a_power_of_ten_has_as_many_digits_as_others(value: float, text: str) -> None:
    assert (number(value), number(-value)) == (text, f"-{text}")


@pytest.mark.parametrize("digits", [2, 3, 4])
def test_significant_digits_are_those_of_rounding(digits: int) -> None:
    """Of each number: as many, and the value that Python's own format with so many gives."""
    for power in range(-4, 1):
        for share in (1.0004, 1.5, 9.94, 9.96, 9.994, 9.996, 9.9994, 9.9996):
            value = share * 10.0**power
            text = number(value, digits)
            rounded = float(f"{value:.{digits - 1}e}")
            if not value < rounded == 1:  # which is not written as 1
                assert float(text) == rounded
                assert len(text.replace(".", "").lstrip("0")) == digits, (value, text)


def test_numbers_beside_each_other() -> None:
    assert at_one_precision([9.9996, 1.2]) == ["10.0", "1.2"]
    assert at_one_precision([0.09999, 0.05]) == ["0.100", "0.050"]
    assert interval(0.9999, 0.99, 1.0) == "1.000 [0.990, 1.000]"
    assert number(0.000099999) == "0.000100"
    assert number(math.inf) == "∞"


def test_shares_that_are_rounded_up_to_ten_percent() -> None:
    assert [percent(x) for x in (0.0994, 0.0996, 0.1, 0.104)] == ["9.9 %", "10 %", "10 %", "10 %"]
    assert [percent(x) for x in (0.9004, 0.904, 0.9994)] == ["90 %", "90.4 %", "99.9 %"]
