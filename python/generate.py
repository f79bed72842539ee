"""Writes the definitions of the library's structs, enums, constants and functions for Python (ctypes), from its headers.

    python3 generate.py FOLDER_OF_HEADERS OUTPUT.py

FOLDER_OF_HEADERS is native/include. The headers are the only place where a struct is written down: what this parser does not
understand is an error. tests/test_interface.py compares the result with what the C compiler makes of the same headers.
"""
import re
import sys
from pathlib import Path

SCALARS = {
    "char": "c_char", "int": "c_int", "double": "c_double", "float": "c_float", "size_t": "c_size_t", "ptrdiff_t": "c_ssize_t",
    "uint8_t": "c_uint8", "uint16_t": "c_uint16", "uint32_t": "c_uint32", "uint64_t": "c_uint64",
    "int16_t": "c_int16", "int32_t": "c_int32", "int64_t": "c_int64",
}
NAME = r"[A-Za-z_]\w*"
HEAD = '''"""Made by python/generate.py from the headers of the library. Not to be edited."""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int, c_int16, c_int32, c_int64,
                    c_size_t, c_ssize_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)
'''


class Interface:
    """What the headers declare, in their order."""

    def __init__(self):
        self.constants = {}  # name -> number or text; None: not a number
        self.enums = {}      # type -> {constant: number}
        self.structs = {}    # type -> [(field, type in Python, enum or None)]; None: opaque
        self.hooks = {}      # type of a function pointer -> type in Python
        self.functions = {}  # name -> (type of the result, [types of the arguments])

    def number(self, text):
        """The value of a constant expression."""
        text = re.sub(r"\(\s*endo_\w+\s*\)", "", text)
        text = re.sub(rf"\b{NAME}\b(?!\.)", lambda found: repr(self.value(found[0])), text)
        return eval(text, {"__builtins__": {}})

    def value(self, name):
        for constants in (self.constants, *self.enums.values()):
            if name in constants:
                return constants[name]
        raise ValueError(f"unknown constant {name}")

    def type(self, base, stars):
        """A type of C, its name and the number of its pointers, in Python."""
        if base == "const char" and stars == 1:
            return "c_char_p"
        base = base.removeprefix("const ")
        if base == "void":
            return wrapped("c_void_p", stars - 1) if stars else "None"
        if base in SCALARS:
            return wrapped(SCALARS[base], stars)
        if base in self.enums:
            return wrapped("c_int", stars)
        if base in self.structs or base in self.hooks:
            return wrapped(base, stars)
        raise ValueError(f"unknown type {base}")

    def declarations(self, text):
        """Name, type and enum (or None) of each thing that a declaration of C declares, such as `double x, *y, z[3]`."""
        function = re.fullmatch(rf"(.+?)\(\s*\*\s*({NAME})\s*\)\s*\((.*)\)", text, re.S)
        if function:
            result = self.type(*split_type(function[1]))
            arguments = [self.argument(one) for one in function[3].split(",")]
            return [(function[2], f"CFUNCTYPE({', '.join([result, *arguments])})", None)]
        first, *others = (one.strip() for one in text.split(","))
        found = re.fullmatch(rf"(.*?[\s*])({NAME}(?:\[\w+\])*)", first, re.S)
        if not found:
            raise ValueError(f"not understood: {text}")
        base, stars = split_type(found[1])
        if stars and others:
            raise ValueError(f"a declaration a line: {text}")
        return [self.declared(one, base, stars) for one in (found[2], *others)]

    def declared(self, text, base, stars):
        name, *lengths = re.findall(r"\w+", text)
        kind = self.type(base, stars)
        for length in reversed(lengths):
            kind = f"{kind} * {self.number(length)}"
        return name, kind, base if base in self.enums and not stars else None

    def argument(self, text):
        """The type of an argument, such as `const double numbers[6]`, in Python."""
        text = re.sub(rf"({NAME})\[\w*\]$", r"*\1", text.strip())
        base, stars = split_type(text if text == "void" else re.sub(rf"{NAME}$", "", text))
        return self.type(base, stars)

    def read(self, folder, name, seen):
        """Reads a header, those that it includes first."""
        if name in seen:
            return
        seen.add(name)
        text = (folder / name).read_text()
        for included in re.findall(r'#include "(.+?)"', text):
            self.read(folder, str(Path(name).parent / included), seen)
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        for constant, value in re.findall(r"^#define (ENDO_\w+) +(\S.*)$", text, re.M):
            if not value.startswith(("_", "ENDO_API")) and constant not in ("ENDO_API", "ENDO_NODISCARD"):
                self.constants[constant] = None if value == "NAN" else self.number(value)
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M).replace('extern "C" {', "")
        text = re.sub(r"\b(?:ENDO_NODISCARD )?static inline [^{;]*\{.*?\n\}", "", text, flags=re.S)
        for statement in re.findall(r"[^;{]*(?:\{[^}]*\}[^;]*)?;", text):
            self.statement(statement.strip().rstrip(";").strip().lstrip("}").strip())

    def statement(self, text):
        enum = re.fullmatch(rf"typedef enum {NAME} \{{(.*)\}} ({NAME})", text, re.S)
        struct = re.fullmatch(rf"typedef struct {NAME} \{{(.*)\}} ({NAME})", text, re.S)
        opaque = re.fullmatch(rf"typedef struct ({NAME}) ({NAME})", text)
        hook = re.fullmatch(r"typedef (.*\(\*.*\)\(.*\))", text)
        function = re.fullmatch(rf"ENDO_API (?:ENDO_NODISCARD )?(.+?)({NAME})\((.*)\)", text, re.S)
        if enum:
            self.enums[enum[2]] = constants = {}
            for name, value in re.findall(rf"({NAME}) = ([^,]+)", enum[1]):
                constants[name] = self.number(value.strip())
        elif struct:
            fields = []
            for line in struct[1].split(";"):
                if line.strip():
                    fields += self.declarations(" ".join(line.split()))
            self.structs[struct[2]] = fields
        elif opaque:
            self.structs[opaque[1]] = None
        elif hook:
            for name, kind, _ in self.declarations(hook[1]):
                self.hooks[name] = kind
        elif function:
            arguments = [self.argument(" ".join(one.split())) for one in function[3].split(",")]
            base, stars = split_type(function[1])
            result = "'endo_status'" if base == "endo_status" else self.type(base, stars)
            self.functions[function[2]] = (result, [one for one in arguments if one != "None"])
        else:
            raise ValueError(f"not understood: {text}")

    def source(self):
        """The module for Python."""
        lines = [HEAD]
        lines += [f"{name} = " + ('float("nan")' if value is None else repr(value)) for name, value in self.constants.items()]
        lines += ["", "# type -> its constants", "ENUMS = {"]
        lines += [f"    {name!r}: {constants!r}," for name, constants in self.enums.items()]
        lines.append("}")
        for name, fields in self.structs.items():
            lines += ["", "", f"class {name}(Structure):"]
            if fields is None:
                lines.append('    """Opaque."""')
                continue
            lines += ["    _fields_ = ["] + [f"        ({field!r}, {kind})," for field, kind, _ in fields] + ["    ]"]
            enums = {field: enum for field, _, enum in fields if enum}
            lines.append(f"    _enums_ = {enums!r}")
        lines += ["", ""] + [f"{name} = {kind}" for name, kind in self.hooks.items()]
        lines += ["", "# name -> types of the result ('endo_status': it can fail) and of the arguments", "FUNCTIONS = {"]
        lines += [f"    {name!r}: ({result}, [{', '.join(arguments)}]),"
                  for name, (result, arguments) in self.functions.items()]
        return "\n".join([*lines, "}", ""])


def wrapped(kind, stars):
    for _ in range(stars):
        kind = f"POINTER({kind})"
    return kind


def split_type(text):
    """`const double *` -> ("const double", 1)."""
    stars = text.count("*")
    words = re.sub(r"\*\s*const\b", "*", text).replace("*", " ").split()
    return " ".join(words), stars


def interface_of(folder):
    interface = Interface()
    interface.read(Path(folder), "endorama.h", set())
    return interface


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Path(sys.argv[2]).write_text(interface_of(sys.argv[1]).source())
