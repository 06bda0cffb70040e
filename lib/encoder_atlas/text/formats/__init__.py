"""Annotated text as people have it on disk: a reader and a writer for each format."""

from encoder_atlas.text.formats.brackets import read_brackets, write_brackets
from encoder_atlas.text.formats.conll2012 import read_conll2012
from encoder_atlas.text.formats.conll2012_writer import write_conll2012
from encoder_atlas.text.formats.conllu import read_conllu, write_conllu
from encoder_atlas.text.formats.iob import read_iob, write_iob
from encoder_atlas.text.formats.layered_jsonl import read_layered_jsonl, write_layered_jsonl

__all__ = [
    "read_brackets",
    "read_conll2012",
    "read_conllu",
    "read_iob",
    "read_layered_jsonl",
    "write_brackets",
    "write_conll2012",
    "write_conllu",
    "write_iob",
    "write_layered_jsonl",
]
