"""Corpora joined from public repositories, since none of them may or does hold all layers."""

from encoder_atlas.text.built.checkouts import checkouts
from encoder_atlas.text.built.ewt import build_ewt
from encoder_atlas.text.built.load import built_folder, load_built_corpus
from encoder_atlas.text.built.report import Report

__all__ = ["Report", "build_ewt", "built_folder", "checkouts", "load_built_corpus"]
