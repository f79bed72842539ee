/* Registers pairs of frames by their spectra, however they lie to each other, in a separate store without highlights. A match
 * is accepted if registering the frames from there gives the same transform. */
#ifndef ENDO_MOSAIC_SPECTRA_H
#define ENDO_MOSAIC_SPECTRA_H

#include "include/endorama/fourier.h"
#include "events.h"
#include "field_of_view.h"
#include "frame_store.h"
#include "pair_match.h"

/* Frames in the store; a frame is compared with SPECTRA_SLOTS - 1 others at once. */
#define SPECTRA_SLOTS 10

typedef struct spectra spectra;

typedef struct spectra_match {
    int is_accepted; /* 0: nothing is certain, and the other fields are not set */
    int reference;
    int current;
    endo_transform transform; /* current -> reference */
    double ncc;               /* coefficient of the high-passed overlap */
    double overlap;           /* share of a frame, 0..1 */
    double deviation;         /* px, from registering the frames; 0: not registered */
    int is_deformed;              /* the frames show the same, moved against itself: no one transform explains them */
} spectra_match;

/* asked: options for registering the frames; NULL: spectra alone are accepted. */
endo_status spectra_create(endo_context *context, mosaic_sequence *sequence, const field_of_view *field,
                           const endo_pairs_options *asked, mosaic_events *events, spectra **out);
void spectra_destroy(spectra **s);

/* Registers n other frames with one: onto it (is_reference), or it onto each of them. matches: n of them. */
endo_status spectra_register(spectra *s, int one, const int *others, int n, int is_reference, spectra_match *matches);

/* The same for frames of which nobody knows whether they show the same. Where matches are confirmed, it is done on small copies
 * (reduced_frames.h), and the transform then refined on the frames, if these agree. What no one transform explains is asked for
 * local motion (local_motion.h). */
endo_status spectra_search(spectra *s, int one, const int *others, int n, int is_reference, spectra_match *matches);

endo_mosaic_edge spectra_edge(const spectra_match *match);
void spectra_describe(const spectra_match *match, endo_mosaic_frame *frame);

#endif
