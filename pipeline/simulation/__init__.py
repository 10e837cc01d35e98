"""Compiled parts that studies share."""
