"""From a recording to an app, with scripted generators: accepted candidates, rejected ones, and the reasons."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mcp.client import Client

from soundstage import app_roots
from soundstage.models.asking import Answer, Question
from soundstage.models.chat import Chat
from soundstage.models.stub import StubModel, Troubles, Turn
from soundstage.synthesis.generate.generators import (
    CachedGenerator,
    Generated,
    Generator,
    ModelGenerator,
    NoAnswer,
    ScriptedGenerator,
)
from soundstage.synthesis.generate.lock import CANDIDATES, Lock, read_lock, write_lock
from soundstage.synthesis.generate.loop import Options, Synthesis
from soundstage.synthesis.generate.merge import BASES
from soundstage.synthesis.generate.prompt import Prompt
from soundstage.synthesis.generate.prompt_level import PromptLevel, includes
from soundstage.synthesis.generate.sandbox import Sandbox
from soundstage.synthesis.traverse.plan import Planned, read_plan
from soundstage.synthesis.traverse.recording import Recording
from tests.conftest import run_here, start_gateway, stop_gateway

SERVER = Path(__file__).with_name("bookshelf.py")
GOOD = Path(__file__).with_name("shelf") / "good"
HEAD = """from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
"""
VANILLA = (
    HEAD
    + """    book = context.get("book", arguments["title"])
    if book is None or not arguments["title"].istitle():
        raise AppError("not_found", f"Book {arguments['title']} not found")
    return book
"""
)
WRONG = VANILLA.replace(" or not arguments['title'].istitle()", "").replace("Book {", "No book is called {")
"""A kernel written from the schema alone: its refusal has words that were not recorded."""
Synthesise = Callable[..., Lock]


class Watched:
    """A generator that records its prompts."""

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self.briefs: list[Prompt] = []

    @property
    def provenance(self) -> str:
        return self._generator.provenance

    def write(self, brief: Prompt) -> Generated:
        self.briefs.append(brief)
        return self._generator.write(brief)


def output_of(*arguments: str, code: int = 0) -> str:
    done = run_here(*arguments)
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="session")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of the bookshelf."""
    folder = tmp_path_factory.mktemp("shelf") / "pool"
    server = [sys.executable, "-I", "-S", str(SERVER)]
    output_of("traverse", "plan", "-o", str(folder), "--app", "shelf", "--reset-scratch", "SHELF_FILE", "--", *server)
    plan = folder / "plan.yaml"
    plan.write_text(plan.read_text().replace("rate: 50/s", "rate: 2000/s"))
    output_of("traverse", "run", str(folder))
    return folder


@pytest.fixture(scope="session")
def planned(pool: Path) -> Planned:
    return read_plan(Recording(pool))


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


@pytest.fixture(autouse=True)
def _no_apps_stay() -> Iterator[None]:
    yield
    for loaded in app_roots.roots():
        app_roots.remove(loaded.folder)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "apps"


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def synthesise(planned: Planned, sandbox: Sandbox, root: Path, messages: list[str]) -> Synthesise:
    """Runs a synthesis: synthesise(generator, "get_book", rounds=4)."""

    def run(generator: Generator, *tools: str, rounds: int = 4, changed: bool = False) -> Lock:
        options = Options(tools, changed=changed, rounds=rounds)
        return Synthesis(planned, root, generator, sandbox, options, messages.append).run()

    return run


@pytest.fixture
def candidates(tmp_path: Path) -> Callable[..., Path]:
    """Creates a folder of candidates: the good ones, with some replaced."""

    def make(**files: str) -> Path:
        folder = tmp_path / "candidates"
        shutil.copytree(GOOD, folder, dirs_exist_ok=True)
        for name, code in files.items():
            (folder / f"{name.replace('__', '.')}.py").write_text(code)
        return folder

    return make


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# -- acceptance of candidates --------------------------------------------------------------------------------------


