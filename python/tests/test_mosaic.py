"""Panoramas: the bytes of the C program, what is told of frames, how runs end."""
import csv
import gc
import io
import os
import signal
import subprocess
import weakref
from pathlib import Path

import numpy as np
import pytest

import endorama


def test_bytes_and_poses_of_the_program_in_c(result, tmp_path):
    folder = os.environ.get("ENDORAMA_PROGRAMS")
    if not folder:
        pytest.skip("ENDORAMA_PROGRAMS, the folder of demo_ppm and mosaic_run, is not set")
    frames = subprocess.run([Path(folder) / "demo_ppm"], check=True, capture_output=True).stdout
    subprocess.run([Path(folder) / "mosaic_run", "out.ppm", "poses.csv"], input=frames, check=True, cwd=tmp_path,
                   capture_output=True)
    height, width = result.panorama.shape[:2]
    assert (tmp_path / "out.ppm").read_bytes() == f"P6 {width} {height} 255\n".encode() + result.panorama.tobytes()
    rows = list(csv.DictReader(io.StringIO((tmp_path / "poses.csv").read_text())))
    poses = np.array([[float(row[f"h{k}"]) for k in range(9)] for row in rows]).reshape(-1, 3, 3)
    assert np.array_equal(poses, result.poses)
    assert [int(row["status"]) for row in rows] == result.records["status"].tolist()
    assert np.array_equal([float(row["deviation"]) for row in rows], result.deviations)


def test_poses_are_the_truth(demo, result):
    height, width = demo.field.shape
    corners = np.array([[0, 0, 1], [width - 1, 0, 1], [0, height - 1, 1], [width - 1, height - 1, 1]]).T
    error = np.linalg.norm((result.poses @ corners - demo.poses @ corners)[:, :2], axis=1)
    assert error.max() < 0.5
    unmoved = np.linalg.norm((np.eye(3) @ corners - demo.poses @ corners)[:, :2], axis=1)
    assert unmoved.max() > 20
    assert set(result.verdicts) == {"ok"} and result.registered.all() and (result.components == 0).all()


def test_panorama_shows_the_first_frame(demo, result):
    one = result.panoramas[0]
    assert one.scale == 1 and one.frames == 24 and one.pixels.dtype == np.uint8
    x, y = (int(round(value)) for value in one.origin)
    part = one.pixels[y + 60:y + 100, x + 80:x + 120].astype(float)
    shown = demo.frames[0][60:100, 80:120].astype(float)
    assert np.corrcoef(part.ravel(), shown.ravel())[0, 1] > 0.9
    assert one.painted[y + 80, x + 100] and not one.painted[0, 0] and (one.pixels[~one.painted] == 0).all()


def test_red_stays_red(demo):
    """Channels are not exchanged on the way in and out."""
    red = demo.frames.copy()
    red[..., 1:] //= 4
    found = endorama.mosaic(red)
    means = found.panorama[found.panoramas[0].painted].mean(axis=0)
    assert means[0] > 2 * means[1] and means[0] > 2 * means[2]


def test_a_list_an_array_and_an_iterator_give_the_same(demo, result):
    for frames in (list(demo.frames), iter(demo.frames)):
        other = endorama.mosaic(frames)
        assert np.array_equal(other.panorama, result.panorama) and np.array_equal(other.poses, result.poses)


def test_grey_of_8_and_16_bits(grey):
    eight = endorama.mosaic(grey)
    assert eight.panorama.ndim == 2 and eight.panorama.dtype == np.uint8
    sixteen = endorama.mosaic(grey.astype(np.uint16) * 16)
    assert sixteen.panorama.dtype == np.uint16 and sixteen.registered.all()
    swapped = endorama.mosaic((grey.astype(np.uint16) * 16).astype(">u2"))
    assert np.array_equal(swapped.panorama, sixteen.panorama)
    spaced = np.zeros((*grey.shape[:2], grey.shape[2] + 7), np.uint8)
    spaced[..., :-7] = grey
    assert np.array_equal(endorama.mosaic(spaced[..., :-7]).panorama, eight.panorama)
    assert np.array_equal(endorama.mosaic(one for one in spaced[..., :-7]).panorama, eight.panorama)


