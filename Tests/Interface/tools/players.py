"""Media players and sound servers of other authors. None needs a sound card."""

from __future__ import annotations

import contextlib
import os
import pty
import shutil
import signal
import struct
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable

import places
import pytest
import waiting

LONGEST = 60
# Here Tests/Support/install-dependencies unpacks programs that it does not install.
UNPACKED = places.ROOT / "build" / "packages"
MPRIS = "org.mpris.MediaPlayer2"


def until(condition: Callable[[], object]) -> None:
    waiting.until(condition, LONGEST)


def output_of(*words: str) -> str:
    """Empty if the program fails."""
    ran = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST)
    return ran.stdout if ran.returncode == 0 else ""


def works(*words: str) -> bool:
    return subprocess.run(words, capture_output=True, timeout=LONGEST).returncode == 0


@contextlib.contextmanager
def running(*words: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(words, **{**quiet, **options}) as process:
        try:
            yield process
        finally:
            process.kill()


def needs(*programs: str) -> None:
    """Skips the test if a program is missing."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


# Players


# Several songs, because a player that is late may have been asked twice for the next one.
SONGS = 5


def songs(folder: Path) -> list[Path]:
    """Songs of ten hours that take no space on the disk, because a player may play faster if there is no sound card."""
    paths = [folder / f"{number}.wav" for number in range(1, SONGS + 1)]
    length = 16000 * 36000
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + length, b"WAVE", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16, b"data", length
    )
    for path in paths:
        path.write_bytes(header)
        os.truncate(path, len(header) + length)
    return paths


class Player:
    """A player that plays the first of these songs, and after the last one the first again. name: on the bus."""

    needed: Sequence[str]
    name: str

    def __init__(self, folder: Path) -> None:
        needs(*self.needed)
        self._running = contextlib.ExitStack()
        self.folder = folder
        self.songs = songs(folder)

    def run(self, *words: str, **options: Any) -> None:
        options["env"] = {**os.environ, "HOME": str(self.folder), **options.get("env", {})}
        self._process = self._running.enter_context(running(*words, **options))

    def start(self) -> None: ...

    def stop(self) -> None:
        """Stops it as if it had hung."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def reported(self, name: str) -> str:
        words = ["dbus-send", "--session", "--print-reply", f"--dest={MPRIS}.{self.name}", "/org/mpris/MediaPlayer2"]
        words += ["org.freedesktop.DBus.Properties.Get", f"string:{MPRIS}.Player", f"string:{name}"]
        return output_of(*words)

    @property
    def status(self) -> str:
        text = self.reported("PlaybackStatus")
        return next((word for word in ("Playing", "Paused", "Stopped") if f'"{word}"' in text), "")

    def described(self) -> str:
        """A text that contains the file name of the song."""
        return self.reported("Metadata")

    @property
    def song(self) -> str:
        text = self.described()
        return next((path.name for path in self.songs if path.name in text), "")

    def __enter__(self) -> Player:
        try:
            self.start()
            until(lambda: self.status == "Playing" and self.song)
        except BaseException:
            self._running.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._running.close()


class Cmus(Player):
    needed, name = ("cmus",), "cmus"

    def start(self) -> None:
        (self.folder / "rc").write_text("set output_plugin=ao\nset dsp.ao.driver=null\nset repeat=true\n")
        ours, theirs = pty.openpty()
        self._running.callback(os.close, ours)
        socket = f"{self.folder}/socket"
        self._remote = ("cmus-remote", "--server", socket)
        self.run("cmus", "--listen", socket, stdin=theirs, env={"CMUS_HOME": str(self.folder), "TERM": "xterm"})
        os.close(theirs)
        until(lambda: works(*self._remote, "--library", *map(str, self.songs)))
        # It adds songs in the background.
        until(lambda: works(*self._remote, "--next", "--play") and self.status == "Playing")

    def described(self) -> str:
        """Its metadata has only what the file contains."""
        return output_of(*self._remote, "--query")


class Chromium(Player):
    """A page with sound is a player."""

    needed, name = ("chromium",), "chromium"

    PAGE = """<audio id="audio" loop></audio><script>
      let number = 0;
      function next() {
        number = number % SONGS + 1;
        audio.src = `${number}.wav`;
        navigator.mediaSession.metadata = new MediaMetadata({title: `${number}.wav`});
        audio.play();
      }
      navigator.mediaSession.setActionHandler("nexttrack", next);
      next();
    </script>"""

    def start(self) -> None:
        (self.folder / "page.html").write_text(self.PAGE.replace("SONGS", str(SONGS)))
        words = ["--headless=new", "--autoplay-policy=no-user-gesture-required", f"--user-data-dir={self.folder}"]
        # Its sandbox refuses root.
        words += ["--no-sandbox"] if os.getuid() == 0 else []
        self.run("chromium", *words, f"file://{self.folder}/page.html")
        self.name = f"chromium.instance{self._process.pid}"


class Mpv(Player):
    needed, name = ("mpv",), "mpv"

    SCRIPT = "/usr/lib/mpv-mpris/mpris.so"

    def start(self) -> None:
        if not Path(self.SCRIPT).exists():
            pytest.skip("mpv-mpris is not installed")
        words = ["--no-config", "--no-video", "--ao=null", "--loop-playlist=inf", f"--script={self.SCRIPT}"]
        self.run("mpv", *words, *map(str, self.songs))


# Sound servers, each with a sink that discards everything


@contextlib.contextmanager
def pipewire() -> Iterator[None]:
    """It is also a PulseAudio server. It needs a session bus."""
    needs("pipewire", "wireplumber", "pipewire-pulse", "wpctl", "pactl")
    with contextlib.ExitStack() as servers:
        environment = servers.enter_context(pytest.MonkeyPatch.context())
        for program in ("pipewire", "wireplumber"):
            if str(shutil.which(program)).startswith(str(UNPACKED)):
                for kind in ("CONFIG", "DATA"):
                    environment.setenv(f"{program.upper()}_{kind}_DIR", f"{UNPACKED}/usr/share/{program}")
        servers.enter_context(running("pipewire"))
        until(lambda: works("pw-cli", "info", "0"))
        for part in parts_of_wireplumber():
            servers.enter_context(running("wireplumber", *part))
        servers.enter_context(running("pipewire-pulse"))
        until(lambda: works("pactl", "load-module", "module-null-sink", "sink_name=null"))
        until(lambda: works("pactl", "set-default-sink", "null"))
        # Before that, the default is the sink that exists while there is no other one.
        until(lambda: 'node.name = "null"' in output_of("wpctl", "inspect", "@DEFAULT_AUDIO_SINK@"))
        # PipeWire 1.4 ignores the volume of a null sink that is suspended, as it is while nothing plays.
        servers.enter_context(running("pacat", "--playback", "--device=null", "/dev/zero"))
        until(lambda: "RUNNING" in output_of("pactl", "list", "short", "sinks"))
        yield


def parts_of_wireplumber() -> list[list[str]]:
    """The arguments of its processes. The part for Bluetooth is left out: it ends where there is no logind, as in containers.
    Since version 0.5, one configuration contains all parts."""
    share = Path(os.environ.get("WIREPLUMBER_CONFIG_DIR", "/usr/share/wireplumber"))
    parts = [["--config-file", name] for name in ("main.conf", "policy.conf") if (share / name).exists()]
    return parts or [[]]


@contextlib.contextmanager
def pulseaudio() -> Iterator[None]:
    needs("pulseaudio", "pactl", "wpctl")
    words, environment = ["-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1"], dict(os.environ)
    if str(shutil.which("pulseaudio")).startswith(str(UNPACKED)):
        (modules,) = (UNPACKED / "usr" / "lib").glob("pulse-*/modules")
        (core,) = (UNPACKED / "usr" / "lib").glob("*/pulseaudio/libpulsecore-*.so")
        words.append(f"--dl-search-path={modules}")
        environment["LD_LIBRARY_PATH"] = f"{core.parent}:{modules}"
    words += ["--load=module-native-protocol-unix", "--load=module-null-sink sink_name=null"]
    with running("pulseaudio", *words, env=environment):
        until(lambda: works("pactl", "info"))
        yield