def test_good_candidates_are_accepted_with_their_metrics(synthesise: Synthesise, root: Path) -> None:
    lock = synthesise(ScriptedGenerator(GOOD))
    assert {name: tool["answered_by"] for name, tool in lock.tools.items()} == dict.fromkeys(
        ("put-book", "get_book", "list_books", "take_book"), "kernel"
    )
    assert lock.generator == "scripted: written by hand for these tests"
    for tool in lock.tools.values():
        assert tool["rounds"] == 1
        assert tool["held_out"]["outcome"]["rate"] == 1.0
        assert tool["held_out"]["outcome"]["of"] == tool["held_out"]["cases"] > 0
        assert tool["thin"] == (tool["held_out"]["cases"] < 8)
    assert app_roots.Root(root).has("shelf", "kernels/shelf/put_book.py")
    listed = json.loads((root / "servers/shelf/tools.json").read_text())["tools"]
    assert {tool["answered_by"] for tool in listed} == {"kernel"}
    assert "The shelf's own words" not in json.dumps(listed)


def test_without_a_complete_scenario_nothing_is_served_automatically(synthesise: Synthesise, root: Path) -> None:
    lock = synthesise(
        ScriptedGenerator(GOOD), "get_book"
    )  # every scenario also uses put or take, which nothing answers
    assert lock.tools["get_book"]["answered_by"] == "kernel"
    assert lock.whole["episodes"] == {"agree": 0, "of": 0}
    assert not lock.whole["enough"]
    assert lock.accepted == {}


def test_a_candidate_from_the_schema_alone_is_not_accepted_and_its_false_refusals_are_named(
    synthesise: Synthesise, candidates: Callable[..., Path]
) -> None:
    lock = synthesise(ScriptedGenerator(candidates(get_book=VANILLA)), "put-book", "get_book", rounds=1)
    tool = lock.tools["get_book"]
    assert tool["answered_by"] == "none"
    assert any("exact" in why or "outcome" in why for why in tool["why"])
    assert "kernels/shelf/get_book.py" not in lock.accepted
    worst = "\n".join(tool["worst"])
    assert "false negative; the real server's call is done" in worst
    assert "not found" in worst
    assert lock.tools["put-book"]["answered_by"] == "kernel"


@pytest.mark.long
def test_a_lookup_table_of_recordings_is_not_accepted(
    synthesise: Synthesise, candidates: Callable[..., Path], planned: Planned, sandbox: Sandbox, root: Path
) -> None:
    cases = Synthesis(planned, root, ScriptedGenerator(GOOD), sandbox, Options(), print)._cases
    known = {json.dumps([c.arguments, c.run.state.get("book", [])]): c for c in cases if c.tool == "get_book"}
    lines = ["    shown = dumps([arguments, context.list('book')])"]
    for key, case in known.items():
        lines.append(f"    if shown == {key!r}:")
        if case.expect.ok:
            lines.append(f"        return {case.expect.response!r}")
        else:
            lines.append(f"        raise AppError('invalid', {case.expect.response!r})")
    learnt = "from json import dumps\n" + HEAD.replace("from __future__ import annotations\n\n", "") + "\n".join(lines)
    lock = synthesise(
        ScriptedGenerator(candidates(get_book=f"{learnt}\n    raise AppError('not_found', 'no')\n")),
        "get_book",
        rounds=1,
    )
    tool = lock.tools["get_book"]
    assert tool["answered_by"] == "none"
    assert any("what is renamed everywhere" in why or "is a recorded value" in why for why in tool["why"]), tool["why"]


BROKEN = {
    "no Python": ("def run(context, arguments:\n", "is not valid Python"),
    "a way out": (HEAD + "    return open('/etc/passwd').read()\n", "the name open is not allowed"),
    "what raises": (HEAD + "    return 1 // 0\n", "nothing raises: get_book"),
    "what changes in a read": (HEAD + "    context.create('book', {'title': 'x', 'copies': 1})\n", "reads change nothing"),
    "what chance decides": (HEAD + "    return {'at': object()}\n", "nothing raises"),
    "another's path": (HEAD.replace("def run", "def walk") + "    return 1\n", "needs one function `run("),
}  # fmt: skip


@pytest.mark.parametrize(
    "kind", [kind if kind == "a way out" else pytest.param(kind, marks=pytest.mark.long) for kind in BROKEN]
)
def test_broken_candidates_are_refused_with_a_message(
    synthesise: Synthesise, candidates: Callable[..., Path], kind: str
) -> None:
    code, words = BROKEN[kind]
    lock = synthesise(ScriptedGenerator(candidates(get_book=code)), "get_book", rounds=1)
    assert lock.tools["get_book"]["answered_by"] == "none"
    assert any(words in why for why in lock.tools["get_book"]["why"]), lock.tools["get_book"]["why"]


