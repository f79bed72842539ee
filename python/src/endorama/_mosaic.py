"""The panorama of a sequence, and what a run has to say of each frame."""
import ctypes
import os
from dataclasses import dataclass, replace
from typing import Dict, Iterable, List, Optional, Union

import numpy as np

from . import _interface
from ._calls import Call, Message, Progress, outcome, troubles
from ._context import Context, options_of
from ._errors import EndoramaError, InvalidArgument
from ._images import DTYPES, RGB32, Image, Sequence, can_be_asked_again, mask_of, pointer, unpacked
from ._library import Handle, defaults, fill, library, word

_BYTES = ctypes.POINTER(ctypes.c_uint8)
_SHORTS = ctypes.POINTER(ctypes.c_uint16)
# A panorama is read in bands of so many pixels, so that colour is not there twice.
_BAND = 1 << 24


@dataclass(frozen=True, eq=False, repr=False)
class Panorama:
    """What the frames of one connected component show together."""

    pixels: np.ndarray  #: (H, W) or (H, W, 3), of the type of the frames; 0 where nothing is painted
    painted: np.ndarray  #: (H, W) of bool
    origin: np.ndarray  #: (x, y): where pixel (0, 0) of the component's first frame lies, px of the panorama
    scale: float  #: pixels of the panorama along one of the first frame
    frames: int  #: number of frames in the component
    coverage: Optional[np.ndarray] = None  #: (H, W) of uint16: frames that reach the pixel; None: not asked for
    uncertainty: Optional[np.ndarray] = None  #: (H, W), px of the first frame: standard deviation of the place of a pixel; NaN:
    #: not known, or not painted; None: not asked for

    def __repr__(self) -> str:
        height, width = self.pixels.shape[:2]
        return f"<endorama.Panorama of {self.frames} frames, {width} x {height} px>"


@dataclass(frozen=True, eq=False, repr=False)
class Mosaic:
    """The result of a run. Frames are numbered from 0, panoramas too, the largest first."""

    panoramas: List[Panorama]  #: one a connected component; empty with picture=False
    records: np.ndarray  #: (N,) the library's records of frames, fields as endo_mosaic_frame in endorama/mosaic.h
    edges: np.ndarray  #: the pairs that were accepted, fields as endo_mosaic_edge; `solve` takes a changed copy
    messages: List[Message]  #: what the run had to say, in order
    backend: str  #: the back end, for people: "cpu (avx512, 2 threads)"
    field: np.ndarray  #: (H, W) of bool: the field of view
    field_description: str  #: the same, for people
    lens: float  #: distortion that was taken out of the frames, percent; 0: none. Poses are those of frames without it
    light_description: str  #: the light of the scope that was taken out, for people; "": none
    seconds: Dict[str, float]  #: time of the run by activity

    @property
    def panorama(self) -> np.ndarray:
        """The pixels of the largest panorama, (H, W) or (H, W, 3). Raises EndoramaError where nothing was painted."""
        if not self.panoramas:
            raise EndoramaError("nothing was painted: " + self.summary())
        return self.panoramas[0].pixels

    @property
    def poses(self) -> np.ndarray:
        """(N, 3, 3): with w = p[2] @ (x, y, 1), pixel (x, y) of a frame lies at p[:2] @ (x, y, 1) / w in the first frame of its
        component, px; predicted where `registered` is False."""
        return self.records["pose"]["matrix"].reshape(-1, 3, 3)

    @property
    def registered(self) -> np.ndarray:
        """(N,) of bool: the pose is an estimate, and the frame belongs to a panorama."""
        return self.records["registered"] != 0

    @property
    def verdicts(self) -> List[str]:
        """N words: "ok", "doubtful" (nothing sure ties it to the others), "few landmarks", "no texture", "jump" (another scene,
        or too far), "outlier" (some of it is unlike its neighbours), "oblique" (too tilted to be painted), "skipped"
        (unreadable), "not placed" (none of its edges was given to `solve`)."""
        return [word("endo_frame_status", status) for status in self.records["status"]]

    @property
    def deviations(self) -> np.ndarray:
        """(N,) standard deviations of the poses, px of the first frame; NaN: not known."""
        return self.records["deviation"]

    @property
    def components(self) -> np.ndarray:
        """(N,) numbers of the panorama that a frame is in, from 0 as in `panoramas`; -1: none."""
        return self.records["component"] - 1

    def summary(self) -> str:
        """What there is, and what is wrong with it, line by line."""
        lines = [outcome(self.verdicts, self.registered, self.backend)]
        for one in self.panoramas:
            height, width = one.pixels.shape[:2]
            lines.append(f"panorama of {one.frames} frames, {width} x {height} px")
        lines += [text for text in (self.field_description, self.light_description) if text]
        return "\n".join(lines + troubles(self.messages))

    def __repr__(self) -> str:
        return f"<endorama.Mosaic, {outcome(self.verdicts, self.registered, self.backend)}>"


