"""What decoders' losses share: labels that are not known add nothing."""

from jaxtyping import Float, Int64
from torch import Tensor
from torch.nn.functional import cross_entropy

UNKNOWN = -100  # a label that cannot be predicted, and padding


def known_cross_entropy(
    logits: Float[Tensor, "words labels"], targets: Int64[Tensor, " words"]
) -> Float[Tensor, ""]:
    """Mean cross-entropy (nats) over the words whose target is not UNKNOWN; 0 where there is none."""
    known = (targets != UNKNOWN).sum().clamp(min=1)
    return cross_entropy(logits, targets, ignore_index=UNKNOWN, reduction="sum") / known
