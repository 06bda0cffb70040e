"""Encoder Atlas: a book of executable notebooks on the insides of transformer encoders."""
