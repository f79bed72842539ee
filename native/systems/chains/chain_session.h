/* One run over a sequence, in chunks of frames that are read into a store and registered with one call a chunk. Memory does not
 * depend on the number of frames. */
#ifndef ENDO_CHAINS_CHAIN_SESSION_H
#define ENDO_CHAINS_CHAIN_SESSION_H

#include "compared_frames.h"
#include "exposure_rules.h"
#include "fourier_rules.h"
#include "frame_session.h"
#include "pair_scores.h"
#include "systems/mosaic/field_of_view.h"

typedef enum chain_kind { CHAIN_OF_EXPOSURES, CHAIN_BY_SPECTRA } chain_kind;

struct endo_chain {
    chain_kind kind;
    endo_exposure_chain_options exposures; /* of CHAIN_OF_EXPOSURES */
    endo_fourier_chain_options fourier;
    mosaic_events events;
    int has_run;
    int fail_after; /* for tests, see back_end_job */

    /* during a run */
    compared_frames *compared;
    mosaic_sequence *sequence;
    frame_session session;
    pair_scores scores;
    mosaic_size frame;        /* size of a whole frame */
    uint8_t *is_unreadable;   /* one a frame */
    int is_lost;              /* a frame that others are compared with cannot be read */
    int chunk;                /* frames of the next chunk */

    /* results */
    exposure_chain exposure_chain; /* of CHAIN_OF_EXPOSURES */
    chain_rows fourier_chain;
    field_of_view field;
    int highlights; /* specular highlights take no part */
    int has_begun; /* the field of view is known, and frames are read */
    char backend[300];
};

/* Arguments were checked, except what depends on the sequence. */
endo_status chain_session_run(endo_chain *chain, const endo_mosaic_source *source);

chain_rows *chain_session_rows(endo_chain *chain);

void chain_session_free(endo_chain *chain);

#endif