def mosaic(frames: Iterable[np.ndarray], *, numbers: Optional[Iterable[int]] = None, progress: Progress = None,
           context: Optional[Context] = None,
           mask: Optional[np.ndarray] = None, field: Optional[str] = None, method: Optional[str] = None,
           transform: Optional[str] = None, initial: Optional[str] = None, template_side: Optional[int] = None,
           cross: Optional[int] = None, landmarks: Optional[int] = None, cthresh: Optional[float] = None,
           uthresh: Optional[float] = None, guarantee: Optional[float] = None, subpixel: Optional[bool] = None,
           pattern: Optional[bool] = None, iir: Optional[int] = None, highlights: Optional[bool] = None,
           enhance: Optional[bool] = None, solve: Optional[bool] = None, lens: Optional[float] = None,
           picture: Optional[bool] = None, painting: Optional[str] = None, instruments: Optional[str] = None,
           relief: Optional[str] = None, light: Optional[bool] = None, interpolation: Optional[str] = None,
           scale: Optional[float] = None, coverage: bool = False, uncertainty: bool = False, rim: Optional[int] = None, max_canvas: Optional[int] = None,
           memory: Optional[int] = None, scratch: Union[str, "os.PathLike[str]", None] = None) -> Mosaic:
    """Registers the frames of a sequence and paints them into panoramas. What is computed and after which publications:
    docs/algorithms of the project; units and ranges of the options: endorama/mosaic.h and registration.h. None: the default.

    Args:
        frames: two or more arrays of one size, (H, W) of uint8 or uint16 or (H, W, 3) of uint8. What has a length and numbers
            (a list, an array (N, H, W[, 3]), a lazy stack) is asked for its frames again and again, most of them two to four
            times, also on another thread; dense grey frames are not copied. One that cannot be read is left out. Any other
            iterable is gone through once, and its frames are kept in memory, beyond `memory` in `scratch`.
        numbers: of the frames in a longer sequence that they were chosen from, ascending, for messages and `records`; not with
            frames that are gone through once. Default: 1, 2, 3 ...
        progress: called with the share that is done, 0..1. An exception that it raises ends the run and comes out here, as
            KeyboardInterrupt does after Ctrl-C.
        context: its options say where to compute. Default: the faster back end for the job, with all threads.
        mask: (H, W), 0 = outside the field of view. Default: `field`, "auto" (it is found) or "whole".
        method: "best" (default), or "paper": landmarks by logarithmic search alone.
        transform: "auto" (default: the simplest class that explains the frames), "translation", "rigid", "similarity",
            "affine", "homography".
        initial: where searches start: "flow" (default), "none", "exposures", "fourier".
        template_side, cross, landmarks, cthresh, uthresh, guarantee, subpixel: as in endo_pairs_options.
        pattern: the fixed pattern of the sensor is found and taken out for matching; default True.
        iir: px, 0..255; default 4. highlights: specular pixels are ignored in matching; default False. enhance: matching
            works on equalized frames; default False.
        solve: frames are also registered with others that show the same; default True.
        lens: distortion that is taken out, percent, -40..40, below 0 for a barrel; 0: none; NaN (default): what the frames show
            for sure as they move.
        picture: False: poses alone are wanted. painting: "blend" (default), "ring", "union".
        instruments: "leave out" (default) or "keep"; relief: "auto" (default: frames of a scene in depth are
            displaced so that they agree, where that is sure) or "none"; light: vignetting and flicker are taken out, default True;
            interpolation: "cubic" (default) or "linear"; scale: 0.25..4, default 1; coverage, uncertainty: pictures beside
            the panorama (all of these with "blend" alone).
        rim: px along the field's edge that is not painted, twice; 0..1000, default 8.
        max_canvas: largest panorama, px; default 1e9. memory: bytes for frames that are kept and for panoramas; default
            2^30. scratch: folder for what is beyond `memory`; default: none, and `memory` is a limit.

    Returns:
        Mosaic. Frames that could not be used, and results that are wrong as a whole, are also told as EndoramaWarning.

    Raises:
        InvalidArgument (an option, fewer than two frames, a frame of another size), OutOfMemory, DeviceFailed, Unsupported,
        KeyboardInterrupt.
    """
    call = Call(progress)
    options = _options(context, field=field, pattern=pattern, iir=iir, highlights=highlights, enhance=enhance, solve=solve,
                       lens=lens, painting=painting, picture=picture, instruments=instruments, relief=relief,
                       light=light, interpolation=interpolation, scale=scale, rim=rim, max_canvas=max_canvas, memory=memory)
    fill(options.pairs, method=method, transform=transform, initial=initial, template_side=template_side, cross=cross,
         landmarks=landmarks, cthresh=cthresh, uthresh=uthresh, guarantee=guarantee, subpixel=subpixel)
    options.extras = bool(coverage) + 2 * bool(uncertainty)
    if scratch is not None:
        options.scratch = os.fsencode(scratch)
    if can_be_asked_again(frames):
        frames = Sequence(frames, call, numbers)
    elif numbers is not None:
        raise InvalidArgument("numbers: go with frames that have a length, as a list has")
    run = _run_all if isinstance(frames, Sequence) else _put_all
    with Handle("mosaic") as made:
        shape = run(made, options, call, frames, mask)
        call.warn()
        return _result(made, call, *shape)


