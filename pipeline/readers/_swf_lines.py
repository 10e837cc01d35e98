"""Lines of the Standard Workload Format as numbers, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

FIELDS = 18
"""Fields of a record (Standard Workload Format 2.2)."""
UNREAD = (5, 10, 12, 16, 17)
"""Fields that nothing is made of, from 0: they may hold anything, as `1&2` for two jobs that one follows."""


@njit(cache=True)
def scan(text: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:  # pragma: no cover
    """Numbers of the lines of an SWF block.

    `text` holds its bytes, at most `most` lines. Returns the records (FIELDS columns), the line of each (from 0), the
    lines that could not be taken as they stand, and how many of the records have more than FIELDS fields. A number is
    digits with an optional sign and point of at most 15 digits, so that one division gives the nearest double. A field
    of UNREAD that is none is -1.
    """
    numbers = np.empty((most, FIELDS), dtype=np.float64)
    lines = np.empty(most, dtype=np.int64)
    faults = np.empty(most, dtype=np.int64)
    records = faulty = wide = line = position = 0
    size = len(text)
    while position < size:
        fields, fault, comment = 0, False, False
        while position < size and text[position] != 10:
            byte = text[position]
            if byte == 32 or (9 <= byte <= 13):
                position += 1
                continue
            if byte == 59 and fields == 0:
                comment = True
            if comment or fault or fields == FIELDS:
                # The rest of a comment, of a faulty line or of a line with more fields than SWF has.
                if fields == FIELDS:
                    fields += 1
                while position < size and text[position] != 10:
                    position += 1
                break
            negative = byte == 45
            if byte == 45 or byte == 43:
                position += 1
            mantissa, digits, decimals, point = 0, 0, 0, False
            while position < size:
                byte = text[position]
                if 48 <= byte <= 57:
                    mantissa = mantissa * 10 + (byte - 48)
                    digits += 1
                    decimals += point
                    if digits > 15:
                        break
                elif byte == 46 and not point:
                    point = True
                else:
                    break
                position += 1
            at_end = position == size or text[position] == 32 or 9 <= text[position] <= 13
            if digits == 0 or digits > 15 or not at_end:
                if fields not in UNREAD:
                    fault = True
                    continue
                while position < size and text[position] != 32 and not 9 <= text[position] <= 13:
                    position += 1
                mantissa, decimals, negative = 1, 0, True
            value = mantissa / 10.0**decimals if decimals else float(mantissa)
            numbers[records, fields] = -value if negative else value
            fields += 1
        if fault or 0 < fields < FIELDS:
            faults[faulty] = line
            faulty += 1
        elif fields >= FIELDS:
            lines[records] = line
            records += 1
            wide += fields > FIELDS
        line += 1
        position += 1
    return numbers[:records], lines[:records], faults[:faulty], wide
