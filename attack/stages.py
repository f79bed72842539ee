"""Files that the stages of a mosaic leave for one another: frames that move by two pixels each."""
import json
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def version():
    with open(os.path.join(ROOT, "pom.xml"), encoding="utf-8") as pom:
        return re.search(r"<version>([^<]*)</version>", pom.read()).group(1)


def shift(dx):
    return {"kind": "TRANSLATION", "m00": 1.0, "m01": 0.0, "m02": float(dx), "m10": 0.0, "m11": 1.0, "m12": 0.0,
            "m20": 0.0, "m21": 0.0, "m22": 1.0}


def row(frame, part):
    return {"frame": frame, "reference": max(1, frame - 1), "dx": 0.0, "dy": 0.0, "transform": shift(2 * frame - 2),
            "chained": shift(2 * frame - 2), "deviation": 0.1, "part": part, "landmarks": 20, "found": 20, "used": 20,
            "coefficient": 0.9, "quality": 0.9, "status": "OK", "registered": True, "order": frame, "backend": "cpu"}


def stage(name, frames, width, height):
    return {"software": "Endorama", "version": version(), "stage": name, "backend": "cpu", "width": width,
            "height": height, "type": "GREY8", "options": {"method": "Paper", "lens": 0}, "sampled": [], "sums": [],
            "names": [f"frame{n:04d}.png" for n in range(1, frames + 1)], "excluded": [],
            "rows": [row(n, 0 if name == "pairs" else 1) for n in range(1, frames + 1)]}


def pairs(frames, width, height):
    """What register leaves."""
    made = stage("pairs", frames, width, height)
    made["edges"] = [{"reference": n, "current": n + 1, "transform": shift(2), "deviation": 0.1, "doubtful": False}
                     for n in range(frames - 1)]
    return made


def places(frames, width, height):
    """What solve leaves."""
    return stage("places", frames, width, height)


LINKS = "frame_a,frame_b,use,m00,m01,m02,m10,m11,m12,deviation,origin\n"


def links(frames):
    """The table of links of frames that move by two pixels each."""
    return (LINKS + "".join("%d,%d,1,1.0,0.0,2.0,0.0,1.0,0.0,0.1,chain\n" % (n, n + 1) for n in range(1, frames))).encode()


def damaged_links(frames):
    """Name -> a table that nobody takes, and what is said of it."""
    whole = links(frames)
    right = "1,2,1,1,0,2,0,1,0,0.1,hand"
    rows = {"frame 0": ("0,2", "frame_a"), "half a frame": ("1.5,2", "frame_a"), "no frame": (",2", "frame_a"),
            "a frame of many digits": ("1,99999999999999999999", "frame_b"), "a frame with itself": ("2,2", "frame_b")}
    made = {name: (LINKS + start + right[3:] + "\n", word) for name, (start, word) in rows.items()}
    for name, column, value in (("a word for use", "use", "yes"), ("use 2", "use", "2"), ("NaN in a matrix", "m02", "NaN"),
                                ("endless", "m02", "1e300"), ("text in a matrix", "m11", "x"),
                                ("no deviation", "deviation", "0"), ("a deviation below 0", "deviation", "-1"), ("an origin of nobody", "origin", "somebody")):
        cells = right.split(",")
        cells[LINKS.strip().split(",").index(column)] = value
        made[name] = (LINKS + ",".join(cells) + "\n", column)
    made["a flat matrix"] = (LINKS + "1,2,1,1,0,2,1,0,0,0.1,hand\n", "inverted")
    made["of another sequence"] = (LINKS + "1,400,0" + right[5:] + "\n", "another sequence")
    made["semicolons"] = (whole.decode().replace(",", ";"), "line 1")
    made["no header"] = (right + "\n", "line 1")
    result = {name: (content.encode(), word) for name, (content, word) in made.items()}
    result.update({"empty": (b"", "line 1"), "zeros": (b"\0" * 500, "line 1"), "cut": (whole[:-9], "columns"),
                   "a picture": (b"\x89PNG\r\n\x1a\n" + b"\0" * 99, "line 1")})
    return result


def text(made):
    return json.dumps(made).encode()


def changed(made, **fields):
    return text(dict(made, **fields))


def changed_row(made, **fields):
    return changed(made, rows=[dict(made["rows"][0], **fields)] + made["rows"][1:])


def damaged(made):
    """Name -> a file that no stage takes, and what is said of it."""
    whole = text(made)
    other = "places" if made["stage"] == "pairs" else "pairs"
    rows = made["rows"]
    result = {
        "empty": b"", "text": b"hello", "array": b"[]", "null": b"null", "nothing in it": b"{}", "zeros": b"\0" * 500,
        "deep": b"[" * 100000, "cut": whole[:len(whole) // 2], "cut at its end": whole[:-2],
        "of another stage": changed(made, stage=other), "of another version": changed(made, version="0.0.1"),
        "no rows": changed(made, rows=[]), "null rows": changed(made, rows=None), "null row": changed(made, rows=[None]),
        "rows in disorder": changed(made, rows=rows[::-1]), "text for rows": changed(made, rows="x"),
        "no names": changed(made, names=None), "a name too few": changed(made, names=made["names"][1:]),
        "no options": changed(made, options=None), "an option of nobody": changed(made, options={"colour": "red"}),
        "an option out of range": changed(made, options={"template": "16"}), "no width": changed(made, width=0),
        "another type": changed(made, type="GREY32"), "NaN in a place": changed_row(made, transform=shift("NaN")),
        "a place of no size": changed_row(made, transform=dict(shift(0), m00=0.0)),
        "no place": changed_row(made, transform=None), "a part of nobody": changed_row(made, part=99),
        "no check sums": changed(made, sums=None), "a check sum too many": changed(made, sums=[1]),
        "a check sum of nobody": changed(made, sampled=[99], sums=[1]), "an endless spread": changed(made, spread=1e300),
        "a deviation below 0": changed_row(made, deviation=-1.0), "an endless deviation": changed_row(made, deviation=1e300),
        "a place far away": changed_row(made, transform=shift(1e300)),
        "a horizon": changed_row(made, transform=dict(shift(0), kind="HOMOGRAPHY", m20=1e300)),
        "a reference of nobody": changed_row(made, reference=-1), "no status": changed_row(made, status="Fine"),
        "no list of excluded frames": changed(made, excluded=None),
        "excluded frames in disorder": changed(made, excluded=[9, 8]),
    }
    if "edges" in made:
        edges = made["edges"]
        result["no pairs"] = changed(made, edges=None)
        result["a pair of nobody"] = changed(made, edges=[dict(edges[0], current=99)])
        result["a deviation of 0"] = changed(made, edges=[dict(edges[0], deviation=0.0)])
        result["no deviation"] = changed(made, edges=[dict(edges[0], deviation="NaN")])
        result["a frame with itself"] = changed(made, edges=[dict(edges[0], current=edges[0]["reference"])])
        result["a step far away"] = changed(made, edges=[dict(edges[0], transform=dict(shift(0), m02=1e300))])
        result["a null pair"] = changed(made, edges=[None])
    return result
