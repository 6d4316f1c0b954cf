"""
All metadata except the name of the wheel is in pyproject.toml. A wheel that contains libjacquard.so is for that
library's architecture and glibc (PEP 600), and for every Python 3, because nothing in it is compiled against Python.

Besides glibc it needs libdbus-1, which manylinux does not guarantee; bluetoothd needs it as well.
"""

import sysconfig
from pathlib import Path

from setuptools import setup
from setuptools.dist import Distribution

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

HAS_LIBRARY = any((Path(__file__).parent / "src" / "jacquard").glob("libjacquard.so.*"))


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return HAS_LIBRARY


class EveryPython(bdist_wheel):
    def get_tag(self):
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        return ("py3", "none", platform if HAS_LIBRARY else "any")


setup(distclass=PlatformDistribution, cmdclass={"bdist_wheel": EveryPython})
