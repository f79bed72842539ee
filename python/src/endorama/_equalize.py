"""Adaptive equalization of contrast."""
import ctypes
from typing import Optional, Tuple

import numpy as np

from . import _interface
from ._context import Context, context_or_default
from ._images import Image, empty, unpacked
from ._library import defaults, fill, library


def equalize(image: np.ndarray, *, window: Optional[int] = None, limit: Optional[float] = None, method: Optional[str] = None,
             region: Optional[Tuple[int, int, int, int]] = None, low: Optional[int] = None, high: Optional[int] = None,
             context: Optional[Context] = None) -> np.ndarray:
    """Maps every pixel by the histogram of the window around it.

    After C. Panconi, Parallel Adaptive Histogram Equalization, 2022/23; the formula stands in endorama/ahe.h. Beyond its
    borders the image is mirrored. Of colour the luma is equalized, the chroma stays. Every back end gives the same bytes.

    Args:
        image: (H, W) of uint8 or uint16, or (H, W, 3) of uint8; 1..32767 px a side. Grey images are not copied where their
            pixels lie side by side, whatever the distance of rows.
        window: side of the window, px, odd, 3..1023; default 63.
        limit: contrast limit, the largest slope of the mapping: above 1, up to 1000; default 0: none.
        method: "window" (default), or "global": one histogram for all of the region.
        region: (x, y, width, height), px: the part that is equalized and returned; pixels around it count. Default: all.
        low, high: uint16 with a limit: the grey values that the 256 bins span; default: the image's smallest and largest.
        context: default: one with default options, which is kept for the thread.

    Returns:
        The equalized region, an array of the image's type.

    Raises:
        InvalidArgument, OutOfMemory, DeviceFailed.
    """
    source = Image(image)
    options = fill(defaults("endo_ahe_options"), window=window, limit=limit, method=method, low=low, high=high)
    x, y, width, height = region or (0, 0, source.width, source.height)
    part = fill(_interface.endo_region(), x=x, y=y, width=width, height=height)
    out = empty(source.type, max(height, 0), max(width, 0))
    with context_or_default(context)._use() as pointer:
        library.endo_ahe_apply(pointer, ctypes.byref(source.struct()), ctypes.byref(part), ctypes.byref(options),
                               out.ctypes.data, max(width, 0))
    return unpacked(source.type, out)
