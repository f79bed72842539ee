"""Where one image lies in another that shows nearly the same scene."""
import ctypes
from dataclasses import dataclass
from typing import Optional

import numpy as np

from . import _interface
from ._calls import Call
from ._context import Context, context_or_default
from ._errors import InvalidArgument
from ._images import GREY16, Image, mask_of, pointer
from ._library import Handle, defaults, fill, library, word


@dataclass(frozen=True, eq=False)
class Registration:
    """How a pair of images fits together."""

    transform: np.ndarray  #: (3, 3), current -> reference, px
    kind: str  #: class of the transform: "translation", "rigid", "similarity", "affine" or "homography"
    status: str  #: "ok", "few landmarks" (doubtful), "no texture" or "jump" (nothing fits; the transform is the identity)
    quality: float  #: mean coefficient of 5 x 5 parts of the overlap, -1..1; NaN: undefined
    deviation: float  #: standard deviation of where a point goes, px, root mean square over the frame; NaN: not known
    coefficient: float  #: mean over the landmarks used, -1..1; NaN: none
    landmarks: int  #: landmarks with texture in the field
    found: int  #: landmarks that reached cthresh
    used: int  #: landmarks of the last fit


def grey_range(images, low, high):
    """The grey values of 16-bit images that become 0 and 255 for matching. Where none are given: of every image, one pixel
    in a thousand may be darker, and one brighter."""
    if images[0].type != GREY16:
        return 0, 65535
    if low is None or high is None:
        ends = [np.percentile(image.pixels, (0.1, 99.9)) for image in images]
        found = min(end[0] for end in ends), max(end[1] for end in ends)
        low = int(found[0]) if low is None else low
        high = max(int(np.ceil(found[1])), low + 1) if high is None else high
    return low, high


def register(reference: np.ndarray, current: np.ndarray, *, context: Optional[Context] = None,
             mask: Optional[np.ndarray] = None, method: str = "best", transform: Optional[str] = None,
             initial: Optional[str] = None, template_side: Optional[int] = None, cross: Optional[int] = None,
             landmarks: Optional[int] = None, cthresh: Optional[float] = None, uthresh: Optional[float] = None,
             guarantee: Optional[float] = None, subpixel: Optional[bool] = None, iir: Optional[int] = None,
             highlights: Optional[bool] = None, enhance: Optional[int] = None, low: Optional[int] = None,
             high: Optional[int] = None) -> Registration:
    """Finds the transform that takes pixels of `current` to where `reference` shows the same. After E. Sewergin, FH Koeln 2009,
    section 2.5, and with the method "best" refined on the intensities (docs/algorithms/pairs.md).

    Args:
        reference, current: arrays of one size and type, (H, W) of uint8 or uint16, or (H, W, 3) of uint8.
        context: default: one with default options, which is kept for the thread.
        mask: (H, W), 0 = outside the field of view of both. Default: every pixel counts.
        method: "best" (default) or "paper".
        transform: "auto" (default of "best"), "translation", "rigid", "similarity", "affine" (default of "paper") or
            "homography" ("best" alone).
        initial: where searches start: "flow" (default), "none", "exposures", "fourier".
        template_side: px, odd, 3..255; default by the width. cross: px, power of two 1..128; default 4. landmarks: along each
            side, 2..64; default 8. cthresh: -1..1; default 0.85. uthresh: px; default 2.5. guarantee: 0..1; default 0.2.
            subpixel: default True.
        iir: px, 0..255; default 4. highlights: specular pixels are ignored; default False. enhance: side of the windows in
            which images are equalized for matching, px, odd; default 0: none.
        low, high: uint16: the grey values that become 0 and 255 for matching; default: all but a thousandth of the pixels.

    Raises:
        InvalidArgument (an option; images that differ in size or type), OutOfMemory, DeviceFailed, Unsupported,
        KeyboardInterrupt.
    """
    images = [Image(reference, "reference"), Image(current, "current")]
    if len({(image.type, image.height, image.width) for image in images}) > 1:
        raise InvalidArgument("reference and current differ in size or type: "
                              + ", ".join(f"{one.width} x {one.height} px of {one.pixels.dtype}" for one in images))
    low, high = grey_range(images, low, high)
    storing = fill(defaults("endo_frames_options"), width=images[0].width, height=images[0].height, capacity=2, low=low,
                   high=high, keep_pixels=0, iir=iir, enhance=enhance)
    storing.type = images[0].type
    if highlights or method == "best":
        storing.highlights = 1 if highlights else _interface.ENDO_HIGHLIGHTS_REFINING
    mask = mask_of(mask, images[0].height, images[0].width)
    storing.field = pointer(mask, ctypes.POINTER(ctypes.c_uint8))
    if transform is None and method == "best":
        transform = "auto"
    options = fill(defaults("endo_pairs_options"), method=method, transform=transform, initial=initial,
                   template_side=template_side, cross=cross, landmarks=landmarks, cthresh=cthresh, uthresh=uthresh,
                   guarantee=guarantee, subpixel=subpixel)
    found = _interface.endo_pair_result()
    with context_or_default(context)._use(Call()) as place, Handle("frames") as frames:
        library.endo_frames_create(place, ctypes.byref(storing), ctypes.byref(frames))
        for slot, image in enumerate(images):
            library.endo_frames_put(frames, slot, image.address, image.stride)
        library.endo_pairs_register(frames, ctypes.byref(_interface.endo_pair(0, 1)), 1, ctypes.byref(options),
                                    ctypes.byref(found))
    return Registration(np.reshape(found.transform.matrix, (3, 3)), word("endo_transform_class", found.transform.kind),
                        word("endo_pair_status", found.status), found.quality, found.deviation, found.mean_coefficient,
                        found.landmarks, found.found, found.used)
