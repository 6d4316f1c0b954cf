"""Whether programs of this user can share tags: the directory in which they meet, as in RuntimeDirectory.swift."""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path

from .diagnosis import user
from .finding import Finding

VARIABLE = "XDG_RUNTIME_DIR"
OF_USERS = Path("/run/user")
NAME = "jacquard"
MODE = 0o700
CONSEQUENCE = "A second program that connects to the same tag gets the error IN_USE."


class Unsuitable(Exception):
    """problem: a word for programs."""

    def __init__(self, problem: str, text: str, advice: str) -> None:
        super().__init__(text)
        self.problem = problem
        self.advice = advice


def sharing(of_users: Path = OF_USERS) -> Finding:
    """of_users: the directory with one directory for each user."""
    try:
        directory = meeting_place(of_users)
    except Unsuitable as reason:
        text = f"Programs cannot share tags. {reason}"
        return Finding("sharing", False, text, f"{reason.advice} {CONSEQUENCE}", details={"problem": reason.problem})
    text = f"programs of this user share tags; they meet in {directory}"
    return Finding("sharing", True, text, details={"directory": str(directory)})


def meeting_place(of_users: Path) -> Path:
    chosen = os.environ.get(VARIABLE, "")
    if chosen and not chosen.startswith("/"):
        advice = f"Set it to {of_users}/{os.geteuid()}, or unset it."
        raise Unsuitable("relative", f"{VARIABLE} is not an absolute path.", advice)
    if chosen:
        # Without slashes at the end, which would follow a symbolic link.
        parent = Path(chosen)
        create = f"Create it with the mode 0700, or unset {VARIABLE}."
        own = f"sudo and su can keep the {VARIABLE} of another user: log in as {user()}, or unset it."
    else:
        parent = of_users / str(os.geteuid())
        create = own = (
            f"It is created when {user()} logs in, but not by sudo or su, and not in containers: log in, or run "
            f"sudo loginctl enable-linger {user()}, or set {VARIABLE} to a directory with the mode 0700."
        )
    check(parent, create, own)
    directory = parent / NAME
    if os.path.lexists(directory):
        remove = f"Remove it: sudo rm -r {shlex.quote(str(directory))}"
        check(directory, remove, remove)
    elif not os.access(parent, os.W_OK | os.X_OK):
        raise Unsuitable("not-writable", f"{directory} cannot be created.", f"Make {parent} writable.")
    return directory


def check(directory: Path, create: str, own: str) -> None:
    """create, own: advice if it is not a directory, and if it belongs to another user."""
    try:
        status = directory.lstat()
    except FileNotFoundError:
        raise Unsuitable("missing", f"{directory} does not exist.", create) from None
    except OSError as error:
        raise Unsuitable("not-readable", f"{directory} cannot be opened: {error.strerror}.", create) from None
    if not stat.S_ISDIR(status.st_mode):
        text = f"{directory} is not a directory, or is a symbolic link."
        raise Unsuitable("not-a-directory", text, create)
    if status.st_uid != os.geteuid():
        text = f"{directory} belongs to user {status.st_uid}; it must belong to user {os.geteuid()}."
        raise Unsuitable("owner", text, own)
    mode = status.st_mode & 0o777
    if mode != MODE:
        text = f"{directory} has the mode 0{mode:o}; it must have the mode 0{MODE:o}."
        raise Unsuitable("mode", text, f"Run: chmod 700 {shlex.quote(str(directory))}")