def solve(found: Mosaic, edges: np.ndarray, *, context: Optional[Context] = None) -> Mosaic:
    """Solves for the poses of a run again, from edges that were mended.

    Args:
        found: a run.
        edges: its `edges`, of which some may be left out or changed, or others added with `by_hand` 1: `reference` and
            `current` are numbers of frames from 0, `transform` leads from current to reference, `deviation` is its standard deviation,
            px. An edge by hand is sure, and may join a frame that could not be registered.
        context: where to compute; poses are solved for on the CPU.

    Returns:
        Mosaic without panoramas, which `apply` paints. Frames without any edge are "not placed".

    Raises:
        InvalidArgument (an edge of no frame, or of a frame that is not registered and not by hand), OutOfMemory.
    """
    call = Call(None)
    height, width = found.field.shape
    rows, columns = np.nonzero(found.field)
    records = found.records.copy()
    edges = np.array(edges, found.edges.dtype)
    given = _interface.endo_mosaic_records(
        width=width, height=height,
        field_spread=np.sqrt(np.mean((columns - (width - 1) / 2) ** 2 + (rows - (height - 1) / 2) ** 2)),
        frames=pointer(records, ctypes.POINTER(_interface.endo_mosaic_frame)), n_frames=len(records),
        edges=pointer(edges, ctypes.POINTER(_interface.endo_mosaic_edge)), n_edges=len(edges))
    with Handle("mosaic") as made:
        _create(made, _options(context, lens=found.lens), call, None)
        with call:
            library.endo_mosaic_solve(made, ctypes.byref(given))
        call.warn()
    return replace(found, panoramas=[], records=records, edges=edges, messages=call.messages)


def _options(context, **values):
    options = defaults("endo_mosaic_options")
    options.context = options_of(context)
    return fill(options, **values)


def _create(made, options, call, mask):
    """mask: bytes, or None; it must stay until the run begins."""
    if mask is not None:
        options.field = _interface.ENUMS["endo_mosaic_field"]["ENDO_MOSAIC_FIELD_MASK"]
        options.mask = pointer(mask, _BYTES)
    library.endo_mosaic_create_abi(ctypes.byref(options), ctypes.byref(call.hooks), _interface.ENDO_ABI, ctypes.byref(made))


