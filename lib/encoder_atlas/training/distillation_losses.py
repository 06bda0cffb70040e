"""The losses by which a student encoder learns from a teacher (TinyBERT: Jiao et al., 2020, Eq. 7-10)."""

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor, nn

from encoder_atlas.errors import SettingsError


def hidden_loss(
    student: Sequence[Float[Tensor, "batch tokens hidden"]],
    teacher: Sequence[Float[Tensor, "batch tokens teacher_hidden"]],
    projection: nn.Module,
    mask: Float[Tensor, "batch tokens"],
) -> Float[Tensor, ""]:
    """Squared difference of projected student states and teacher states, summed over the layers given.

    Of each layer the mean over real tokens and the teacher's numbers. (TinyBERT's code also averages over
    padding.)
    """
    pairs = zip(student, teacher, strict=True)
    means = [((projection(own) - other) ** 2).mean(dim=-1) for own, other in pairs]
    return sum((mean * mask).sum() / mask.sum() for mean in means)  # pyright: ignore[reportReturnType]


def attention_loss(
    student: Sequence[Float[Tensor, "batch heads tokens tokens"]],
    teacher: Sequence[Float[Tensor, "batch teacher_heads tokens tokens"]],
    mask: Float[Tensor, "batch tokens"],
) -> Float[Tensor, ""]:
    """Squared difference of attention matrices, head by head, summed over the layers given.

    Of each layer the mean over heads and over pairs of real tokens. (TinyBERT's code sets padding to 0 in
    both and counts it in the mean.)

    Raises:
        SettingsError: student and teacher have different numbers of heads.
    """
    pairs_of_tokens = mask[:, None, :, None] * mask[:, None, None, :]
    losses = []
    for own, other in zip(student, teacher, strict=True):
        if own.shape[1] != other.shape[1]:
            raise SettingsError(
                f"the student has {own.shape[1]} heads a layer and the teacher {other.shape[1]}: attention "
                "can be learned head by head between equals only; use heads='mean' or attention='none'"
            )
        different = ((own - other) ** 2).mean(dim=1, keepdim=True) * pairs_of_tokens
        losses.append(different.sum() / pairs_of_tokens.sum())
    return sum(losses)  # pyright: ignore[reportReturnType]


def prediction_loss(
    student: Float[Tensor, "batch classes"],
    teacher: Float[Tensor, "batch classes"],
    temperature: float = 1.0,
) -> Float[Tensor, ""]:
    """Cross-entropy (nats) of the student's probabilities with the teacher's, at one temperature; batch mean.

    TinyBERT takes temperature 1. (Its code also divides by the number of classes.)
    """
    target = (teacher / temperature).softmax(dim=1)
    return -(target * (student / temperature).log_softmax(dim=1)).sum(dim=1).mean()


def layer_map(student: int, teacher: int) -> tuple[int, ...]:
    """The teacher's layer, from 1, that each student's layer learns from: every (teacher/student)-th.

    >>> layer_map(6, 12), layer_map(4, 12), layer_map(2, 3)
    ((2, 4, 6, 8, 10, 12), (3, 6, 9, 12), (2, 3))
    """
    return tuple(-(-layer * teacher // student) for layer in range(1, student + 1))
