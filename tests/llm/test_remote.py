import pytest

from paragone.errors import UsageError
from paragone.llm import forbid_remote_calls, is_loopback
from paragone.llm.remote_calls import check_allowed, host_of


@pytest.mark.parametrize(
    "url",
    ["http://localhost:1", "http://127.0.0.1:8080/v1", "http://127.8.9.1", "http://[::1]:80/v1", "http://a.localhost"],
)
def test_these_are_on_this_machine(url):
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com/v1",
        "http://10.0.0.1",
        "http://localhost.example.org",
        "http://127.0.0.1.example.org",
        "",
    ],
)
def test_these_are_not(url):
    assert not is_loopback(url)


def test_only_host_and_port_of_an_address_are_shown():
    assert host_of("https://me:secret@example.org:8443/v1?key=secret") == "example.org:8443"
    assert host_of("http://[::1]:80/v1") == "[::1]:80"


def test_a_remote_call_is_refused_while_any_block_forbids_it():
    with forbid_remote_calls(), forbid_remote_calls():
        check_allowed("http://127.0.0.1:1/v1")
        with pytest.raises(UsageError, match=r"example\.org.*forbidden"):
            check_allowed("https://me:secret@example.org/v1")
        with pytest.raises(UsageError, match="unknown address"):
            check_allowed(None)
