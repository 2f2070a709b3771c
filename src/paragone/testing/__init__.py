"""The contracts of plugins, as functions that their authors call in tests; they raise ``AssertionError``.

``check_judge``, ``check_pairing``, ``check_similarity`` and ``check_reader`` take a plugin's object, or a built-in one.
They need no pytest and no network.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.testing.judge_contract import check_judge
    from paragone.testing.pairing_contract import check_pairing
    from paragone.testing.reader_contract import check_reader
    from paragone.testing.similarity_contract import check_similarity
else:
    __getattr__ = names(
        __name__,
        {
            ".judge_contract": "check_judge",
            ".pairing_contract": "check_pairing",
            ".reader_contract": "check_reader",
            ".similarity_contract": "check_similarity",
        },
    )

__all__ = ["check_judge", "check_pairing", "check_reader", "check_similarity"]
