"""Functional specialization of attention heads: which heads a task needs, and which tasks share them."""
