"""The pictures of docs/tutorial.md and docs/troubleshooting.md, in docs/images/guide: python3 docs/figures/guide.py [WORK]

Demo sequences with the fault that a page is about, made into panoramas by ./endorama before and after what the page
advises. Needs OpenCV, ffmpeg and, for the picture of the report, Chromium. WORK: a folder for the sequences, kept; default a
temporary one."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import cv2
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
IMAGES = os.path.join(HERE, "..", "images", "guide")
ENDORAMA = os.environ.get("ENDORAMA", os.path.join(HERE, "..", "..", "endorama"))


def endorama(*words):
    """Runs a command, and prints it with its verdict. A panorama that is not of all frames is what some pictures are about."""
    done = subprocess.run([ENDORAMA, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    verdict = [line for line in done.stdout.splitlines() if line.startswith("verdict")]
    print("endorama", " ".join(words), "->", verdict[0] if verdict else done.returncode)
    if done.returncode not in (0, 6):
        sys.exit(done.stderr)


def demo(folder, *options, size=("400", "320")):
    endorama("demo-sequence", "--output", folder, "--width", size[0], "--height", size[1], *options)
    return [cv2.imread(file) for file in sorted(glob.glob(folder + "/*.png"))]


def write(folder, frames):
    os.makedirs(folder, exist_ok=True)
    for number, frame in enumerate(frames):
        cv2.imwrite("%s/frame%03d.png" % (folder, number + 1), frame)


def mosaic(frames, output, *options):
    endorama("mosaic", "--input", frames, "--output", output, *options)
    return cv2.imread(output)


def beside(*pictures, height=300, gap=8):
    """Pictures in one row, of one height, on white."""
    row = []
    for picture in pictures:
        scale = height / picture.shape[0]
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        row.append(np.full((height, gap, 3), 255, np.uint8))
        row.append(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=way)[:height])
    return cv2.hconcat(row[1:])


def save(name, picture, quality=84):
    os.makedirs(IMAGES, exist_ok=True)
    file = os.path.join(IMAGES, name)
    cv2.imwrite(file, picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    print(name, picture.shape[1], "x", picture.shape[0], os.path.getsize(file), "bytes")


def tutorial(base):
    """A video whose scope sees nothing for six frames."""
    random = np.random.default_rng(1)
    frames = [frame.copy() for frame in base]
    for i in range(40, 46):
        frames[i] = random.normal(14, 3, frames[i].shape).clip(0, 255).astype(np.uint8)
    write("video", frames)
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-framerate", "25", "-i", "video/frame%03d.png", "-crf", "12",
                    "-pix_fmt", "yuv420p", "my-video.mp4"], check=True)
    with open("tutorial.ijm", "w") as macro:
        macro.write('run("Open Video...", "video=[my-video.mp4]");\n'
                    'run("Mosaic Endoscopic Sequence...", "report=[report.html]");\n'
                    'run("Flatten");\nsaveAs("PNG", "path.png");\n')
    endorama("macro", "tutorial.ijm")
    save("frames.jpg", beside(*[frames[i] for i in (0, 20, 39, 43, 71)], height=170))
    save("panorama.jpg", cv2.imread("path.png"))
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium:
        subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=900,1420",
                        "--screenshot=report.png", "file://" + os.path.abspath("report.html")], check=True,
                       stderr=subprocess.DEVNULL)
        save("report.jpg", cv2.resize(cv2.imread("report.png"), None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA), 80)


def several():
    demo("fast", "--frames", "180", "--step", "12", "--path", "Spiral", "--seed", "6")
    mosaic("fast", "every30.png", "--frames", ":30")
    whole = mosaic("fast", "every5.png", "--frames", ":5")
    save("several.jpg", beside(cv2.imread("every30.png"), cv2.imread("every30-2.png"), whole))


def noise():
    frames = demo("noisy", "--frames", "60", "--step", "9", "--path", "Sweep", "--seed", "5", "--noise", "60")
    write("half", [cv2.resize(frame, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) for frame in frames])
    save("noise.jpg", beside(frames[20], mosaic("noisy", "noisy.png"), mosaic("half", "half.png")), 78)


def instrument(base):
    height, width = base[0].shape[:2]
    frames = []
    for i, frame in enumerate(base):
        tip = (int(width * 0.52 + 60 * np.sin(i / 7)), int(height * 0.5 + 30 * np.cos(i / 5)))
        end = (width - 20, height + 40)
        with_tool = cv2.line(frame.copy(), end, tip, (155, 150, 150), 26, cv2.LINE_AA)
        frames.append(cv2.line(with_tool, end, tip, (205, 200, 200), 6, cv2.LINE_AA))
    write("instrument", frames)
    field = cv2.circle(np.zeros((height, width), np.uint8), (199, 159), 172, 255, -1)
    cv2.fillPoly(field, [np.array([[170, 110], [400, 110], [400, 320], [250, 320]])], 0)
    cv2.imwrite("field.png", field)
    edge = cv2.findContours(field, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]
    before = mosaic("instrument", "instrument.png")
    after = mosaic("instrument", "selection.png", "--field", "Selection", "--mask", "field.png")
    save("instrument.jpg", beside(before, cv2.drawContours(frames[45].copy(), edge, -1, (0, 255, 255), 2), after))
    wide = np.full_like(field, 255)
    wide[110:, 220:] = 0
    cv2.imwrite("wide.png", wide)
    save("field.jpg", beside(mosaic("instrument", "wide-field.png", "--field", "Selection", "--mask", "wide.png"), after))


def lens(base):
    """A barrel: what lies far from the middle is drawn nearer to it."""
    height, width = base[0].shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    u, v = x - (width - 1) / 2, y - (height - 1) / 2
    stretch = 1 / (1 - 0.15 * (u * u + v * v) / (width / 2) ** 2)
    x, y = (width - 1) / 2 + u * stretch, (height - 1) / 2 + v * stretch
    write("lens", [cv2.remap(frame, x, y, cv2.INTER_CUBIC) for frame in base])
    distorted = mosaic("lens", "distorted.png", "--lens", "0", "--relief", "None")
    straight = mosaic("lens", "straight.png")
    save("lens.jpg", beside(distorted[30:190, 250:450], straight[50:210, 275:475]))


def colour(base):
    """A white balance that hunts."""
    write("colour", [(frame * [1 + 0.25 * np.sin(i / 6), 1, 1 - 0.25 * np.sin(i / 6)]).clip(0, 255).astype(np.uint8)
                     for i, frame in enumerate(base)])
    save("colour.jpg", beside(mosaic("colour", "union.png", "--painting", "Union"), mosaic("colour", "blend.png")))


def places(file):
    return np.genfromtxt(file, delimiter=",", skip_header=1, usecols=range(1, 7)).reshape(-1, 2, 3)


def drift():
    """No picture: how far frames of a turning scope lie from their true places."""
    corners = np.array([[0, 239, 0, 239], [0, 0, 199, 199], [1, 1, 1, 1]])
    ways = {"Sweep": (("--warp", "Auto"), ("--warp", "Rigid")), "Loop": (("--solve", "Global"), ("--solve", "None"))}
    for path in ways:
        demo(path, "--frames", "150", "--step", "5", "--path", path, "--seed", "7", "--noise", "25", "--rotation", "6",
             "--zoom", "0", "--truth", "truth.csv", size=("240", "200"))
        for way in ways[path]:
            mosaic(path, "turning.png", "--transforms", "turning.csv", *way)
            error = np.linalg.norm((places("turning.csv") - places("truth.csv")) @ corners, axis=1)
            print(path, *way, "off by %.2f px" % error.mean())


if __name__ == "__main__":
    ENDORAMA = os.path.abspath(ENDORAMA)
    work = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    scene = demo("base", "--frames", "72", "--step", "7", "--path", "Sweep", "--seed", "3")
    tutorial(scene)
    several()
    noise()
    instrument(scene)
    lens(scene)
    colour(scene)
    drift()
    if len(sys.argv) < 2:
        shutil.rmtree(work)
