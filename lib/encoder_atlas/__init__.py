"""Encoder Atlas: a book of executable notebooks on the insides of transformer encoders."""

import os

# Threads that wait must not burn the cores of a neighbour: OpenMP reads this once, when torch loads it.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
