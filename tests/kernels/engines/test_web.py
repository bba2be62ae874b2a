"""Reading web pages: addresses, blocks, Markdown, passages, ranking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soundstage.kernels.engines.web import dom
from soundstage.kernels.engines.web.addresses import host_of, joined, parsed, scheme_of, within
from soundstage.kernels.engines.web.cleaning import cleaned
from soundstage.kernels.engines.web.content import blocks, lined, plain
from soundstage.kernels.engines.web.markdown import markdown
from soundstage.kernels.engines.web.patterns import compiled
from soundstage.kernels.engines.web.ranking import Document, PageIndex, having, passage, sentences
from soundstage.kernels.engines.web.walk import breadth_first


@pytest.mark.parametrize(
    ("text", "href"),
    [
        ("HTTP://Quay.Test", "http://quay.test/"),
        (" http://quay.test/a/../b/./c \n", "http://quay.test/b/c"),
        ("http://quay.test/a/..", "http://quay.test/"),
        ("http://quay.test:80/", "http://quay.test/"),
        ("https://quay.test:80/", "https://quay.test:80/"),
        ("http://quay.test/ä b?q=ü#ö", "http://quay.test/%C3%A4%20b?q=%C3%BC#%C3%B6"),
        ("http:\\\\quay.test\\a", "http://quay.test/a"),
        ("http://user:pw@quay.test/", "http://quay.test/"),
        ("http://quay.test/%41", "http://quay.test/%41"),
    ],
)
def test_an_address_is_normalized_like_new_url(text: str, href: str) -> None:
    address = parsed(text)
    assert address is not None
    assert address.href == href


@pytest.mark.parametrize(
    "text", ["", "quay.test", "//quay.test", "http://", "http://a b/", "http://a:x/", "http://a:99999/", "ftp://a/"]
)
def test_invalid_page_addresses_are_refused(text: str) -> None:
    assert parsed(text) is None
    assert host_of(text) == ""


def test_the_scheme_is_returned_only_for_valid_addresses() -> None:
    assert [scheme_of(t) for t in ("mailto:a@b", "HTTP://a/", "http://", "a", "http:a")] == [
        "mailto",
        "http",
        None,
        None,
        "http",
    ]


def test_links_are_resolved_against_their_page() -> None:
    page = dom.parse(
        "<a href='b'>1</a><a href='/c#x'>2</a><a href='b#y'>3</a><a href='mailto:a@b'>4</a><a href='https://o.test'>5</a>"
    )
    assert [to.page for to in dom.links(page, "http://q.test/a/x")] == [
        "http://q.test/a/b",
        "http://q.test/c",
        "https://o.test/",
    ]
    assert joined("http://q.test/", "http://[bad") is None


def test_a_domain_has_its_subdomains_and_no_others() -> None:
    assert [within(h, "a.test") for h in ("a.test", "b.a.test", "ba.test")] == [True, True, False]


def test_blocks_contain_only_the_main_content() -> None:
    html = (
        "<nav><p>Home</p></nav><h1>Title</h1><p>One  two</p><div><p>Three</p></div><h2>Part</h2>"
        "<ul><li>a<ul><li>b</li></ul></li></ul>"
        "<table><tr><th>x</th><td>y</td></tr><tr><td></td></tr></table><pre>\n c\n  d\n</pre><footer><p>End</p></footer>"
    )
    content_blocks = blocks(html)
    assert plain(content_blocks) == "One two Three Part a b x | y  c\n  d"
    assert lined(content_blocks) == "One two Three\n\n## Part\n\n- a\n  - b\n\n| x | y |\n\n```\n c\n  d\n```"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h2>A <b>b</b></h2><p>x<br>y</p>", "## A **b**\n\nx\n\ny"),
        ("<p>a<i>b</i>c <em>d</em>.</p>", "a _b_ c _d_."),
        ("<p>see<a href='/x' title='T'>this</a></p>", 'see [this](/x "T")'),
        ("<a href='#'>a</a> <a>b</a> <a href='/x' aria-label='L'></a>", "a b [L](/x)"),
        ("<ol><li>one</li><li>two</li></ol>", "1. one\n2. two"),
        ("<table><tr><th>a</th></tr><tr><td>1<br>2</td></tr></table>", "| a |\n| --- |\n| 1<br>2 |"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", "|     |     |\n| --- | --- |\n| 1 | 2 |"),
        ("<pre class='language-py'>a = 1</pre><hr>", "```py\na = 1\n```\n\n* * *"),
        ("<blockquote><p>q</p></blockquote><img src='a.png' alt='A'><img>", "> q\n\n![A](a.png)"),
        ("<p>a_b * c | d [e]</p>", "a_b * c | d [e]"),
        ("<dl><dt>T</dt><dd>D</dd></dl>", "T\n\nD"),
        ("<b>x<strong>y</strong></b>", "**xy**"),
    ],
)
def test_markdown_equals_that_of_html_to_markdown(html: str, text: str) -> None:
    assert markdown(html) == text


def test_cleaning_returns_the_main_content_with_absolute_addresses() -> None:
    html = (
        "<div class='menu'>M</div><header id='h'>T<div id='main'>x</div></header><a href='/a'>A</a><script>s</script>"
    )
    assert (
        cleaned(html, "http://q.test/b")
        == '<header id="h">T<div id="main">x</div></header><a href="http://q.test/a">A</a>'
    )
    assert "M" in cleaned(html, "http://q.test/b", main=False)
    assert cleaned(html, "http://q.test/b", include=["a"]) == '<a href="http://q.test/a">A</a>'
    assert "href" not in cleaned(html, "http://q.test/b", exclude=["*HREF=/a*"])


def test_sentences_are_split_at_their_ends() -> None:
    assert sentences("It is 21.4 km. Is it? Yes!\nNew line 云海。星河！") == [
        "It is 21.4 km.",
        "Is it?",
        "Yes!",
        "New line 云海。",
        "星河！",
    ]


def test_a_passage_begins_with_the_query_terms() -> None:
    text = " ".join(f"Line {i} is about sand." for i in range(20)) + " The storage is Ola. " + "Gulls again. " * 20
    text_passage = passage(text, "who is the storage", 60)
    assert text_passage.startswith("The storage is Ola. Gulls again.")
    assert len(text_passage) <= 60
    assert passage("Short.", "x", 60) == "Short."
    assert passage("x" * 100, "x", 60) == "x" * 60


def test_pages_are_ranked_in_two_languages() -> None:
    index = PageIndex(
        [
            Document("http://a.test/", "Harbour", "", "The ferries leave from pier four."),
            Document("http://b.test/ferry", "Ferry timetable", "", "Every twenty minutes."),
            Document("http://c.test/", "轮渡时刻", "", "每二十分钟一班。"),
            Document("http://d.test/", "Soup", "", "Nothing about boats."),
        ]
    )
    assert index.ranked("ferries") == [1, 0]
    assert index.ranked("轮渡") == [2]
    assert index.ranked("submarines with soup") == [3]
    assert index.ranked("the") == []
    assert index.ranked("?") == []
    assert PageIndex([]).ranked("ferry") == []


def test_pages_of_a_state_are_found_by_their_words() -> None:
    pages = [("Red", "red kite"), ("Red kite", ""), ("Blue", "kite")]
    assert having("red kite", pages, every=True) == [1, 0]
    assert having("red kite", pages, every=False) == [1, 0, 2]
    assert having("!", pages, every=False) == []


def test_a_walk_is_breadth_first_and_sees_every_page_once() -> None:
    web = {"a": ["b", "c", "a"], "b": ["d"], "c": ["d", "e"], "d": ["f"], "e": [], "f": []}
    assert list(breadth_first("a", web.__getitem__, depth=2)) == ["a", "b", "c", "d", "e"]
    assert list(breadth_first("a", web.__getitem__, depth=2, breadth=1)) == ["a", "b", "d"]
    assert list(breadth_first("a", web.__getitem__, depth=0)) == ["a"]


def test_invalid_patterns_are_ignored() -> None:
    assert compiled("(") is None
    assert compiled(5) is None
    pattern = compiled("a.c")
    assert pattern is not None
    assert pattern.search("xabcx")


_TEXTS = st.lists(st.sampled_from(["ferry", "Ferries", "lock", "门禁", "渡口的船", "a", "line-3"]), max_size=6).map(
    " ".join
)
_DOCUMENTS = st.lists(st.builds(Document, _TEXTS, _TEXTS, _TEXTS, _TEXTS), max_size=6)


@given(_DOCUMENTS, st.data(), _TEXTS)
def test_an_index_with_more_documents_equals_a_new_index(
    known: list[Document], data: st.DataObject, query: str
) -> None:
    places = st.integers(0, len(known) - 1) if known else st.nothing()
    chosen = data.draw(st.lists(st.one_of(places, st.builds(Document, _TEXTS, _TEXTS, _TEXTS, _TEXTS)), max_size=8))
    index = PageIndex(known).with_documents(chosen)
    expected = PageIndex([known[d] if isinstance(d, int) else d for d in chosen])
    assert index.documents == expected.documents
    assert index.ranked(query) == expected.ranked(query)
    again = index.with_documents(list(range(len(chosen))))
    assert again.ranked(query) == expected.ranked(query)
