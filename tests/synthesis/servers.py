"""Record real servers, synthesise them from the candidates of the tests, and store the results for `docs/parity.md`.

`make servers` runs it: `python -m tests.synthesis.servers [NAME…] [--work FOLDER]`. Servers are installed below the folder
from npm and PyPI. An incomplete recording is continued, and a complete one is reused. A run takes some minutes.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from soundstage.gateway.faults.report import rate
from tests.conftest import soundstage_command
from tests.synthesis.traverse.v8_coverage import reached_blocks

HERE = Path(__file__).parent
CANDIDATES = HERE / "generate"
REPOSITORY = HERE.parents[1]
RESULTS = REPOSITORY / "docs" / "parity" / "synthesised"
LEVELS = ("schema", "seeds", "adversarial", "sequences")


@dataclass(frozen=True, slots=True)
class Server:
    """A real server. `start` is its command, in which `{scratch}` is a start's own folder, and `{modules}`, `{programs}`,
    `{work}` and `{here}` are the folders of npm's servers, its environment, this recording and this file. `between` are two
    texts of the script that enclose the code of its tools. `classes` are the effects of tools that declare none.
    """

    start: tuple[str, ...]
    candidates: str
    most_calls: int = 1000
    scratch: tuple[str, ...] = ()
    script: str = ""
    between: tuple[str, str] = ("", "")
    packages: tuple[str, ...] = ()
    source: str = ""
    classes: Mapping[str, str] = field(default_factory=dict)


SERVERS: Mapping[str, Server] = {
    "memory": Server(
        ("node", "{modules}/server-memory/dist/index.js"), "memory/good",
        scratch=("MEMORY_FILE_PATH", "NODE_V8_COVERAGE={work}/seen"), script="server-memory/dist/index.js",
        between=("class KnowledgeGraphManager", "registerResource("),
    ),
    "files": Server(
        ("node", "{modules}/server-filesystem/dist/index.js", "{scratch}"), "files", 1500,
        scratch=("NODE_V8_COVERAGE={work}/seen",), script="server-filesystem/dist/index.js",
        between=("const server = new", "async function updateAllowedDirectoriesFromRoots"),
    ),
    "git": Server(
        ("sh", "{here}/traverse/harbour_repo.sh", "{scratch}", "{programs}/coverage", "run", "--rcfile={work}/rc", "-m",
         "mcp_server_git"), "git", 500,
        scratch=("COVERAGE_FILE={work}/seen/.coverage",), packages=("mcp-server-git==2026.10.19",), source="mcp_server_git",
    ),
    "sqlite": Server(
        ("{programs}/coverage", "run", "--rcfile={work}/rc", "{programs}/mcp-server-sqlite", "--db-path", "{scratch}/harbour.db"),
        "sqlite", 600,
        scratch=("COVERAGE_FILE={work}/seen/.coverage",), packages=("mcp-server-sqlite==2025.4.25", "mcp<2"),
        source="mcp_server_sqlite",
        classes={"append_insight": "write", "create_table": "write", "write_query": "destructive", "describe_table": "read",
                 "list_tables": "read", "read_query": "read"},
    ),
    "shop": Server(
        (sys.executable, "{here}/traverse/odd_shop.py"), "shop/good", scratch=("SHOP_FILE", "SHOP_LOG={work}/log"),
    ),
}  # fmt: skip


def main() -> None:
    wanted = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    wanted.add_argument("names", nargs="*", help=f"of {', '.join(SERVERS)}; all where none is named")
    wanted.add_argument(
        "--work", type=Path, help="where recordings lie and stay; a temporary folder where it is not given"
    )
    wanted.add_argument("--others", type=Path, help="recordings of the filesystem server that others made")
    given = wanted.parse_args()
    with tempfile.TemporaryDirectory(prefix="servers-") as made:
        work = (given.work or Path(made)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        for name in given.names or SERVERS:
            print(f"== {name}", flush=True)
            one(name, SERVERS[name], work / name, modules(work), given.others if name == "files" else None)
    run("parity")


def one(name: str, server: Server, work: Path, modules: Path, others: Path | None) -> None:
    """Record a server, synthesise it, and store the results."""
    pool, data, folder = work / "pool", work / "data", CANDIDATES / server.candidates
    shutil.rmtree(data, ignore_errors=True)
    places = {
        "{modules}": str(modules),
        "{programs}": str(work / "programs" / "bin"),
        "{work}": str(work),
        "{here}": str(HERE),
    }
    if not (pool / "plan.yaml").exists():
        plan(name, server, pool, work, places)
    if not (pool / "split.json").exists():  # else it is complete
        run("traverse", "run", str(pool), "--max-calls", str(server.most_calls), "--seed", "0")
    synthesise = ("synthesise", "run", str(pool), "--rounds", "1", "--data", str(data))
    if (tables := folder / "tables.json").exists():
        # Tables of the user replace those that are derived from the recording.
        with tempfile.TemporaryDirectory() as none:
            run(*synthesise, "--generator", f"scripted:{none}", codes=(0, 1))
        shutil.copy(tables, data / "apps" / "contexts" / "apps" / f"{name}.json")
    run(*synthesise, "--generator", f"scripted:{folder}", codes=(0, 1))
    if (knowing := folder.with_name("knowing")).is_dir():
        for level in LEVELS:
            run(*synthesise, "--knowing", level, "--generator", f"scripted:{knowing}")
    keep = ["--pool", str(pool), "--keep", str(RESULTS / f"{name}.json")]
    reached = branches(server, work, modules)
    keep += [] if reached is None else ["--reached", f"{reached[0]}/{reached[1]}"]
    if others is not None:
        (work / "others.jsonl").write_text("".join(map(as_rows, others.read_text("utf-8").splitlines())), "utf-8")
        (work / "others.json").write_text(json.dumps(judged(work / "others.jsonl", data)), "utf-8")
        keep += ["--judged", str(work / "others.json")]
    run("synthesise", "report", name, "--html", str(work / "report.html"), *keep, "--data", str(data))


def plan(name: str, server: Server, pool: Path, work: Path, places: Mapping[str, str]) -> None:
    """Plan a recording, and allow it."""
    (work / "seen").mkdir(parents=True, exist_ok=True)
    if server.packages:
        environment(work / "programs", server.packages)
        settings = ("branch = true", "parallel = true", "sigterm = true", f"source_pkgs = {server.source}")
        (work / "rc").write_text("\n".join(("[run]", *settings, "")))
    scratch = [
        part
        for one in server.scratch or ("UNUSED={scratch}/x",)
        for part in ("--reset-scratch", with_scratch(one, places))
    ]
    run(
        "traverse",
        "plan",
        "-o",
        str(pool),
        "--app",
        name,
        *scratch,
        "--",
        *(with_scratch(part, places) for part in server.start),
    )
    text = (pool / "plan.yaml").read_text().replace("rate: 50/s", "rate: 2000/s")
    for tool, of in server.classes.items():
        text = re.sub(rf'("{tool}":\n    class: )\w+[^\n]*', rf"\g<1>{of}", text)
    (pool / "plan.yaml").write_text(text)
    if (seeds := CANDIDATES / server.candidates / "seeds.jsonl").exists():
        shutil.copy(seeds, pool)


def branches(server: Server, work: Path, modules: Path) -> tuple[int, int] | None:
    """Return the number of branches of the server's code that its recording reached, and their total; None if they were not
    measured.
    """
    if server.script:
        return reached_blocks(work / "seen", (modules / server.script).resolve(), *server.between)
    if not server.source:
        return None
    coverage = [str(work / "programs" / "bin" / "coverage")]
    if any(path.name.startswith(".coverage.") for path in (work / "seen").iterdir()):
        subprocess.run(
            [*coverage, "combine", "-q", "--append", f"--rcfile={work / 'rc'}"], cwd=work / "seen", check=True
        )
    subprocess.run(
        [*coverage, "json", "-q", "-o", "seen.json", f"--rcfile={work / 'rc'}"], cwd=work / "seen", check=True
    )
    files = json.loads((work / "seen" / "seen.json").read_text())["files"]
    (of_server,) = (file["summary"] for path, file in files.items() if path.endswith("server.py"))
    return of_server["covered_branches"], of_server["num_branches"]


def judged(traces: Path, data: Path) -> dict[str, Any]:
    """Return the app's results on recordings by others: their number, the share with the recorded outcome, and the share with
    the same reply.
    """
    metrics = json.loads(run("fidelity", str(traces), "--json", "--data", str(data)))["apps"]["files"]
    wrong = metrics["false_positives"] + metrics["false_negatives"]
    count = metrics["traces"]
    return {"traces": count, "outcome": rate(count - wrong, count), "exact": rate(metrics["exact"], count)}


def as_rows(line: str) -> str:
    """Return another group's recording of the filesystem server, with its files as rows of the tables here."""
    trace = json.loads(line.replace("/srv/workspace", "/scratch"))
    given: Mapping[str, list[dict[str, str]]] = trace["given"]
    entries = [{"path": one["path"], "kind": "file", "text": one["content"]} for one in given.get("file", ())]
    entries += [{"path": one["path"], "kind": "directory", "text": ""} for one in given.get("directory", ())]
    folders = {
        str(above) for one in entries for above in Path(one["path"]).parents if str(above).startswith("/scratch/")
    }
    there = {one["path"] for one in entries}
    entries += [{"path": path, "kind": "directory", "text": ""} for path in sorted(folders - there)]
    return json.dumps({**trace, "app": "files", "given": {"entry": entries}}) + "\n"


def modules(work: Path) -> Path:
    """Install npm's servers at the versions of the lock file, and return their folder."""
    folder = work / "modules"
    if not folder.exists():
        folder.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / "traverse" / name, folder)
        subprocess.run(["npm", "ci", "--silent", "--no-audit"], cwd=folder, check=True)
    return folder / "node_modules" / "@modelcontextprotocol"


def environment(folder: Path, packages: Sequence[str]) -> None:
    """Create an environment with these packages."""
    if not folder.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(folder / "bin" / "pip"), "install", "-q", *packages, "coverage"], check=True)


def with_scratch(text: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        text = text.replace(name, place)
    return text


def run(*arguments: str, codes: tuple[int, ...] = (0,)) -> str:
    """Run a command of Soundstage, print its messages, and return its output."""
    print("soundstage", *arguments, flush=True)
    done = subprocess.run([*soundstage_command(), *arguments], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    print(done.stdout[-4000:], flush=True)
    if done.returncode not in codes:
        raise SystemExit(f"soundstage {arguments[0]} ended with {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    main()
