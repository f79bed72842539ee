"""One image in another: landmarks, spectra, and sequences of both kinds."""
import numpy as np
import pytest

import endorama


def errors(transform, true, shape):
    corners = np.array([[0, 0, 1], [shape[1], 0, 1], [0, shape[0], 1], [shape[1], shape[0], 1]]).T
    return np.linalg.norm((transform @ corners - true @ corners)[:2], axis=0)


def textured(seed, height, width):
    """A smooth random picture."""
    noise = np.random.default_rng(seed).normal(size=(height, width))
    spectrum = np.fft.rfft2(noise)
    radius = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width))
    smooth = np.fft.irfft2(spectrum / (1 + (radius * 40) ** 2), (height, width))
    return np.uint8(np.clip(128 + 40 * smooth / smooth.std(), 0, 255))


def test_a_pair_of_the_demo(demo):
    found = endorama.register(demo.frames[0], demo.frames[2], mask=demo.field)
    assert found.status == "ok" and found.quality > 0.5 and 0 < found.deviation < 1 and 64 >= found.landmarks > found.used > 10
    assert errors(found.transform, demo.poses[2], (160, 200)).max() < 0.6
    assert errors(np.eye(3), demo.poses[2], (160, 200)).max() > 5
    plain = endorama.register(demo.frames[0], demo.frames[2], method="paper", transform="translation", cross=8)
    assert plain.kind == "translation" and plain.transform[0, 1] == 0


def test_16_bits_use_the_range_that_is_there(grey):
    dim = grey.astype(np.uint16) * 4 + 300
    found = endorama.register(dim[0], dim[1])
    assert found.status == "ok"
    assert np.abs(found.transform - endorama.register(grey[0], grey[1]).transform).max() < 0.2
    assert endorama.register(dim[0], dim[1], low=0, high=65535).found < found.found


def test_pairs_that_do_not_fit(demo):
    flat = np.full((160, 200), 90, np.uint8)
    assert endorama.register(flat, flat).status == "no texture"
    with pytest.raises(endorama.InvalidArgument, match="differ in size or type: 200 x 160 px"):
        endorama.register(demo.frames[0], demo.frames[1][:50])


def test_spectra_find_shift_rotation_and_half_a_turn():
    image = textured(5, 240, 240)
    moved = endorama.fourier(image[:200, :200], image[30:230, 12:212])
    assert moved.status == "ok" and np.abs(moved.shift - (12, 30)).max() < 0.2 and abs(moved.angle) < 0.2
    turned = endorama.fourier(image, np.rot90(image, 2))
    assert turned.status == "ok" and abs(abs(turned.angle) - 180) < 0.2 and abs(turned.scale - 1) < 0.005
    small = endorama.fourier(image, image[::2, ::2].copy(), model="similarity")
    assert abs(small.scale - 2) < 0.05
    assert endorama.fourier(image, textured(6, 240, 240)).status == "low certainty"
    assert endorama.fourier(image, np.zeros((64, 64), np.uint8)).status == "no content"


def test_a_view_is_read_as_its_copy_is():
    image = textured(5, 240, 240)
    view, copy = image[:200, :200], image[:200, :200].copy()
    assert np.array_equal(endorama.fourier(view, image).transform, endorama.fourier(copy, image).transform)


def test_exposures_and_their_aligned_frames():
    scene = textured(7, 200, 260).astype(float)
    shifts = [(0, 0), (6, -4), (-3, 9)]
    frames = [np.uint8(np.clip(scene[30 - dy:160 - dy, 40 - dx:220 - dx] * gain, 0, 255))
              for (dx, dy), gain in zip(shifts, (1, 0.5, 1.6))]
    found = endorama.exposures(frames)
    assert found.verdicts == ["ok"] * 3 and found.references.tolist() == [0, 0, 1]
    assert np.array_equal(found.poses[:, :2, 2], -np.array(shifts))
    assert np.array_equal(found.shifts, [(0, 0), (-6, 4), (9, -13)])
    direct = endorama.exposures(iter(frames), reference=0, search=32)
    assert direct.references.tolist() == [0, 0, 0] and np.array_equal(direct.shifts, -np.array(shifts))
    aligned = endorama.align(frames, found.poses, rim=0, field="whole").frames
    middle = (slice(20, 110), slice(20, 160))
    assert np.abs(aligned[1][middle] - aligned[0][middle] * 0.5).max() <= 1
    with pytest.raises(endorama.InvalidArgument, match="reference 'last'"):
        endorama.exposures(frames, reference="last")
    with pytest.raises(endorama.InvalidArgument, match="search"):
        endorama.exposures(frames, search=0)


def test_chains_by_spectra():
    image = textured(8, 260, 260)
    frames = np.stack([image[10 * k:200 + 10 * k, 6 * k:200 + 6 * k] for k in range(4)])
    found = endorama.fourier_chain(frames, model="translation")
    assert np.abs(found.poses[:, :2, 2] - [(6 * k, 10 * k) for k in range(4)]).max() < 0.3
    assert found.registered.all() and found.scores["ncc"][1:].min() > 0.9
    onto = endorama.fourier_chain(frames[1:2], onto=image, model="translation")
    assert np.abs(onto.poses[0, :2, 2] - (6, 10)).max() < 0.3 and onto.references.tolist() == [-1]


def test_a_chain_goes_on_without_frames_that_show_nothing():
    image = textured(8, 260, 260)
    with pytest.warns(endorama.EndoramaWarning, match="2 of 5 frames: frame 2 .no content., frame 4 .skipped.") as told:
        found = endorama.exposures([image, np.zeros_like(image), image, "no frame", image])
    assert told[0].filename == __file__
    assert found.verdicts == ["ok", "no content", "ok", "skipped", "ok"] and found.references.tolist()[2::2] == [0, 2]


def test_chains_end_by_their_progress():
    image = textured(8, 260, 260)

    def progress(share):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        endorama.exposures([image[:200], image[10:210]], progress=progress)