def test_only_regular_files_of_bounded_size_are_accepted(candidates: Callable[..., Path], tmp_path: Path) -> None:
    folder = candidates()
    (tmp_path / "secret.py").write_text("secret")
    (folder / "get_book.py").unlink()
    (folder / "get_book.py").symlink_to(tmp_path / "secret.py")
    (folder / "take_book.py").write_bytes(b"#" * 10_000_000)
    (folder / "list_books.py").unlink()
    for tool, words in (
        ("get_book", "is a link"),
        ("take_book", "10000000 bytes"),
        ("list_books", "has no list_books.py"),
    ):
        brief = Prompt("shelf", tool, 1, "", (f"kernels/shelf/{tool}.py",))
        with pytest.raises(NoAnswer, match=words):
            ScriptedGenerator(folder).write(brief)


def test_a_candidate_is_repaired_from_its_mistakes(
    synthesise: Synthesise, candidates: Callable[..., Path], messages: list[str]
) -> None:
    good = (GOOD / "get_book.py").read_text()
    loud = WRONG.replace("No book is called {", "There's no book called {")
    folder = candidates(get_book__1=WRONG, get_book__2=loud, get_book__3=good)
    (folder / "get_book.py").unlink()
    watched = Watched(ScriptedGenerator(folder))
    lock = synthesise(watched, "get_book")
    assert lock.tools["get_book"]["answered_by"] == "kernel"
    assert lock.tools["get_book"]["chosen_round"] == lock.tools["get_book"]["rounds"] == 3
    first, second, third = [brief.text for brief in watched.briefs if brief.part == "get_book"]
    assert "What was wrong" not in first
    assert "No book is called" in second
    assert "-There is no book called" in third  # the expected text
    assert "+There's no book called" in third  # the text of the candidate
    assert "do not return to these" in third


# -- prompts of generators, and the accepted part of their output ------------------------------------------------------


def test_no_prompt_contains_held_out_calls(planned: Planned, sandbox: Sandbox, root: Path) -> None:
    watched = Watched(ScriptedGenerator(GOOD))
    made = Synthesis(planned, root, watched, sandbox, Options(rounds=2), print)
    planted = 0
    for number, case in enumerate(made._cases):
        if case.share != "train":
            object.__setattr__(case.expect, "response", f"canary-{number}")
            object.__setattr__(case, "id", f"canary-{number}")
            planted += 1
    made.run()
    assert planted > 20
    assert len(watched.briefs) > 4
    for brief in watched.briefs:
        assert "canary-" not in brief.text
        assert not any(b"canary-" in content for content in brief.files.values())


def test_facts_contain_only_refusals_of_the_training_share(planned: Planned, sandbox: Sandbox, root: Path) -> None:
    made = Synthesis(planned, root, ScriptedGenerator(GOOD), sandbox, Options(), print)
    may = {str(c.expect.response) for c in made._cases if c.share == "train" and not c.expect.ok}
    told_of = {error["text"] for tool in made.facts["tools"] for error in tool["errors"]}
    assert len(told_of) > 5
    assert told_of <= {text[:200] for text in may}


@pytest.mark.parametrize(
    ("knowing", "sections"),
    [
        ("schema", ()),
        ("seeds", ("Recorded calls",)),
        pytest.param("sequences", ("Recorded calls", "Refusals"), marks=pytest.mark.long),
    ],
)
def test_a_prompt_contains_exactly_the_information_of_its_level(
    planned: Planned, sandbox: Sandbox, root: Path, knowing: PromptLevel, sections: tuple[str, ...]
) -> None:
    watched = Watched(ScriptedGenerator(GOOD))
    made = Synthesis(planned, root, watched, sandbox, Options(rounds=1, knowing=knowing), print)
    for case in made._cases:
        if case.share != "train" or not includes(knowing, case.level):
            object.__setattr__(case.expect, "response", "canary-of-others")
    measured = made.measure_level()
    for brief in watched.briefs:
        assert "canary-of-others" not in brief.text
    text = next(brief.text for brief in watched.briefs if brief.part == "get_book")
    assert tuple(words for words in ("Recorded calls", "Refusals") if words in text) == sections
    of_server = [c for c in made._cases if c.share == "held-out" and c.tool in planned.tools]
    assert measured["figures"]["cases"] == len(of_server) > 10
    assert not (root / "servers/shelf/synthesis.json").exists()  # no app of a lower level is served


