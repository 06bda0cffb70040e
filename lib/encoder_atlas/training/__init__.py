"""How encoders are taught: one loop for one task or several, for a frozen encoder or a learning one."""

from encoder_atlas.training.controls import shuffled
from encoder_atlas.training.device import choose_device, choose_precision
from encoder_atlas.training.distillation import DistillationSettings, distil
from encoder_atlas.training.fit import fit
from encoder_atlas.training.fitted import FittedModel
from encoder_atlas.training.heads import linear_head, mlp_head
from encoder_atlas.training.loop import Hook
from encoder_atlas.training.processes import together
from encoder_atlas.training.settings import FitSettings, Mode

__all__ = [
    "DistillationSettings",
    "FitSettings",
    "FittedModel",
    "Hook",
    "Mode",
    "choose_device",
    "choose_precision",
    "distil",
    "fit",
    "linear_head",
    "mlp_head",
    "shuffled",
    "together",
]
