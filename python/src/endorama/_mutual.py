"""Registration of volumes and images of two modalities by mutual information."""
import ctypes
from dataclasses import dataclass
from typing import Optional, Sequence, Union

import numpy as np

from . import _interface
from ._calls import Call
from ._context import Context, context_or_default
from ._errors import InvalidArgument
from ._images import Image, RGB32, empty, pointer, unpacked
from ._library import Handle, defaults, fill, library, number, word

_DOUBLES = ctypes.POINTER(ctypes.c_double)


@dataclass(frozen=True, eq=False)
class MutualResult:
    """How a moving volume lies over a fixed one. Coordinates are (x, y, z, 1), arrays are [z, y, x]."""

    voxels: np.ndarray  #: (4, 4), fixed -> moving, voxels
    world: np.ndarray  #: (4, 4), fixed -> moving, mm: what `resample`, ITK and ANTs take
    status: str  #: "ok", "low certainty", "no overlap" or "no content"
    before: float  #: the measure of the initial transform; NaN: no overlap
    after: float  #: the measure of the result
    overlap: float  #: share of the fixed voxels that fall into the moving volume, 0..1
    certainty: float  #: 0 (none) .. 1
    stop: str  #: "converged", or "evaluations": the most that were allowed were made
    evaluations: int  #: of the measure


class _Volume:
    """A volume for a call; what it holds must stay as long as the struct is used."""

    def __init__(self, array, name, affine, spacing, mask=None):
        array = np.asarray(array)
        if array.ndim == 2 or (array.ndim == 3 and array.shape[2] == 3 and array.dtype == np.uint8):
            array = array[np.newaxis]
        if array.ndim not in (3, 4):
            raise InvalidArgument(f"{name}: an array {array.shape}: must be (Z, Y, X) or (Y, X), or these with 3 colours")
        self.depth, height = array.shape[:2]
        rows = Image(array.reshape(self.depth * height, *array.shape[2:]), name, dense=True)
        self.pixels, self.type, self.height, self.width = rows.pixels, rows.type, height, rows.width
        self.struct = defaults("endo_volume")
        fill(self.struct, width=self.width, height=height, depth=self.depth)
        self.struct.pixels, self.struct.type = rows.address, rows.type
        if spacing is not None:
            self.struct.spacing = _numbers(spacing, (3,), f"{name}_spacing")
        if affine is not None:
            self.struct.world = _numbers(affine, (4, 4), f"{name}_affine")
        if mask is not None:
            mask = np.asarray(mask)
            if mask.size != self.depth * height * self.width:
                raise InvalidArgument(f"mask: an array {mask.shape}: must have the size of the fixed volume")
            self.mask = np.ascontiguousarray(mask != 0).view(np.uint8)
            self.struct.mask = pointer(self.mask, ctypes.POINTER(ctypes.c_uint8))


def _numbers(values, shape, name):
    values = np.asarray(values, float)
    if values.shape != shape:
        raise InvalidArgument(f"{name}: an array {values.shape}: must be {shape}")
    return tuple(values.ravel())


