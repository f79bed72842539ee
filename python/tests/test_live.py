"""A panorama that grows frame by frame."""
import numpy as np
import pytest

import endorama


@pytest.fixture(scope="module")
def path():
    """30 frames along a closed path."""
    return endorama.demo(30, width=320, height=256, step=5)


def test_frames_are_found_and_finished(path):
    with endorama.Live(preview=160, loops=False) as live:
        assert live.preview().pixels.shape[:2] == (0, 0) and live.counts["put"] == 0
        found = [live.put(frame) for frame in path.frames]
        assert [one.state for one in found] == ["starting"] + 29 * ["found"] and not any(one.found_again for one in found)
        corner = np.array([319, 255, 1])
        assert max(np.abs(one.pose @ corner - pose @ corner).max() for one, pose in zip(found, path.poses)) < 1
        assert max(np.abs(corner - pose @ corner).max() for pose in path.poses) > 10
        preview = live.preview()
        assert preview.scale == 0.5 and preview.component == 1 and preview.pixels.shape[2:] == (3,)
        assert min(preview.pixels.shape[:2]) > 100 and preview.pixels.max() > 100
        red = preview.pixels.reshape(-1, 3).sum(axis=0)
        assert red[0] > red[1] and red[0] > red[2]
        kept = [1] + [one.number for one in found if one.kept]
        assert live.counts["kept"] == len(kept) and live.counts["lost"] == 0
        result = live.finish()
    usual = endorama.mosaic(path.frames[np.array(kept) - 1], numbers=kept)
    assert np.array_equal(result.panorama, usual.panorama) and np.array_equal(result.poses, usual.poses)
    assert result.records["number"].tolist() == kept


def test_a_lost_scope_is_found_again(path):
    with endorama.Live(preview=160, loops=False) as live:
        for frame in path.frames[:15]:
            live.put(frame)
        assert live.put(np.zeros_like(path.frames[0])).state == "lost"
        again = live.put(path.frames[14])
        assert again.state == "found" and again.found_again and again.component == 1 and live.counts["lost"] == 1


def test_a_preview_that_grows_meanwhile_is_read_again(path, monkeypatch):
    library = endorama._live.library
    read = library.endo_live_read
    refused = [endorama.InvalidArgument("larger than room")]

    def once(*arguments):
        if refused:
            raise refused.pop()
        return read(*arguments)

    with endorama.Live(loops=False) as live:
        for frame in path.frames[:4]:
            live.put(frame)
        monkeypatch.setattr(library, "endo_live_read", once)
        assert live.preview().pixels.size > 0 and not refused


def test_too_little_makes_no_panorama(path):
    with endorama.Live() as live:
        live.put(path.frames[0])
        assert live.finish() is None
        with pytest.raises(endorama.InvalidArgument, match="has ended"):
            live.put(path.frames[0])
    with pytest.raises(endorama.EndoramaError, match="closed"):
        live.preview()


def test_what_is_refused(path):
    with pytest.raises(endorama.InvalidArgument, match="step 99 %: must be"):
        endorama.Live(step=99)
    with endorama.Live(mask=np.ones((256, 320))) as live:
        with pytest.raises(endorama.InvalidArgument, match="mask"):
            live.put(path.frames[0][:100])
        live.put(path.frames[0])
        with pytest.raises(endorama.InvalidArgument, match="like the first one"):
            live.put(path.frames[0][..., 0])
