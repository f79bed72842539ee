"""The same bytes from Python and from the shell, and what the pages of the documentation say."""
import csv
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import PROJECT

import endorama

sys.path.insert(0, str(PROJECT / "attack"))
import scenes  # noqa: E402


def test_the_shell_paints_the_same_panorama(demo, result, tmp_path):
    command = os.environ.get("ENDORAMA_COMMAND")
    if not command:
        pytest.skip("ENDORAMA_COMMAND, the script of the command line, is not set")
    for words in (["demo-sequence", "--width=200", "--height=160", "--frames=24", "--output=demo.tif"],
                  ["mosaic", "--input=demo.tif", "--output=panorama.png", "--transforms=poses.csv"]):
        subprocess.run([command, *words], check=True, cwd=tmp_path)
    shown = scenes.read_png(tmp_path / "panorama.png")
    height, width = result.panorama.shape[:2]
    assert (shown.width, shown.height) == (width, height) and bytes(shown.samples) == result.panorama.tobytes()
    with open(tmp_path / "poses.csv") as table:
        rows = list(csv.DictReader(table))
    poses = [[float(row[name]) for name in ("m00", "m01", "m02", "m10", "m11", "m12")] for row in rows]
    assert np.array_equal(np.reshape(poses, (-1, 2, 3)), result.poses[:, :2])


def test_the_shell_takes_poses_from_python(demo, tmp_path):
    command = os.environ.get("ENDORAMA_COMMAND")
    if not command:
        pytest.skip("ENDORAMA_COMMAND, the script of the command line, is not set")
    table = np.column_stack([np.arange(1, 25), demo.poses[:, :2].reshape(-1, 6)])
    np.savetxt(tmp_path / "poses.csv", table, "%.17g", ",", header="frame,m00,m01,m02,m10,m11,m12", comments="")
    for words in (["demo-sequence", "--width=200", "--height=160", "--frames=24", "--output=demo.tif"],
                  ["apply", "--input=demo.tif", "--transforms=poses.csv", "--output=panorama.png"]):
        subprocess.run([command, *words], check=True, cwd=tmp_path)
    shown = scenes.read_png(tmp_path / "panorama.png")
    assert bytes(shown.samples) == endorama.apply(demo.frames, demo.poses).pixels.tobytes()


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_the_code_of_the_page_prints_what_stands_there(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```(?:\n+```text\n(.*?)^```)?", (PROJECT / page).read_text(), re.S | re.M)
    assert blocks
    names = {"__name__": "page"}
    for code, printed in blocks:
        capsys.readouterr()
        exec(compile(code, page, "exec"), names)
        assert capsys.readouterr().out == printed


def test_every_public_function_is_explained():
    for name in endorama.__all__:
        assert getattr(endorama, name).__doc__, name
    for function in (endorama.mosaic, endorama.apply, endorama.align, endorama.exposures, endorama.fourier,
                     endorama.fourier_chain, endorama.equalize, endorama.mutual, endorama.resample, endorama.register):
        assert "Raises:" in function.__doc__ and "Args:" in function.__doc__, function
