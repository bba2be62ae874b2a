"""A reader that does its work in this process, in a thread and over a copy, which is quicker to start than one of its own."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from typing_extensions import TypeVarTuple

from soundstage.contexts.engine.store import Context
from soundstage.gateway.inspection import reader
from soundstage.gateway.inspection.reader import Reader
from soundstage.gateway.reading.readers import Readers
from soundstage.gateway.sessions.session import Session

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Here(Reader):
    """See above. The work itself is what a reader would do."""

    def __init__(self) -> None:
        super().__init__(Readers(), Path())

    async def read(
        self,
        session: Session,
        work: Callable[[Context, *Ts], T],
        *arguments: *Ts,
        steps: int = 0,
        objects: bool = False,
    ) -> T:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "copy.db"
            path.touch()
            await reader.copied(session, str(path))
            return await asyncio.to_thread(reader._result, str(path), work, arguments)