def _run_all(made, options, call, frames, mask):
    with frames as sequence:
        mask = mask_of(mask, sequence.height, sequence.width)
        _create(made, options, call, mask)
        with call:
            library.endo_mosaic_run(made, ctypes.byref(sequence.struct))
        return sequence.height, sequence.width


def _put_all(made, options, call, frames, mask):
    shape = None
    for number, frame in enumerate(frames):
        image = Image(frame, f"frames[{number}]")
        if shape is None:
            shape = (image.height, image.width)
            mask = mask_of(mask, *shape)
            _create(made, options, call, mask)
        library.endo_mosaic_put(made, image.address, image.type, image.width, image.height, image.stride)
    if shape is None:
        raise InvalidArgument("a sequence without frames")
    with call:
        library.endo_mosaic_finish(made)
    return shape


def _records(found, count):
    """The library's records as an array of their own."""
    if not count:
        return np.zeros(0, np.dtype(found._type_))
    kind = found._type_
    return np.frombuffer((kind * count).from_address(ctypes.addressof(found.contents)), np.dtype(kind)).copy()


def _result(made, call, height, width):
    n = ctypes.c_int32()
    frames = library.endo_mosaic_frames(made, ctypes.byref(n))
    records = _records(frames, n.value)
    edges = library.endo_mosaic_edges(made, ctypes.byref(n))
    mask = library.endo_mosaic_field_mask(made)
    spent = library.endo_mosaic_spent(made)
    return Mosaic(
        panoramas=panoramas_of(made), records=records, edges=_records(edges, n.value), messages=call.messages,
        backend=library.endo_mosaic_backend(made).decode(),
        field=np.ctypeslib.as_array(mask, (height, width)) != 0 if mask else np.ones((height, width), bool),
        field_description=library.endo_mosaic_field_description(made).decode(),
        lens=library.endo_mosaic_lens(made),
        light_description=library.endo_mosaic_light_description(made).decode(),
        seconds={name: getattr(spent, name) for name, _ in spent._fields_})


def panoramas_of(made) -> List[Panorama]:
    """Reads all panoramas of a mosaic that has run."""
    found = []
    for component in range(1, library.endo_mosaic_components(made) + 1):
        shape = _interface.endo_mosaic_panorama()
        library.endo_mosaic_describe(made, component, ctypes.byref(shape))
        if shape.width > 0:
            found.append(_read(made, component, shape))
    return found


def _read(made, component, shape):
    height, width = shape.height, shape.width
    channels = (3,) if shape.type == RGB32 else ()
    pixels = np.empty((height, width, *channels), np.uint8 if channels else DTYPES[shape.type])
    painted = np.empty((height, width), np.uint8)
    coverage = np.empty((height, width), np.uint16) if shape.extras & 1 else None
    uncertainty = np.empty((height, width), np.uint16) if shape.extras & 2 else None
    rows = max(1, _BAND // width)
    for top in range(0, height, rows):
        end = min(top + rows, height)
        band = np.empty((end - top, width), DTYPES[shape.type])
        planes = _interface.endo_panorama_planes(pixels=band.ctypes.data, painted=pointer(painted[top:end], _BYTES))
        if coverage is not None:
            planes.coverage = pointer(coverage[top:end], _SHORTS)
        if uncertainty is not None:
            planes.uncertainty = pointer(uncertainty[top:end], _SHORTS)
        place = _interface.endo_rectangle(0, top, width, end - top)
        library.endo_mosaic_read(made, component, ctypes.byref(place), ctypes.byref(planes))
        pixels[top:end] = unpacked(shape.type, band)
    if uncertainty is not None:
        known = (uncertainty > 0) & (uncertainty < 65535)
        uncertainty = np.where(known, uncertainty * np.float32(0.01), np.float32(np.nan))
    return Panorama(pixels, painted != 0, np.array([shape.origin_x, shape.origin_y]), shape.scale, shape.frames, coverage,
                    uncertainty)
