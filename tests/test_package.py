"""Built and installed packages: the same files by every way, nothing next to `soundstage`, and no conflict with others."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from soundstage.grading.published import published
from tests.conftest import REPOSITORY, Gateway, clean_environment

pytestmark = pytest.mark.long

_NEIGHBOUR = "kernels==0.17.2"  # another project's library with the name of a folder here
_CALL = """
import soundstage
with soundstage.serve("studio") as stage:
    called = stage.session().call("lark", "task_v2_task_create", {"data": {"summary": "Lock the stage door"}})
    print("answered" if called["ok"] else called)
"""


def _run(*command: str | Path, folder: Path | None = None, **environment: str) -> str:
    environment_without_path = {name: value for name, value in clean_environment().items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**environment_without_path, **environment},
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _fetch(python: Path, *wanted: str, dependencies: bool = False) -> None:
    """Install packages from a package index; skip the test if none can be reached."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--retries", "1", *wanted]
    command += [] if dependencies else ["--no-deps"]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment())
    if done.returncode != 0:
        pytest.skip(f"needs a package index for {' '.join(wanted)}, and pip reaches none: {done.stderr.strip()[-300:]}")


def _new_environment(folder: Path) -> Path:
    """Create an empty environment, and return its Python."""
    _run(sys.executable, "-m", "venv", folder)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def _environment(folder: Path) -> Path:
    """Create an environment with the dependencies of this one, but without the project, and return its Python."""
    python = _new_environment(folder)
    installed = [path for path in sys.path if Path(path).name == "site-packages"]
    (_site(python) / "dependencies.pth").write_text("\n".join(installed) + "\n")
    return python


