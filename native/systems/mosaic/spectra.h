/* Pairs of frames that are registered by their spectra, wherever they lie to each other: in a store of their own, in which
 * highlights take no part. What was found is believed if the frames themselves, registered from there, say the same. */
#ifndef ENDO_MOSAIC_SPECTRA_H
#define ENDO_MOSAIC_SPECTRA_H

#include "include/endorama/fourier.h"
#include "events.h"
#include "field_of_view.h"
#include "frame_store.h"
#include "pair_match.h"

/* Frames in the store; others than the one: SPECTRA_SLOTS - 1 at most. */
#define SPECTRA_SLOTS 10

typedef struct spectra spectra;

typedef struct spectra_match {
    int is_believed; /* else nothing is certain, and the rest is not set */
    int reference, current;
    endo_transform transform; /* current -> reference */
    double ncc;               /* correlation of what both show, high-passed */
    double overlap;           /* share of a frame, 0..1 */
    double deviation;         /* px, of what the frames themselves say; 0 where they were not asked */
} spectra_match;

/* asked: how the frames themselves are registered; NULL: spectra alone are believed. */
endo_status spectra_create(endo_context *context, mosaic_sequence *sequence, const field_of_view *field,
                           const endo_pairs_options *asked, mosaic_events *events, spectra **out);
void spectra_destroy(spectra **s);

/* Registers n others with one: onto it (is_reference), or it onto each of them. matches: n of them. */
endo_status spectra_register(spectra *s, int one, const int *others, int n, int is_reference, spectra_match *matches);

/* What the frames themselves say is believed, and about the same as the transform. */
int spectra_agree(const pair_match *found, const endo_transform *transform, mosaic_size size);

endo_mosaic_edge spectra_edge(const spectra_match *match);
void spectra_describe(const spectra_match *match, endo_mosaic_frame *frame);

#endif