@pytest.mark.long
def test_a_second_run_generates_nothing(synthesise: Synthesise, root: Path, tmp_path: Path) -> None:
    generations = tmp_path / "generations.jsonl"
    first = synthesise(CachedGenerator(ScriptedGenerator(GOOD), generations), "put-book", "get_book")
    lines = generations.read_text().splitlines()
    assert len(lines) == 3  # the rules, and the tools
    shutil.rmtree(root)
    watched = Watched(ScriptedGenerator(GOOD))
    again = synthesise(CachedGenerator(watched, generations), "put-book", "get_book")
    assert watched.briefs == []
    assert generations.read_text().splitlines() == lines
    assert again.accepted == first.accepted != {}


@pytest.mark.long
def test_the_same_pool_and_candidates_give_the_same_package(synthesise: Synthesise, root: Path) -> None:
    synthesise(ScriptedGenerator(GOOD), "get_book")
    first = files(root)
    shutil.rmtree(root)
    synthesise(ScriptedGenerator(GOOD), "get_book")
    assert files(root) == first


@pytest.mark.long
def test_a_program_can_be_the_generator_and_only_requested_files_are_accepted(pool: Path, tmp_path: Path) -> None:
    program = tmp_path / "writer.py"
    program.write_text(f"""
import os, pathlib, re, sys
brief = sys.stdin.read()
assert pathlib.Path("brief.md").read_text() == brief
assert "SECRET_OF_THE_CALLER" not in os.environ
out = pathlib.Path("out/kernels/shelf")
out.mkdir(parents=True)
if "Write `kernels/shelf/get_book.py`" in brief:
    good = pathlib.Path({str(GOOD)!r})
    (out / "get_book.py").write_text((good / "get_book.py").read_text())
    (out / "other.py").write_text("x = 1")
    (out / "linked.py").symlink_to("/etc/passwd")
    pathlib.Path("out/servers").symlink_to("/etc")
else:
    (out / "rules").mkdir()
    (out / "rules" / "books.py").write_text((pathlib.Path({str(GOOD)!r}) / "rules" / "books.py").read_text())
""")
    os.environ["SECRET_OF_THE_CALLER"] = "x"
    try:
        shown = output_of(
            "synthesise", "run", str(pool), "--tool", "get_book", "--rounds", "1",
            "--generator", f"command:{sys.executable} {program}", "--data", str(tmp_path / "data"), code=1,
        )  # fmt: skip
    finally:
        del os.environ["SECRET_OF_THE_CALLER"]
    assert "other.py: was not asked for" in shown
    assert "linked.py: is a link" in shown
    assert "servers: is a link" in shown
    kernels = tmp_path / "data" / "apps" / "kernels" / "shelf"
    assert not (kernels / "other.py").exists()
    assert not (kernels / "linked.py").exists()


@pytest.mark.long
@pytest.mark.parametrize("troubles", [None, Troubles(prose=1.0), Troubles(rate_limit=1.0), Troubles(length_stop=0.3)])
def test_a_model_can_be_the_generator_whatever_prose_surrounds_its_code(
    synthesise: Synthesise, messages: list[str], troubles: Troubles | None
) -> None:
    path = "kernels/shelf/get_book.py"
    code = (GOOD / "get_book.py").read_text()
    rules = (GOOD / "rules" / "books.py").read_text()
    scripts = {
        "# Shared code of the tools of shelf": [Turn(f"kernels/shelf/rules/books.py\n```python\n{rules}```")],
        "": [Turn(f"{path}\n```python\n{code}```")],
    }
    with StubModel(scripts, troubles=troubles) as stub:
        lock = synthesise(ModelGenerator(Chat(stub.base_url, "stub"), None), "get_book", rounds=2)
    assert lock.tools["get_book"]["answered_by"] == "kernel", messages
    assert lock.tools["get_book"]["tokens_in"] > 0


# -- later runs --------------------------------------------------------------------------------------------------------


