"""Videos that name other files, that never end, that were cut or change their size; programs that hang or are missing."""
import os
import shutil
import subprocess

from engine import Case

HAS_FFMPEG = shutil.which("ffmpeg") is not None and shutil.which("ffprobe") is not None
MOSAIC = ["mosaic", "--output", "{dir}/o.png", "--transforms", "{dir}/t.csv", "--input"]
REFUSED = ("list of other files", "invalid data", "no such file", "cannot be read as a video", "folder of images, a tiff")


def clip(path, *options, size="160x120", frames=30):
    """A short video at a path."""
    command = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=%s:rate=25" % size, "-frames:v", str(frames)]
    subprocess.run(command + list(options or ("-c:v", "mpeg4", "-q:v", "3")) + [path], check=True, stdin=subprocess.DEVNULL)


def clips(**named):
    """prepare: makes clips, name -> options; _ stands for the dot."""
    def prepare(folder):
        for name, options in named.items():
            clip(os.path.join(folder, name.replace("_", ".")), *options)
    return prepare


SECRET = {"secret_ts": ("-c:v", "mpeg2video", "-f", "mpegts")}
SDP = "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n"
MPD = """<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S"
 profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1"
 bandwidth="1"><BaseURL>%s</BaseURL></Representation></AdaptationSet></Period></MPD>"""
CPL = """<?xml version="1.0"?><CompositionPlaylist xmlns="http://www.smpte-ra.org/schemas/2067-3/2016"><Id>urn:uuid:0</Id>
<ContentTitle>x</ContentTitle><EditRate>25 1</EditRate><SegmentList/></CompositionPlaylist>"""


def hls(entry, end="#EXT-X-ENDLIST\n", times=1):
    return ("#EXTM3U\n#EXT-X-TARGETDURATION:10\n" + "#EXTINF:2,\n%s\n" % entry * times + end).encode()


def playlists():
    """What may stand in a file that names others: name -> function of the folder that gives the bytes."""
    return {
        "hls, absolute": lambda d: hls("file://%s/secret.ts" % d), "hls, relative": lambda d: hls("secret.ts"),
        "hls, upwards": lambda d: hls("../%s/secret.ts" % os.path.basename(d)),
        "hls without an end": lambda d: hls("secret.ts", ""), "hls of 2000": lambda d: hls("secret.ts", times=2000),
        "hls of a pipe": lambda d: hls("pipe.ts"), "hls of hls": lambda d: hls("inner.m3u8"),
        "dash, absolute": lambda d: (MPD % ("file://%s/secret.ts" % d)).encode(),
        "dash, relative": lambda d: (MPD % "secret.ts").encode(),
        "concat": lambda d: b"ffconcat version 1.0\nfile secret.ts\n",
        "concat, absolute": lambda d: ("ffconcat version 1.0\nfile '%s/secret.ts'\n" % d).encode(),
        "session description": lambda d: SDP.encode(), "composition playlist": lambda d: CPL.encode(),
        "reference of a player": lambda d: b"<asx version=\"3.0\"><entry><ref href=\"secret.ts\"/></entry></asx>",
        "list of a disc": lambda d: b"# VobSub index file, v7 (do not modify this line!)\nsize: 720x576\nid: en, index: 0\n",
        "m3u": lambda d: b"secret.ts\n", "subtitles": lambda d: b"1\n00:00:00,000 --> 00:00:01,000\nsecret.ts\n",
        "lavfi": lambda d: ("movie=%s/secret.ts" % d).encode(),
    }


def write_playlist(name, content):
    def prepare(folder):
        clips(**SECRET)(folder)
        os.mkfifo(os.path.join(folder, "pipe.ts"))
        with open(os.path.join(folder, "inner.m3u8"), "wb") as inner:
            inner.write(hls("secret.ts"))
        with open(os.path.join(folder, name), "wb") as out:
            out.write(content(folder))
    return prepare


