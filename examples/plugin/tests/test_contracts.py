"""What paragone demands of each part of a plugin; run it with pytest."""

from paragone_lengths import pairing
from paragone_lengths.files import read_ini
from paragone_lengths.judge import LengthJudge
from paragone_lengths.similarity import Letters

from paragone.testing import check_judge, check_pairing, check_reader, check_similarity


def test_the_judge_keeps_the_contract():
    check_judge(lambda: LengthJudge(10))


def test_the_pairing_keeps_the_contract():
    check_pairing(pairing)


def test_the_embedder_keeps_the_contract():
    check_similarity(Letters)


def test_the_reader_keeps_the_contract(tmp_path):
    sample = tmp_path / "texts.ini"
    sample.write_text("[tea]\ntext = a cup of tea\n[milk]\ntext = milk\n")
    check_reader(
        ".ini", sample, [{"id": "tea", "text": "a cup of tea"}, {"id": "milk", "text": "milk"}], reader=read_ini
    )
