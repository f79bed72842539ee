"""The library: where it is, whether it fits this package, and its functions with the types of the headers.

Calls release Python's lock. A function that fails raises an exception of _errors.py; its outputs are then untouched.
"""
import ctypes
import operator
import os
import sys
from pathlib import Path

import numpy as np

from . import _interface
from ._errors import BY_STATUS, InternalError, InvalidArgument

_NAME = "endorama.dll" if sys.platform == "win32" else "libendorama.so"


def _candidates():
    """Where the library may be, the first one that is there counts: the variable, this folder, the system."""
    asked = os.environ.get("ENDORAMA_LIBRARY")
    if asked:
        return [asked]
    beside = Path(__file__).parent / _NAME
    return [str(beside)] if beside.exists() else [f"{_NAME}.{_interface.ENDO_ABI}"]


def _load():
    path = _candidates()[0]
    try:
        return ctypes.CDLL(path), path
    except OSError as error:
        raise ImportError(f"endorama: the library cannot be loaded: {error}") from error


def _check_abi(library, path):
    """Structs of another binary interface may differ in size."""
    library.endo_abi.restype = ctypes.c_int
    found = library.endo_abi()
    if found != _interface.ENDO_ABI:
        raise ImportError(f"endorama: {path} has the binary interface {found}, this package was made for"
                          f" {_interface.ENDO_ABI}: install the package that belongs to the library")


def _check_status(status):
    if status != 0:
        raise BY_STATUS.get(status, InternalError)(library.endo_last_error().decode("utf-8", "replace"))


def _declare(library):
    for name, (result, arguments) in _interface.FUNCTIONS.items():
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = _check_status if result == "endo_status" else result


library, path = _load()
_check_abi(library, path)
_declare(library)


# ---------------------------------------------------------------------- words

def words(enum):
    """The constants of an enum by the word that users write: ENDO_PAIR_FEW_LANDMARKS is "few landmarks"."""
    constants = _interface.ENUMS[enum]
    prefix = os.path.commonprefix(list(constants))
    prefix = prefix[:prefix.rfind("_") + 1]
    return {name[len(prefix):].lower().replace("_", " "): value for name, value in constants.items()}


def word(enum, value):
    """The word of a number."""
    return {number: text for text, number in words(enum).items()}.get(value, str(value))


def number(enum, option, value):
    """The number of a word."""
    allowed = words(enum)
    if enum == "endo_transform_class":
        allowed["auto"] = _interface.ENDO_TRANSFORM_AUTO
    found = allowed.get(str(value).lower().replace("_", " "))
    if found is None:
        raise InvalidArgument(f"{option} {value!r}: must be one of {', '.join(map(repr, allowed))}")
    return found


def fill(struct, **values):
    """Sets those fields of a struct that are not None: words become the numbers of their enum."""
    kinds = dict(struct._fields_)
    for name, value in values.items():
        if value is None:
            continue
        if name in struct._enums_:
            value = number(struct._enums_[name], name, value)
        try:
            if kinds[name] is ctypes.c_double:
                value = float(value)
            else:
                value = int(value) if isinstance(value, np.bool_) else operator.index(value)
        except (TypeError, ValueError):
            raise InvalidArgument(f"{name} {value!r}: must be a number") from None
        setattr(struct, name, value)
        if value == value and getattr(struct, name) != value:
            raise InvalidArgument(f"{name} {value}: no number of this size is allowed")
    return struct


def defaults(name):
    """A struct of options with its defaults, which the library alone knows."""
    options = getattr(_interface, name)()
    getattr(library, name + "_init")(ctypes.byref(options))
    return options


class Handle:
    """An object of the library, which is destroyed with this one or at the end of a `with`."""

    def __init__(self, noun):
        self._destroy = getattr(library, f"endo_{noun}_destroy")
        self.pointer = ctypes.POINTER(getattr(_interface, f"endo_{noun}"))()

    def __enter__(self):
        return self.pointer

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.pointer:
            self._destroy(ctypes.byref(self.pointer))

    def __del__(self):
        self.close()
