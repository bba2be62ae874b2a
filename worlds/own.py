"""A user's own worlds: the starter world of `soundstage worlds new`, valid names, and the sources of built worlds."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from soundstage.worlds import MAX_NAME, World, is_name, load_world, shipped

_STARTER = Path(__file__).parent / "starter" / "small"
_NAMED = "spec.yaml"  # the file of the starter that says how the world is called, as NAME


class WorldNameError(ValueError):
    """A name that a user's world cannot have; the message says why and gives a valid one."""


def check_name(name: str) -> None:
    """Check that a user's world may have this name.

    Raises:
        WorldNameError: the name is invalid, or belongs to a world that comes with Soundstage.
    """
    if not is_name(name):
        raise WorldNameError(
            f"{name[:MAX_NAME]!r} is no name for a world; a name has letters, digits and _, does not begin with a digit, "
            f"and has at most {MAX_NAME} characters, such as my_team"
        )
    if shipped(name):
        raise WorldNameError(
            f"the world {name!r} comes with Soundstage; give yours a name of its own, such as my_{name}"
        )


def write_starter(name: str, into: Path) -> list[Path]:
    """Write a small complete world as the folder `into/name`. Return its files, the spec first.

    Raises:
        WorldNameError: a new world cannot have this name.
        FileExistsError: `into` already contains this name.
        OSError: the folder cannot be written.
    """
    check_name(name)
    home = into / name
    home.mkdir(parents=True)
    made: list[Path] = []
    for source in sorted(_STARTER.rglob("*.yaml"), key=lambda p: (p.name != _NAMED, p)):
        target = home / source.relative_to(_STARTER)
        target.parent.mkdir(exist_ok=True)
        text = source.read_text(encoding="utf-8")
        target.write_text(text.replace("NAME", name) if source.name == _NAMED else text, encoding="utf-8")
        made.append(target)
    return made


@contextmanager
def adopted(spec: Path, files: list[str], name: str, own: Path) -> Iterator[World]:
    """Yield the world of a spec at any path, to be stored below `own`.

    Its sources are first copied to a temporary folder next to `own`. They replace an earlier world of this name when the block
    ends without an error, so a world that cannot be built is not stored.
    """
    own.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="adopted-", dir=own.parent) as around:
        home = Path(around) / name
        for file in [*files, "written.jsonl"]:
            if (spec.parent / file).exists():
                target = home / ("spec.yaml" if file == spec.name else file)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(spec.parent / file, target)
        yield load_world(name, Path(around))
        shutil.rmtree(own / name, ignore_errors=True)
        home.rename(own / name)
