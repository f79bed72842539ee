/* The registration of one frame against another, and whether it is good enough to go on with. */
#ifndef ENDO_MOSAIC_PAIR_MATCH_H
#define ENDO_MOSAIC_PAIR_MATCH_H

#include "edges.h"
#include "geometry.h"

/* Least quality of a pair with few landmarks where more is asked for: after a failed frame, or far away in time. Shading alone
 * gives two unrelated scenes a quality of about 0.4; frames of the same scene have 0.8 and more. */
#define PAIR_DOUBTFUL_QUALITY 0.6

typedef struct pair_match {
    endo_transform transform; /* frame -> reference, px */
    endo_pair_result result;  /* everything the library reports of the pair */
    endo_pair_layers layers;  /* whether there are two motions; count 0: not asked */
    double moving;            /* share that does not go with the first of two motions */
    int is_torn;              /* another transform explains the pair as well */
    int is_compared;          /* with rivals, where the scene may repeat itself */
    int knows_rivals;         /* the next two are known */
    int repeats;              /* the scene does */
    endo_pair_result best;    /* of the pair and its rivals */
    int reference;            /* number of the reference */
    int status;               /* endo_frame_status */
    double differing;         /* share of the tiles that differ, 0..1; 0 where there are too few */
    double tile;              /* share of one tile; 0 where there are too few */
    double milliseconds;      /* duration of the registration */
} pair_match;

/* tiles, differing: from endo_agreement. */
pair_match pair_match_of(const endo_pair_result *result, int reference, int tiles, int differing, double milliseconds);

/* Returns whether the pair is good enough to go on with. after_failure: the frame before it could not be registered. */
int pair_match_counts(const pair_match *m, int after_failure);

/* Share that differs, without what the second motion explains. */
double pair_match_unexplained(const pair_match *m);

int pair_match_is_leap(const pair_match *m); /* is_leap of its transform */

endo_mosaic_edge pair_match_edge(const pair_match *m, int frame);

/* Copies everything but the transform into the frame's record. */
void pair_match_describe(const pair_match *m, endo_mosaic_frame *frame);

#endif
