"""Endorama: panoramas of endoscopic sequences, registration and enhancement of images.

The package calls one library in C, which computes the same bytes on every processor and GPU. Arrays are NumPy's: grey (H, W)
of uint8 or uint16, colour (H, W, 3) of uint8, RGB. Pixels are (x, y), x to the right, y down, the middle of the first one is
(0, 0); transforms are matrices that lead from a frame to its reference. Python's lock is released while the library works;
a program that forks after a call must start its workers by "spawn".
"""
from ._apply import Aligned, align, apply
from ._calls import Message
from ._chain import Chain, exposures, fourier_chain
from ._context import Context, Device, devices, why_no_devices
from ._demo import Demo, demo
from ._equalize import equalize
from ._errors import (Cancelled, DeviceFailed, EndoramaError, EndoramaWarning, InternalError, InvalidArgument, OutOfMemory,
                      Unsupported)
from ._fourier import FourierResult, fourier
from ._interface import ENDO_VERSION as __version__
from ._live import Live, LiveFrame, Preview
from ._mosaic import Mosaic, Panorama, Verdict, mosaic, solve
from ._mutual import MutualResult, mutual, resample
from ._register import Registration, register

__all__ = [
    "Aligned", "Cancelled", "Chain", "Context", "Demo", "Device", "DeviceFailed", "EndoramaError", "EndoramaWarning",
    "FourierResult", "InternalError", "InvalidArgument", "Live", "LiveFrame", "Message", "Mosaic", "MutualResult",
    "OutOfMemory", "Panorama", "Preview", "Registration", "Unsupported", "Verdict", "align", "apply", "demo",
    "devices", "equalize", "exposures", "fourier", "fourier_chain", "mosaic", "mutual", "register", "resample",
    "solve", "why_no_devices",
]
