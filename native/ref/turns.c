/* Rotation and scale: the phase correlation of the log-polar magnitudes of two spectra ([F] sections 2.2 to 2.4). */
#include "ref_fourier.h"

#include "rules/fourier_spectra.h"

typedef struct workspace {
    ref_complex *spectrum;              /* side * side */
    ref_complex *whole, *tile, *power;  /* angles * radii: transforms of log-polar planes */
    double *heights;
    uint8_t *allowed;
} workspace;

static double magnitude_at(const ref_complex *spectrum, int side, int x, int y) {
    const ref_complex *c = &spectrum[(size_t)((y + side) % side) * side + x];
    return sqrt(c->re * c->re + c->im * c->im);
}

/* Bilinear, as in [F] section 4. */
static double magnitude_between(const endo_turns_setup *setup, const ref_complex *spectrum, double x, double y) {
    int side = setup->spectrum.side, x0 = (int)floor(x), y0 = (int)floor(y);
    double fx = x - x0, fy = y - y0;
    if (!endo_log_polar_is_inside(setup, x, y)) return 0;
    double top = (1 - fx) * magnitude_at(spectrum, side, x0, y0) + fx * magnitude_at(spectrum, side, x0 + 1, y0);
    double bottom =
        (1 - fx) * magnitude_at(spectrum, side, x0, y0 + 1) + fx * magnitude_at(spectrum, side, x0 + 1, y0 + 1);
    return (1 - fy) * top + fy * bottom;
}

static void take_mean_off(const endo_turns_setup *setup, ref_complex *polar, int column) {
    double sum = 0, weight = endo_log_polar_weight(setup, column);
    for (int row = 0; row < setup->angles; row++) sum += polar[(size_t)row * setup->radii + column].re;
    for (int row = 0; row < setup->angles; row++) {
        double *value = &polar[(size_t)row * setup->radii + column].re;
        *value = (*value - sum / setup->angles) * weight;
    }
}

/* Weights the transform of a log-polar plane: each frequency by endo_turn_weight() of its magnitude. */
static void weight(const endo_turns_setup *setup, ref_complex *polar) {
    for (int row = 0; row < setup->angles; row++)
        for (int column = 0; column < setup->radii; column++) {
            ref_complex *c = &polar[(size_t)row * setup->radii + column];
            int x = column > setup->radii / 2 ? column - setup->radii : column;
            int y = row > setup->angles / 2 ? row - setup->angles : row;
            double w = endo_turn_weight(setup, sqrt(c->re * c->re + c->im * c->im), x, y);
            c->re *= w, c->im *= w;
        }
    ref_normalise(polar, (size_t)setup->angles * setup->radii);
}

/* The transform of a part's log-polar plane, weighted. */
static endo_status polar_of(const ref_store *s, int slot, int width, int height, const endo_fourier_part *part,
                            const endo_turns_setup *setup, workspace *w, ref_complex *polar) {
    endo_status status = ref_part_spectrum(s, slot, width, height, part, &setup->spectrum, w->spectrum);
    if (status != ENDO_OK) return status;
    for (int row = 0; row < setup->angles; row++)
        for (int column = 0; column < setup->radii; column++) {
            double radius = endo_log_polar_radius(setup, column), angle = endo_log_polar_angle(setup, row);
            double value = magnitude_between(setup, w->spectrum, radius * cos(angle), radius * sin(angle));
            ref_complex made = {endo_log_polar_value(setup, value), 0};
            polar[(size_t)row * setup->radii + column] = made;
        }
    for (int column = 0; column < setup->radii && !setup->paper; column++) take_mean_off(setup, polar, column);
    status = ref_fft_plane(polar, setup->radii, setup->angles, -1);
    if (status == ENDO_OK) weight(setup, polar);
    return status;
}

static void allow(const endo_turns_setup *setup, double extra, uint8_t *allowed) {
    for (int y = 0; y < setup->angles; y++)
        for (int x = 0; x < setup->radii; x++)
            allowed[(size_t)y * setup->radii + x] = (uint8_t)endo_turn_is_allowed(setup, x, y, extra);
}

static endo_status find(const ref_store *s, const endo_turns_request *q, const endo_turns_setup *setup, workspace *w,
                        endo_turns_result *out) {
    const endo_fourier_images *m = &q->images;
    int extent = setup->spectrum.extent, n = 0, tiled_current = q->layer < 0;
    int across = endo_fourier_tiles_across(q->layer);
    int slots[2] = {m->reference, m->current}, widths[2] = {m->reference_width, m->current_width};
    int heights[2] = {m->reference_height, m->current_height}, t = tiled_current, o = !tiled_current;
    endo_fourier_part all = endo_fourier_tile(widths[o], heights[o], 0, 0, extent);
    endo_status status = polar_of(s, slots[o], widths[o], heights[o], &all, setup, w, w->whole);
    for (int i = 0; i < across * across && status == ENDO_OK; i++) {
        endo_fourier_part part = endo_fourier_tile(widths[t], heights[t], q->layer, i, extent);
        double extra = tiled_current ? endo_turn_level_scale(all.level, part.level)
                                     : endo_turn_level_scale(part.level, all.level);
        status = polar_of(s, slots[t], widths[t], heights[t], &part, setup, w, w->tile);
        if (status == ENDO_OK)
            status = ref_correlate(tiled_current ? w->whole : w->tile, tiled_current ? w->tile : w->whole, 1,
                                   setup->radii, setup->angles, w->power, w->heights);
        if (status != ENDO_OK) break;
        allow(setup, extra, w->allowed);
        n = ref_peaks(w->heights, setup->radii, setup->angles, w->allowed, i, out->peaks, n, setup->peaks);
    }
    out->n = n;
    return status;
}

endo_status ref_turns(void *store, const endo_turns_request *requests, size_t n, const endo_turns_setup *setup,
                      endo_turns_result *results) {
    size_t plane = (size_t)setup->spectrum.side * setup->spectrum.side, polar = (size_t)setup->angles * setup->radii;
    ref_complex *planes = endo_alloc(plane + 3 * polar, sizeof *planes);
    double *heights = endo_alloc(polar, sizeof *heights);
    uint8_t *allowed = endo_alloc(polar, 1);
    workspace w = {planes, planes + plane, planes + plane + polar, planes + plane + 2 * polar, heights, allowed};
    endo_status status = planes && heights && allowed ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for spectra");
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        endo_turns_result found = {.n = 0};
        status = find(store, &requests[i], setup, &w, &found);
        if (status == ENDO_OK) results[i] = found;
    }
    endo_free(planes);
    endo_free(heights);
    endo_free(allowed);
    return status;
}
