"""The tag of the wheel: any Python 3, and systems with the glibc that the library asks for. All else is in pyproject.toml."""
import platform
import re
from pathlib import Path

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel

# The oldest glibc whose mathematics gives the library's results (native/lib/glibc.cmake).
OLDEST = (2, 28)


def platform_tag():
    """manylinux_2_28_x86_64: by the newest version of a symbol that the library asks for, but not below OLDEST."""
    library = (Path(__file__).parent / "src" / "endorama" / "libendorama.so").read_bytes()
    versions = [(int(major), int(minor)) for major, minor in re.findall(rb"GLIBC_(\d+)\.(\d+)", library)]
    return "manylinux_%d_%d_%s" % (*max([OLDEST, *versions]), platform.machine())


class LibraryDistribution(Distribution):
    """Modules with a library beside them."""

    def has_ext_modules(self):
        return True


class LibraryWheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", platform_tag()


setup(distclass=LibraryDistribution, cmdclass={"bdist_wheel": LibraryWheel})
