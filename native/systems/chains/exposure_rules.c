/* Rules for exposures (exposure_rules.h). Pairs are asked for before anything changes. */
#include "exposure_rules.h"

#include <math.h>

static exposure_chain *chain_of(chain_rows *c) { return (exposure_chain *)c; }

static int follows(const chain_rows *c) { return c->fixed < 0; }

/* Position of a frame that another one is compared with. */
static void position_of(const chain_rows *c, int frame, double position[2]) {
    position[0] = follows(c) ? c->rows[frame].pose.matrix[2] : 0;
    position[1] = follows(c) ? c->rows[frame].pose.matrix[5] : 0;
}

/* Sets the shift of the row relative to its reference. */
static void relate(const chain_rows *c, endo_chain_frame *row) {
    double origin[2];
    position_of(c, row->reference, origin);
    row->dx = row->pose.matrix[2] - origin[0];
    row->dy = row->pose.matrix[5] - origin[1];
}

static void begin(chain_rows *c, int frame, endo_chain_frame *row) {
    row->status = ENDO_CHAIN_OK;
    row->registered = 1;
    c->last = frame;
    c->registered++;
}

/* A frame is aligned with the first frame, which thereby counts. */
static void prove(exposure_chain *e) {
    chain_rows *c = &e->rows;
    if (!e->is_unproven) return;
    endo_chain_frame *row = &c->rows[c->last];
    chain_describe(row, &e->self);
    row->reference = c->last;
    row->status = ENDO_CHAIN_OK;
    row->registered = 1;
    e->is_unproven = 0;
}

/* Registers a frame with its reference by a good shift. */
static endo_status measured(exposure_chain *e, endo_chain_frame *row, int reference, const chain_pair *shift) {
    chain_rows *c = &e->rows;
    double origin[2];
    row->reference = reference;
    chain_describe(row, shift);
    position_of(c, reference, origin);
    ENDO_TRY(exposure_path_measured(&e->path, c->n, row, origin, shift, &row->registered));
    if (row->registered) {
        prove(e);
        c->last = c->n;
        c->registered++;
    } else {
        row->status = ENDO_CHAIN_LOW_CERTAINTY;
    }
    relate(c, row);
    return ENDO_OK;
}

/* The frame and the one before show little content, but are aligned with each other: the path begins with the latter. */
static endo_status begin_before(exposure_chain *e, endo_chain_frame *row, const chain_pair *shift) {
    chain_rows *c = &e->rows;
    begin(c, c->before, &c->rows[c->before]);
    ENDO_TRY(exposure_path_start(&e->path, c->before, &c->rows[c->before]));
    return measured(e, row, c->before, shift);
}

/* The path begins after other frames, so its first frame does not count until another one is aligned with it. */
static void doubt(exposure_chain *e, endo_chain_frame *row, const chain_pair *self, const chain_pair *to_before) {
    e->is_unproven = 1;
    e->self = *self;
    chain_describe(row, to_before);
    row->reference = e->rows.before;
    row->registered = 0;
}

/* Begins the path, or passes the fixed reference, at (0, 0). Frames up to the first with content stay there. */
static endo_status start(exposure_chain *e, const chain_pairs *pairs, endo_chain_frame *row) {
    static const double here[2];
    chain_rows *c = &e->rows;
    int has_before = follows(c) && c->before >= 0;
    int accepted;
    chain_pair to_before;
    chain_pair self;
    if (has_before) {
        ENDO_TRY(pairs->get(pairs->self, c->before, c->n, &to_before));
        if (to_before.status == ENDO_CHAIN_OK) return begin_before(e, row, &to_before);
    }
    ENDO_TRY(pairs->get(pairs->self, c->n, c->n, &self));
    chain_describe(row, &self);
    row->reference = c->n;
    if (self.status == ENDO_CHAIN_NO_CONTENT) return exposure_path_hold(&e->path, c->n, row);
    begin(c, c->n, row);
    if (!follows(c)) return exposure_path_measured(&e->path, c->n, row, here, &self, &accepted);
    if (has_before) doubt(e, row, &self, &to_before);
    return exposure_path_start(&e->path, c->n, row);
}

/* Starts anew with the frame before, at an unmeasured position; a first frame aligned with nothing is given up. */
static endo_status start_again(exposure_chain *e, const chain_pair *failed) {
    chain_rows *c = &e->rows;
    endo_chain_frame *row = &c->rows[c->before];
    e->is_unproven = 0;
    if (c->registered == 1) {
        chain_describe(&c->rows[c->last], failed);
        c->rows[c->last].registered = 0;
        row->status = ENDO_CHAIN_OK;
        row->reference = c->before;
        row->predicted = 0;
    } else {
        row->status = ENDO_CHAIN_NEW_START;
        c->registered++;
    }
    row->registered = 1;
    c->last = c->before;
    return exposure_path_start(&e->path, c->before, row);
}

/* Aligns the frame with the one before it, where the last aligned one failed. *done = 0: that fails, too. */
static endo_status follow_before(exposure_chain *e, const chain_pairs *pairs, endo_chain_frame *row, int *done) {
    chain_rows *c = &e->rows;
    chain_pair shift;
    chain_pair failed;
    *done = 0;
    if (!follows(c) || c->before == c->last) return ENDO_OK;
    ENDO_TRY(pairs->get(pairs->self, c->before, c->n, &shift));
    if (shift.status != ENDO_CHAIN_OK) return ENDO_OK;
    ENDO_TRY(pairs->get(pairs->self, c->last, c->before, &failed));
    *done = 1;
    ENDO_TRY(start_again(e, &failed));
    return measured(e, row, c->before, &shift);
}

static endo_status follow(exposure_chain *e, const chain_pairs *pairs, endo_chain_frame *row) {
    chain_rows *c = &e->rows;
    int reference = follows(c) ? c->last : c->fixed;
    int done;
    chain_pair shift;
    ENDO_TRY(pairs->get(pairs->self, reference, c->n, &shift));
    if (shift.status == ENDO_CHAIN_OK) return measured(e, row, reference, &shift);
    ENDO_TRY(follow_before(e, pairs, row, &done));
    if (done) return ENDO_OK;
    row->reference = reference;
    chain_describe(row, &shift);
    ENDO_TRY(exposure_path_hold(&e->path, c->n, row));
    relate(c, row);
    return ENDO_OK;
}

static endo_status add(chain_rows *c, const chain_pairs *pairs, endo_chain_frame *row) {
    int begins = c->n == c->fixed || (follows(c) && c->last < 0);
    return begins ? start(chain_of(c), pairs, row) : follow(chain_of(c), pairs, row);
}

static endo_status skip(chain_rows *c, endo_chain_frame *row) { return exposure_path_hold(&chain_of(c)->path, c->n, row); }

static const chain_rules rules = {
    .nothing = {.peak = NAN, .mismatch = NAN},
    .add = add,
    .skip = skip,
};

endo_status exposure_chain_begin(exposure_chain *c, int fixed, int frames, int period, int whole) {
    *c = (exposure_chain){.rows = chain_rows_of(&rules, fixed, frames)};
    return exposure_path_begin(&c->path, period, whole);
}
