"""Sequences whose frames are registered one after the other: as exposures, or by their spectra."""
import ctypes
from dataclasses import dataclass
from typing import Iterable, List, Optional, Union

import numpy as np

from . import _interface
from ._calls import Call, Message, Progress, outcome, troubles
from ._context import Context, options_of
from ._errors import InvalidArgument
from ._images import Sequence, mask_of, pointer
from ._library import Handle, defaults, fill, library, word
from ._mosaic import _records


@dataclass(frozen=True, eq=False, repr=False)
class Chain:
    """A registered sequence. Frames are numbered from 0."""

    records: np.ndarray  #: (N,) the library's records, fields as endo_chain_frame in endorama/chain.h
    messages: List[Message]  #: what the run had to say, in order
    backend: str  #: the back end, for people

    @property
    def poses(self) -> np.ndarray:
        """(N, 3, 3), frame -> first registered frame (or `onto`), px; of a frame that is not registered the last known one, or
        a prediction."""
        return self.records["pose"]["matrix"].reshape(-1, 3, 3)

    @property
    def registered(self) -> np.ndarray:
        """(N,) of bool: the pose is an estimate."""
        return self.records["registered"] != 0

    @property
    def verdicts(self) -> List[str]:
        """N words: "ok", "low certainty", "no content", "new start" or "skipped" (unreadable)."""
        return [word("endo_chain_status", status) for status in self.records["status"]]

    @property
    def shifts(self) -> np.ndarray:
        """(N, 2) x and y, px: of exposures, pixel (x, y) lies at (x + dx, y + dy) in the frame's reference; of spectra, where
        the middle of the frame lies there, less its own place."""
        return np.stack([self.records["dx"], self.records["dy"]], axis=1)

    @property
    def references(self) -> np.ndarray:
        """(N,) the frame that each was compared with; itself where the chain begins; -1: none, or `onto`."""
        return self.records["reference"]

    @property
    def scores(self) -> np.ndarray:
        """(N,) records with peak, certainty, mismatch, usable, angle, scale, ratio, overlap, ncc (endo_chain_scores)."""
        return self.records["scores"]

    def summary(self) -> str:
        """What there is, and what is wrong with it, line by line."""
        return "\n".join([outcome(self.verdicts, self.registered, self.backend), *troubles(self.messages)])

    def __repr__(self) -> str:
        return f"<endorama.Chain, {outcome(self.verdicts, self.registered, self.backend)}>"


def exposures(frames: Iterable[np.ndarray], *, reference: Union[int, str] = "previous", period: Optional[int] = None,
              kalman: Optional[bool] = None, search: Optional[int] = None, tolerance: Optional[int] = None,
              bins: Optional[int] = None, percentile: Optional[str] = None, subpixel: Optional[bool] = None,
              progress: Progress = None, context: Optional[Context] = None) -> Chain:
    """Aligns differently exposed images of one scene, or the frames of an exposure-bracketed video, by bitmaps of what is
    brighter than the median. After B. Guthier et al., Parallel Algorithms for Histogram-Based Image Registration, 2012.
    `align(frames, chain.poses)` then gives aligned frames.

    Args:
        frames: two or more arrays of one size and type, as for `mosaic`; an iterable without a length becomes a list.
        reference: "previous" (default), or the number of the frame that every other one is compared with, from 0.
        period: exposures in a bracket of a video, 0..1000; default 0: a single bracket.
        kalman: shifts are checked against the motion before (with a period); default False.
        search: range of shifts, px each way, 1..512; default 64.
        tolerance: grey levels around the threshold that are ignored, 0..127; default 4.
        bins: of the histogram of brightness, 64 (default) or 256.
        percentile: "adaptive" (default) or "median".
        subpixel: shifts to fractions of a pixel; default False.
        progress: called with the share that is done, 0..1; an exception that it raises ends the run and comes out here.
        context: its options say where to compute. Default: the faster back end for the job.

    Raises:
        InvalidArgument (an option; fewer than two frames), OutOfMemory, DeviceFailed, Unsupported, KeyboardInterrupt.
    """
    options = defaults("endo_exposure_chain_options")
    fill(options, period=period, kalman=kalman, reference=_reference(reference))
    fill(options.pairs, search=search, tolerance=tolerance, bins=bins, percentile=percentile, subpixel=subpixel)
    call = Call(progress)
    with Sequence(frames, call) as sequence:
        return _run("exposure", options, sequence, context, call)


