"""The definitions for Python against the headers, as the C compiler reads them, and against the loaded library."""
import ctypes
import math
import re
import shutil
import subprocess
import sys

import pytest
from conftest import PROJECT

from endorama import _interface, _library

HEADERS = PROJECT / "native" / "include"
sys.path.insert(0, str(PROJECT / "python"))
import generate  # noqa: E402


def structs():
    return {name: value for name, value in vars(_interface).items()
            if isinstance(value, type) and issubclass(value, ctypes.Structure) and hasattr(value, "_fields_")}


def test_package_was_made_from_these_headers():
    assert generate.interface_of(HEADERS).source() == open(_interface.__file__).read()


def test_every_function_of_the_headers_is_declared():
    text = "".join(path.read_text() for path in (HEADERS / "endorama").glob("*.h"))
    declared = set(re.findall(r"^ENDO_API [^;(]*?(\w+)\(", text, re.M))
    assert len(declared) > 100
    assert declared == set(_interface.FUNCTIONS)


def test_layouts_and_constants_are_those_of_the_compiler(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    lines = []
    expected = []
    for name, struct in structs().items():
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        expected.append((name, ctypes.sizeof(struct)))
        for field, kind in struct._fields_:
            lines.append(f'printf("%zu\\n", offsetof({name}, {field}));')
            lines.append(f'printf("%zu\\n", sizeof((({name} *)0)->{field}));')
            expected += [(f"{name}.{field}", getattr(struct, field).offset), (f"{name}.{field}", ctypes.sizeof(kind))]
            if issubclass(kind, ctypes.Array):
                lines.append(f'printf("%zu\\n", sizeof((({name} *)0)->{field}[0]));')
                expected.append((f"{name}.{field}[0]", ctypes.sizeof(kind._type_)))
    for constants in _interface.ENUMS.values():
        for name, value in constants.items():
            lines.append(f'printf("%d\\n", (int){name});')
            expected.append((name, value))
    for name, value in vars(_interface).items():
        if name.startswith("ENDO_") and isinstance(value, (int, float)) and value == value:
            lines.append(f'printf("%.17g\\n", (double)({type(value).__name__.replace("float", "double")}){name});')
            expected.append((name, value))
    source = tmp_path / "layout.c"
    source.write_text("#include <endorama.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n"
                      + "\n".join(lines) + "\nreturn 0;\n}\n")
    subprocess.run([compiler, "-I", HEADERS, source, "-o", tmp_path / "layout"], check=True)
    printed = subprocess.run([tmp_path / "layout"], check=True, capture_output=True, text=True).stdout.split()
    assert len(printed) == len(expected) > 500
    assert math.isnan(_interface.ENDO_MOSAIC_LENS_AUTO)
    assert [(name, float(text)) for (name, _), text in zip(expected, printed)] == expected


def test_another_binary_interface_is_refused(monkeypatch):
    monkeypatch.setattr(_interface, "ENDO_ABI", _interface.ENDO_ABI + 1)
    with pytest.raises(ImportError, match=rf"binary interface {_interface.ENDO_ABI - 1}, this package was made for"):
        _library._check_abi(_library.library, "libendorama.so")


def test_a_library_that_is_not_there_is_named(tmp_path):
    code = "import os; os.environ['ENDORAMA_LIBRARY'] = '/nowhere/libendorama.so'; import endorama"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode != 0 and "/nowhere/libendorama.so" in ended.stderr


@pytest.mark.parametrize("text", ["typedef struct a { endo_strange x; } a;", "typedef struct a { double *x, *y; } a;",
                                  "ENDO_API long endo_a(int b);", "int endo_a = 3;"])
def test_what_is_not_understood_is_an_error(tmp_path, text):
    (tmp_path / "endorama.h").write_text(text + "\n")
    with pytest.raises(ValueError):
        generate.interface_of(tmp_path)


def test_words_of_constants():
    assert _library.words("endo_mosaic_painting") == {"blend": 0, "ring": 1, "union": 2}
    assert _library.words("endo_pair_status") == {"ok": 0, "few landmarks": 1, "no texture": 2, "jump": 3}
    assert _library.words("endo_backend") == {"auto": 0, "cpu": 1, "cuda": 2}
    assert _library.number("endo_mosaic_instruments", "instruments", "Leave_out") == 0
