"""Arrays as the library takes them: 8 or 16 bits of grey as they are, RGB as 0xAARRGGBB."""
import ctypes
import sys

import numpy as np

from . import _interface
from ._errors import InvalidArgument

GREY8, GREY16, RGB32 = 0, 1, 2
DTYPES = {GREY8: np.uint8, GREY16: np.uint16, RGB32: np.uint32}
# The bytes of 0xAARRGGBB in memory.
_RED, _GREEN, _BLUE = (2, 1, 0) if sys.byteorder == "little" else (1, 2, 3)


class Image:
    """An image for a call: `pixels` (height, width) of uint8, uint16, or uint32 for RGB, whose rows may be apart."""

    def __init__(self, array, name="image", dense=False):
        """array: (H, W) of uint8 or uint16, or (H, W, 3) of uint8. Copied where it is RGB, of another byte order, or its
        rows are not as the library takes them: pixels side by side, rows a positive number of whole pixels apart; dense:
        nothing between them."""
        array = np.asarray(array)
        if array.ndim == 3 and array.shape[2] == 3 and array.dtype == np.uint8:
            self.type = RGB32
        elif array.ndim == 2 and array.dtype in (np.uint8, np.dtype(np.uint16).newbyteorder("<"),
                                                 np.dtype(np.uint16).newbyteorder(">")):
            self.type = GREY8 if array.dtype == np.uint8 else GREY16
        else:
            raise InvalidArgument(f"{name}: an array {array.shape} of {array.dtype}: must be (H, W) of uint8 or uint16, or"
                                  " (H, W, 3) of uint8")
        if array.size == 0:
            raise InvalidArgument(f"{name}: an array {array.shape} has no pixels")
        self.height, self.width = array.shape[:2]
        self.pixels = _packed(array) if self.type == RGB32 else _in_rows(array, dense)
        self.stride = self.pixels.strides[0] // self.pixels.itemsize if self.height > 1 else self.width

    @property
    def address(self):
        return self.pixels.ctypes.data

    def struct(self):
        return _interface.endo_image(pixels=self.address, type=self.type, width=self.width, height=self.height,
                                     stride=self.stride)


def _packed(rgb):
    """(H, W, 3) as 0xFFRRGGBB."""
    packed = np.empty((*rgb.shape[:2], 4), np.uint8)
    for place, channel in ((_RED, 0), (_GREEN, 1), (_BLUE, 2), (6 - _RED - _GREEN - _BLUE, None)):
        packed[..., place] = 255 if channel is None else rgb[..., channel]
    return packed.view(np.uint32)[..., 0]


def _in_rows(grey, dense):
    """Grey pixels as the library takes them, the array itself where that is possible."""
    height, width = grey.shape
    apart = grey.strides[0] if height > 1 else width * grey.itemsize
    in_place = grey.dtype.isnative and grey.flags.aligned and apart % grey.itemsize == 0
    side_by_side = width == 1 or grey.strides[1] == grey.itemsize
    if in_place and side_by_side and (apart == width * grey.itemsize or (apart > width * grey.itemsize and not dense)):
        return grey
    return np.array(grey, dtype=grey.dtype.newbyteorder("="), order="C")


def empty(kind, *shape):
    """An array that the library fills, of its type."""
    return np.zeros(shape, DTYPES[kind])


def unpacked(kind, pixels):
    """Pixels of the library as users know them: (..., 3) of uint8 for RGB."""
    if kind != RGB32:
        return pixels
    return np.stack([pixels.view(np.uint8).reshape(*pixels.shape, 4)[..., place] for place in (_RED, _GREEN, _BLUE)], axis=-1)


def pointer(array, kind):
    """The address of an array's numbers for an argument of the library; None: NULL."""
    return None if array is None else array.ctypes.data_as(kind)


def mask_of(mask, height, width, name="mask"):
    """A mask as bytes: 0 = outside."""
    if mask is None:
        return None
    mask = np.asarray(mask)
    if mask.shape != (height, width):
        raise InvalidArgument(f"{name}: an array {mask.shape}: must be {(height, width)}, the size of a frame")
    return np.ascontiguousarray(mask != 0).view(np.uint8)


class Sequence:
    """Frames that the library may ask for again and again, as an endo_mosaic_source.

    Dense grey frames are lent as they are; others are copied each time they are asked for. What has no length becomes a
    list."""

    def __init__(self, frames, call, numbers=None):
        frames = frames if can_be_asked_again(frames) else list(frames)
        self._frames = frames
        self._call = call
        self._lent = {}
        if len(frames) == 0:
            raise InvalidArgument("a sequence without frames")
        first = Image(frames[0], "frames[0]", dense=True)
        self.type, self.height, self.width = first.type, first.height, first.width
        kinds = dict(_interface.endo_mosaic_source._fields_)
        self._numbers = None if numbers is None else [int(number) for number in numbers]
        if self._numbers is not None and len(self._numbers) != len(frames):
            raise InvalidArgument(f"{len(self._numbers)} numbers of {len(frames)} frames: must be as many")
        self.struct = _interface.endo_mosaic_source(
            frames=len(frames), width=self.width, height=self.height, type=self.type, lend=kinds["lend"](self._lend),
            give_back=kinds["give_back"](self._give_back), at_hand=int(isinstance(frames, np.ndarray) and self.type != RGB32))
        if self._numbers is not None:
            self.struct.number = kinds["number"](lambda _, frame: self._numbers[frame])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Frames are free now: the functions that the struct names would else hold them until Python looks for cycles."""
        self._frames = self.struct = None
        self._lent.clear()

    def _lend(self, _, frame, reason):
        """The address of a frame's pixels; 0 where it cannot be read, which `reason` then explains."""
        try:
            image = Image(self._frames[frame], f"frames[{frame}]", dense=True)
            if (image.type, image.height, image.width) != (self.type, self.height, self.width):
                raise InvalidArgument(f"{image.width} x {image.height} px of {image.pixels.dtype}: another size or type than"
                                      " the first frame")
        except Exception as failure:
            text = f"{type(failure).__name__}: {failure}".encode()[:_interface.ENDO_REASON_SIZE - 1]
            text = text.decode(errors="ignore").encode() + b"\0"
            ctypes.memmove(reason, text, len(text))
            return None
        except BaseException as failure:
            self._call.fail(failure)
            return None
        kept = self._lent.setdefault(image.address, [image, 0])
        kept[1] += 1
        return image.address

    def _give_back(self, _, frame, address):
        kept = self._lent[address]
        kept[1] -= 1
        if kept[1] == 0:
            del self._lent[address]


def can_be_asked_again(frames):
    """Whether frames have numbers and a length, as lists and arrays do; others come once."""
    return hasattr(frames, "__len__") and hasattr(frames, "__getitem__")
