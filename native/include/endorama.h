/* Endorama: registration, mosaicing and enhancement of endoscopic images.
 *
 * All public headers of the library (C11 or C++); each compiles alone, too. How it behaves everywhere:
 *
 *   Status     Every function that can fail returns an endo_status. On failure its
 *              outputs are untouched and endo_last_error() of the calling thread says
 *              what was wrong, with the value and what is allowed. The library never
 *              prints, exits or aborts.
 *   Ownership  Objects come in create/destroy pairs; destroy takes the address of the
 *              handle and clears it, and accepts NULL. Pointers to pixels are borrowed
 *              for the call. What was made from a context keeps it alive: the context and
 *              its objects may be destroyed in any order, and objects work on until then (but
 *              for its cancel hook, which goes with the context's own handle).
 *   Threads    A context, and what was made from it, belongs to one thread at a time
 *              (but see endo_frames_put);
 *              several contexts may work at once.
 *   Geometry   x runs right, y down; the centre of the first pixel is (0, 0). Every transform
 *              leads from a frame to its reference: of a pair from `current` to `reference`,
 *              of a sequence from a frame to the first one or to the panorama.
 *   Strides    count elements (pixels), not bytes.
 *   Exactness  Coefficients, motion vectors, the optical flow and painted pixels are
 *              computed in integers up to one last division: every back end, instruction
 *              set and number of threads gives the same bytes.
 *
 * Sources: [S] E. Sewergin, Optimierung eines neuen Logarithmic-Search-Verfahrens zum
 * Image Mosaicing unter Einsatz des CUDA-Frameworks, FH Koeln 2009; section numbers are its.
 */
#ifndef ENDORAMA_H
#define ENDORAMA_H

#include "endorama/ahe.h"
#include "endorama/blend.h"
#include "endorama/canvas.h"
#include "endorama/chain.h"
#include "endorama/context.h"
#include "endorama/demo.h"
#include "endorama/devices.h"
#include "endorama/exposures.h"
#include "endorama/field.h"
#include "endorama/fourier.h"
#include "endorama/frames.h"
#include "endorama/graph.h"
#include "endorama/lens.h"
#include "endorama/light.h"
#include "endorama/live.h"
#include "endorama/mosaic.h"
#include "endorama/mosaic_tools.h"
#include "endorama/mutual.h"
#include "endorama/pattern.h"
#include "endorama/registration.h"
#include "endorama/status.h"
#include "endorama/transform.h"

#endif