def test_an_edited_file_is_never_overwritten_and_is_served_once_accepted(pool: Path, tmp_path: Path) -> None:
    data = ["--data", str(tmp_path)]
    tools = ["--tool", "put-book", "--tool", "get_book"]
    run = ["synthesise", "run", str(pool), "--generator", f"scripted:{GOOD}", *tools, *data]
    output_of(*run)
    path = tmp_path / "apps" / "kernels" / "shelf" / "get_book.py"
    edited = path.read_text() + "\n# mine\n"
    path.write_text(edited)

    def state() -> dict[str, str]:
        rows = json.loads(output_of("synthesise", "status", "shelf", "--json", *data))
        return next(row for row in rows if row["file"].endswith("get_book.py"))

    assert (state()["origin"], state()["accepted"]) == ("edited", "another version")
    assert not app_roots.Root(tmp_path / "apps").has("shelf", "kernels/shelf/get_book.py")
    shown = output_of(*run)
    assert "get_book: its file was edited, and is measured as it is" in shown
    assert path.read_text() == edited
    path.write_text(edited + "# and more\n")
    output_of("synthesise", "accept", "shelf", "--by", "omar", "--tool", "get_book", *data)
    assert state()["accepted"] == "yes"
    assert app_roots.Root(tmp_path / "apps").has("shelf", "kernels/shelf/get_book.py")
    lock = json.loads(output_of("synthesise", "report", "shelf", "--json", *data))
    assert lock["files"]["kernels/shelf/get_book.py"]["accepted_by"] == "omar"


@pytest.mark.long
def test_a_new_version_is_merged_into_an_edit_as_a_third_file(
    planned: Planned, synthesise: Synthesise, root: Path, messages: list[str]
) -> None:
    path = f"servers/{planned.plan.app}/dialect.json"
    synthesise(ScriptedGenerator(GOOD), "get_book")
    made = (root / path).read_bytes()
    base = made.replace(b"{\n", b"{  # of yesterday\n", 1)  # as if an older version had created it
    for place in (root / path, root / BASES / path):
        place.write_bytes(base)
    lock = read_lock(root, planned.plan.app)
    lock.files[path]["digest"] = app_roots.digest(base)
    write_lock(root, lock)
    edit = base + b"\n\n# a person's own line\n"
    (root / path).write_bytes(edit)
    synthesise(ScriptedGenerator(GOOD), "get_book")
    assert (root / path).read_bytes() == edit
    assert (root / CANDIDATES / path).read_bytes() == made
    assert (root / CANDIDATES / f"{path}.merged").read_bytes() == made + b"\n\n# a person's own line\n"
    assert any(f"the merge of both is in {CANDIDATES}/{path}.merged, without a conflict" in line for line in messages)
    clashing = base.replace(b"# of yesterday", b"# of a person")
    (root / path).write_bytes(clashing)
    synthesise(ScriptedGenerator(GOOD), "get_book")
    assert (root / path).read_bytes() == clashing
    merged = (root / CANDIDATES / f"{path}.merged").read_text()
    assert "<<<<<<< edited" in merged
    assert ">>>>>>> generated now" in merged
    assert "with 1 conflict, marked" in messages[-1] or any("with 1 conflict, marked" in line for line in messages)


@pytest.mark.long
def test_an_edited_kernel_gets_a_new_version_next_to_it_if_its_calls_changed(
    planned: Planned, synthesise: Synthesise, root: Path, messages: list[str]
) -> None:
    app, path = planned.plan.app, "kernels/shelf/get_book.py"
    synthesise(ScriptedGenerator(GOOD), "get_book")
    made = (root / path).read_bytes()
    edit = made + b"\n\n# a person's own line\n"
    (root / path).write_bytes(edit)
    watched = Watched(ScriptedGenerator(GOOD))
    synthesise(watched, "get_book")
    assert [brief.part for brief in watched.briefs] == ["rules"]  # nothing has changed, so no tool is generated
    lock = read_lock(root, app)
    lock.tools["get_book"]["inputs"] = "of another recording"
    write_lock(root, lock)
    synthesise(ScriptedGenerator(GOOD), "get_book")
    assert (root / path).read_bytes() == edit
    assert (root / CANDIDATES / path).read_bytes() == made
    assert any(
        f"{path} was edited and stays unchanged" in line and "equals the version before the edit" in line
        for line in messages
    )


