"""The same without asyncio: every call waits in the calling thread, by poll(), with the interpreter's lock free.

The library works only while a call waits. One thread at a time may use a manager and what came from it.
"""

from .component import Component
from .connection import Connection
from .manager import Manager
from .stream import Stream
from .tag import Tag

__all__ = ["Component", "Connection", "Manager", "Stream", "Tag"]
