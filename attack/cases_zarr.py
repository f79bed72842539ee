"""OME-Zarr as input and output: damaged metadata and chunks, sizes that are not there, paths that lead elsewhere."""
import json
import os
import struct
import zlib

from engine import Case
from scenes import Sequence

W, H, COUNT = 96, 72, 6
MOSAIC = ["mosaic", "--input", "{dir}/s.zarr", "--output", "{dir}/o.png", "--transforms", "{dir}/t.csv"]
FRAMES = Sequence(3, COUNT, W, H).frames


def group(path="0", axes="tyx"):
    datasets = [{"path": path, "coordinateTransformations": [{"type": "scale", "scale": [1] * len(axes)}]}]
    return {"multiscales": [{"version": "0.4", "axes": [{"name": a} for a in axes], "datasets": datasets}]}


def array(**changed):
    said = {"zarr_format": 2, "shape": [COUNT, H, W], "chunks": [1, H, W], "dtype": "|u1", "compressor": None,
            "fill_value": 0, "order": "C", "filters": None}
    said.update(changed)
    return said


def folder(compress=bytes, attributes=None, said=None, chunks=None):
    """The files of an image; attributes, said: metadata as an object, or the text of the file; chunks: those that differ."""
    def text(content):
        return content if isinstance(content, (bytes, type(os.mkfifo))) else json.dumps(content).encode()
    files = {"s.zarr/.zgroup": b'{"zarr_format": 2}', "s.zarr/.zattrs": text(group() if attributes is None else attributes),
             "s.zarr/0/.zarray": text(array() if said is None else said)}
    for i, frame in enumerate(FRAMES):
        files["s.zarr/0/%d.0.0" % i] = compress(bytes(frame.samples))
    files.update(chunks or {})
    return files


def zlib_array(**changed):
    return array(compressor={"id": "zlib", "level": 1}, **changed)


def whole_cases():
    for name, said, compress in (("raw", array(), bytes), ("zlib", zlib_array(), zlib.compress)):
        yield Case("zarr", name, MOSAIC, folder(compress, said=said), says=("6 ok",), makes={"o.png": None, "t.csv": None},
                   core=name == "zlib")
    yield Case("zarr", "a chunk left out is black", MOSAIC, {k: v for k, v in folder().items() if k != "s.zarr/0/3.0.0"},
               code=(0, "partial"), makes={"o.png": None})


