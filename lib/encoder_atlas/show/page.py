"""What every widget shares: how its page side is put together and its data packed; its picture for print."""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
from numpy import ndarray

_HERE = Path(__file__).parent


def joined(*parts: str) -> str:
    """Join the named files of this folder, in order: anywidget wants one module, and imports nothing."""
    return "\n".join((_HERE / name).read_text("utf-8") for name in parts)


def packed(arrays: Sequence[ndarray], dtype: str) -> bytes:
    """One after the other, in the bytes that the page reads."""
    return np.stack(arrays).astype(dtype).tobytes()


class PageWidget(anywidget.AnyWidget):
    """A widget that carries a picture of itself, for print, LaTeX and GitHub."""

    def picture(self) -> bytes:
        """Draw what is shown now as a PNG."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is not None:
            bundle[0]["image/png"] = base64.b64encode(self.picture()).decode()
        return bundle
