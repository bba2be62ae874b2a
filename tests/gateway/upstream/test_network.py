"""The network addresses that are allowed for upstreams."""

from __future__ import annotations

import ipaddress

import pytest

from soundstage.gateway.upstream.network import AddressNotAllowed, Network, is_allowed


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "8.8.8.8", "2606:4700::1111"])
def test_loopback_and_public_addresses_are_allowed(address: str) -> None:
    assert is_allowed(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255",
     "fe80::1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "::"],
)  # fmt: skip
def test_private_link_local_and_reserved_ranges_are_refused(address: str) -> None:
    assert not is_allowed(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "host", ["10.0.0.1", "[fe80::1]", "2852039166", "0xa9fea9fe", "127.0.0.1.nip.example@10.0.0.1"]
)
async def test_any_spelling_of_an_address_is_checked_when_the_connection_is_made(host: str) -> None:
    network = Network(allow_private=False)
    with pytest.raises(AddressNotAllowed, match="--allow-private"):
        async with network.stream("GET", f"http://{host}/", [], silence_s=1):
            pass
    await network.close()


async def test_a_name_that_resolves_to_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["8.8.8.8", "192.168.0.1"]

    monkeypatch.setattr("soundstage.gateway.upstream.network._resolve", resolve)
    network = Network(allow_private=False)
    with pytest.raises(AddressNotAllowed, match=r"harmless\.example is 192\.168\.0\.1"):
        await network.check("https://harmless.example/mcp")
    await network.close()


async def test_the_option_allows_private_addresses() -> None:
    network = Network(allow_private=True)
    await network.check("http://10.0.0.1/mcp")
    await network.close()