@pytest.mark.long
def test_an_edit_without_its_base_is_not_merged(
    planned: Planned, synthesise: Synthesise, root: Path, messages: list[str]
) -> None:
    path = f"servers/{planned.plan.app}/dialect.json"
    synthesise(ScriptedGenerator(GOOD), "get_book")
    shutil.rmtree(root / BASES)
    (root / path).write_bytes((root / path).read_bytes() + b"\n# mine\n")
    synthesise(ScriptedGenerator(GOOD), "get_book")
    assert (root / CANDIDATES / path).is_file()
    assert not (root / CANDIDATES / f"{path}.merged").exists()
    assert any("is missing, so nothing is merged" in line for line in messages)


# -- several candidates per round, and dry runs -------------------------------------------------------------------------


def test_the_best_candidate_on_dev_continues_and_all_are_paid_for(
    planned: Planned, sandbox: Sandbox, root: Path, candidates: Callable[..., Path], messages: list[str]
) -> None:
    folder = candidates(get_book=WRONG)
    (folder / "get_book.1-2.py").write_text(HEAD + "    raise AppError('not_found', 'never')\n")
    (folder / "get_book.1-3.py").write_text((GOOD / "get_book.py").read_text())
    (folder / "get_book.1-4.py").write_text("import os\n")
    watched = Watched(ScriptedGenerator(folder))
    options = Options(("get_book",), rounds=1, best_of=4)
    lock = Synthesis(planned, root, watched, sandbox, options, messages.append).run()
    assert (root / "kernels/shelf/get_book.py").read_text() == (GOOD / "get_book.py").read_text()
    tool = lock.tools["get_book"]
    assert (tool["rounds"], tool["candidates"], tool["answered_by"]) == (
        1,
        3,
        "kernel",
    )  # the third is right, so there is no fourth
    briefs = [brief for brief in watched.briefs if brief.part == "get_book"]
    assert [brief.sample for brief in briefs] == [0, 1, 2]
    assert len({brief.digest for brief in briefs}) == 3
    assert any(line.startswith("get_book: round 1, candidate 3: ") for line in messages)


def test_further_candidates_use_other_seeds() -> None:
    questions: list[Question] = []

    class Listening:
        name = "listening"

        def ask(self, question: Question) -> Answer:
            questions.append(question)
            return Answer("kernels/shelf/get_book.py\n```python\nx = 1\n```\n", 10, 5, 0.1)

    writer = ModelGenerator(Listening(), None, longest=300)
    brief = Prompt("shelf", "get_book", 1, "Write it.", ("kernels/shelf/get_book.py",))
    for sample in (0, 2):
        assert writer.write(brief.another(sample)).files
    assert [(q.temperature, q.seed, q.most_tokens) for q in questions] == [(0.0, None, 300), (0.8, 2, 300)]
    assert "This is candidate 3 of the round" in questions[1].messages[0].content


