"""What a server is told before it starts: nothing that lets everybody do everything, and nothing that cannot be."""

import pytest

from paragone.errors import InvalidConfig, UnreadableFile
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.web.server.serving import refuse_open_access


@pytest.mark.parametrize(
    ("way", "why"),
    [
        ({"hosts": ("localhost", "board.example")}, "by the name board.example others come"),
        ({"proxies": ("127.0.0.1",)}, "through the proxy 127.0.0.1 others come"),
        ({"origins": ("https://tools.example",)}, "scripts of https://tools.example may ask"),
    ],
    ids=["host", "proxy", "origin"],
)
def test_every_other_way_in_takes_tokens_too(tmp_path, way, why):
    with pytest.raises(InvalidConfig, match=f"{why}.*, and there are no tokens"):
        refuse_open_access(WebConfig(db="x", **way))
    file = TokenFile(tmp_path / "tokens.json")
    file.add("anna", Role.ADMIN)
    refuse_open_access(WebConfig(db="x", tokens=file.path, **way))
    refuse_open_access(WebConfig(db="x", hosts=("LocalHost", "::1")))


def test_a_file_of_tokens_without_tokens_is_refused(tmp_path):
    path = tmp_path / "tokens.json"
    with pytest.raises(InvalidConfig, match=r"there are no tokens in .*tokens\.json: nobody could do anything"):
        refuse_open_access(WebConfig(db="x", tokens=path))
    path.write_text('{"tokens": []}')
    with pytest.raises(InvalidConfig, match="nobody could do anything"):
        refuse_open_access(WebConfig(db="x", tokens=path))
    for text in ("", "{", '{"tokens": [{}]}'):
        path.write_text(text)
        with pytest.raises(UnreadableFile, match="is not a file of tokens"):
            refuse_open_access(WebConfig(db="x", tokens=path))


@pytest.mark.parametrize(
    "host", ["https://board.example", "board.example/", "*", "*.example", "a b", "", "[::1", "ä.de"]
)
def test_what_is_no_host_is_refused(host):
    with pytest.raises(InvalidConfig, match="is not a host"):
        create_app(WebConfig(db="x", hosts=(host,)))
    with pytest.raises(InvalidConfig, match="is not a host"):
        refuse_open_access(WebConfig(db="x", hosts=(host,)))


@pytest.mark.parametrize("proxy", ["localhost", "10.0.0.1/8", "10.0.0.0/8,", "*", "", "http://10.0.0.1", "10.0.0.1:80"])
def test_what_is_no_address_of_a_proxy_is_refused(proxy):
    with pytest.raises(InvalidConfig, match="is not an address"):
        create_app(WebConfig(db="x", proxies=(proxy,)))
    with pytest.raises(InvalidConfig, match="is not an address"):
        refuse_open_access(WebConfig(db="x", proxies=(proxy,)))


@pytest.mark.parametrize("proxy", ["0.0.0.0/0", "::/0"])
def test_a_network_that_has_everybody_is_none_of_proxies(proxy):
    with pytest.raises(InvalidConfig, match="anybody could pose as a proxy"):
        create_app(WebConfig(db="x", proxies=(proxy,)))
