"""Weighted max-min: SMs go one by one to the application with the least speed-up for its weight, by slot."""

from pipeline.studies.gpu_sharing.families import splits
from pipeline.studies.gpu_sharing.rules import split

FAMILY = splits
COMPLEXITY = 3
WEIGHTS = (2.0, 1.0)
"""Of the first slots; those of all others are 1."""


@split
def rule(mix, sms):
    """From one SM each, as long as there are SMs: one more for whom expected / cooperative / weight is least."""
    sms[:] = 1
    for _ in range(mix.sms - len(sms)):
        neediest, least = 0, 0.0
        for i in range(len(sms)):
            weight = WEIGHTS[i] if i < len(WEIGHTS) else 1.0
            level = mix.expected[i, sms[i]] / mix.cooperative[i] / weight
            if i == 0 or level < least:
                neediest, least = i, level
        sms[neediest] += 1