def _site(python: Path) -> Path:
    return Path(_run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with the uncommitted changes of this checkout, and with files that work in it leaves behind."""
    if not (REPOSITORY / ".git").exists():
        pytest.skip("needs a git checkout")
    folder = tmp_path_factory.mktemp("clone") / "soundstage"
    _run("git", "clone", "--quiet", REPOSITORY, folder)
    changed = subprocess.run(
        ["git", "diff", "--binary", "HEAD"], cwd=REPOSITORY, capture_output=True, check=True
    ).stdout
    if changed:
        subprocess.run(["git", "apply", "-"], cwd=folder, input=changed, check=True)
    for litter in ("gateway/__pycache__/app.cpython-311.pyc", ".venv/lib/soundstage/x.py", "worlds/.ruff_cache/x"):
        (folder / litter).parent.mkdir(parents=True, exist_ok=True)
        (folder / litter).write_text("")
    return folder


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the pinned build backend."""
    python = _new_environment(tmp_path_factory.mktemp("builder"))
    _fetch(python, "--require-hashes", "-r", str(REPOSITORY / "requirements-build.lock"))
    return python


def _built(builder: Path, source: Path, target: str) -> Path:
    where = source.parent / f"built-{source.name}-{target}"
    _run(builder, "-m", "hatchling", "build", "-t", target, "-d", where, folder=source)
    (built,) = where.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(builder: Path, checkout: Path) -> Path:
    return _built(builder, checkout, "wheel")


@pytest.fixture(scope="module")
def sdist(builder: Path, checkout: Path) -> Path:
    return _built(builder, checkout, "sdist")


def _files(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_contains_exactly_the_files_of_the_packages(wheel: Path, checkout: Path) -> None:
    folders = tomllib.loads((checkout / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    expected = {}
    for name in _run("git", "ls-files", folder=checkout).splitlines():
        for source, target in folders["sources"].items():
            if name.startswith(f"{source}/") and not (checkout / name).is_symlink():
                expected[target + name.removeprefix(source)] = _published(checkout / name)
    files = _files(wheel)
    assert {n: c for n, c in files.items() if n.startswith("soundstage/")} == expected
    kinds = {Path(name).suffix for name in expected}
    assert kinds >= {".css", ".jinja", ".js", ".json", ".jsonl", ".py", ".svg", ".typed", ".yaml"}


def _published(file: Path) -> bytes:
    """Return the packaged form of a file: tasks of the test split lack their solutions."""
    return published(file.read_bytes().decode()).encode() if file.name == "task.yaml" else file.read_bytes()


def test_the_wheel_contains_solutions_of_public_tasks_only(wheel: Path) -> None:
    tasks = {name: text.decode() for name, text in _files(wheel).items() if name.endswith("/task.yaml")}
    solved = [name for name, text in tasks.items() if re.search(r"^(oracle|oracle_answer|near_misses):", text, re.M)]
    public = [name for name, text in tasks.items() if "\nsplit: public\n" in text]
    assert sorted(solved) == sorted(public)
    assert len(tasks) > len(public) > 30
    assert "soundstage/tasks/studio/errand/task.yaml" in solved
    kept_back = [name for name, text in tasks.items() if "\nsplit: test\n" in text]
    assert set(kept_back) == tasks.keys() - set(solved)
    assert all(f"{name.removesuffix('.yaml')}.lock" in _files(wheel) for name in tasks)


def test_the_wheel_adds_one_name_to_site_packages(wheel: Path) -> None:
    beside = {name.partition("/")[0] for name in _files(wheel)} - {"soundstage"}
    assert len(beside) == 1
    (metadata,) = beside
    assert metadata.startswith("soundstage-")
    assert metadata.endswith(".dist-info")
    licences = {name for name in _files(wheel) if "/licenses/" in name}
    assert licences == {f"{metadata}/licenses/LICENSE", f"{metadata}/licenses/NOTICE"}


def test_a_wheel_built_from_the_sdist_is_the_same(wheel: Path, sdist: Path, builder: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(sdist, tmp_path)
    (source,) = tmp_path.iterdir()
    assert not [path for path in source.rglob("*") if path.is_symlink()]
    assert {"LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "pyproject.toml"} <= {
        path.name for path in source.iterdir()
    }
    assert _files(_built(builder, source, "wheel")) == _files(wheel)


@pytest.mark.parametrize("order", ["before", "after"])
def test_a_package_called_kernels_works_next_to_soundstage(wheel: Path, tmp_path: Path, order: str) -> None:
    python = _environment(tmp_path / "environment")
    before = set(_site(python).iterdir())
    if order == "before":
        _fetch(python, _NEIGHBOUR)
    _run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel)
    if order == "after":
        _fetch(python, _NEIGHBOUR)
    gained = {path.name.partition("-")[0] for path in set(_site(python).iterdir()) - before}
    assert gained == {"soundstage", "kernels"}
    assert _altered(_site(python), "kernels") == []
    assert _altered(_site(python), "soundstage") == []
    program = "import kernels; print(kernels.__file__, callable(kernels.get_kernel))"
    imported, theirs = _run(python, "-c", program, folder=tmp_path).split()
    assert Path(imported).is_relative_to(_site(python))
    assert theirs == "True"
    environment = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    assert _run(python, "-c", _CALL, folder=tmp_path, **environment).strip() == "answered"


def _altered(site: Path, distribution: str) -> Sequence[str]:
    """Return the files of an installed package that differ from its wheel."""
    (info,) = site.glob(f"{distribution}-*.dist-info")
    listed = Distribution.at(info).files or []
    return [str(file) for file in listed if file.hash and _hash(site / file) != file.hash.value]


def _hash(file: Path) -> str:
    return urlsafe_b64encode(sha256(file.read_bytes()).digest()).rstrip(b"=").decode()


def test_an_editable_install_uses_the_checkout(builder: Path, checkout: Path, tmp_path: Path) -> None:
    python = _environment(tmp_path / "environment")
    options = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation")
    _run(python, "-m", "pip", "install", *options, "-e", checkout, PYTHONPATH=str(_site(builder)))
    location = _run(python, "-c", "import soundstage.gateway.app as app; print(app.__file__)", folder=tmp_path).strip()
    assert Path(location) == checkout / "src" / "soundstage" / "gateway" / "app.py"
    assert "serve" in _run(python.with_name("soundstage"), "--help", folder=tmp_path)
    assert "soundstage-url" in _run(python, "-m", "pytest", "--help", folder=tmp_path)


def test_a_client_needs_few_packages(wheel: Path, tmp_path: Path, gateway: Gateway) -> None:
    python = _new_environment(tmp_path / "environment")
    before = {path.name for path in _site(python).iterdir()}
    _fetch(python, str(wheel), dependencies=True)
    added = [path for path in _site(python).iterdir() if path.name not in before]
    size = sum(
        f.stat().st_size for path in added for f in (path, *path.rglob("*")) if f.is_file() and f.suffix != ".pyc"
    )
    assert len([path for path in added if path.suffix == ".dist-info"]) <= 30
    assert size < 60_000_000

    command = python.with_name("soundstage")
    assert "task_v2_task_create" in _run(command, "tools", "lark", folder=tmp_path, SOUNDSTAGE_URL=gateway.url)
    program = _CALL.replace('soundstage.serve("studio")', f"soundstage.connect({gateway.url!r})")
    assert _run(python, "-c", program, folder=tmp_path).strip() == "answered"

    refused = subprocess.run([str(command), "serve"], capture_output=True, text=True, cwd=tmp_path)
    assert refused.returncode == 1
    assert "pip install 'soundstage[server]'" in refused.stderr
    assert "Traceback" not in refused.stderr
