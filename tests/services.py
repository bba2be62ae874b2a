"""Other programs that tests start for the gateway: nginx with our configuration, and PostgreSQL."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.ports import free_port

_START_S = 60.0


@dataclass(frozen=True, slots=True)
class Service:
    """A running program. `url` is its address, and `log` its output."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path
    own: Path | None = None  # a folder that is removed with the program

    def stop(self) -> None:
        """Stop the program; nginx and PostgreSQL both cut off open work. A program that survives a minute is killed."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.own is not None:
            shutil.rmtree(self.own, ignore_errors=True)


def nginx_command(folder: Path, gateways: Sequence[str], port: int) -> list[str]:
    """Return the command that runs nginx with docker/nginx.conf. Only the gateways (`host:port`) and the port belong to the
    test.
    """
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if nginx is None:
        pytest.skip("needs nginx (apt-get install nginx-light)")
    parts = folder / "nginx"
    parts.mkdir(parents=True, exist_ok=True)
    shutil.copy(REPOSITORY / "docker" / "nginx.conf", folder)
    (parts / "gateways.conf").write_text("".join(f"server {g} max_fails=10 fail_timeout=5s;\n" for g in gateways))
    (parts / "listen.conf").write_text(f"listen 127.0.0.1:{port};\n")
    command = [nginx, "-e", "stderr", "-p", f"{folder}/", "-c", str(folder / "nginx.conf")]
    # Started by root, nginx would use a user who cannot read the test's folder.
    return [*command, "-g", "user root;"] if os.geteuid() == 0 else command


def start_nginx(folder: Path, gateways: Sequence[str], port: int | None = None) -> Service:
    """Start nginx in front of these gateways (`host:port`) and wait until it answers. Its logs are in the service's `log`."""
    port = port or free_port()
    command = nginx_command(folder, gateways, port)
    log = folder / "nginx.log"
    with log.open("ab") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    service = Service(f"http://127.0.0.1:{port}", process, log)
    _wait(service, lambda: _connects(port))
    return service


def start_postgres(folder: Path) -> Service:
    """Start a PostgreSQL for the test and wait until it answers. `url` opens its database `soundstage` by password.

    PostgreSQL refuses to run as root, so there it runs as the user `postgres` of its package. Its files are in a separate
    temporary folder, because that user cannot enter pytest's, whose paths are also too long for a socket.
    """
    programs = _postgres_programs()
    as_user = _user_for_postgres()
    folder.mkdir(parents=True, exist_ok=True)
    own = Path(tempfile.mkdtemp(prefix="soundstage-pg-"))
    password, port = secrets.token_hex(16), free_port()
    (own / "password").write_text(password)
    if as_user is not None:
        shutil.chown(own, as_user)
        shutil.chown(own / "password", as_user)
    made = subprocess.run(
        [programs / "initdb", "-D", own / "data", "-U", "soundstage", "--auth=scram-sha-256",
         f"--pwfile={own / 'password'}", "--encoding=UTF8", "--locale=C", "--no-sync"],
        user=as_user, cwd=own, capture_output=True, text=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    settings = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": own, "fsync": "off"}
    command = [programs / "postgres", "-D", own / "data", *(f"--{name}={value}" for name, value in settings.items())]
    log = folder / "postgres.log"
    with log.open("ab") as output:
        process = subprocess.Popen(command, user=as_user, cwd=own, stdout=output, stderr=output)
    service = Service(f"postgresql://soundstage:{password}@127.0.0.1:{port}/soundstage", process, log, own)
    address = ["-h", "127.0.0.1", "-p", str(port), "-U", "soundstage"]
    _wait(service, lambda: subprocess.run([programs / "pg_isready", "-q", *address]).returncode == 0)
    environment = {**os.environ, "PGPASSWORD": password}
    subprocess.run([programs / "createdb", *address, "soundstage"], env=environment, check=True)
    return service


def _wait(service: Service, answers: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        code = service.process.poll()
        assert code is None, f"{service.process.args!r} ended with {code}: {service.log.read_text()}"
        if answers():
            return
        time.sleep(0.02)
    service.stop()
    raise AssertionError(f"{service.process.args!r} did not answer within {_START_S} s: {service.log.read_text()}")


def _connects(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _postgres_programs() -> Path:
    """Return the folder of PostgreSQL's programs, the newest if there are several. Debian does not add them to PATH."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name), reverse=True)
    for folder in (*map(Path, os.environ["PATH"].split(os.pathsep)), *debian):
        if all((folder / name).exists() for name in ("initdb", "postgres", "pg_isready", "createdb")):
            return folder
    pytest.skip("needs PostgreSQL's server programs (apt-get install postgresql)")


def _user_for_postgres() -> str | None:
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