def mutual(fixed: np.ndarray, moving: np.ndarray, *, fixed_affine: Optional[np.ndarray] = None,
           moving_affine: Optional[np.ndarray] = None, fixed_spacing: Optional[Sequence[float]] = None,
           moving_spacing: Optional[Sequence[float]] = None, mask: Optional[np.ndarray] = None,
           initial: Union[str, np.ndarray, None] = None, model: Optional[str] = None, bins: Optional[int] = None,
           measure: Optional[str] = None, interpolation: Optional[str] = None, optimizer: Optional[str] = None,
           levels: Optional[int] = None, starts: Optional[int] = None, turn_range: Optional[float] = None,
           shift_range: Optional[float] = None, overlap: Optional[float] = None, tolerance: Optional[float] = None,
           max_evaluations: Optional[int] = None, fixed_range: Optional[Sequence[int]] = None,
           moving_range: Optional[Sequence[int]] = None, context: Optional[Context] = None) -> MutualResult:
    """Finds the transform fixed -> moving (as resampling needs it) under which two volumes tell most of each other. After
    T. Brosch, R. Tam, A Self-Optimizing Histogram Algorithm for Graphics Card Accelerated Image Registration, 2009.

    Args:
        fixed, moving: volumes [z, y, x], or images [y, x], of uint8 or uint16 (or uint8 with three colours as a last axis);
            1..16384 voxels a side. Other numbers must be brought to uint16 first. NiBabel's arrays are [x, y, z]: pass
            `array.T`, and the affine as it is.
        fixed_affine, moving_affine: (4, 4), from (x, y, z) in voxels to mm, as NIfTI has them. Default: `fixed_spacing`,
            `moving_spacing`, mm along x, y, z (default 1, 1, 1), with the origin in the middle of the volume.
        mask: of the fixed volume's size: 0 = the voxel does not count.
        initial: "header" (default: the worlds as they are), "centres", "moments", or a (4, 4) array, fixed -> moving, mm.
        model: "rigid" (default), "translation", "similarity" or "affine".
        bins: of each image, 16..256; default 64. measure: "mi" (default) or "nmi". interpolation: "linear" (default) or
            "nearest". optimizer: "powell" (default) or "gradient". levels: 1..8; default by size. starts: 1..4096; default
            as many as the ranges need. turn_range: degrees each way, 0..180; default 15. shift_range: mm each way; default
            an eighth of the longest side. overlap: smallest share, above 0 .. 1; default 0.25. tolerance: voxels,
            0.0001..1; default 0.01. max_evaluations: 1..1000000; default 100000.
        fixed_range, moving_range: (low, high) grey values between which the bins lie; default: all but a thousandth of the
            voxels at either end.
        context: default: one with default options, which is kept for the thread.

    Raises:
        InvalidArgument, OutOfMemory, DeviceFailed, Unsupported, KeyboardInterrupt. A doubtful result is a status.
    """
    volumes = (_Volume(fixed, "fixed", fixed_affine, fixed_spacing, mask),
               _Volume(moving, "moving", moving_affine, moving_spacing))
    options = fill(defaults("endo_mutual_options"), model=model, bins=bins, measure=measure, interpolation=interpolation,
                   optimizer=optimizer, levels=levels, starts=starts, turn_range=turn_range, shift_range=shift_range,
                   overlap=overlap, tolerance=tolerance, max_evaluations=max_evaluations)
    if initial is not None and not isinstance(initial, str):
        options.initial_map = _numbers(initial, (4, 4), "initial")
        initial = "given"
    fill(options, initial=initial)
    for side, given in enumerate((fixed_range, moving_range)):
        if given is not None:
            options.low[side], options.high[side] = (int(value) for value in given)
    found = _interface.endo_mutual_result()
    with context_or_default(context)._use(Call()) as place, Handle("mutual") as made:
        library.endo_mutual_create(place, ctypes.byref(volumes[0].struct), ctypes.byref(volumes[1].struct),
                                   ctypes.byref(options), ctypes.byref(made))
        library.endo_mutual_register(made, ctypes.byref(found))
    return MutualResult(np.reshape(found.voxels, (4, 4)), np.reshape(found.world, (4, 4)),
                        word("endo_mutual_status", found.status), found.before, found.after, found.overlap, found.certainty,
                        word("endo_mutual_stop", found.stop), found.evaluations)


def resample(fixed: np.ndarray, moving: np.ndarray, world: np.ndarray, *, fixed_affine: Optional[np.ndarray] = None,
             moving_affine: Optional[np.ndarray] = None, fixed_spacing: Optional[Sequence[float]] = None,
             moving_spacing: Optional[Sequence[float]] = None, interpolation: str = "linear",
             context: Optional[Context] = None) -> np.ndarray:
    """The moving volume in the grid of the fixed one: an array of the fixed volume's size and the moving one's type; 0 where a
    voxel falls outside. Every back end gives the same bytes.

    Args:
        world: (4, 4), fixed -> moving, mm, as MutualResult.world.
        interpolation: "linear" (default) or "nearest".
        The others: as for `mutual`.

    Raises:
        InvalidArgument, OutOfMemory, DeviceFailed.
    """
    grid = _Volume(fixed, "fixed", fixed_affine, fixed_spacing)
    source = _Volume(moving, "moving", moving_affine, moving_spacing)
    matrix = np.array(_numbers(world, (4, 4), "world"))
    out = empty(source.type, grid.depth, grid.height, grid.width)
    place_of = _interface.endo_volume_output(pixels=out.ctypes.data)
    with context_or_default(context)._use() as place:
        library.endo_mutual_resample(place, ctypes.byref(grid.struct), ctypes.byref(source.struct), pointer(matrix, _DOUBLES),
                                     number("endo_mutual_interpolation", "interpolation", interpolation),
                                     ctypes.byref(place_of))
    shape = np.shape(fixed)
    flat = len(shape) == 2 or (len(shape) == 3 and shape[2] == 3 and grid.type == RGB32)
    found = unpacked(source.type, out)
    return found[0] if flat else found