def chunk_cases():
    """One chunk is harmed: its frame is named and left out, the others are painted."""
    good = zlib.compress(bytes(FRAMES[3].samples))
    harms = {"half": good[:len(good) // 2], "empty": b"", "noise": bytes(range(256)) * 9, "folder": os.mkdir,
             "fifo": os.mkfifo, "of 1 GB": zlib.compress(bytes(1 << 24)), "one byte more": good + b"x"}
    for harm, content in harms.items():
        certain = harm != "one byte more"
        yield Case("zarr", "a chunk: " + harm, MOSAIC, folder(zlib.compress, said=zlib_array(),
                                                             chunks={"s.zarr/0/3.0.0": content}),
                   code="partial" if certain else (0, "partial"), says=("3.0.0", "frame 4") if certain else (),
                   makes={"o.png": None}, heap="96m", core=harm in ("half", "fifo"))
    yield Case("zarr", "raw chunks of a wrong length", MOSAIC, folder(lambda data: data[:-1]), code=3, says=("s.zarr/0/",),
               absent=("o.png",))


def metadata_cases():
    """Metadata that say what cannot be: refused with the file, the key and the value, in little memory."""
    cases = {"not JSON": (None, b"<html>404</html>", ".zarray"), "empty": (None, b"", ".zarray"),
             "half of it": (None, json.dumps(array()).encode()[:60], ".zarray"),
             "nested": (b"[" * 100000, None, ".zattrs"), "a list": (b"[1, 2]", None, ".zattrs"),
             "a fifo": (os.mkfifo, None, ".zattrs"), "no images": ({"labels": []}, None, "multiscales"),
             "axes x, y": (group(axes="txy"), None, "axes"), "two axes": (group(axes="yx"), None, "axes"),
             "huge frames": (None, array(shape=[6, 1 << 40, 1 << 40], chunks=[1, 64, 64]), "shape"),
             "very many frames": (None, array(shape=[1 << 40, H, W]), "shape"),
             "huge chunks": (None, array(chunks=[1, 1 << 20, 1 << 20]), "chunks"),
             "no size": (None, array(shape=[6, 0, W]), "shape"), "below 0": (None, array(shape=[6, -H, W]), "shape"),
             "floats": (None, array(dtype="<f8"), "dtype"), "Fortran": (None, array(order="F"), "order"),
             "filters": (None, array(filters=[{"id": "delta"}]), "filters"),
             "lzma": (None, array(compressor={"id": "lzma"}), "lzma"), "version 9": (None, array(zarr_format=9), "zarr_format")}
    for path in ("../t", "/etc", "0/../../t", "", ".", "a\\b", "0\x00"):
        cases["path %r" % path] = (group(path=path), None, "path")
    for name, (attributes, said, word) in cases.items():
        yield Case("zarr", "metadata: " + name, MOSAIC, folder(attributes=attributes, said=said), code=3,
                   says=("s.zarr", word), absent=("o.png", "t.csv"), heap="96m", seconds=40,
                   core=name in ("huge frames", "path '../t'", "not JSON"))


def shard_cases():
    """Zarr 3: an index that leads out of its file, or is not there."""
    codecs = [{"name": "bytes"}]
    sharding = {"chunk_shape": [1, H, W], "codecs": codecs, "index_codecs": [{"name": "bytes",
                                                                            "configuration": {"endian": "little"}}]}
    said = {"zarr_format": 3, "node_type": "array", "shape": [COUNT, H, W], "data_type": "uint8", "fill_value": 0,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [COUNT, H, W]}},
            "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "sharding_indexed", "configuration": sharding}]}
    top = {"zarr_format": 3, "node_type": "group", "attributes": {"ome": dict(group(), version="0.5")}}
    data = b"".join(bytes(frame.samples) for frame in FRAMES)
    places = [(i * W * H, W * H) for i in range(COUNT)]

    def files(index, said=said):
        return {"s.zarr/zarr.json": json.dumps(top).encode(), "s.zarr/0/zarr.json": json.dumps(said).encode(),
                "s.zarr/0/c/0/0/0": data + b"".join(struct.pack("<QQ", *p) for p in index) if isinstance(index, list) else index}
    yield Case("zarr", "shard", MOSAIC, files(places), says=("6 ok",), makes={"o.png": None}, core=True)
    for name, place in (("beyond the file", (1 << 40, W * H)), ("very long", (0, 1 << 62)), ("below 0", (1 << 63, W * H))):
        yield Case("zarr", "a place in a shard " + name, MOSAIC, files(places[:3] + [place] + places[4:]), code="partial",
                   says=("frame 4", "c/0/0/0"), makes={"o.png": None}, heap="96m", core=name == "very long")
    for name, content in (("empty", b""), ("fifo", os.mkfifo), ("short", data[:50])):
        yield Case("zarr", "a shard: " + name, MOSAIC, files(content), code=3, says=("c/0/0/0",), absent=("o.png",))
    huge = json.loads(json.dumps(said))
    huge["chunk_grid"]["configuration"]["chunk_shape"] = [1 << 50, H, W]
    yield Case("zarr", "a shard of very many chunks", MOSAIC, files(places, huge), code=3, says=("chunk_shape",), heap="96m")


def output_cases():
    """A folder that something else wrote is never replaced, and no input is."""
    to = ["mosaic", "--input", "{dir}/s.zarr", "--output", "{dir}/o.ome.zarr", "--extra", "both"]
    for version, one in (("0.4", ".zattrs"), ("0.5", "zarr.json")):
        yield Case("zarr", "output " + version, to + ["--ngff", version], folder(), says=("6 ok",),
                   makes={"o.ome.zarr/" + one: None, "o.ome.zarr/labels/coverage/" + one: None},
                   absent=("o.ome.zarr.part",), core=True)
    for name, file in (("of another", "o.ome.zarr/thesis.txt"), ("part of another", "o.ome.zarr.part/thesis.txt"),
                       ("a file", "o.ome.zarr")):
        yield Case("zarr", "output: a folder " + name, to, dict(folder(), **{file: b"mine"}), code=2, says=("o.ome.zarr",))
    yield Case("zarr", "output: the input", ["mosaic", "--input", "{dir}/s.zarr", "--output", "{dir}/s.zarr"], folder(),
               code=2, says=("s.zarr",))
    yield Case("zarr", "output: around the input", ["mosaic", "--input", "{dir}/o.ome.zarr/s.zarr", "--output",
                                                    "{dir}/o.ome.zarr"],
               {k.replace("s.zarr", "o.ome.zarr/s.zarr"): v for k, v in folder().items()}, code=2, says=("o.ome.zarr",))


def cases(seed):
    for table in (whole_cases(), chunk_cases(), metadata_cases(), shard_cases(), output_cases()):
        yield from table
