"""Templates: the shipped ones fill to the texts of before under the hashes of before; own ones are checked."""

import re
from string import Template

import pytest

from paragone.errors import InvalidConfig, UnreadableFile
from paragone.judges.templates import DOSSIER_SLOTS, load, own_template

HASHES = {  # of the files as they were before they were Jinja; verdicts on record have them in their keys
    "advocate_closing": "b5994ab20c4b2b01e5bab9d9377a2e9977f1afa5c98e30f461e463ea3369c3ab",
    "advocate_exchange": "f6ef5cfba4821202824d4cc6d71532d8ccb3ad380ee95e1964d74cc180d3a36c",
    "advocate_opening": "079fe5d61ee0089e99a014de09b0f0139f3d10d4dab32c2d34ea8ea6382407cd",
    "debate": "44ec40ca8cfff4c3223c57ccf631f9fbc5ebe1e4ae7016b07213f260f37e51d1",
    "ordering": "cf1ed4e62e8fee658607f58284bcc28e872932997e04b7f965575f41c48f0a5e",
    "pair_completion": "89e50ec81393f5a2e6a80b0ce49ab8d61c290290a73b4237c906c94977c5a218",
    "pair_reasons_first": "617be4b5b9c1efa0047a39f2be925e3bd9f3ff803280a5aace8bf984d6dc7c74",
    "pair_verdict_first": "84100a859c231b84eeadbd916fd038b93329ce2d45250dff59dc569a374b3c20",
    "recommendation": "c961e5365a80c590115b24bdb98600aa161c9db56bed2b19a485b2d98f3d4ef9",
}
GOOD = """Say which text is better.
{{ dossier_rules }}Answer with JSON: {{ scores }}
---
{{ dossier }}{{ criteria }}; mark: {{ mark }}
[BEGIN FIRST {{ mark }}]
{{ first }}
[END FIRST {{ mark }}]{{ first_notes }}
[BEGIN SECOND {{ mark }}]
{{ second }}
[END SECOND {{ mark }}]{{ second_notes }}
"""


@pytest.mark.parametrize("name", HASHES)
def test_a_shipped_template_has_the_hash_and_fills_to_the_text_of_before(name):
    template = load(name)
    assert template.hash == HASHES[name]
    values = {slot: f"<{slot} $x {{{{ y }}}} {{% z %}}>\n" for slot in template.slots} | dict.fromkeys(
        DOSSIER_SLOTS, ""
    )
    for part, source in enumerate(template.parts):
        before = re.sub(r"\{\{ (\w+) \}\}", lambda slot: "" if slot[1] in DOSSIER_SLOTS else f"${slot[1]}", source)
        assert template.fill(part, **values) == Template(before).substitute(values)


def test_a_slot_without_a_value_is_an_error():
    with pytest.raises(KeyError, match="second"):
        load("pair_completion").fill(1, first="a")


def own(tmp_path, text, **options):
    path = tmp_path / "own.jinja"
    path.write_text(text, encoding="utf-8")
    return own_template(path, **options)


def test_an_own_template_has_the_name_of_its_file_and_a_hash_of_its_own(tmp_path):
    template = own(tmp_path, GOOD, scores=True)
    assert (template.name, template.takes_dossier) == ("own.jinja", True)
    assert own(tmp_path, GOOD.replace("better", "best")).hash != template.hash
    assert own(tmp_path, GOOD.replace("\n", "\r\n")).parts == template.parts
    without = GOOD
    for slot in DOSSIER_SLOTS:
        without = without.replace(f"{{{{ {slot} }}}}", "")
    assert not own(tmp_path, without).takes_dossier


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{{ first }}", "text", "lacks {{ first }}"),
        ("{{ criteria }}", "", "lacks {{ criteria }}"),
        ("{{ scores }}", "", "lacks {{ scores }}"),
        ("{{ dossier }}", "", "lacks dossier: take all or none"),
        ("{{ criteria }}", "{{ criterai }}", "no slot 'criterai'"),
        ("---\n", "", "it has 1 parts"),
        ("{{ first }}", "{{ first", "not a valid Jinja template"),
        ("{{ first }}", "{% include 'x' %}{{ first }}", "cannot be filled"),
        ("{{ first }}", "{{ first.__class__.__mro__ }}{{ first }}", "cannot be filled"),
        ("{{ first }}", "{{ first }} {{ first }}", "the first text stands outside a fence"),
        ("[BEGIN SECOND {{ mark }}]\n", "", "the second text stands outside a fence"),
        ("[END FIRST {{ mark }}]", "[END FIRST]", "the first text stands outside a fence"),
        ("{{ dossier_rules }}", "{{ dossier_rules }}{{ first }}", "the first text stands outside a fence"),
        ("mark: {{ mark }}", "", "must name the mark"),
        ("Say which", "{{ mark }} Say which", "must name the mark"),
        ("Say which", "{{ 1 // 0 }} Say which", "cannot be filled"),
    ],
)
def test_an_own_template_that_lacks_something_is_refused_before_anything_is_asked(tmp_path, old, new, words):
    assert old in GOOD
    with pytest.raises(InvalidConfig, match=re.escape(words)):
        own(tmp_path, GOOD.replace(old, new, 1), scores=True)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    with pytest.raises(UnreadableFile, match="no such file"):
        own_template(tmp_path / "none.jinja")
    (tmp_path / "bytes.jinja").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnreadableFile, match="UTF-8"):
        own_template(tmp_path / "bytes.jinja")
    with pytest.raises(InvalidConfig, match="at most 200,000"):
        own(tmp_path, "x" * 200_001)
