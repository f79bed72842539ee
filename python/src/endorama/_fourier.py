"""Rotation, scale and shift between two images of any size, from their spectra."""
import ctypes
from dataclasses import dataclass
from typing import Optional

import numpy as np

from . import _interface
from ._calls import Call
from ._context import Context, context_or_default
from ._images import Image
from ._library import defaults, fill, library, word
from ._register import grey_range


@dataclass(frozen=True, eq=False)
class FourierResult:
    """How two images fit together."""

    transform: np.ndarray  #: (3, 3), current -> reference, px
    status: str  #: "ok", "low certainty" or "no content" (the transform is the identity)
    angle: float  #: degrees, -180 (excluded) .. 180; positive: x turns towards y, clockwise on the screen
    scale: float  #: px of the reference that one px of the current image covers
    shift: np.ndarray  #: (dx, dy), px: where the middle of the current image lies in the reference, less its own coordinates
    peak: float  #: height of the best peak, 0..1
    ratio: float  #: height of the second best peak over it, 0..1: 1 is ambiguous
    overlap: float  #: share of the smaller image that both show, 0..1
    ncc: float  #: correlation of the overlap after alignment, -1..1; NaN: undefined


def fourier(reference: np.ndarray, current: np.ndarray, *, model: Optional[str] = None, max_scale: Optional[float] = None,
            max_angle: Optional[float] = None, window: Optional[str] = None, gradient: Optional[str] = None,
            refine: Optional[bool] = None, candidates: Optional[int] = None, paper: Optional[bool] = None,
            low: Optional[int] = None, high: Optional[int] = None, context: Optional[Context] = None) -> FourierResult:
    """Registers two images of any sizes and types. After S. Sah et al., GPU Accelerated Real Time Rotation, Scale and
    Translation Invariant Image Registration Method (docs/algorithms/fourier.md has what is added to it).

    Args:
        reference, current: (H, W) of uint8 or uint16, or (H, W, 3) of uint8. Grey images are not copied here where their
            pixels lie side by side.
        model: "similarity" (default), "rigid" or "translation".
        max_scale: largest change of scale each way, 1..8; default 4. max_angle: degrees each way, 0..180; default 180.
        window: how images fade out at their borders: "tukey" (default), "hann" or "none".
        gradient: what spectra are taken of: "sobel" (default), "highpass" or "none".
        refine: least squares on the intensities; default True. candidates: peaks that are tried, 1..16; default 5.
        paper: the published method and no more; default False.
        low, high: uint16: the grey values that become 0 and 255; default: all but a thousandth of the pixels at either end.
        context: default: one with default options, which is kept for the thread.

    Raises:
        InvalidArgument, OutOfMemory, DeviceFailed, Unsupported (a build without FFTW, no cuFFT), KeyboardInterrupt.
    """
    images = [Image(reference, "reference"), Image(current, "current")]
    options = fill(defaults("endo_fourier_options"), model=model, max_scale=max_scale, max_angle=max_angle, window=window,
                   gradient=gradient, refine=refine, candidates=candidates, paper=paper)
    given = []
    for image in images:
        one = _interface.endo_fourier_image(pixels=image.address, type=image.type, width=image.width, height=image.height,
                                            stride=image.stride)
        one.low, one.high = grey_range([image], low, high)
        given.append(one)
    found = _interface.endo_fourier_result()
    with context_or_default(context)._use(Call()) as place:
        library.endo_fourier_register_images(place, ctypes.byref(given[0]), ctypes.byref(given[1]), ctypes.byref(options),
                                             ctypes.byref(found))
    return FourierResult(np.reshape(found.transform.matrix, (3, 3)), word("endo_fourier_status", found.status), found.angle,
                         found.scale, np.array([found.dx, found.dy]), found.peak, found.ratio, found.overlap, found.ncc)
