"""How a notebook is run: parameters, profiles, store, execution, claims, the book.

Nothing is imported here: the command line asks for settings alone, and its help should not wait for torch.
"""
