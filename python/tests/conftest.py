"""What the tests share: a short demo sequence, and where the rest of the project is."""
from pathlib import Path

import pytest

import endorama

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def demo():
    """24 frames of 200 x 160 px: the sequence of native/test/demo_ppm.c."""
    return endorama.demo(24, width=200, height=160)


@pytest.fixture(scope="session")
def grey(demo):
    """The same in 8 bits of grey."""
    return demo.frames[..., 1].copy()


@pytest.fixture(scope="session")
def result(demo):
    """The mosaic of the demo."""
    return endorama.mosaic(demo.frames)
