/* Rules for registration by spectra (fourier_rules.h). Pairs are asked for before anything changes. */
#include "fourier_rules.h"

#include "systems/mosaic/geometry.h"

#include <math.h>

static int follows(const chain_rows *c) { return c->fixed < 0; }

static void describe(endo_chain_frame *row, const chain_pair *pair) {
    chain_describe(row, pair);
    row->dx = pair->dx;
    row->dy = pair->dy;
}

static void keep(chain_rows *c, int frame, endo_chain_frame *row) {
    row->registered = 1;
    c->last = frame;
    c->registered++;
}

/* Begins the chain with a frame if it has content, by its comparison with itself. */
static void begin(chain_rows *c, int frame, endo_chain_frame *row, const chain_pair *self) {
    row->reference = frame;
    row->pose = pose_identity;
    describe(row, self);
    if (self->status == ENDO_CHAIN_OK) keep(c, frame, row);
}

/* Registers a frame with its reference by a good transform. */
static void measured(chain_rows *c, endo_chain_frame *row, int reference, const chain_pair *pair) {
    const endo_transform *pose = follows(c) ? &c->rows[reference].pose : &pose_identity;
    row->reference = reference < c->frames ? reference : -1;
    describe(row, pair);
    row->pose = pose_times(pose, &pair->transform);
    keep(c, c->n, row);
}

/* Begins the chain again with the frame before, for its first frame can be registered with no other. */
static void begin_again(chain_rows *c, const chain_pair *lost, const chain_pair *self) {
    endo_chain_frame *first = &c->rows[c->last];
    describe(first, lost);
    first->registered = 0;
    first->reference = c->before;
    if (first->status == ENDO_CHAIN_OK) first->status = ENDO_CHAIN_LOW_CERTAINTY;
    c->registered = 0;
    begin(c, c->before, &c->rows[c->before], self);
}

/* *done = 0: the frame cannot be registered with the one before it either. */
static endo_status follow_before(chain_rows *c, const chain_pairs *pairs, endo_chain_frame *row, int *done) {
    chain_pair pair;
    chain_pair self;
    chain_pair lost;
    *done = 0;
    if (!follows(c) || c->registered != 1 || c->before == c->last) return ENDO_OK;
    ENDO_TRY(pairs->get(pairs->self, c->before, c->n, &pair));
    if (pair.status != ENDO_CHAIN_OK) return ENDO_OK;
    ENDO_TRY(pairs->get(pairs->self, c->before, c->before, &self));
    if (self.status != ENDO_CHAIN_OK) return ENDO_OK;
    ENDO_TRY(pairs->get(pairs->self, c->before, c->last, &lost));
    begin_again(c, &lost, &self);
    measured(c, row, c->before, &pair);
    *done = 1;
    return ENDO_OK;
}

static endo_status follow(chain_rows *c, const chain_pairs *pairs, endo_chain_frame *row) {
    int reference = follows(c) ? c->last : c->fixed;
    int done;
    chain_pair pair;
    ENDO_TRY(pairs->get(pairs->self, reference, c->n, &pair));
    if (pair.status == ENDO_CHAIN_OK) {
        measured(c, row, reference, &pair);
        return ENDO_OK;
    }
    ENDO_TRY(follow_before(c, pairs, row, &done));
    if (done) return ENDO_OK;
    row->reference = reference < c->frames ? reference : -1;
    describe(row, &pair);
    return ENDO_OK;
}

/* Gives the row the pose of the last registered frame, until another one is known. */
static endo_status stay(chain_rows *c, endo_chain_frame *row) {
    if (follows(c) && c->last >= 0) row->pose = c->rows[c->last].pose;
    return ENDO_OK;
}

static endo_status add(chain_rows *c, const chain_pairs *pairs, endo_chain_frame *row) {
    chain_pair self;
    ENDO_TRY(stay(c, row));
    if (c->n != c->fixed && !(follows(c) && c->last < 0)) return follow(c, pairs, row);
    ENDO_TRY(pairs->get(pairs->self, c->n, c->n, &self));
    begin(c, c->n, row, &self);
    return ENDO_OK;
}

static const chain_rules rules = {
    .nothing = {.scale = 1, .ncc = NAN},
    .add = add,
    .skip = stay,
};

chain_rows fourier_chain_of(int fixed, int frames) { return chain_rows_of(&rules, fixed, frames); }
