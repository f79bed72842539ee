"""Roots, users and folders of other kinds: no entry in the mount table, no passwd, no home, a temporary folder without rights."""
import os
import subprocess

import formats as f
from engine import Case
from scenes import Sequence

FRAMES = Sequence(6, 5, 96, 72).frames
IMAGES = {"root/case/f%d.png" % i: f.png(p) for i, p in enumerate(FRAMES)}
PLAIN = {"in/f%d.png" % i: f.png(p) for i, p in enumerate(FRAMES)}
MOSAIC = ["mosaic", "--method", "Paper", "--input", "{dir}/in", "--output", "{dir}/o.png"]

# What a root needs to run Java, and the folder of this run's jars at the same place; it has no mount entry of its own.
ROOT = """unshare -m --propagation private sh -e <<'SCRIPT'
cd {dir}/root
mkdir -p usr proc dev etc tmp .%(lib)s
chmod 1777 tmp
for link in bin lib lib64 sbin; do ln -s usr/$link $link; done
mount --bind /usr usr
mount --bind /etc etc
mount --bind %(lib)s .%(lib)s
for bound in usr etc .%(lib)s; do mount -o remount,bind,ro $bound; done
%(mounts)s
cd /
exec chroot {dir}/root %(before)s {}
SCRIPT"""
USUAL = "mount --bind /proc proc; mount --bind /dev dev"


def can_mount():
    return os.getuid() == 0 and os.path.islink("/lib") and subprocess.run(["unshare", "-m", "--propagation", "private", "true"],
                                                                         capture_output=True).returncode == 0


def rooted_cases():
    if not can_mount():
        print("SKIP    places: roots of their own need root, and the right to mount")
        return
    for name, output, mounts, before, core in (
            ("a picture", "o.png", USUAL, "", False),
            ("kept on the disk", "o.ome.tif", USUAL, "", True),
            ("no /dev", "o.png", "mount --bind /proc proc", "", False),
            ("an empty environment", "o.ome.tif", USUAL, "env -i", False),
            ("a user without a name", "o.ome.tif", USUAL + "; chmod 777 case", "setpriv --reuid 54321 --regid 54321"
             " --clear-groups env -i HOME=/nowhere", True),
            ("a locale that is not there", "o.png", USUAL, "env LC_ALL=xx_YY.UTF-8", False)):
        line = ROOT % {"lib": "{lib}", "mounts": mounts, "before": before}
        yield Case("places", "a root of its own, " + name, ["mosaic", "--method", "Paper", "--input", "/case", "--output",
                                                           "/case/" + output], IMAGES, shell=line, seconds=60,
                   says=("5 ok",), makes={"root/case/" + output: None}, core=core)
    for kind, options, words in (("noexec", "noexec", "noexec"), ("read-only", "ro", "-Djava.io.tmpdir")):
        yield Case("places", "a temporary folder that is " + kind, MOSAIC, dict(PLAIN, **{"t": os.mkdir}), code=5, says=(words,),
                   shell="unshare -m --propagation private sh -e <<'SCRIPT'\nmount -t tmpfs -o size=50m,%s tmpfs {dir}/t\nexec {}\nSCRIPT" % options,
                   java=("-Djava.io.tmpdir=t",), core=kind == "noexec")


def folder_cases():
    yield Case("places", "no temporary folder", MOSAIC, PLAIN, code=5, says=("-Djava.io.tmpdir",), java=("-Djava.io.tmpdir=/nowhere",),
               core=True)
    yield Case("places", "no home, no user", MOSAIC, PLAIN, environment={"HOME": "/nowhere", "USER": "", "LOGNAME": ""},
               makes={"o.png": None})
    yield Case("places", "/dev/full", MOSAIC[:-1] + ["/dev/full"], PLAIN, code=2)


def cases(seed):
    yield from rooted_cases()
    yield from folder_cases()
