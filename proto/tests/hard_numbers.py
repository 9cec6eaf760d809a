#!/usr/bin/python3
"""Calculates, with exact fractions, the values that test_hard_numbers.c expects, and writes them to files beside itself.

    hard_decimals.txt     decimals that are hard to round: the decimal, and the bits of the nearest FP32, FP64, FP16 and BF16; the
                          bits are those of infinity if the decimal is too large
    shortest_decimals.txt floats: the datatype, the bits, and the shortest decimal that reads back to the same bits"""
import os
import random
from fractions import Fraction

# name: bits of the fraction, bits of the exponent
FORMATS = {"FP32": (23, 8), "FP64": (52, 11), "FP16": (10, 5), "BF16": (7, 8)}


def value_of(bits, fraction_bits, exponent_bits):
    biased, fraction = bits >> fraction_bits, bits & ((1 << fraction_bits) - 1)
    if biased:
        fraction |= 1 << fraction_bits
    least = 2 - (1 << (exponent_bits - 1)) - fraction_bits
    return Fraction(fraction) * Fraction(2) ** (least + max(biased, 1) - 1)


def infinity(fraction_bits, exponent_bits):
    return ((1 << exponent_bits) - 1) << fraction_bits


def nearest(value, layout):
    """Returns the bits of the float nearest to a value, ties to even. It searches by bisection."""
    low, high = 0, infinity(*layout)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value_of(middle, *layout) <= value else (low, middle)
    below, above = value - value_of(low, *layout), value_of(high, *layout) - value
    return low if below < above or (below == above and low % 2 == 0) else high


def plain(value):
    """Returns all digits of a fraction whose denominator divides a power of ten."""
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(int(value * 10**places)).rjust(places + 1, "0")
    return digits[: len(digits) - places] + ("." + digits[len(digits) - places :] if places else "")


def scientific(value):
    digits, exponent = plain(value).replace(".", ""), len(plain(value).split(".")[0]) - 1
    exponent -= len(digits) - len(digits.lstrip("0"))
    digits = digits.strip("0")
    return digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{exponent}"


def beside(text, up):
    """Returns a decimal that is slightly greater or less: it differs far behind the last digit."""
    mantissa, _, exponent = text.partition("e")
    if "." not in mantissa:
        mantissa += "."
    if up:
        mantissa += "0" * 12 + "1"
    else:
        number = str(int(mantissa.replace(".", "") + "0" * 13) - 1).rjust(len(mantissa) + 12, "0")
        mantissa = number[: mantissa.index(".")] + "." + number[mantissa.index(".") :]
    return mantissa + ("e" + exponent if exponent else "")


def decimals():
    yield from ["0", "0.0", "0e999", "1", "10", "0.1", "1e23", "9007199254740993", "123456789012345678901234567890e-10", "1e-400", "1e400",
                "1.00000017881393432617187499", "1.00000017881393432617187500", "1.00000017881393432617187501", "65519.99999999999999999",
                "2.2250738585072011e-308", "0.000000000000000000000000000000000000011754943508222875", "1E5", "1e+5", "12e-1", "6.8e-8"]
    random.seed(7)
    for fraction_bits, exponent_bits in FORMATS.values():
        most = infinity(fraction_bits, exponent_bits)
        ones = 1 << fraction_bits
        lower = [0, 1, 2, ones - 2, ones - 1, ones, ones * (1 << (exponent_bits - 1)) - ones, most - 1, most - 2]
        for bits in lower + [random.randrange(most // 3, 2 * most // 3) for _ in range(4)]:
            if bits + 1 == most:
                value = value_of(bits, fraction_bits, exponent_bits)
                tie = value + (value - value_of(bits - 1, fraction_bits, exponent_bits)) / 2
            else:
                tie = (value_of(bits, fraction_bits, exponent_bits) + value_of(bits + 1, fraction_bits, exponent_bits)) / 2
            text = plain(tie) if len(plain(tie)) < 60 else scientific(tie)
            if len(text) < 130:
                yield from [beside(text, False), text, beside(text, True)]
            elif fraction_bits == 52:
                yield from [text[:30] + "e" + text.partition("e")[2]]


def shortest(value, layout):
    """Returns the decimal with the fewest digits that reads back, and of several the one nearest to the value. It is written as in
    C++: without an exponent if that takes no more characters."""
    bits = nearest(value, layout)
    exponent = int(scientific(value).partition("e")[2])
    for count in range(1, 18):
        unit = Fraction(10) ** (exponent - count + 1)
        around = [int(value / unit) + i for i in (0, 1)]
        good = [n for n in around if nearest(n * unit, layout) == bits]
        if good:
            best = min(good, key=lambda n: (abs(n * unit - value), n % 2))
            break
    mantissa, _, power = scientific(best * unit).partition("e")
    with_exponent = f"{mantissa}e{'-' if int(power) < 0 else '+'}{abs(int(power)):02}"
    all_digits = layout == FORMATS["FP32"] and value.denominator == 1 and unit >= 1  # C++ fills up with digits, not with zeros
    without = plain(value if all_digits else best * unit)
    return without if len(without) <= len(with_exponent) else with_exponent


def floats():
    random.seed(8)
    known = [1, 2, 3, 0x7FFFFF, 0x800000, 0x800001, 0x7F7FFFFF, 0x7F7FFFFE, 0x3DCCCCCD, 0x35800000, 0x4B800000, 0x4B7FFFFF, 0x4E932C06]
    known += [0x3F800000, 0x41200000, 0x42C80000, 0x447A0000, 0x461C4000, 0x47C35000, 0x49742400, 0x38D1B717, 0x3727C5AC, 0x3A83126F]
    for bits in known + [exponent << 23 for exponent in range(1, 255, 9)] + [random.randrange(1, 0x7F800000) for _ in range(40)]:
        yield "FP32", bits
    for name in ("FP16", "BF16"):
        fraction_bits, exponent_bits = FORMATS[name]
        most = infinity(fraction_bits, exponent_bits)
        powers = [exponent << fraction_bits for exponent in range(1, (1 << exponent_bits) - 1)]
        for bits in [1, 2, 3, most - 1, most - 2] + powers + [random.randrange(1, most) for _ in range(20)]:
            yield name, bits


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "hard_decimals.txt"), "w", encoding="ascii") as out:
        for text in dict.fromkeys(decimals()):
            print(text, *(f"{nearest(Fraction(text), layout):x}" for layout in FORMATS.values()), file=out)
    with open(os.path.join(folder, "shortest_decimals.txt"), "w", encoding="ascii") as out:
        for name, bits in floats():
            print(name, f"{bits:x}", shortest(value_of(bits, *FORMATS[name]), FORMATS[name]), file=out)


main()
