#!/usr/bin/env bash
# The pictures of the dialogs in the guide: docs/figures/dialogs.sh FOLDER, where FOLDER is what walk/run left in
# java-*-dialogs. Needs ImageMagick.
set -euo pipefail

from=$(cd "$1" && pwd)
to=$(cd "$(dirname "$0")/../images" && pwd)

# Pictures below one another.
column() { convert "$@" -bordercolor white -border 0x4 -background white -append "$column"; }

sheet() {
  local name=$1
  shift
  convert "$@" -background white -bordercolor white -border 4x0 +append +dither -colors 16 -define png:compression-level=9 "$to/$name"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$from"
mosaic=mosaic-endoscopic-sequence
column=$work/1.png column $mosaic.png $mosaic-picture.png
column=$work/2.png column $mosaic-registration.png $mosaic-frames.png $mosaic-computing.png
sheet dialogs.png "$work/1.png" "$work/2.png"
column=$work/1.png column apply-transforms.png mosaic-quality.png mosaic-parameter-sweep.png open-video.png \
  adaptive-equalization.png endoscopic-demo-sequence.png
column=$work/2.png column align-exposures.png register-rotation-and-scale.png register-by-mutual-information.png \
  register-by-mutual-information-registration.png register-rotation-and-scale-registration.png
sheet dialogs-others.png "$work/1.png" "$work/2.png"
convert $mosaic-help.png +dither -colors 32 -define png:compression-level=9 "$to/help.png"
