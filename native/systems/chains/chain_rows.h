/* The frames of a chain, one row each; common to both kinds of chains. Rules of each kind (exposure_rules.h, fourier_rules.h)
 * decide what becomes of a frame whose pair is good or not, and ask for pairs as they need them. */
#ifndef ENDO_CHAINS_CHAIN_ROWS_H
#define ENDO_CHAINS_CHAIN_ROWS_H

#include "base/status.h"
#include "include/endorama/chain.h"

/* Registration of a frame with its reference. */
typedef struct chain_pair {
    endo_transform transform; /* frame -> reference, of whole images */
    double dx;                /* position of the frame's centre in the reference, less its own coordinates, px */
    double dy;
    double deviation[2]; /* standard deviation of an exposure's shift, px */
    endo_chain_scores scores;
    int status; /* ENDO_CHAIN_OK, LOW_CERTAINTY or NO_CONTENT */
} chain_pair;

typedef struct chain_pairs {
    endo_status (*get)(void *self, int reference, int frame, chain_pair *pair);
    void *self;
} chain_pairs;

typedef struct chain_rows chain_rows;

typedef struct chain_rules {
    endo_chain_scores nothing; /* scores of a frame that was compared with none */
    /* Fills the row of frame chain_rows.n, which is not appended yet. Nothing changes where a pair cannot be had. */
    endo_status (*add)(chain_rows *c, const chain_pairs *pairs, endo_chain_frame *row);
    endo_status (*skip)(chain_rows *c, endo_chain_frame *row); /* the frame could not be read */
} chain_rules;

struct chain_rows {
    const chain_rules *rules;
    int fixed;      /* reference of all frames, `frames` for another image; negative: the frame before */
    int frames;     /* frames of the sequence */
    int last;       /* last registered frame; -1: none */
    int before;     /* last readable frame; -1: none */
    int registered; /* registered frames since the chain began */
    endo_chain_frame *rows;
    int n;
    int capacity;
};

chain_rows chain_rows_of(const chain_rules *rules, int fixed, int frames);
void chain_rows_free(chain_rows *c);

/* Appends the row of the next frame; backend: endo_backend that computes. */
endo_status chain_rows_add(chain_rows *c, const chain_pairs *pairs, int backend);
endo_status chain_rows_skip(chain_rows *c);

/* Lists the pairs, reference and frame, that are asked for if each of these n frames can be registered. */
void chain_rows_expected(const chain_rows *c, const int *frames, int n, int (*pairs)[2]);

/* Frames that later ones may be compared with; -1: none. */
#define CHAIN_HELD 3
void chain_rows_held(const chain_rows *c, int held[CHAIN_HELD]);

/* Copies the results of a pair, except the pose, into a row; called by rules. */
void chain_describe(endo_chain_frame *row, const chain_pair *pair);

#endif
