"""Access to the page: only browsers that received the link may use it, and only through the page itself.

The link contains a token. It is exchanged for a cookie, which scripts cannot read and which browsers do not send with
requests from other sites. Cookies are valid for all ports of a host, so another user's server on this machine would
receive this one, too; its path prevents that, because it is the page's folder, which only the page knows. The cookie's
value outlives the server in the user's runtime directory, so that open pages continue after a restart; the token does
not.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import ipaddress
import os
import re
import secrets
import socket
import stat
import time
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from jacquard.input_file import descriptor
from jacquard.whole_file import WholeFile

# The life of the link that is passed to a browser on its command line, where other users can read it.
ONCE_SECONDS = 60
KEY = re.compile("[0-9A-Za-z_-]{43}")


class Access:
    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(32)
        self.cookie_name = f"jacquard-board-{port}"
        self.cookie = kept_key(port)
        # A part of the page's address; as secret as the cookie.
        self.folder = hashlib.sha256(f"folder {self.cookie}".encode()).hexdigest()[:32]
        self._once: tuple[str, float] | None = None

    def once(self) -> str:
        """A token that is valid once, for a short time."""
        self._once = (secrets.token_urlsafe(32), time.monotonic() + ONCE_SECONDS)
        return self._once[0]

    def accepts(self, token: str) -> bool:
        if self._once is not None and is_same(token, self._once[0]):
            is_in_time = time.monotonic() < self._once[1]
            self._once = None
            return is_in_time
        return is_same(token, self.token)

    def knows(self, folder: str, cookies: Iterable[str]) -> bool:
        """Whether a request for this folder, with these Cookie headers, is one of the page. All ports of a host can set
        cookies, so there can be several with this name, and some that http.cookies does not parse."""
        pairs = (one.strip().partition("=") for header in cookies for one in header.split(";"))
        has_cookie = [is_same(value, self.cookie) for name, _, value in pairs if name == self.cookie_name]
        return is_same(folder, self.folder) and any(has_cookie)


def is_same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(errors="replace"), expected.encode())


def is_own_host(host: str | None) -> bool:
    """Whether the Host header cannot be the name of another site. A site that lets its name resolve to this machine's
    address (DNS rebinding) is reached by that name; addresses and this machine's own name are safe."""
    if not host:
        return False
    try:
        name = urlsplit(f"//{host}").hostname
        _ = urlsplit(f"//{host}").port  # raises an error if it is not a number
    except ValueError:
        return False
    if not name or "@" in host or "/" in host:
        return False
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        own = socket.gethostname().lower()
        return name in ("localhost", own, f"{own.partition('.')[0]}.local")
    return True


def is_own_origin(origin: str | None, host: str) -> bool:
    """Whether a request was made by the page itself."""
    return origin == f"http://{host}"


def kept_key(port: int) -> str:
    """The cookie's value: the one of the last server on this port, if it can be kept."""
    key = secrets.token_urlsafe(32)
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if not folder:
        return key
    path = Path(folder) / "jacquard" / f"board-{port}"
    with contextlib.suppress(OSError):  # then open pages need the new link after a restart
        path.parent.mkdir(mode=0o700, exist_ok=True)
        above = path.parent.lstat()
        if not stat.S_ISDIR(above.st_mode) or above.st_uid != os.getuid() or above.st_mode & 0o022:
            return key
        with contextlib.suppress(FileExistsError), WholeFile(path, mode=0o600) as new:
            new.write(key.encode())
        with open(descriptor(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077:
                kept = file.read(100).decode(errors="replace")
                return kept if KEY.fullmatch(kept) else key
    return key
