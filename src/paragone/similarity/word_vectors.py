"""The mean of learned vectors of a text's word pieces, as wordllama has it, from the files of that package alone.

Importing wordllama takes a third of a second, most of it a client for downloads that nothing here makes, and loading
its model reads 16 MB and doubles them. The files are mapped instead, and only the rows that a text needs are read.
"""

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_TENSOR = "embedding.weight"
_LENGTH = 8
"""Bytes of the length of a header."""
_MAX_HEADER = 1 << 20
_BATCH = 64


class WordVectors:
    """The model ``l2_supercat`` with 256 dimensions.

    Args:
        table: A vector for each word piece, shape (pieces, 256), of 16-bit floats.
        tokenizer: Cuts a text into word pieces.
    """

    def __init__(self, table: npt.NDArray[np.float16], tokenizer: "Tokenizer") -> None:
        self._table, self._tokenizer = table, tokenizer
        tokenizer.enable_padding()
        tokenizer.no_truncation()

    @classmethod
    def found(cls, folder: Path) -> Self | None:
        """The model among the files of wordllama; None where they are not as expected."""
        weights, tokenizer = folder / _WEIGHTS, folder / _TOKENIZER
        if find_spec("tokenizers") is None or not weights.is_file() or not tokenizer.is_file():
            return None
        from tokenizers import Tokenizer

        table = _tensor(weights)
        return None if table is None else cls(table, Tokenizer.from_file(str(tokenizer)))

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The mean vector of each text's pieces, shape (texts, 256); the same bits as wordllama's."""
        parts = [self._embedded(list(texts[start : start + _BATCH])) for start in range(0, len(texts), _BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, self._table.shape[1]), np.float32)

    def _embedded(self, texts: list[str]) -> npt.NDArray[np.float32]:
        pieces = self._tokenizer.encode_batch(texts, is_pretokenized=False, add_special_tokens=False)
        numbers = np.clip(np.array([each.ids for each in pieces], np.int32), 0, len(self._table) - 1)
        counted = np.array([each.attention_mask for each in pieces], np.float32)  # without what fills up short texts
        sums = np.sum(self._table[numbers].astype(np.float32) * counted[..., np.newaxis], axis=1, dtype=np.float32)
        mean: npt.NDArray[np.float32] = sums / np.maximum(counted.sum(axis=1, keepdims=True), 1.0).astype(np.float32)
        return mean


def _tensor(path: Path) -> npt.NDArray[np.float16] | None:
    """The table in a file of safetensors, mapped; None if it is of another form, or cut off."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH), "little")
        try:
            header = json.loads(file.read(min(length, _MAX_HEADER)))[_TENSOR]
            rows, columns = header["shape"]
            is_half = header["dtype"] == "F16"
            start = int(header["data_offsets"][0])
        except (ValueError, KeyError, TypeError):
            return None
    offset = _LENGTH + length + start
    if not is_half or path.stat().st_size < offset + 2 * rows * columns:
        return None
    return np.memmap(path, "<f2", mode="r", offset=offset, shape=(rows, columns))
