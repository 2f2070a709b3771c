import socket

import pytest

from paragone.errors import InvalidConfig
from paragone.llm import Price, known_price


def test_a_price_is_per_million_tokens():
    assert Price(input_per_million=2.0, output_per_million=8.0).of(500_000, 250_000) == pytest.approx(3.0)


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf")])
def test_a_price_is_a_number_of_dollars(bad):
    with pytest.raises(InvalidConfig, match="output_per_million"):
        Price(input_per_million=0.0, output_per_million=bad)


def test_list_prices_need_no_network(monkeypatch):
    def refused(*args, **kwargs):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refused)
    price = known_price("gpt-4o-mini", url="https://api.openai.com/v1/")
    assert (price.input_per_million, price.output_per_million) == pytest.approx((0.15, 0.6))
    assert known_price("claude-haiku-4-5", provider="anthropic") is not None


@pytest.mark.parametrize(
    "where",
    [{"url": "http://127.0.0.1:8080/v1"}, {"url": "https://example.org/v1"}, {"provider": "nobody"}, {}],
)
def test_the_price_of_a_model_elsewhere_is_not_known(where):
    assert known_price("gpt-4o-mini", **where) is None


def test_an_unknown_model_has_no_price():
    assert known_price("no-such-model", url="https://api.openai.com/v1") is None
