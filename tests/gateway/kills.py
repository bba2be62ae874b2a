"""Kill gateways while sessions are created, forked, restored and deleted: `python -m tests.gateway.kills --rounds 200`.

Each round kills a gateway, a gateway with workers, or a command over stdin and stdout at a random time, and starts a gateway
again. Afterwards every listed session and snapshot must work, and every file in the data folder must belong to one of them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import httpx2

from tests.conftest import START_S, clean_environment, soundstage_command
from tests.ports import free_port

KINDS: dict[str, tuple[str, ...]] = {
    "serve": ("serve",),
    "workers": ("serve", "--workers", "2"),
    "stdio": ("stdio",),
}
_CLIENTS = 3
_AT_WORK = 3  # number of answered requests before a gateway is killed
_MOST_SESSIONS = 12
_DOING = ("create", "fork", "snapshot", "restore", "restore", "step back", "reset", "call", "call", "delete")


class Process:
    """A command and all of its child processes, to be killed together."""

    def __init__(self, data: Path, *words: str, url: str = "") -> None:
        self.url = url
        command = [*soundstage_command(), *words, "--data", str(data)]
        pipe = subprocess.PIPE if words[0] == "stdio" else subprocess.DEVNULL
        self.process = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=clean_environment(),
            start_new_session=True,
        )

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()

    def answers(self) -> Process:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            assert self.process.poll() is None, f"ended with {self.process.returncode}"
            try:
                if httpx2.get(f"{self.url}/healthz", timeout=1).status_code == 200:
                    return self
            except httpx2.HTTPError:
                time.sleep(0.05)
        raise AssertionError(f"no answer within {START_S} s")


def gateway(data: Path, kind: str) -> Process:
    port = free_port()
    return Process(data, *KINDS[kind], "--port", str(port), url=f"http://127.0.0.1:{port}")


class Rounds:
    """Rounds over one data folder at a time. `done` counts the answered requests and the kills."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._random = random.Random(seed)
        self._number = 0
        self.done: Counter[str] = Counter()
        self.left: Counter[str] = Counter()
        self._data = self._fresh()

    def run(self, kind: str) -> None:
        """Kill once, and check what is left."""
        self.done[f"kills of {kind}"] += 1
        if self._random.random() < 0.4:
            self._data = self._fresh()
            self._kill_first_start(kind)
        elif kind == "stdio":
            self._kill_stdio()
        else:
            self._kill_at_work(kind)
        self._count_left()
        self._check(self._random.choice(("serve", "workers")))

    def _fresh(self) -> Path:
        self._number += 1
        return self._folder / f"data-{self._number}"

    def _kill_first_start(self, kind: str) -> None:
        started = Process(self._data, "stdio") if kind == "stdio" else gateway(self._data, kind)
        deadline = time.monotonic() + START_S
        while not (self._data / "registry.db").exists() and time.monotonic() < deadline:
            time.sleep(0.001)
        # Over stdio the session is created once the client has been silent for a quarter of a second.
        time.sleep(self._random.uniform(0, 0.3) + (0.25 if kind == "stdio" else 0))
        started.kill()

    def _kill_stdio(self) -> None:
        started = Process(self._data, "stdio", "--session", f"agent-{self._number}-{self._random.randrange(1000)}")
        pending = self._data / "pending"
        deadline = time.monotonic() + 5
        while started.process.poll() is None and time.monotonic() < deadline and not any(pending.glob("*")):
            time.sleep(0.0005)
        time.sleep(self._random.uniform(0, 0.02))
        started.kill()

    def _kill_at_work(self, kind: str) -> None:
        started = gateway(self._data, kind).answers()
        stop = threading.Event()
        seeds = [self._random.randrange(2**31) for _ in range(_CLIENTS)]
        clients = [threading.Thread(target=self._work, args=(started.url, seed, stop)) for seed in seeds]
        done = self.done.total()
        for client in clients:
            client.start()
        deadline = time.monotonic() + START_S
        while self.done.total() < done + _AT_WORK and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(self._random.uniform(0, 0.6))
        started.kill()
        stop.set()
        for client in clients:
            client.join()

    def _work(self, url: str, seed: int, stop: threading.Event) -> None:
        chosen = random.Random(seed)
        with httpx2.Client(base_url=f"{url}/api", timeout=60) as client:
            while not stop.is_set():
                try:
                    doing = self._request(client, chosen)
                except httpx2.HTTPError:
                    return  # the gateway has been killed
                self.done[doing] += 1

    def _request(self, client: httpx2.Client, chosen: random.Random) -> str:
        listed = client.get("/sessions").json()["sessions"]
        session = chosen.choice([s["id"] for s in listed] or [""])
        doing = chosen.choice(_DOING)
        if len(listed) > _MOST_SESSIONS:
            doing = "delete"
        if doing == "create" or not session:
            doing, name = "create", chosen.choice((None, f"n{chosen.randrange(6)}"))
            apps = chosen.choice((None, ["slack"], ["lark", "notion"]))
            response = client.post("/sessions", json={"world": "empty", "name": name, "apps": apps})
        elif doing == "delete":
            response = client.delete(f"/sessions/{session}")
        elif doing == "call":
            body = {"app": "slack", "tool": "slack_list_channels", "arguments": {}}
            response = client.post(f"/sessions/{session}/calls", json=body)
        elif doing == "reset":
            response = client.post(f"/sessions/{session}/reset")
        elif doing == "step back":
            step = client.get(f"/sessions/{session}").json().get("step", 0)
            response = client.post(f"/sessions/{session}/restore", json={"step": chosen.randint(0, step)})
        elif doing == "restore":
            listing = client.get(f"/sessions/{session}/snapshots")
            snapshots = listing.json() if listing.status_code == 200 else []
            if not snapshots:
                return "looked for a snapshot"
            body = {"snapshot": chosen.choice(snapshots)["id"]}
            response = client.post(f"/sessions/{session}/restore", json=body)
        else:
            response = client.post(f"/sessions/{session}/{'fork' if doing == 'fork' else 'snapshots'}", json={})
        # Other threads delete and restore the session that this one is about to use, and choose the same names. Not every
        # session has Slack.
        assert response.status_code < 300 or response.status_code in (400, 404, 409, 502, 503), response.text
        return doing if response.status_code < 300 else f"{doing} refused"

    def _count_left(self) -> None:
        pending = list((self._data / "pending").glob("*"))
        self.left["half done"] += len(pending)
        self.left["rounds with something half done"] += bool(pending)
        self.left["partial"] += len(list(self._data.glob("worlds/**/*.partial")))

    def _check(self, kind: str) -> None:
        started = gateway(self._data, kind).answers()
        try:
            with httpx2.Client(base_url=f"{started.url}/api", timeout=30) as client:
                self._check_through(client)
        finally:
            started.process.terminate()
            started.process.wait(30)

    def _check_through(self, client: httpx2.Client) -> None:
        deadline = time.monotonic() + START_S
        while client.get("/sessions/default").status_code != 200:  # a worker creates it when it starts
            assert time.monotonic() < deadline, client.get("/sessions/default").text
            time.sleep(0.05)
        listed = client.get("/sessions", params={"limit": 1000}).json()["sessions"]
        assert not [s for s in listed if s["damaged"] is not None]
        snapshots: set[str] = set()
        for session in listed:
            path = f"/sessions/{session['id']}"
            assert (answer := client.get(f"{path}/state")).status_code == 200, answer.text
            body = {"app": "slack", "tool": "slack_list_channels", "arguments": {}}
            if "lark" in session["apps"]:
                data = {"data": {"summary": "still there"}}
                body = {"app": "lark", "tool": "task_v2_task_create", "arguments": data}
            assert (answer := client.post(f"{path}/calls", json=body)).status_code == 200, answer.text
            for snapshot in client.get(f"{path}/snapshots").json():
                snapshots.add(snapshot["id"])
                answer = client.post(f"{path}/restore", json={"snapshot": snapshot["id"]})
                assert answer.status_code == 200, answer.text
            self.done["sessions looked at"] += 1
        assert self._ids("sessions") == {s["id"] for s in listed}
        assert self._ids("snapshots") == snapshots
        assert not list((self._data / "pending").iterdir())
        assert not list((self._data / "worlds").rglob("*.partial*"))
        assert not [p for p in self._data.iterdir() if p.name.startswith(".")]

    def _ids(self, folder: str) -> set[str]:
        return {p.name.partition(".")[0] for p in (self._data / folder).iterdir()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    rounds = Rounds(folder, chosen.seed)
    for number in range(chosen.rounds):
        try:
            rounds.run(list(KINDS)[number % len(KINDS)])
        except BaseException:
            print(f"round {number} of seed {chosen.seed} failed; its data is in {folder}")
            raise
    shutil.rmtree(folder)
    print(json.dumps({"rounds": chosen.rounds, "done": rounds.done, "left by kills": rounds.left}, indent=2))


if __name__ == "__main__":
    main()
