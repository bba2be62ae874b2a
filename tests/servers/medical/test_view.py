"""The view of the medical sources."""

from __future__ import annotations

import re

import httpx2
import pytest

from tests.conftest import Gateway
from tests.gateway.web.conftest import call

_HOSTILE = '<script>alert("x")</script>'


@pytest.fixture
def session(gateway: Gateway) -> str:
    made: str = gateway.session(world="empty", apps=["medical"])["id"]
    return made


def _page(gateway: Gateway, session: str, **query: str) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/medical", params={"fragment": "", **query}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def _words(page: str) -> str:
    return re.sub(r"<[^>]*>|\s+", " ", page)


def test_a_page_opens_at_the_last_query(gateway: Gateway, session: str) -> None:
    assert "Nothing has been asked yet." in _page(gateway, session)
    call(gateway, session, "medical", "search-drugs", query="Duskara")
    page = _page(gateway, session)
    assert page.count('id="changed"') == 1
    assert "query Duskara, limit 10" in _words(page.partition('id="changed"')[2])
    assert "0 from memory, 1 asked" in _words(page)


def test_the_librarys_drugs_and_articles_are_listed(gateway: Gateway, session: str) -> None:
    drugs = _page(gateway, session, shelf="drugs")
    (address,) = re.findall(r'href="[^"]*drug=([0-9a-f-]+)[^"]*">Examplol</a>', drugs)
    label = _words(_page(gateway, session, drug=address))
    assert "Demo Pharma Inc. · NDC 99999-001" in label
    assert "Dosage and administration" in label
    assert "Examplol in a made-up cohort" in _words(_page(gateway, session, shelf="articles"))
    assert "nobody fails to come" in _words(_page(gateway, session, article="99000412"))


def test_any_content_of_a_state_is_escaped(gateway: Gateway, session: str) -> None:
    state = {
        "drug_label": [{"record_id": "a", "openfda": {"brand_name": [_HOSTILE]}, "warnings": [_HOSTILE]}],
        "article": [{"pmid": "1", "title": _HOSTILE, "abstract": _HOSTILE, "authors": [_HOSTILE]}],
        "outage": [{"host": _HOSTILE}],
        "cache_entry": [
            {
                "source": _HOSTILE,
                "params": {"query": _HOSTILE},
                "timestamp": "soon",
                "expiresAt": "2020-01-01T00:00:00Z",
            }
        ],
    }
    put = gateway.api("PUT", f"/sessions/{session}/state", json={"medical": state})
    assert put.status_code == 200, put.text
    for query in ({}, {"shelf": "drugs"}, {"shelf": "articles"}, {"drug": "a"}, {"article": "1"}, {"shelf": "x"}):
        page = _page(gateway, session, **query)
        assert _HOSTILE not in page
        assert "alert" in page
    assert "run out" in _words(_page(gateway, session))
    assert "as it is now" in _words(_page(gateway, session, drug="nothing"))
