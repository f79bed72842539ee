"""A synthetic endoscopic sequence with known truth."""
import ctypes
from typing import NamedTuple, Optional

import numpy as np

from . import _interface
from ._context import Context, context_or_default
from ._images import RGB32, empty, pointer, unpacked
from ._library import Handle, defaults, fill, library


class Demo(NamedTuple):
    """A demo sequence."""

    frames: np.ndarray  #: (N, H, W, 3) of uint8
    poses: np.ndarray  #: (N, 3, 3): the true pose of each frame, frame -> first frame, px
    field: np.ndarray  #: (H, W) of bool: the field of view


def demo(frames: Optional[int] = None, *, width: Optional[int] = None, height: Optional[int] = None,
         path: Optional[str] = None, step: Optional[float] = None, rotation: Optional[float] = None,
         zoom: Optional[float] = None, noise: Optional[float] = None, flicker: Optional[float] = None,
         highlights: Optional[int] = None, seed: Optional[int] = None, context: Optional[Context] = None) -> Demo:
    """Makes a sequence: tissue with vessels, seen by a moving scope with a circular field, vignetting, highlights and noise.

    Equal options give equal pixels on every machine.

    Args:
        frames: 2..100000; default 60.
        width, height: px, 64..4096; default 720 x 576.
        path: "loop" (default: the last frame meets the first again), "sweep" or "spiral".
        step: mean motion from frame to frame, px, 0..64; default 6.
        rotation: amplitude of the slow roll, degrees, 0..180; default 10.
        zoom: amplitude of the slow change of scale, per cent, 0..50; default 8.
        noise: standard deviation, grey levels, 0..64; default 2.
        flicker: amplitude of brightness changes from frame to frame, per cent, 0..50; default 3.
        highlights: specular highlights, which move with the scope, 0..1000; default 12.
        seed: default 1.
        context: default: one with default options, which is kept for the thread.

    Raises:
        InvalidArgument, OutOfMemory.
    """
    options = fill(defaults("endo_demo_options"), frames=frames, width=width, height=height, path=path, step=step,
                   rotation=rotation, zoom=zoom, noise=noise, flicker=flicker, highlights=highlights, seed=seed)
    with context_or_default(context)._use() as place, Handle("demo") as made:
        library.endo_demo_create(place, ctypes.byref(options), ctypes.byref(made))
        shape = (options.height, options.width)
        pixels = np.empty((options.frames, *shape, 3), np.uint8)
        poses = np.empty((options.frames, 3, 3))
        for index in range(options.frames):
            one = empty(RGB32, *shape)
            library.endo_demo_render(made, index, pointer(one, ctypes.POINTER(ctypes.c_uint32)))
            pixels[index] = unpacked(RGB32, one)
            true = _interface.endo_transform()
            library.endo_demo_truth(made, index, ctypes.byref(true))
            poses[index] = np.reshape(true.matrix, (3, 3))
        field = np.empty(shape, np.uint8)
        library.endo_demo_field(made, pointer(field, ctypes.POINTER(ctypes.c_uint8)))
    return Demo(pixels, poses, field != 0)
