"""Where vectors come from."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors whose directions are alike where the texts are."""

    @property
    def name(self) -> str:
        """Names the model: vectors of one name are comparable, and are cached under it."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of some texts, shape (texts, dimensions), of any length."""
        ...