def playlist_cases():
    for n, (kind, content) in enumerate(playlists().items()):
        for ending in ("mp4", "ts", "mkv", "avi", "mpg", "mov"):
            name = "x." + ending
            yield Case("video", "%s as %s" % (kind, name), MOSAIC + ["{dir}/" + name], prepare=write_playlist(name, content),
                       code=3, says=(REFUSED,), absent=("o.png", "t.csv"), seconds=20,
                       core=ending == "mp4" and kind in ("hls, absolute", "hls without an end", "dash, relative", "concat"))


def only_the_named(run):
    """No other file of the case's folder was opened by whatever the command started."""
    with open(run.path("trace.txt"), errors="replace") as trace:
        opened = [line for line in trace if run.folder + "/" in line and "secret" in line and "ENOENT" not in line]
    return "opens %s" % opened[0].strip() if opened else None


def trace_cases():
    if not shutil.which("strace"):
        print("SKIP    video: strace is not installed; which files are opened is not looked at")
        return
    for kind in ("hls, absolute", "dash, absolute", "concat"):
        yield Case("video", "%s, files that are opened" % kind, MOSAIC + ["{dir}/x.mp4"],
                   prepare=write_playlist("x.mp4", playlists()[kind]), code=3, check=only_the_named, seconds=60,
                   shell="strace -f -qq -e trace=open,openat -o {dir}/trace.txt {}", changes=("trace.txt",),
                   core=kind == "concat")


# ---------------------------------------------------------------------- hanging

SLEEPS = b"#!/bin/sh\ncase \"$*\" in *-version*) echo ffmpeg version 5.1; exit 0;; esac\nexec sleep 300\n"


def fakes(folder, program, script=SLEEPS):
    """A program of ours before that of the system."""
    os.mkdir(os.path.join(folder, "bin"))
    path = os.path.join(folder, "bin", program)
    with open(path, "wb") as out:
        out.write(script)
    os.chmod(path, 0o755)


def hanging(program):
    def prepare(folder):
        clip(os.path.join(folder, "a.avi"))
        fakes(folder, program)
    return prepare


def nobody_left(run):
    """Nothing that was started for the case is still there."""
    left = subprocess.run(["pgrep", "-af", "ff(mpeg|probe).*" + run.folder], capture_output=True, text=True).stdout
    return "still running: " + left.splitlines()[0] if left else None


def hanging_cases():
    for program in ("ffprobe", "ffmpeg"):
        yield Case("video", program + " that says nothing", MOSAIC + ["{dir}/a.avi"], prepare=hanging(program), code=(3, 4),
                   says=("nothing came for 2 s",), shell="PATH={dir}/bin:$PATH {}", java=("-Dendorama.videoDeadline=2",),
                   check=nobody_left, seconds=180, core=program == "ffprobe")
        yield Case("video", program + " that says nothing, SIGTERM", MOSAIC + ["{dir}/a.avi"], prepare=hanging(program),
                   code=("failure",), shell="PATH={dir}/bin:$PATH {} & sleep 3; kill $!; wait $!",
                   check=lambda run: nobody_left(run) or ("took %.0f s" % run.seconds if run.seconds > 11 else None),
                   seconds=40, core=program == "ffprobe", alone=True)
    yield Case("video", "killed while it reads", MOSAIC + ["{dir}/a.avi"], code=("any",),
               prepare=lambda folder: clip(os.path.join(folder, "a.avi"), "-c:v", "mpeg4", size="640x480", frames=1500),
               shell="{} & sleep 2.5; kill -9 $!; sleep 2", check=nobody_left, seconds=60, core=True)
    yield Case("video", "a pipe", MOSAIC + ["{dir}/a.mp4"], {"a.mp4": os.mkfifo}, code=3, says=("no regular file",), seconds=20,
               core=True)


# ------------------------------------------------------------------- what is there