def test_options_reach_the_library(demo, result):
    assert not np.array_equal(endorama.mosaic(demo.frames, painting="union").panorama, result.panorama)
    assert endorama.mosaic(demo.frames, scale=0.5).panoramas[0].scale == 0.5
    assert endorama.mosaic(demo.frames, picture=False).panoramas == []
    moved = endorama.mosaic(demo.frames, transform="translation", picture=False).poses
    assert np.array_equal(moved[:, :2, :2], np.broadcast_to(np.eye(2), (24, 2, 2)))
    both = endorama.mosaic(demo.frames, coverage=True, uncertainty=True).panoramas[0]
    assert both.coverage.max() == 24 and (both.coverage[~both.painted] == 0).all()
    assert 0 < np.nanmedian(both.uncertainty) < 1 and np.isnan(both.uncertainty[~both.painted]).all()
    assert result.panoramas[0].coverage is None and result.panoramas[0].uncertainty is None


def test_a_mask_is_the_field(demo):
    mask = np.zeros(demo.field.shape, bool)
    mask[30:130, 40:160] = True
    found = endorama.mosaic(demo.frames, mask=mask, picture=False)
    assert np.array_equal(found.field, mask)
    assert endorama.mosaic(demo.frames, field="whole", picture=False).field.all()


def test_threads_of_the_context_are_used(demo, result):
    found = endorama.mosaic(demo.frames, context=endorama.Context("cpu", threads=1, cpu="c"))
    assert "1 thread" in found.backend and np.array_equal(found.panorama, result.panorama)


def test_memory_ends_and_a_folder_helps(tmp_path):
    frames = endorama.demo(12, width=400, height=320).frames
    with pytest.raises(endorama.OutOfMemory, match="scratch"):
        endorama.mosaic(iter(frames), memory=2**20)
    found = endorama.mosaic(iter(frames), memory=2**20, scratch=tmp_path)
    assert np.array_equal(found.panorama, endorama.mosaic(frames).panorama) and list(tmp_path.iterdir()) == []


class Broken(list):
    """A sequence whose frame 7 cannot be read."""

    def __getitem__(self, index):
        if index == 7:
            raise OSError("the file of this frame is damaged")
        return super().__getitem__(index)


def test_a_frame_that_cannot_be_read_is_left_out_and_named(demo):
    with pytest.warns(endorama.EndoramaWarning, match="frame 8"):
        found = endorama.mosaic(Broken(demo.frames), picture=False)
    assert found.verdicts[7] == "skipped" and found.registered.sum() == 23
    assert any("OSError: the file of this frame is damaged" in one.text for one in found.messages)
    assert "23 of 24 frames registered (23 ok, 1 skipped)" in found.summary()


def test_an_unrelated_frame_is_left_out(demo):
    frames = list(demo.frames)
    frames[10] = np.random.default_rng(1).integers(0, 255, frames[10].shape, np.uint8)
    with pytest.warns(endorama.EndoramaWarning):
        found = endorama.mosaic(frames, picture=False)
    assert found.verdicts[10] != "ok" and not found.registered[10]