def fourier_chain(frames: Iterable[np.ndarray], *, onto: Optional[np.ndarray] = None, reference: Union[int, str] = "previous",
                  mask: Optional[np.ndarray] = None, model: Optional[str] = None, max_scale: Optional[float] = None,
                  max_angle: Optional[float] = None, window: Optional[str] = None, gradient: Optional[str] = None,
                  refine: Optional[bool] = None, candidates: Optional[int] = None, paper: Optional[bool] = None,
                  progress: Progress = None, context: Optional[Context] = None) -> Chain:
    """Registers the frames of a sequence with one another, or each onto another image, by their spectra: rotation, scale and
    shift. The method and its options are those of `fourier`, which takes one pair.

    Args:
        frames: two or more arrays of one size and type (one with `onto`), as for `mosaic`; an iterable without a length
            becomes a list.
        onto: another image, of any size and type. reference: as for `exposures`, without `onto`.
        mask: (H, W), 0 = left out, without `onto`. Default: the field of view is found.
        progress, context: as for `exposures`.

    Raises:
        InvalidArgument, OutOfMemory, DeviceFailed, Unsupported (a build without FFTW, no cuFFT), KeyboardInterrupt.
    """
    options = defaults("endo_fourier_chain_options")
    fill(options, reference=_reference(reference))
    fill(options.pairs, model=model, max_scale=max_scale, max_angle=max_angle, window=window, gradient=gradient, refine=refine,
         candidates=candidates, paper=paper)
    call = Call(progress)
    with Sequence(frames, call) as sequence, Sequence(frames if onto is None else [onto], call) as other:
        mask = mask_of(mask, sequence.height, sequence.width)
        options.mask = pointer(mask, ctypes.POINTER(ctypes.c_uint8))
        if onto is not None:
            options.onto = ctypes.pointer(other.struct)
        return _run("fourier", options, sequence, context, call)


def _reference(reference):
    if reference == "previous":
        return _interface.ENDO_CHAIN_PREVIOUS
    if isinstance(reference, str) or reference < 0:
        raise InvalidArgument(f"reference {reference!r}: must be 'previous', or a frame from 0")
    return reference


def _run(kind, options, sequence, context, call):
    options.context = options_of(context)
    with Handle("chain") as made:
        getattr(library, f"endo_{kind}_chain_create_abi")(ctypes.byref(options), ctypes.byref(call.hooks),
                                                          _interface.ENDO_ABI, ctypes.byref(made))
        with call:
            library.endo_chain_run(made, ctypes.byref(sequence.struct))
        n = ctypes.c_int32()
        found = library.endo_chain_frames(made, ctypes.byref(n))
        chain = Chain(_records(found, n.value), call.messages, library.endo_chain_backend(made).decode())
    _tell_of_the_others(chain)
    call.warn(level=4)
    return chain


def _tell_of_the_others(chain):
    """Adds a message of the frames that were not registered, which the library leaves to its caller; numbered from 1."""
    others = [f"frame {frame + 1} ({verdict})" for frame, verdict in enumerate(chain.verdicts) if not chain.registered[frame]]
    if others:
        more = f" and {len(others) - 5} more" if len(others) > 5 else ""
        text = f"not registered: {len(others)} of {len(chain.records)} frames: {', '.join(others[:5])}{more}"
        chain.messages.append(Message("lost", "left out", -1, -1, text))