def joined(folder):
    clip(os.path.join(folder, "a.ts"), "-c:v", "mpeg2video", "-f", "mpegts")
    clip(os.path.join(folder, "b.ts"), "-c:v", "mpeg2video", "-f", "mpegts", size="320x240")
    with open(os.path.join(folder, "ab.ts"), "wb") as out:
        for name in ("a.ts", "b.ts"):
            with open(os.path.join(folder, name), "rb") as part:
                out.write(part.read())


def cut(name, *options):
    def prepare(folder):
        whole = os.path.join(folder, "whole." + name.split(".")[1])
        clip(whole, *options)
        with open(whole, "rb") as source, open(os.path.join(folder, name), "wb") as out:
            data = source.read()
            out.write(data[:len(data) * 7 // 10 // 188 * 188 + 77])
    return prepare


def content_cases():
    yield Case("video", "another size in mid-stream", MOSAIC + ["{dir}/ab.ts"], prepare=joined, code=("partial", 3),
               says=("another size",), core=True)
    yield Case("video", "a cut transport stream", MOSAIC + ["{dir}/a.ts"], prepare=cut("a.ts", "-c:v", "mpeg2video"),
               code=(0, "partial"), says=("may have been cut",), core=True)
    yield Case("video", "a cut live mkv", MOSAIC + ["{dir}/a.mkv"], code=(0, "partial"), says=("may have been cut",), core=True,
               prepare=cut("a.mkv", "-c:v", "mpeg4", "-f", "matroska", "-live", "1"))
    yield Case("video", "a whole one says nothing of a cut", MOSAIC + ["{dir}/a.ts"], code=(0, "partial"),
               prepare=clips(a_ts=("-c:v", "mpeg2video")), check=lambda run: "says cut" if "cut" in run.err else None)
    for name in ("-x.mp4", "a%03d.mp4", "concat:a.mp4", "x|y.mp4", "a b'c\".mp4", "A.MP4"):
        yield Case("video", "named " + name, ["mosaic", "--output", "{dir}/o.png", "--input", "./" + name], code=(0, "partial"),
                   prepare=lambda folder, name=name: clip(os.path.join(folder, "./" + name) if ":" not in name else
                                                          "file:" + os.path.join(folder, name), "-c:v", "mpeg4", "-f", "mp4"),
                   makes={"o.png": None}, core=name == "a%03d.mp4")
    yield Case("video", "a single frame", MOSAIC + ["{dir}/a.avi"], code=3, says=("at least 2 frames",),
               prepare=lambda folder: clip(os.path.join(folder, "a.avi"), frames=1))
    yield Case("video", "sound alone", MOSAIC + ["{dir}/a.mkv"], code=3, says=("no video",), prepare=lambda folder: subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", os.path.join(folder, "a.mkv")], check=True))
    for name, data in (("empty", b""), ("text", b"hello\n" * 50), ("zeros", bytes(5000)), ("noise", os.urandom(5000))):
        yield Case("video", name, MOSAIC + ["{dir}/a.mp4"], {"a.mp4": data}, code=3, absent=("o.png",), core=name == "zeros")
    yield Case("video", "no ffmpeg", MOSAIC + ["{dir}/a.mp4"], {"a.mp4": b"x"}, code=3, says=("install",),
               java=("-Dendorama.ffmpeg=/nowhere",))
    yield Case("video", "a program that ends with errors without end", MOSAIC + ["{dir}/a.avi"], code=(3, 4), seconds=60,
               prepare=lambda folder: (clip(os.path.join(folder, "a.avi")), fakes(folder, "ffmpeg", SLEEPS.replace(
                   b"exec sleep 300", b"for i in $(seq 20000); do echo error $i >&2; done; exit 1"))),
               shell="PATH={dir}/bin:$PATH {}")


def cases(seed):
    if not HAS_FFMPEG:
        print("SKIP    video: ffmpeg is not installed; no video is tried")
        return
    for group in (playlist_cases(), trace_cases(), hanging_cases(), content_cases()):
        yield from group
