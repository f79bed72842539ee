#!/usr/bin/env python3
"""macho.py LIBRARY aarch64|x86_64: looks at a library for macOS without running it, and prints the names that it shows.

It must be a library for that processor and for macOS 11 or newer, ask for libraries of the system alone, and on aarch64 bear a
signature of its bytes, without which nothing runs there. That each of these is noticed where it is wrong is tried on changed
copies."""
import hashlib
import struct
import sys

PROCESSORS = {"aarch64": 0x0100000C, "x86_64": 0x01000007}
MAGIC, DYLIB = 0xFEEDFACF, 6
# Load commands: libraries, the library's own name, where the signature is, tables of names, the least system.
LOAD, ID, SIGNATURE, NAMES, BUILD = 0xC, 0xD, 0x1D, 0x22, 0x32
MACOS, OLDEST = 1, 11 << 16
CODE_DIRECTORY, SHA256 = 0xFADE0C02, 2


def text(data, at):
    return data[at : data.index(b"\0", at)].decode()


def commands(data):
    """Of each load command its kind and where it is."""
    n, at = struct.unpack_from("<I", data, 16)[0], 32
    for _ in range(n):
        kind, size = struct.unpack_from("<II", data, at)
        yield kind & 0x7FFFFFFF, at
        at += size


def number(data, at):
    """In LEB128, and where it ends."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def names(data, trie, node=0, name=""):
    """Those that the loader finds: a tree whose branches are pieces of names."""
    size, at = number(data, trie + node)
    if size:
        yield name
    at += size
    branches, at = data[at], at + 1
    for _ in range(branches):
        piece = text(data, at)
        child, at = number(data, at + len(piece) + 1)
        yield from names(data, trie, child, name + piece)


def exported(data):
    for kind, at in commands(data):
        if kind == NAMES:
            yield from names(data, struct.unpack_from("<I", data, at + 40)[0])


def is_signed(data):
    """Whether there is a code directory with the right SHA-256 of every page before the signature."""
    for kind, at in commands(data):
        if kind == SIGNATURE:
            start = struct.unpack_from("<I", data, at + 8)[0]
            directory = start + struct.unpack_from(">I", data, start + 16)[0]
            magic, _, _, _, hashes, _, _, pages, end = struct.unpack_from(">9I", data, directory)
            size, algorithm, _, shift = struct.unpack_from("4B", data, directory + 36)
            return (magic, algorithm, size, end) == (CODE_DIRECTORY, SHA256, 32, start) and all(
                data[directory + hashes + 32 * i :][:32]
                == hashlib.sha256(data[i << shift : min(i + 1 << shift, end)]).digest()
                for i in range(pages)
            )
    return False


def faults(data, processor):
    magic, kind, _, type = struct.unpack_from("<4I", data, 0)
    if (magic, type) != (MAGIC, DYLIB):
        yield "no shared library of 64 bits"
    if kind != PROCESSORS[processor]:
        yield f"for processor {kind:#x}, not {processor}"
    systems, libraries = [], []
    for kind, at in commands(data):
        if kind == BUILD:
            systems.append(struct.unpack_from("<II", data, at + 8))
        if kind in (LOAD, ID):
            libraries.append((kind, text(data, at + struct.unpack_from("<I", data, at + 8)[0])))
    if systems != [(MACOS, OLDEST)]:
        yield f"for systems {systems}, not macOS 11"
    if libraries != [(ID, "@rpath/libendorama.dylib"), (LOAD, "/usr/lib/libSystem.B.dylib")]:
        yield f"libraries {libraries}"
    if processor == "aarch64" and not is_signed(data):
        yield "without a signature of its bytes"


def notices(data, processor):
    """A change of each that passes for right."""
    for what, old, new in (
        ("another processor", struct.pack("<I", PROCESSORS[processor]), struct.pack("<I", 7)),
        ("a newer system", struct.pack("<II", MACOS, OLDEST), struct.pack("<II", MACOS, OLDEST + 1)),
        ("another library", b"/usr/lib/libSystem", b"/opt/lib/libSystem"),
        ("another name", b"@rpath/", b"/build/"),
        ("other bytes", b"endo_mosaic_run", b"endo_mosaic_ran"),
    ):
        if (processor == "aarch64" or what != "other bytes") and not list(faults(data.replace(old, new, 1), processor)):
            yield f"{what}: not noticed"


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in PROCESSORS:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    found = list(faults(data, sys.argv[2])) or list(notices(data, sys.argv[2]))
    if found:
        sys.exit("\n".join(f"{sys.argv[1]}: {fault}" for fault in found))
    # C's names begin with "_" there.
    print("\n".join(name[1:] for name in exported(data)))


main()
