"""Known poses applied to a sequence: the one that they were found in, another channel of it, or another version."""
import ctypes
import warnings
from typing import Iterable, NamedTuple, Optional, Union

import numpy as np

from . import _interface
from ._calls import Call, Progress, troubles
from ._context import Context
from ._errors import EndoramaError, EndoramaWarning, InvalidArgument
from ._images import RGB32, Sequence, empty, mask_of, unpacked
from ._library import Handle, fill, library, number
from ._mosaic import Mosaic, Panorama, _create, _options, panoramas_of

Poses = Union[Mosaic, np.ndarray]


class Aligned(NamedTuple):
    """Frames warped by their poses."""

    frames: np.ndarray  #: (N, H, W) or (N, H, W, 3), of the type of the frames; 0 where a frame does not reach, or is left out
    origin: np.ndarray  #: (x, y): where pixel (0, 0) of the first frame lies in each, px


def apply(frames: Iterable[np.ndarray], poses: Poses, *, progress: Progress = None, context: Optional[Context] = None,
          mask: Optional[np.ndarray] = None, field: Optional[str] = None, lens: Optional[float] = None,
          painting: Optional[str] = None, light: Optional[bool] = None, interpolation: Optional[str] = None,
          scale: Optional[float] = None, coverage: bool = False, rim: Optional[int] = None,
          max_canvas: Optional[int] = None) -> Panorama:
    """Paints a sequence with known poses into one panorama; no motion is looked for.

    Args:
        frames: as for `mosaic`, one or more, as many as there are poses; an iterable without a length becomes a list.
        poses: a Mosaic (its largest panorama), or an array (N, 3, 3) or (N, 2, 3), frame -> panorama, px. Frames whose
            numbers are NaN are left out, as are those that no panorama can show.
        lens: that with which the poses were found.
        The other options: as for `mosaic`.

    Raises:
        InvalidArgument (another number of poses; no frame has one), EndoramaError (nothing was painted), OutOfMemory,
        DeviceFailed, Unsupported, KeyboardInterrupt.
    """
    call = Call(progress)
    options = _options(context, field=field, lens=lens, painting=painting, light=light, interpolation=interpolation,
                       scale=scale, rim=rim, max_canvas=max_canvas)
    options.extras = int(bool(coverage))
    with Sequence(frames, call) as sequence, Handle("mosaic") as made:
        records = _records(poses, sequence, options.max_canvas)
        _create(made, options, call, mask_of(mask, sequence.height, sequence.width))
        with call:
            library.endo_mosaic_paint(made, ctypes.byref(sequence.struct), records, len(records))
        call.warn()
        painted = panoramas_of(made)
    if not painted:
        raise EndoramaError("nothing was painted: " + "; ".join(troubles(call.messages)))
    return painted[0]


def align(frames: Iterable[np.ndarray], poses: Poses, *, extent: str = "frame", progress: Progress = None,
          context: Optional[Context] = None, mask: Optional[np.ndarray] = None, field: Optional[str] = None,
          lens: Optional[float] = None, rim: Optional[int] = None, max_canvas: Optional[int] = None) -> Aligned:
    """Warps every frame by its pose.

    Args:
        frames, poses: as for `apply`.
        extent: "frame" (default: the area of the first frame), or "all": nothing is cut off.
        progress: called with the share that is done, 0..1; an exception that it raises ends the call.
        The other options: as for `mosaic`.

    Raises:
        InvalidArgument (also an extent of more than max_canvas pixels), OutOfMemory, DeviceFailed, Unsupported.
    """
    call = Call()
    options = _options(context, field=field, lens=lens, rim=rim, max_canvas=max_canvas)
    size = _interface.endo_aligned_size()
    with Sequence(frames, call) as sequence, Handle("mosaic") as made:
        records = _records(poses, sequence, options.max_canvas)
        _create(made, options, call, mask_of(mask, sequence.height, sequence.width))
        with call:
            library.endo_mosaic_align(made, ctypes.byref(sequence.struct), records, len(records), 1,
                                      number("endo_aligned_extent", "extent", extent), ctypes.byref(size))
        channels = (3,) if sequence.type == RGB32 else ()
        one = empty(sequence.type, size.height, size.width)
        warped = np.zeros((len(records), size.height, size.width, *channels), np.uint8 if channels else one.dtype)
        for frame, record in enumerate(records):
            if record.registered:
                with call:
                    library.endo_mosaic_read_aligned(made, frame, one.ctypes.data, None)
                warped[frame] = unpacked(sequence.type, one)
            if progress:
                progress((frame + 1) / len(records))
        call.warn()
    return Aligned(warped, np.array([size.origin_x, size.origin_y]))


def _records(poses, sequence, max_canvas):
    """The library's records of frames in their poses; those that cannot be shown are left out, with a warning."""
    records = _of_mosaic(poses) if isinstance(poses, Mosaic) else _of_matrices(np.asarray(poses, float))
    n = sequence.struct.frames
    if len(records) != n:
        raise InvalidArgument(f"{len(records)} poses for {n} frames: must be as many")
    wild = (_interface.endo_wild_pose * n)()
    found = ctypes.c_int32()
    library.endo_mosaic_wild_poses(records, n, sequence.width, sequence.height, max_canvas, wild, ctypes.byref(found))
    for one in wild[:found.value]:
        _leave_out(records[one.frame])
        warnings.warn(f"frame {one.frame + 1}: {one.why.decode()}; it is left out", EndoramaWarning, stacklevel=3)
    if not any(record.registered for record in records):
        raise InvalidArgument("no frame has a pose that can be shown")
    return records


def _leave_out(record):
    record.registered = record.component = 0
    record.status = _interface.ENUMS["endo_frame_status"]["ENDO_FRAME_SKIPPED"]


def _of_mosaic(poses):
    """Of the largest panorama."""
    records = (_interface.endo_mosaic_frame * len(poses.records)).from_buffer_copy(poses.records.tobytes())
    for record in records:
        if record.component != 1:
            _leave_out(record)
    return records


def _of_matrices(matrices):
    if matrices.ndim != 3 or matrices.shape[1:] not in ((3, 3), (2, 3)):
        raise InvalidArgument(f"poses: an array {matrices.shape}: must be (N, 3, 3) or (N, 2, 3)")
    classes = _interface.ENUMS["endo_transform_class"]
    records = (_interface.endo_mosaic_frame * len(matrices))()
    for index, (record, matrix) in enumerate(zip(records, matrices)):
        whole = np.eye(3)
        whole[:len(matrix)] = matrix
        known = bool(np.isfinite(whole).all())
        flat = (whole[2] == (0, 0, 1)).all()
        kind = "ENDO_TRANSFORM_AFFINE" if flat else "ENDO_TRANSFORM_HOMOGRAPHY"
        pose = _interface.endo_transform(classes[kind], tuple(whole.ravel() if known else np.eye(3).ravel()))
        fill(record, reference=index, registered=True, component=1, order=index + 1, deviation=np.nan)
        record.pose = record.chained = pose
        if not known:
            _leave_out(record)
    return records
