"""A panorama that grows while a scope looks."""
import ctypes
import os
from dataclasses import dataclass
from typing import Dict, List, Optional, Union

import numpy as np

from . import _interface
from ._calls import Call, Message, Progress
from ._context import Context, options_of
from ._errors import EndoramaError, InvalidArgument
from ._images import Image, empty, mask_of, pointer, unpacked
from ._library import Handle, defaults, fill, library, word
from ._mosaic import Mosaic, _result


@dataclass(frozen=True, eq=False)
class LiveFrame:
    """What became of a frame."""

    number: int  #: of frames put, from 1
    state: str  #: "starting" (no two frames were registered with each other yet), "found", "doubtful" or "lost"
    kept: int  #: number of the kept frame, from 1; 0: it shows nothing new, or is lost, and is forgotten
    component: int  #: the panorama that it lies in, from 1; 0: none
    found_again: bool  #: the scope was lost, and this frame was found beside an earlier one
    pose: np.ndarray  #: (3, 3): frame to first frame of its component; not registered: that of the last registered frame
    quality: float  #: how well it and its reference agree, -1..1; NaN: not known
    milliseconds: float  #: from the call to the painted preview


@dataclass(frozen=True, eq=False, repr=False)
class Preview:
    """The panorama in which the scope was found last, reduced."""

    pixels: np.ndarray  #: (H, W) or (H, W, 3), of the type of the frames; 0 where nothing is painted; (0, 0[, 3]): nothing is
    component: int  #: that is shown
    origin: np.ndarray  #: (x, y): where the middle of the first frame's first pixel lies, px of the preview
    scale: float  #: pixels along one of the first frame
    changes: int  #: grows with each change


class Live:
    """Registers frames as they come, paints a preview, and at the end makes the usual panorama of the frames that showed something
    new. After endorama/live.h. To be used with `with`, or closed. None: the default.

    Args:
        step: a frame is kept where it has moved by this share of its longer side, percent, 0.1..50; default 3; the first ones at
            less.
        preview: longer side of a frame in the preview, px, 64..4096; default 480.
        loops: the poses of kept frames are solved for again and again on another thread; default True.
        context, mask, field, method, transform, lens, painting, light, scale: as in `mosaic`.
        memory: bytes for kept frames, default 2^30; scratch: folder for those beyond it; default: none.
        progress: called by `finish` with the share that is done, 0..1.

    Raises:
        InvalidArgument.
    """

    def __init__(self, *, step: Optional[float] = None, preview: Optional[int] = None, loops: Optional[bool] = None,
                 context: Optional[Context] = None, mask: Optional[np.ndarray] = None, field: Optional[str] = None,
                 method: Optional[str] = None, transform: Optional[str] = None, lens: Optional[float] = None,
                 painting: Optional[str] = None, light: Optional[bool] = None, scale: Optional[float] = None,
                 memory: Optional[int] = None, scratch: Union[str, "os.PathLike[str]", None] = None,
                 progress: Progress = None):
        self._call = Call(progress)
        self._shape = None
        self._mask = None
        options = defaults("endo_live_options")
        fill(options, step=step, preview=preview, loops=loops)
        options.mosaic.context = options_of(context)
        fill(options.mosaic, field=field, lens=lens, painting=painting, light=light, scale=scale, memory=memory)
        fill(options.mosaic.pairs, method=method, transform=transform)
        if scratch is not None:
            options.mosaic.scratch = os.fsencode(scratch)
        if mask is not None:
            self._shape = np.shape(mask)
            self._mask = mask_of(mask, *self._shape)
            options.mosaic.field = _interface.ENUMS["endo_mosaic_field"]["ENDO_MOSAIC_FIELD_MASK"]
            options.mosaic.mask = pointer(self._mask, ctypes.POINTER(ctypes.c_uint8))
        self._handle = Handle("live")
        library.endo_live_create_abi(ctypes.byref(options), ctypes.byref(self._call.hooks), _interface.ENDO_ABI,
                                     ctypes.byref(self._handle.pointer))

    def _open(self):
        if not self._handle.pointer:
            raise EndoramaError("the live panorama is closed")
        return self._handle.pointer

    def put(self, frame: np.ndarray) -> LiveFrame:
        """Registers the next frame: (H, W) of uint8 or uint16, or (H, W, 3) of uint8. Raises InvalidArgument (another size or
        type than the first frame, or the mask), OutOfMemory (neither `memory` nor `scratch` has room for a frame that shows
        something new: what is kept can be finished), DeviceFailed."""
        image = Image(frame, "frame")
        if self._mask is not None:
            mask_of(self._mask, image.height, image.width)
        found = _interface.endo_live_frame()
        library.endo_live_put(self._open(), image.address, image.type, image.width, image.height, image.stride,
                              ctypes.byref(found))
        self._shape = (image.height, image.width)
        return LiveFrame(found.number, word("endo_live_state", found.state), found.kept, found.component,
                         bool(found.found_again), np.array(found.pose.matrix).reshape(3, 3), found.quality, found.milliseconds)

    def preview(self) -> Preview:
        """A copy of the preview as it is; on any thread."""
        view = _interface.endo_live_view()
        while True:
            library.endo_live_describe(self._open(), ctypes.byref(view), None)
            room = view.width * view.height
            pixels = empty(view.type, max(1, room + room // 4))
            try:
                library.endo_live_read(self._open(), pixels.ctypes.data, pixels.size, ctypes.byref(view))
                break
            except InvalidArgument:
                pass  # it has grown meanwhile
        pixels = unpacked(view.type, pixels[:view.width * view.height].reshape(view.height, view.width))
        return Preview(pixels, view.component, np.array([view.origin_x, view.origin_y]), view.scale, view.changes)

    @property
    def counts(self) -> Dict[str, int]:
        """Frames put, kept and lost, bytes of kept frames, components, and times that poses were solved for; on any thread."""
        found = _interface.endo_live_counts()
        library.endo_live_describe(self._open(), None, ctypes.byref(found))
        return {name: getattr(found, name) for name, _ in found._fields_}

    @property
    def messages(self) -> List[Message]:
        """What there was to say so far, in order."""
        return list(self._call.messages)

    def finish(self) -> Optional[Mosaic]:
        """The panorama of the kept frames; None where fewer than two were kept. Once. Raises as `mosaic` does."""
        made = ctypes.POINTER(_interface.endo_mosaic)()
        with self._call:
            library.endo_live_finish(self._open(), ctypes.byref(made))
        self._call.warn()
        return _result(made, self._call, *self._shape) if made else None

    def close(self) -> None:
        """Gives back memory and device."""
        self._handle.close()

    def __enter__(self) -> "Live":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