def test_a_dry_run_reports_the_prompts_and_neither_asks_nor_writes(pool: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    run = ("synthesise", "run", str(pool), "--generator", "chat", "--dry-run", "--data", str(data), "--rounds", "3")
    report = json.loads(output_of(*run, "--best-of", "2", "--tokens", "9000", "--tool", "get_book", "--json"))
    parts = {one["part"]: one for one in report["parts"]}
    assert parts["get_book"]["what"] == "asked"
    assert parts["put-book"] == {"part": "put-book", "what": "stays as it is", "tokens": None}
    assert report["questions"] == 1 + 3 * 2
    assert report["tokens_in"] == parts["rules"]["tokens"] + 6 * parts["get_book"]["tokens"]
    assert (report["tokens_out_at_most"], report["tokens_at_most"]) == (7 * 8000, 9000)
    shown = output_of(*run)
    assert "At most 13 questions (3 for a tool" in shown
    assert "Without --tokens nothing ends it before." in shown
    assert not (data / "apps").exists()


def test_code_rejected_by_the_gate_cannot_be_accepted(synthesise: Synthesise, root: Path) -> None:
    synthesise(ScriptedGenerator(GOOD), "get_book")
    (root / "kernels/shelf/get_book.py").write_text(HEAD + "    return open('/etc/passwd').read()\n")
    shown = output_of("synthesise", "accept", "shelf", "--by", "omar", "--data", str(root.parent), code=1)
    assert "the name open is not allowed" in shown


def test_a_shipped_app_is_never_synthesised(planned: Planned, sandbox: Sandbox, root: Path) -> None:
    def named(name: str) -> None:
        plan = planned.plan.model_copy(update={"app": name})
        Synthesis(
            Planned(**{**{f: getattr(planned, f) for f in planned.__dataclass_fields__}, "plan": plan}),
            root, ScriptedGenerator(GOOD), sandbox, Options(), print,
        )  # fmt: skip

    with pytest.raises(RuntimeError, match="there is an app slack already"):
        named("slack")
    with pytest.raises(RuntimeError, match="is not a valid app name"):
        named("../evil")


# -- serving ------------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_synthesised_app_is_served_like_any_other(
    pool: Path, tmp_path: Path, candidates: Callable[..., Path]
) -> None:
    folder = candidates(take_book=HEAD + "    raise AppError('not_found', 'never')\n")
    data = tmp_path / "data"
    output_of("synthesise", "run", str(pool), "--rounds", "1", "--generator", f"scripted:{folder}", "--data", str(data))
    gateway = start_gateway(data, log=tmp_path / "log")
    try:
        (app,) = [a for a in gateway.api("GET", "/apps").json() if a["name"] == "shelf"]
        assert (app["tools"], app["unanswered"]) == (3, {"take_book": "none"})
        listed = {t["name"]: t["answered_by"] for t in gateway.api("GET", "/apps/shelf/tools").json()}
        assert listed == {"put-book": "kernel", "get_book": "kernel", "list_books": "kernel"}
        session = gateway.session(world="empty", apps=["shelf"])
        assert session["unanswered"] == {"shelf": {"take_book": "none"}}
        replies, names = asyncio.run(
            called(
                session["apps"]["shelf"],
                ("put-book", {"title": "Tides", "copies": 2}),
                ("get_book", {"title": "Tides"}),
                ("get_book", {"title": "Moons"}),
                ("get_book", {}),
                ("take_book", {"title": "Tides"}),
            )
        )
        assert names == {"put-book", "get_book", "list_books"}
        assert replies[:4] == [
            (False, '{"title": "Tides", "copies": 2}'),
            (False, '{"title": "Tides", "copies": 2}'),
            (True, "There is no book called Moons"),
            (True, "Input validation error: 'title' is a required property"),
        ]
        assert replies[4][0]
        journal = gateway.journal(session["id"])
        assert [line["error_kind"] for line in journal if line["app"] == "shelf"][-1] == "unavailable"
        forked = gateway.api("POST", f"/sessions/{session['id']}/fork", json={}).json()
        gateway.api("POST", f"/sessions/{session['id']}/reset")
        state = "/state?app=shelf"
        assert "Tides" not in gateway.api("GET", f"/sessions/{session['id']}{state}").text
        assert "Tides" in gateway.api("GET", f"/sessions/{forked['id']}{state}").text
    finally:
        stop_gateway(gateway)
    dialect = data / "apps" / "servers" / "shelf" / "dialect.json"
    dialect.write_text(dialect.read_text() + "raise SystemExit('it ran')\n")
    gateway = start_gateway(data, log=tmp_path / "log")
    try:
        assert "shelf" not in {a["name"] for a in gateway.api("GET", "/apps").json()}
        assert gateway.session(world="empty", apps=["monitor"])["apps"].keys() == {"monitor"}
        refused = gateway.api("POST", "/sessions", json={"world": "empty", "apps": ["shelf"]})
        assert refused.status_code >= 400
    finally:
        stop_gateway(gateway)
    assert "dialect.json was changed after it had been accepted" in (tmp_path / "log").read_text()


async def called(url: str, *calls: tuple[str, dict[str, object]]) -> tuple[list[tuple[bool, str]], set[str]]:
    """Return the results of calls by a real client, each as error flag and text, and the listed tools."""
    async with Client(url) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        results = []
        for name, arguments in calls:
            reply = await client.call_tool(name, arguments)
            results.append((bool(reply.is_error), getattr(reply.content[0], "text", "")))
        return results, names
