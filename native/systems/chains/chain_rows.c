/* Rows are appended in the order of frames (chain_rows.h). */
#include "chain_rows.h"

#include "base/memory.h"
#include "base/transform.h"

#include <string.h>

chain_rows chain_rows_of(const chain_rules *rules, int fixed, int frames) {
    return (chain_rows){.rules = rules, .fixed = fixed, .frames = frames, .last = -1, .before = -1};
}

void chain_rows_free(chain_rows *c) {
    endo_free(c->rows);
    c->rows = NULL;
    c->n = 0;
    c->capacity = 0;
}

static endo_status reserve(chain_rows *c) {
    if (c->n < c->capacity) return ENDO_OK;
    int capacity = c->capacity ? 2 * c->capacity : 256;
    endo_chain_frame *rows = endo_alloc((size_t)capacity, sizeof *rows);
    if (!rows) return endo_fail(ENDO_ERR_MEMORY, "no memory for what is known of %d frames", capacity);
    if (c->n) memcpy(rows, c->rows, (size_t)c->n * sizeof *rows);
    endo_free(c->rows);
    c->rows = rows;
    c->capacity = capacity;
    return ENDO_OK;
}

static endo_chain_frame new_row(const chain_rows *c) {
    return (endo_chain_frame){
        .pose = endo_transform_still,
        .scores = c->rules->nothing,
        .reference = -1,
        .status = ENDO_CHAIN_SKIPPED,
    };
}

endo_status chain_rows_add(chain_rows *c, const chain_pairs *pairs, int backend) {
    endo_chain_frame row = new_row(c);
    row.backend = backend;
    ENDO_TRY(reserve(c));
    ENDO_TRY(c->rules->add(c, pairs, &row));
    c->before = c->n;
    c->rows[c->n++] = row;
    return ENDO_OK;
}

endo_status chain_rows_skip(chain_rows *c) {
    endo_chain_frame row = new_row(c);
    ENDO_TRY(reserve(c));
    ENDO_TRY(c->rules->skip(c, &row));
    c->rows[c->n++] = row;
    return ENDO_OK;
}

void chain_rows_expected(const chain_rows *c, const int *frames, int n, int (*pairs)[2]) {
    int reference = c->fixed < 0 ? c->last : c->fixed;
    for (int i = 0; i < n; i++) {
        pairs[i][0] = reference < 0 ? frames[i] : reference;
        pairs[i][1] = frames[i];
        if (c->fixed < 0) reference = frames[i];
    }
}

void chain_rows_held(const chain_rows *c, int held[CHAIN_HELD]) {
    held[0] = c->fixed;
    held[1] = c->fixed < 0 ? c->last : -1;
    held[2] = c->fixed < 0 ? c->before : -1;
}

void chain_describe(endo_chain_frame *row, const chain_pair *pair) {
    row->scores = pair->scores;
    row->status = pair->status;
}
