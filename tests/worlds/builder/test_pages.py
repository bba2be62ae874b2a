"""Pages from text: markdown becomes blocks, formatting and references within a line become pieces, and rows are pages."""

from __future__ import annotations

from soundstage.worlds.builder.markdown import blocks, pieces
from tests.worlds.builder.shipped_worlds import checked


def test_lines_become_blocks_and_indented_lines_their_children() -> None:
    parsed = blocks(
        "# A\n- one\n  - [x] two\n> [!🔥 red] hot\n```swift\nlet a = 1\n\nlet b\n```\n| x | y |\n|---|---|\n| 1 | 2 |\n"
    )
    assert [b.form for b in parsed] == ["heading_1", "bulleted", "callout", "code", "table"]
    assert (parsed[1].inside[0].form, parsed[1].inside[0].values) == ("todo", {"checked": True})
    assert parsed[2].values == {"icon": "🔥", "color": "red"}
    assert parsed[3].text == "let a = 1\n\nlet b"
    assert parsed[4].values == {"header": True, "width": 2}
    assert [row.cells for row in parsed[4].inside] == [["x", "y"], ["1", "2"]]


def test_formatting_within_a_line_becomes_pieces() -> None:
    parsed = pieces("a **b** `c*d*` [e](https://f.example/g) 2*3*4")
    assert [(p["text"], p.get("bold"), p.get("code"), p.get("url")) for p in parsed] == [
        ("a ", None, None, None), ("b", True, None, None), (" ", None, None, None), ("c*d*", None, True, None),
        (" ", None, None, None), ("e", None, None, "https://f.example/g"), (" 2*3*4", None, None, None),
    ]  # fmt: skip


def test_studio_has_a_wiki_a_tracker_and_minutes_in_notion() -> None:
    notion = checked("studio").state["notion"]
    sources = {s["id"]: s for s in notion["data_source"]}
    rows = [p for p in notion["page"] if "data_source_id" in p["parent"]]
    assert len(notion["page"]) - len(rows) >= 25
    assert len(rows) >= 85
    for row in rows:
        schema = sources[row["parent"]["data_source_id"]]["properties"]
        assert {n: (v["id"], v["type"]) for n, v in row["properties"].items()} == {
            n: (v["id"], v["type"]) for n, v in schema.items()
        }
    for block in notion["block"]:
        assert block["type"] in block
    threads = {c["discussion_id"] for c in notion["comment"]}
    assert 1 < len(threads) < len(notion["comment"])
