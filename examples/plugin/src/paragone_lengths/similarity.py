"""The embedder ``letters``: how often each letter of the alphabet occurs."""

import string

import numpy as np


class Letters:
    """Texts with the same letters are alike; case can be told apart with ``letters:case``."""

    def __init__(self, argument: str = "") -> None:
        self._letters = string.ascii_letters if argument == "case" else string.ascii_lowercase
        self._keeps_case = argument == "case"
        self.name = f"letters/{argument or 'lower'}"

    def embed(self, texts):
        read = [text if self._keeps_case else text.lower() for text in texts]
        rows = [[text.count(letter) for letter in self._letters] for text in read]
        return np.asarray(rows, dtype=np.float32).reshape(len(texts), len(self._letters))
