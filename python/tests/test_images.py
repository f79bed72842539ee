"""Contexts, equalization, volumes, and how arrays get to the library."""
import os
import signal
import threading
import time

import numpy as np
import pytest
from test_pairs import textured

import endorama
from endorama._images import Image


def equalized(image, x, y, window):
    """The definition: the share of the window's pixels, mirrored at the borders, that are not above the pixel."""
    half = window // 2
    around = np.pad(image, half, mode="symmetric")[y:y + window, x:x + window]
    return 255 * int((around <= image[y, x]).sum()) // window**2


def test_equalization_is_its_definition():
    image = textured(1, 40, 50)
    found = endorama.equalize(image, window=9)
    for x, y in ((0, 0), (49, 39), (25, 7), (3, 38)):
        assert found[y, x] == equalized(image, x, y, 9)
    assert np.array_equal(endorama.equalize(image, window=9, region=(5, 6, 20, 10)), found[6:16, 5:25])
    assert not np.array_equal(endorama.equalize(image, window=9, limit=1.5), found)
    assert len(set(endorama.equalize(image, method="global").ravel())) <= len(set(image.ravel()))


def test_equalization_of_every_type():
    image = textured(2, 64, 64)
    assert endorama.equalize(image.astype(np.uint16) * 7, window=15).dtype == np.uint16
    colour = np.stack([image, image // 2, 255 - image], axis=-1)
    found = endorama.equalize(colour, window=15)
    assert found.shape == (64, 64, 3) and found.dtype == np.uint8 and not np.array_equal(found, colour)
    with pytest.raises(endorama.InvalidArgument, match="window 8: must be odd, 3..1023"):
        endorama.equalize(image, window=8)
    with pytest.raises(endorama.InvalidArgument):
        endorama.equalize(image, region=(60, 60, 10, 10))


def test_arrays_are_copied_only_where_they_must_be():
    base = np.arange(100 * 120, dtype=np.uint8).reshape(100, 120)
    for view in (base, base[10:40, 20:60], base[::2], base[:, :1], base[5:6, 3:9]):
        image = Image(view)
        assert image.address == view.ctypes.data
        assert image.stride * view.itemsize == view.strides[0] or view.shape[0] == 1
    assert Image(base[10:40, 20:60], dense=True).address != base[10:40, 20:60].ctypes.data
    assert Image(base, dense=True).address == base.ctypes.data
    for view in (base[:, ::2], base[::-1], base.T, np.broadcast_to(base[0], (8, 120))):
        assert np.array_equal(Image(view).pixels, view) and Image(view).address != view.ctypes.data
    odd = np.frombuffer(b"\0" + bytes(range(200)), np.uint16, 100, offset=1).reshape(10, 10)
    assert np.array_equal(Image(odd).pixels, odd) and Image(odd).address % 2 == 0
    wide = base.astype(np.uint16)
    assert Image(wide).address == wide.ctypes.data and Image(wide.astype(">u2")).pixels.dtype == np.uint16
    colour = Image(np.array([[[1, 2, 3]]], np.uint8)).pixels
    assert colour[0, 0] == 0xFF010203


def test_views_give_the_bytes_of_their_copies():
    base = textured(3, 90, 120)
    for view in (base[10:80, 20:100], base[::2], base[:, ::3], base[::-1], base.T):
        assert np.array_equal(endorama.equalize(view, window=7), endorama.equalize(view.copy(), window=7))


def test_the_lock_of_python_is_released():
    image = np.random.default_rng(4).integers(0, 255, (2600, 4000), np.uint8)
    ticks = []
    ended = threading.Event()

    def tick():
        while not ended.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    with endorama.Context("cpu", threads=1, cpu="c") as context:
        thread.start()
        begin = time.perf_counter()
        endorama.equalize(image, window=255, context=context)
        end = time.perf_counter()
    ended.set()
    thread.join()
    within = [one for one in ticks if begin < one < end]
    gaps = np.diff([begin, *within, end])
    assert end - begin > 0.02 and gaps.max() < 0.8 * (end - begin)


def test_contexts():
    with endorama.Context("cpu", threads=3, cpu="c") as context:
        assert context.threads == 3 and context.description.startswith("cpu") and context.note == ""
    with pytest.raises(endorama.InvalidArgument, match="closed"):
        endorama.equalize(np.zeros((9, 9), np.uint8), context=context)
    with pytest.raises(endorama.InvalidArgument, match="threads 999: must be 0 .all. .. 256"):
        endorama.Context(threads=999)
    with pytest.raises(endorama.InvalidArgument, match="backend 'tpu': must be one of 'auto', 'cpu', 'cuda'"):
        endorama.Context("tpu")
    assert bool(endorama.devices()) != bool(endorama.why_no_devices())


def test_cuda_is_there_or_says_why_not():
    if not endorama.devices():
        with pytest.raises((endorama.DeviceFailed, endorama.Unsupported)):
            endorama.Context("cuda")
        return
    image = textured(5, 80, 90)
    with endorama.Context("cuda") as device, endorama.Context("cpu") as processor:
        assert np.array_equal(endorama.equalize(image, context=device), endorama.equalize(image, context=processor))


def test_threads_share_a_context():
    images = [textured(seed, 120, 140) for seed in range(4)]
    alone = [endorama.equalize(image) for image in images]
    found = [None] * 4
    with endorama.Context("cpu", threads=1) as context:
        def work(k):
            for _ in range(5):
                found[k] = endorama.equalize(images[k], context=context)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert all(np.array_equal(one, other) for one, other in zip(alone, found))


def blobs(shape, seed=9):
    """A volume of smooth blobs, [z, y, x]."""
    random = np.random.default_rng(seed)
    z, y, x = np.indices(shape)
    volume = np.zeros(shape)
    for _ in range(12):
        centre = random.uniform(0.2, 0.8, 3) * shape
        size = random.uniform(2.5, 6)
        distance = (z - centre[0])**2 + (y - centre[1])**2 + (x - centre[2])**2
        volume += random.uniform(60, 220) * np.exp(-distance / (2 * size**2))
    return np.uint8(np.clip(volume, 0, 255))


def test_volumes_of_two_modalities():
    volume = blobs((26, 44, 40))
    fixed = volume[2:22, 4:40, 3:35]
    moving = 255 - volume[3:23, 2:38, 5:37]
    found = endorama.mutual(fixed, moving, model="translation", shift_range=6)
    assert found.status == "ok" and found.stop == "converged" and found.after > found.before
    assert np.abs(found.voxels[:3, 3] - (-2, 2, -1)).max() < 0.2
    assert np.allclose(found.voxels, found.world)
    over = endorama.resample(fixed, moving, found.world)
    inner = (slice(3, -3),) * 3
    assert np.abs(255 - over[inner].astype(float) - fixed[inner]).mean() < 3
    assert np.abs(255 - moving[inner].astype(float) - fixed[inner]).mean() > 3


def test_ctrl_c_ends_a_search():
    """One that would take three times as long at least; the signal comes while the library works."""
    fixed = blobs((96, 104, 100))
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    with endorama.Context("cpu", threads=1, cpu="c") as context:
        timer.start()
        begin = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            endorama.mutual(fixed, 255 - fixed[::-1], model="affine", starts=4096, tolerance=0.0001, context=context)
        assert time.perf_counter() - begin < 3
        timer.join()
        assert endorama.mutual(fixed, fixed, model="translation", starts=1, context=context).stop == "converged"


def test_affines_are_in_millimetres():
    """The same voxels in a world of 2 x 2 x 3 mm with its first axis reversed."""
    volume = blobs((26, 44, 40))
    fixed = volume[2:22, 4:40, 3:35]
    moving = volume[3:23, 2:38, 5:37]
    affine = np.diag([-2.0, 2, 3, 1])
    affine[:3, 3] = 30, -20, 7
    found = endorama.mutual(fixed, moving, fixed_affine=affine, moving_affine=affine, model="translation", shift_range=12)
    assert np.abs(found.voxels[:3, 3] - (-2, 2, -1)).max() < 0.2
    assert np.abs(found.world[:3, 3] - (4, 4, -3)).max() < 0.5
    given = endorama.mutual(fixed, moving, fixed_affine=affine, moving_affine=affine, model="translation", starts=1,
                            initial=found.world)
    assert np.abs(given.world - found.world).max() < 0.2
    with pytest.raises(endorama.InvalidArgument, match=r"fixed_affine: an array \(3, 3\): must be \(4, 4\)"):
        endorama.mutual(fixed, moving, fixed_affine=np.eye(3))
    with pytest.raises(endorama.InvalidArgument, match=r"float64: must be"):
        endorama.mutual(fixed.astype(float), moving)


def test_images_of_two_modalities_and_their_mask():
    image = textured(11, 90, 100)
    fixed, moving = image[5:85, 5:95], 255 - image[8:88, 1:91]
    mask = np.zeros(fixed.shape, bool)
    mask[10:70, 10:80] = True
    found = endorama.mutual(fixed, moving, model="translation", mask=mask, shift_range=8, fixed_range=(0, 255))
    assert np.abs(found.voxels[:2, 3] - (4, -3)).max() < 0.3
    assert endorama.resample(fixed, moving, found.world, interpolation="nearest").shape == fixed.shape
