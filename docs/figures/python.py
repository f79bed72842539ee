"""The pictures of docs/python.md, by the code of the page: python3 docs/figures/python.py
Needs the package `endorama` and OpenCV (Debian: python3-opencv)."""
import re
from pathlib import Path

import cv2
import numpy as np

DOCS = Path(__file__).resolve().parents[1]
page = {}
for code in re.findall(r"^```python\n(.*?)^```", (DOCS / "python.md").read_text(), re.S | re.M)[:4]:
    exec(code, page)
    if "demo" in page and "flat" not in page:
        page["flat"] = page["endorama"].equalize(page["demo"].frames[0], window=63, limit=3)


def in_colours(values, lowest, highest, painted):
    """Numbers from dark blue to yellow; white where nothing is painted."""
    share = np.clip((np.nan_to_num(values) - lowest) / (highest - lowest), 0, 1)
    colours = cv2.applyColorMap(np.uint8(255 * share), cv2.COLORMAP_VIRIDIS)[..., ::-1]
    return np.where(painted[..., None], colours, 255).astype(np.uint8)


def write(name, *pictures):
    """Pictures (RGB) side by side, white between them, all as high as the highest."""
    height = max(one.shape[0] for one in pictures)
    padded = []
    for one in pictures:
        above = (height - one.shape[0]) // 2
        padded.append(np.pad(one, ((above, height - one.shape[0] - above), (0, 12), (0, 0)), constant_values=255))
    whole = np.concatenate(padded, axis=1)[:, :-12, ::-1]
    cv2.imwrite(str(DOCS / "images" / name), whole, [cv2.IMWRITE_JPEG_QUALITY, 88])


frames = page["demo"].frames
third = [cv2.resize(frames[k], None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA) for k in (0, 12, 23)]
column = np.concatenate([np.pad(one, ((0, 6), (0, 0), (0, 0)), constant_values=255) for one in third])[:-6]
write("python-mosaic.jpg", column, page["result"].panorama)
one = page["one"]
write("python-extras.jpg", in_colours(one.coverage, 0, one.coverage.max(), one.painted),
      in_colours(one.uncertainty, 0, np.nanmax(one.uncertainty), one.painted))
write("python-equalize.jpg", frames[0], page["flat"])
