"""The local model from its files alone gives the vectors that its package gives, to the last bit."""

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
import wordllama

from paragone.similarity.embedders import LocalEmbedder, _wordllama
from paragone.similarity.word_vectors import WordVectors

FOLDER = Path(wordllama.__file__).parent
WORDS = ["river", "stone", "def", "__init__(self):", "of", "the", "3.14159", "xyzzy_plugh", "日本語", "naïve", "\n\t"]


def texts() -> list[str]:
    draw = random.Random(3)
    return ["", " ", "one", *(" ".join(draw.choices(WORDS, k=draw.randint(1, 60))) for _ in range(200))]


def test_vectors_are_those_of_the_package() -> None:
    own, theirs = WordVectors.found(FOLDER), _wordllama()
    assert own is not None
    assert own.embed(texts()).tobytes() == np.asarray(theirs.embed(texts()), np.float32).tobytes()
    assert own.embed(["one"]).tobytes() == np.asarray(theirs.embed(["one"]), np.float32).tobytes()
    assert own.embed([]).shape == (0, 256)


def test_the_mean_of_two_pieces_is_half_their_sum() -> None:
    own = WordVectors.found(FOLDER)
    assert own is not None
    one, other, both = own.embed(["river", "stone", "river stone"])
    assert np.allclose(both, (one + other) / 2, atol=1e-3)


@pytest.mark.parametrize("damage", ["cut", "absent", "other"])
def test_files_that_are_not_as_expected_are_left_to_the_package(tmp_path: Path, damage: str) -> None:
    for name in ("weights", "tokenizers"):
        shutil.copytree(FOLDER / name, tmp_path / name)
    weights = tmp_path / "weights" / "l2_supercat_256.safetensors"
    match damage:
        case "cut":
            weights.write_bytes(weights.read_bytes()[:-100])
        case "absent":
            (tmp_path / "tokenizers" / "l2_supercat_tokenizer_config.json").unlink()
        case _:
            weights.write_bytes(b"\0" * 100)
    assert WordVectors.found(tmp_path) is None


def test_the_embedder_takes_the_files(caplog: pytest.LogCaptureFixture) -> None:
    assert isinstance(LocalEmbedder()._model, WordVectors)
    assert not caplog.records
