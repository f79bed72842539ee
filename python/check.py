"""Runs the tests of the package with a library that was built, without a wheel.

    python3 check.py LIBRARY FOLDER [PYTEST'S OPTIONS]

FOLDER is made anew; programs of native/test are looked for beside the library. Exit code 77: no Python with NumPy and pytest.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def find_python():
    """The first Python that has what the tests need: the one that runs need not be the system's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import numpy, pytest"], cwd="/", stderr=subprocess.DEVNULL).returncode == 0:
            return python
    print("SKIP python: no Python with NumPy and pytest (Debian: python3-numpy python3-pytest)")
    sys.exit(77)


def main(library, folder, *options):
    python = find_python()
    library, folder = Path(library).resolve(), Path(folder).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    package = folder / "endorama"
    shutil.copytree(HERE / "src" / "endorama", package)
    shutil.copy(library, package / "libendorama.so")
    subprocess.run([python, HERE / "generate.py", HERE.parent / "native" / "include", package / "_interface.py"], check=True)
    environment = dict(os.environ, PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1",
                       ENDORAMA_PROGRAMS=str(library.parents[1] / "test"))
    words = [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", HERE / "tests", *options]
    return subprocess.run(words, cwd=folder, env=environment).returncode


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
