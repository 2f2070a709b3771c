"""Runs every instruction of the Dockerfile in a clean root file system, where no Docker can build an image.

    debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm ROOT
    python3 scripts/check_image.py ROOT

It needs root and overlayfs, and installs from the registries that pip is set to use. Each stage is a layer
above ROOT, which stands for the image that the stage is made from and stays as it is. The last stage is then started as
a container would be: its own user, no capabilities, a read-only root with /tmp and the volume to write to.
"""

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
NETWORK = [
    Path(path) for path in ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")
]
VARIABLES = ("PIP_", "UV_", "SSL_", "HTTP", "http", "NO_PROXY", "no_proxy")
"""Beginnings of the variables that, like the files above, tell the build how to reach registries."""


@dataclass
class Stage:
    """A stage of the build.

    Attributes:
        root: Where its file system is mounted.
        environment: What ENV set.
        folder: What WORKDIR set.
        user: What USER set, as ``uid:gid``.
        entrypoint: Words of ENTRYPOINT.
        command: Words of CMD.
        volumes: What VOLUME named.
    """

    root: Path
    environment: dict[str, str] = field(
        default_factory=lambda: {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
    )
    folder: str = "/"
    user: str = "0:0"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    volumes: list[str] = field(default_factory=list)

    def inside(self, path: str) -> Path:
        """Where a path of the stage is on this machine."""
        return self.root / os.path.normpath(Path("/", self.folder, path)).lstrip("/")


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """The instructions of a Dockerfile: the word and the rest, continuation lines joined."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        word, _, rest = line.partition(" ")
        yield word, rest.strip()


class Build:
    """Carries out instructions, each stage in a layer of its own above the same clean root.

    Args:
        clean: The clean root.
        scratch: A folder for the layers.
        mounts: Unmounts everything at the end.
        lend: What commands may see of this machine.
    """

    def __init__(self, clean: Path, scratch: Path, mounts: ExitStack, lend: list[Path]) -> None:
        self._clean, self._scratch, self._mounts, self._lend = clean, scratch, mounts, lend
        self._named: dict[str, Stage] = {}
        self.stage: Stage | None = None

    def take(self, word: str, rest: str) -> None:
        """Carry out one instruction."""
        print(f"{word} {rest}"[:110], flush=True)
        if word == "ARG":
            return
        if word == "FROM":
            self._begin(rest)
            return
        assert self.stage is not None
        getattr(self, f"_{word.lower()}")(self.stage, rest)

    def _begin(self, rest: str) -> None:
        name = rest.partition(" AS ")[2] or "last"
        root = mounted_layer(self._clean, self._scratch / name, self._mounts)
        self.stage = self._named[name] = Stage(root)

    def _run(self, stage: Stage, rest: str) -> None:
        network = {name: value for name, value in os.environ.items() if name.startswith(VARIABLES)}
        with lent(stage, self._lend):
            subprocess.run(in_root(stage, ["/bin/sh", "-euc", rest]), check=True, env=network | stage.environment)

    def _copy(self, stage: Stage, rest: str) -> None:
        words = shlex.split(rest)
        source = TOP
        if words[0].startswith("--from="):
            source = self._named[words.pop(0).partition("=")[2]].root
        *paths, target = words
        goal = stage.inside(target)
        for path in paths:
            origin = source / path.lstrip("/")
            if origin.is_dir():
                shutil.copytree(origin, goal, symlinks=True, dirs_exist_ok=True,
                                ignore=shutil.ignore_patterns("__pycache__") if source == TOP else None)  # fmt: skip
            else:
                place = goal / origin.name if target.endswith("/") else goal
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(origin, place)

    def _env(self, stage: Stage, rest: str) -> None:
        for word in shlex.split(rest):
            name, _, value = word.partition("=")
            stage.environment[name] = value.replace("$PATH", stage.environment["PATH"])

    def _workdir(self, stage: Stage, rest: str) -> None:
        stage.inside(rest).mkdir(parents=True, exist_ok=True)
        stage.folder = rest

    def _user(self, stage: Stage, rest: str) -> None:
        stage.user = rest

    def _volume(self, stage: Stage, rest: str) -> None:
        stage.volumes.append(rest)

    def _entrypoint(self, stage: Stage, rest: str) -> None:
        stage.entrypoint = json.loads(rest)

    def _cmd(self, stage: Stage, rest: str) -> None:
        stage.command = json.loads(rest)

    def _expose(self, stage: Stage, rest: str) -> None:
        """Nothing to do without a network of its own."""

    def _stopsignal(self, _: Stage, rest: str) -> None:
        assert rest == "SIGTERM", "check_started sends that one"


def mounted_layer(below: Path, place: Path, mounts: ExitStack) -> Path:
    """Mount a writable layer above a folder."""
    parts = [place / part for part in ("upper", "work", "merged")]
    for part in parts:
        part.mkdir(parents=True)
    upper, work, merged = parts
    mount("-t", "overlay", "overlay", "-o", f"lowerdir={below},upperdir={upper},workdir={work}", merged, mounts=mounts)
    mount("-t", "proc", "proc", merged / "proc", mounts=mounts)
    for device in ("null", "zero", "random", "urandom"):
        (merged / "dev" / device).unlink(missing_ok=True)
        (merged / "dev" / device).touch()
        mount("--bind", f"/dev/{device}", merged / "dev" / device, mounts=mounts)
    return merged


def mount(*words: object, mounts: ExitStack) -> None:
    """Mount something until the stack is closed; the last word is the place."""
    subprocess.run(["mount", *map(str, words)], check=True)
    mounts.callback(subprocess.run, ["umount", "--lazy", str(words[-1])], check=True)


@contextmanager
def lent(stage: Stage, paths: list[Path]) -> Iterator[None]:
    """Lend a stage some files and folders of this machine, for a command of the build."""
    with ExitStack() as mounts:
        for path in filter(Path.exists, paths):
            place = stage.inside(str(path))
            place.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                place.mkdir(exist_ok=True)
            else:
                place.touch()
            mount("--bind", path, place, mounts=mounts)
        yield


def in_root(stage: Stage, command: list[str]) -> list[str]:
    """The words that run a command in a stage, in its folder, as its user and without capabilities."""
    uid, gid = stage.user.split(":")
    rights = ["--reuid", uid, "--regid", gid, "--clear-groups", "--no-new-privs"]
    if uid != "0":
        rights += ["--bounding-set=-all", "--inh-caps=-all"]
    shell = f"cd {shlex.quote(stage.folder)} && exec setpriv {shlex.join([*rights, *command])}"
    return ["chroot", str(stage.root), "/bin/sh", "-c", shell]


def seal(stage: Stage, mounts: ExitStack) -> None:
    """Make the root read-only, but for the volumes and an empty /tmp."""
    uid, gid = map(int, stage.user.split(":"))
    for path in stage.volumes:
        place = stage.inside(path)
        mount("-t", "tmpfs", "-o", f"uid={uid},gid={gid},mode=0700", "tmpfs", place, mounts=mounts)
    mount("-t", "tmpfs", "-o", "mode=1777", "tmpfs", stage.root / "tmp", mounts=mounts)
    subprocess.run(["mount", "-o", "remount,ro", str(stage.root)], check=True)


def check_started(stage: Stage) -> None:
    """Use the image: help, a refused start, a token, a server that is asked and stopped, nothing else written."""

    def paragone(*words: str, fails: bool = False) -> str:
        command = in_root(stage, [*stage.entrypoint, *words])
        done = subprocess.run(command, env=stage.environment, capture_output=True, text=True, check=False)
        assert bool(done.returncode) == fails, done.stderr
        return done.stdout + done.stderr

    assert "rank" in paragone("--help")
    assert "there are no tokens" in paragone(*stage.command, fails=True)  # open to others, it refuses to start
    token = paragone("token", "add", "ada", "--role", "admin").strip()
    written = subprocess.run(in_root(stage, ["touch", "/opt/paragone/x"]), capture_output=True, check=False)
    assert written.returncode, "the root file system can be written to"
    words = in_root(stage, [*stage.entrypoint, *stage.command])
    with subprocess.Popen(words, env=stage.environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        print(server.stderr.readline().strip())
        for path, bearer in (("/healthz", ""), ("/readyz", ""), ("/api/v1/pools", token), ("/metrics", token)):
            print(f"{path}: {ask(path, bearer)}")
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 0, server.returncode


def ask(path: str, bearer: str, patience: float = 20.0) -> int:
    """The status of a request to the server, which may just be starting."""
    request = urllib.request.Request(f"http://localhost:8321{path}", headers={"Authorization": f"Bearer {bearer}"})
    until = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(request, timeout=5) as response:
                return int(response.status)
        except (ConnectionError, urllib.error.URLError):
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def main() -> None:
    """Build, seal and use the image."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path, help="the clean root")
    parser.add_argument("--lend", type=Path, action="append", default=[], help="what the build may see besides")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as mounts:
        build = Build(given.root.absolute(), Path(scratch), mounts, [*NETWORK, *given.lend])
        for word, rest in instructions((TOP / "Dockerfile").read_text("utf-8")):
            build.take(word, rest)
        stage = build.stage
        assert stage is not None
        size = sum(path.lstat().st_size for path in (stage.root / "opt").rglob("*") if path.is_file())
        seal(stage, mounts)
        check_started(stage)
    print(f"image: builds and runs without rights; {size / 1e6:.0f} MB above the base")


if __name__ == "__main__":
    main()
