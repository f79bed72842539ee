/* Padded images (ahe_plane.h). */
#include "ahe_plane.h"

#include "rules/ahe.h"

#include <string.h>

/* Source columns of a padded row: a middle that lies in the image, and mirrored ends. */
static void pad_row8(const cpu_ahe_plane *p, const uint8_t *in, uint8_t invert, uint8_t *out) {
    const endo_ahe_job *j = p->job;
    int first = j->region.x - j->window / 2 - 1;
    int from = first < 0 ? -first : 0, to = j->width - first < p->columns ? j->width - first : p->columns;
    for (int k = 0; k < from; k++) out[k] = in[endo_ahe_mirror(first + k, j->width)] ^ invert;
    for (int k = from; k < to; k++) out[k] = in[first + k] ^ invert;
    for (int k = to; k < p->columns; k++) out[k] = in[endo_ahe_mirror(first + k, j->width)] ^ invert;
    memset(out + p->columns, 0, (size_t)(p->pitch - p->columns));
}

static void pad_row16(const cpu_ahe_plane *p, const uint16_t *in, size_t to) {
    const endo_ahe_job *j = p->job;
    int first = j->region.x - j->window / 2 - 1;
    for (int k = 0; k < p->pitch; k++) {
        int at = first + (k < p->columns ? k : 0), x = at >= 0 && at < j->width ? at : endo_ahe_mirror(at, j->width);
        uint32_t bin, part;
        if (p->is_16bit) {
            ((uint16_t *)p->pixels)[to + k] = in[x];
            continue;
        }
        endo_ahe_bin_of_16(in[x], j->low, j->high, j->bin_width, &bin, &part);
        ((uint8_t *)p->pixels)[to + k] = (uint8_t)bin;
        p->parts[to + k] = (uint8_t)(part - 1);
    }
}

static void pad_row(const cpu_ahe_plane *p, int invert, int y, size_t to) {
    size_t from = (size_t)y * p->job->stride;
    if (p->job->type == ENDO_GREY8)
        pad_row8(p, (const uint8_t *)p->job->pixels + from, (uint8_t)invert, (uint8_t *)p->pixels + to);
    else
        pad_row16(p, (const uint16_t *)p->job->pixels + from, to);
}

/* Stored are the image's rows from the first to the last that any window reaches. */
static void find_rows(cpu_ahe_plane *p) {
    const endo_ahe_job *j = p->job;
    int first = j->region.y - j->window / 2 - 1;
    p->first_row = j->height, p->last_row = -1;
    for (int i = 0; i < p->n_rows; i++) {
        int y = endo_ahe_mirror(first + i, j->height);
        p->row_of[i] = y;
        if (y < p->first_row) p->first_row = y;
        if (y > p->last_row) p->last_row = y;
    }
    for (int i = 0; i < p->n_rows; i++) p->row_of[i] -= p->first_row;
}

endo_status cpu_ahe_plane_create(const endo_ahe_job *job, int keep_16bit, cpu_ahe_plane *out) {
    cpu_ahe_plane p = {.job = job, .is_16bit = job->type == ENDO_GREY16 && keep_16bit};
    p.columns = job->region.width + job->window + 1;
    p.n_rows = job->region.height + job->window + 1;
    p.pitch = (p.columns + CPU_AHE_STRIP + ENDO_PLANE_ROW + 63) & ~63;
    p.row_of = endo_alloc(p.n_rows, sizeof *p.row_of);
    if (p.row_of) {
        find_rows(&p);
        size_t stored = (size_t)(p.last_row - p.first_row + 1) * p.pitch;
        p.pixels = endo_alloc(stored, p.is_16bit ? 2 : 1);
        if (job->type == ENDO_GREY16 && !p.is_16bit) p.parts = endo_alloc(stored, 1);
    }
    if (!p.pixels || (job->type == ENDO_GREY16 && !p.is_16bit && !p.parts)) {
        cpu_ahe_plane_destroy(&p);
        return endo_fail(ENDO_ERR_MEMORY, "no memory to equalize %d x %d pixels", job->width, job->height);
    }
    *out = p;
    return ENDO_OK;
}

void cpu_ahe_plane_fill(const cpu_ahe_plane *p, int invert, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = p->first_row; y <= p->last_row; y++) pad_row(p, invert, y, (size_t)(y - p->first_row) * p->pitch);
}

void cpu_ahe_plane_destroy(cpu_ahe_plane *p) {
    endo_free(p->pixels);
    endo_free(p->parts);
    endo_free(p->row_of);
}

int cpu_ahe_bands(const endo_ahe_job *job, int threads) {
    int height = job->region.height, bands = threads, worth = (int)((size_t)job->region.width * height >> 13);
    /* Several a thread, if the start of a band stays small beside it: threads do not all run alike. */
    if (threads > 1 && height / (4 * threads) > 4 * job->window) bands = 4 * threads;
    if (bands > worth) bands = worth;
    return bands < 1 ? 1 : bands > height ? height : bands;
}
