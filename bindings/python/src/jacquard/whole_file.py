"""Files that appear whole or not at all. A program that fails, or is killed, leaves the previous contents."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Callable

from .input_file import descriptor

NAME_LENGTH = 200
# The errors of file systems without hard links, such as that of a memory card.
NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP)


class WholeFile:
    """A file in the same directory, which gets its name when the block ends without an exception, or with commit().

    FileExistsError: there is one, also if another program has made it meanwhile. overwrite: replaces it then, or the target
    of the symbolic link, and keeps its mode and owner. A target that cannot be replaced, such as a FIFO or a terminal,
    is written to directly. check: called before the file gets its name; its exception prevents that. mode: that of a
    new file.
    appear() gives it its name before the block ends: for a log, of which each line is whole.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        check: Callable[[], object] = lambda: None,
        mode: int = 0o666,
    ) -> None:
        self._target = Path(os.path.realpath(path) if overwrite else path)
        self._overwrite = overwrite
        self._check = check
        self._temporary: Path | None = None
        before = status(self._target)
        if before is not None and stat.S_ISDIR(before.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not overwrite and os.path.lexists(path):
            raise exists(path)
        if before is not None and not stat.S_ISREG(before.st_mode):
            self._descriptor = descriptor(self._target, os.O_WRONLY)
        else:
            self._create(mode, before)
        # The descriptor is needed after the file may have been closed.
        self.file: IO[Any] = open(self._descriptor, "wb", closefd=False)

    def _create(self, mode: int, before: os.stat_result | None) -> None:
        for number in itertools.count():
            name = self._target.with_name(f".{self._target.name[:NAME_LENGTH]}.{os.getpid()}-{number}")
            try:
                self._descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
            except FileExistsError:
                continue
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(self._target)) from None
            self._temporary = name
            break
        if before is not None:
            os.fchmod(self._descriptor, stat.S_IMODE(before.st_mode))
            with contextlib.suppress(PermissionError):
                os.fchown(self._descriptor, before.st_uid, before.st_gid)

    def commit(self) -> None:
        try:
            self.file.close()
            if self._temporary is not None:
                os.fsync(self._descriptor)
                self.appear()
        except OSError as error:
            raise error if isinstance(error, FileExistsError) else OSError(error.errno, error.strerror, str(self._target)) from None
        finally:
            self.discard()

    def appear(self) -> None:
        if self._temporary is None:
            return
        self._check()
        if self._overwrite:
            os.replace(self._temporary, self._target)
        else:
            self._name(self._temporary)
            self._temporary.unlink(missing_ok=True)
        self._temporary = None
        folder = os.open(self._target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _name(self, temporary: Path) -> None:
        try:
            os.link(temporary, self._target)
        except FileExistsError:
            raise exists(self._target) from None
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            # Only the program that has made the name replaces it.
            with open(self._target, "xb"):
                os.replace(temporary, self._target)

    def discard(self) -> None:
        """Leaves everything as it was, unless the file has its name. May be called again."""
        with contextlib.suppress(OSError):  # for example, the disk is full
            self.file.close()
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
        temporary, self._temporary = self._temporary, None
        if temporary is not None:
            temporary.unlink(missing_ok=True)

    def __enter__(self) -> IO[Any]:
        return self.file

    def __exit__(self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if error is None:
            self.commit()
        else:
            self.discard()


def exists(path: str | os.PathLike[str]) -> FileExistsError:
    return FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(path))


def status(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None
