"""Forms as browsers send them: fields and files of any bytes, and bodies that are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.web.forms import Form, Upload, parsed, takes_files

MULTIPART = "multipart/form-data; boundary=----mark1"


def body(*parts):
    pieces = [b"------mark1\r\n" + head.encode() + b"\r\n\r\n" + content + b"\r\n" for head, content in parts]
    return b"".join(pieces) + b"------mark1--\r\n"


def field(name):
    return f'Content-Disposition: form-data; name="{name}"'


def file(name, filename):
    return f'{field(name)}; filename="{filename}"\r\nContent-Type: application/octet-stream'


@given(st.binary(max_size=200).filter(lambda content: b"------mark1" not in content))
def test_a_file_arrives_as_it_was_whatever_its_bytes(content):
    form = parsed(body((field("a"), b" b\r\nc "), (file("f", "ü.zip"), content)), MULTIPART)
    assert form == Form(fields={"a": "b\r\nc"}, files={"f": Upload(name="ü.zip", content=content)})


def test_a_file_that_was_not_chosen_is_none_and_the_first_of_a_name_counts():
    form = parsed(body((file("f", ""), b""), (field("a"), b"1"), (field("a"), b"2"), ("X: y", b"z")), MULTIPART)
    assert form == Form(fields={"a": "1"})


def test_a_plain_form_has_fields_alone():
    assert parsed(b"a=%C3%BC+b&c=&d= 1 ", "application/x-www-form-urlencoded; charset=utf-8").fields == {
        "a": "ü b",
        "d": "1",
    }


@given(
    st.binary(max_size=300), st.sampled_from([MULTIPART, "multipart/form-data", "application/json", "", "x;boundary="])
)
def test_no_body_is_too_odd(content, kind):
    assert isinstance(parsed(content, kind), Form)


def test_a_body_of_thousands_of_parts_is_read_up_to_a_limit():
    assert len(parsed(body(*((field(f"n{number}"), b"1") for number in range(5000))), MULTIPART).fields) <= 100


@pytest.mark.parametrize(
    ("path", "large"),
    [("/begin", True), ("/pools/a/change", True), ("/pools/a/b/change", False), ("/login", False), ("/begin/x", False)],
)
def test_forms_with_files_alone_may_be_large(path, large):
    assert takes_files(path) is large
