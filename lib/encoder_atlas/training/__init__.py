"""How encoders are taught: one loop for one task or several, for a frozen encoder or a learning one."""

from encoder_atlas.training.annotator import Annotator, fit_annotator
from encoder_atlas.training.controls import shuffled
from encoder_atlas.training.decoders import BracketRules, DecoderSettings, attachment, compare_brackets
from encoder_atlas.training.device import choose_device, choose_precision
from encoder_atlas.training.distillation import DistillationSettings, distil
from encoder_atlas.training.fit import fit
from encoder_atlas.training.fitted import FittedModel
from encoder_atlas.training.heads import linear_head, mlp_head
from encoder_atlas.training.loop import Hook
from encoder_atlas.training.processes import together
from encoder_atlas.training.reader import Reader, ReaderSettings, fit_reader
from encoder_atlas.training.settings import FitSettings, Mode

__all__ = [
    "Annotator",
    "BracketRules",
    "DecoderSettings",
    "DistillationSettings",
    "FitSettings",
    "FittedModel",
    "Hook",
    "Mode",
    "Reader",
    "ReaderSettings",
    "attachment",
    "choose_device",
    "choose_precision",
    "compare_brackets",
    "distil",
    "fit",
    "fit_annotator",
    "fit_reader",
    "linear_head",
    "mlp_head",
    "shuffled",
    "together",
]
