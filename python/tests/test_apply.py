"""Known poses applied to sequences."""
import numpy as np
import pytest

import endorama


def test_another_channel_is_painted_with_the_poses_of_all(demo, result):
    red = endorama.apply(demo.frames[..., 0].copy(), result)
    assert red.pixels.ndim == 2 and red.frames == 24
    both = red.painted & result.panoramas[0].painted
    assert both.mean() > 0.5
    assert np.corrcoef(red.pixels[both], result.panorama[..., 0][both])[0, 1] > 0.95


def test_poses_as_numbers(demo, result):
    whole = endorama.apply(demo.frames, result.poses)
    assert np.array_equal(whole.pixels, endorama.apply(demo.frames, result.poses[:, :2]).pixels)
    poses = result.poses.copy()
    poses[5] = np.nan
    with pytest.warns(endorama.EndoramaWarning, match="1 of 24 frames: frame 6"):
        assert endorama.apply(demo.frames, poses).frames == 23


def details(image):
    """Second differences: what is left of a picture without its light."""
    image = image.astype(float)
    return 4 * image[1:-1, 1:-1] - image[:-2, 1:-1] - image[2:, 1:-1] - image[1:-1, :-2] - image[1:-1, 2:]


def test_aligned_frames_lie_on_the_first():
    """Without highlights, which stay on the sensor."""
    shown = endorama.demo(8, width=200, height=160, highlights=0, noise=0)
    found = endorama.align(shown.frames, endorama.mosaic(shown.frames))
    assert found.frames.shape == shown.frames.shape and found.origin.tolist() == [0, 0]
    middle = (slice(50, 110), slice(70, 130), 1)
    first, before, after = (details(one[middle]).ravel() for one in (shown.frames[0], shown.frames[4], found.frames[4]))
    assert np.corrcoef(first, after)[0, 1] > 0.6 > 0.3 > np.corrcoef(first, before)[0, 1]
    whole = endorama.align(shown.frames[..., 1].copy(), shown.poses, extent="all")
    assert whole.frames.shape[1] > 160 and whole.origin[0] > 0


def test_known_shift_moves_pixels_by_as_many():
    image = np.random.default_rng(3).integers(1, 255, (64, 80), np.uint8)
    poses = np.stack([np.eye(3)] * 2)
    poses[1, :2, 2] = 5, 3
    found = endorama.align(np.stack([image, image]), poses, rim=0, field="whole").frames
    assert np.array_equal(found[0], image)
    assert np.array_equal(found[1][3:, 5:], image[:-3, :-5]) and (found[1][:3] == 0).all()


def test_a_wild_pose_is_left_out_and_named(demo, result):
    poses = result.poses.copy()
    poses[4, 0, 2] = 1e12
    with pytest.warns(endorama.EndoramaWarning, match="frame 5"):
        assert endorama.apply(demo.frames, poses).frames == 23


def test_nothing_painted_is_said():
    frames = np.zeros((2, 64, 64), np.uint8)
    with pytest.warns(endorama.EndoramaWarning), pytest.raises(endorama.EndoramaError, match="nothing was painted.*64 x 64 px"):
        endorama.apply(frames, np.stack([np.eye(3)] * 2), max_canvas=100)


def test_what_is_refused(demo, result):
    with pytest.raises(endorama.InvalidArgument, match="23 poses for 24 frames"):
        endorama.apply(demo.frames, result.poses[1:])
    with pytest.raises(endorama.InvalidArgument, match="no frame has a pose"):
        endorama.apply(demo.frames, np.full((24, 3, 3), np.nan))
    with pytest.raises(endorama.InvalidArgument, match=r"poses: an array \(24, 9\)"):
        endorama.apply(demo.frames, np.zeros((24, 9)))
    with pytest.raises(endorama.InvalidArgument, match="extent 'some': must be one of 'frame', 'all'"):
        endorama.align(demo.frames, result, extent="some")
