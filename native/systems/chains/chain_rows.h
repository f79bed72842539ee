/* The frames of a chain, one after the other: what both kinds of chains have in common. What becomes of a frame whose pair is
 * good, or is not, each kind says itself (exposure_rules.h, fourier_rules.h), and asks for pairs as it needs them. */
#ifndef ENDO_CHAINS_CHAIN_ROWS_H
#define ENDO_CHAINS_CHAIN_ROWS_H

#include "base/status.h"
#include "include/endorama/chain.h"

/* How a frame lies in its reference. */
typedef struct chain_pair {
    endo_transform transform; /* frame -> reference, of whole images */
    double dx, dy;            /* where the frame's middle lies in the reference, less its own coordinates, px */
    double deviation[2];      /* standard deviation of an exposure's shift, px */
    endo_chain_scores scores;
    int status;               /* ENDO_CHAIN_OK, LOW_CERTAINTY or NO_CONTENT */
} chain_pair;

/* Who knows the pairs. */
typedef struct chain_pairs {
    endo_status (*get)(void *self, int reference, int frame, chain_pair *pair);
    void *self;
} chain_pairs;

typedef struct chain_rows chain_rows;

typedef struct chain_rules {
    endo_chain_scores nothing; /* of a frame that was compared with none */
    /* The row of frame chain_rows.n, which is not among the rows yet. Nothing changes where a pair cannot be had. */
    endo_status (*add)(chain_rows *c, const chain_pairs *pairs, endo_chain_frame *row);
    endo_status (*skip)(chain_rows *c, endo_chain_frame *row); /* the frame could not be read */
} chain_rules;

struct chain_rows {
    const chain_rules *rules;
    int fixed;      /* the frame that all are compared with, `frames` for another image; below 0: the one before */
    int frames;     /* of the sequence */
    int last;       /* the last registered frame; -1: none */
    int before;     /* the last one that could be read; -1: none */
    int registered; /* frames since the chain began */
    endo_chain_frame *rows;
    int n;
    int capacity;
};

chain_rows chain_rows_of(const chain_rules *rules, int fixed, int frames);
void chain_rows_free(chain_rows *c);

/* The next frame; backend: endo_backend that computes. */
endo_status chain_rows_add(chain_rows *c, const chain_pairs *pairs, int backend);
endo_status chain_rows_skip(chain_rows *c);

/* The pairs that are asked for if each of these n frames can be registered: a reference and a frame each. */
void chain_rows_expected(const chain_rows *c, const int *frames, int n, int (*pairs)[2]);

/* Frames that later ones may be compared with; -1: none. */
#define CHAIN_HELD 3
void chain_rows_held(const chain_rows *c, int held[CHAIN_HELD]);

/* For rules: what a pair says of a frame, but not where it leads. */
void chain_describe(endo_chain_frame *row, const chain_pair *pair);

#endif