def test_progress_grows_to_the_end(demo):
    shares = []
    endorama.mosaic(demo.frames, progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1 and len(shares) > 3


def test_an_exception_of_progress_ends_the_run(demo):
    calls = []

    def progress(share):
        calls.append(share)
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        endorama.mosaic(demo.frames, progress=progress)
    assert len(calls) == 1


def test_ctrl_c_ends_the_run(demo):
    before = signal.getsignal(signal.SIGINT)
    shares = []

    def progress(share):
        shares.append(share)
        if len(shares) == 1:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        endorama.mosaic(demo.frames, progress=progress)
    assert shares and shares[-1] < 1 and signal.getsignal(signal.SIGINT) is before
    assert endorama.mosaic(demo.frames, picture=False).registered.all()


def test_a_second_ctrl_c_ends_a_callback(demo):
    """One that waits for ever, say."""
    passed = []

    def progress(share):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        passed.append(share)

    with pytest.raises(KeyboardInterrupt):
        endorama.mosaic(demo.frames, progress=progress)
    assert passed == []


def test_frames_are_free_after_a_run(grey):
    frames = list(grey.copy())
    gone = [weakref.ref(one.base) for one in frames[:1]]
    gc.disable()
    try:
        endorama.mosaic(frames, picture=False)
        del frames
        assert gone[0]() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("options, words", [
    ({"template_side": 4}, "template.* 4: must be odd, 3..255"),
    ({"lens": 55}, "lens 55: must be -40..40"),
    ({"painting": "oil"}, "painting 'oil': must be one of 'blend', 'ring', 'union'"),
    ({"scale": "big"}, "scale 'big': must be a number"),
    ({"iir": 2**40}, "iir 1099511627776"),
    ({"mask": np.ones((3, 4))}, r"mask: an array \(3, 4\): must be \(160, 200\)"),
])
def test_what_is_refused_is_named(demo, options, words):
    with pytest.raises(endorama.InvalidArgument, match=words):
        endorama.mosaic(demo.frames, **options)


def test_sequences_that_are_none(demo):
    for frames in ([], iter([])):
        with pytest.raises(endorama.InvalidArgument, match="without frames"):
            endorama.mosaic(frames)
    with pytest.raises(endorama.InvalidArgument):
        endorama.mosaic(demo.frames[:1])
    with pytest.raises(endorama.InvalidArgument, match=r"an array \(160, 200\) of float64: must be"):
        endorama.mosaic(demo.frames[..., 0].astype(float))
    with pytest.raises(endorama.InvalidArgument, match="200 x 100 px, type 2: must be like the first one"):
        endorama.mosaic(iter([demo.frames[0], demo.frames[1][:100]]))


def test_nothing_painted_is_said(demo):
    with pytest.raises(endorama.EndoramaError, match="nothing was painted"):
        endorama.mosaic(demo.frames, picture=False).panorama


def test_mended_edges_are_solved_for(demo, result):
    again = endorama.solve(result, result.edges)
    assert np.abs(again.poses - result.poses).max() < 1e-3 and not again.panoramas
    edges = result.edges[(result.edges["reference"] != 5) & (result.edges["current"] != 5)]
    with pytest.warns(endorama.EndoramaWarning, match="frame 6 .not placed."):
        mended = endorama.solve(result, edges)
    assert mended.verdicts[5] == "not placed" and not mended.registered[5] and mended.components[5] == -1
    assert mended.registered.sum() == len(result.records) - 1
    by_hand = result.edges[:1].copy()
    by_hand[0]["reference"], by_hand[0]["current"], by_hand[0]["by_hand"] = 4, 5, 1
    by_hand[0]["deviation"] = 0.3
    by_hand[0]["transform"]["matrix"] = (np.linalg.inv(result.poses[4]) @ result.poses[5]).ravel()
    by_hand[0]["transform"]["kind"] = result.records["pose"]["kind"][5]
    joined = endorama.solve(mended, np.concatenate([edges, by_hand]))
    assert joined.verdicts[5] == "ok" and np.abs(joined.poses[5] - result.poses[5]).max() < 0.1
    assert endorama.apply(demo.frames, joined).frames == len(result.records)
    by_hand[0]["by_hand"] = 0
    with pytest.raises(endorama.InvalidArgument, match="or the edge by hand"):
        endorama.solve(mended, np.concatenate([edges, by_hand]))


def test_chosen_frames_keep_their_numbers(demo):
    numbers = [1, 2, 3, 5, 8, 13]
    frames = [demo.frames[number] for number in numbers]
    frames[3] = np.zeros_like(frames[3])
    with pytest.warns(endorama.EndoramaWarning, match="frame 5 .no texture."):
        found = endorama.mosaic(frames, numbers=numbers, picture=False)
    assert found.records["number"].tolist() == numbers
    with pytest.raises(endorama.InvalidArgument, match="2 numbers of 6 frames"):
        endorama.mosaic(frames, numbers=[1, 2])
    with pytest.raises(endorama.InvalidArgument, match="number 2: must be 3"):
        endorama.mosaic(frames, numbers=[1, 2, 2, 3, 4, 5])
    with pytest.raises(endorama.InvalidArgument, match="numbers: go with"):
        endorama.mosaic(iter(frames), numbers=numbers)
