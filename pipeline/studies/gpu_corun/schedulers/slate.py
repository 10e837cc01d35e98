"""Slate: kernels of complementary intensity run side by side on SMs of their own, the others alone (Section III)."""

SHARING = "complementary"
OVERHEAD = ("communication", "injection")
TRANSFORMED = True
SIMPLICITY = 2
