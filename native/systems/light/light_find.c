/* The light of a sequence: vignetting and gains, robustly, and whether the vignetting can be determined. */
#include "light.h"

#include "base/transform.h"

#include <math.h>
#include <string.h>

/* Share of the variance of places that a way along a line is taken to have across it. */
#define STRAIGHT 1e-3
/* Deviations that walls are nearer or farther by than a plane, at least, where a scene is taken to have depth. */
#define DEEP 2
/* Largest standard deviation, as a logarithm, of a vignetting that counts as known. Less of others is taken out. */
#define WORST_DEVIATION 0.25

typedef struct solution {
    light_samples samples;
    light_surface surface;
    double terms[LIGHT_TERMS];
    double *gains; /* lists of the views, one a channel: logarithms */
    double deviation, rest; /* of the fall-off; of the residuals */
    double share;           /* how much of the fall-off is taken out */
} solution;

static double *gains_of(const solution *s, int channel) { return s->gains + (size_t)channel * s->samples.views; }

/* Logarithm of the vignetting at every sample. */
static void find_vignetting(solution *s) {
    light_samples *e = &s->samples;
#pragma omp parallel for num_threads(e->threads) schedule(static) if (e->n > 10000)
    for (size_t v = 0; v < e->views; v++) {
        size_t i = e->first[v];
        light_surface_values(&s->surface, s->terms, e->x + i, e->y + i, e->first[v + 1] - i, e->vignetting + i);
    }
}

/* Finds the vignetting, and then the gains under as much of it as is taken out. */
static endo_status solve(const endo_light *light, const endo_light_view *views, double robust, solution *s) {
    light_evidence evidence;
    if (s->samples.n == 0) return ENDO_OK;
    ENDO_TRY(light_vignetting_find(light, &s->surface, views, &s->samples, robust, s->terms, &evidence));
    s->deviation = light_honest_deviation(&evidence);
    s->share = evidence.falls ? light_share_of(s->deviation) : 0;
    for (int t = 0; t < LIGHT_TERMS; t++) s->terms[t] *= s->share;
    if (s->share > 0) find_vignetting(s);
    return light_gains_find(light, &s->samples, robust, s->gains, &s->rest);
}

/* ------------------------------------------------------------------- gains */

/* Gains of views with samples get the mean logarithm 0 in their component; the others are 1. */
static endo_status centre_gains(const endo_light_view *views, solution *s, uint8_t *seen) {
    light_samples *e = &s->samples;
    double *sums = endo_alloc(2 * e->views, sizeof *sums);
    if (!sums) return endo_fail(ENDO_ERR_MEMORY, "no memory for the gains of %zu frames", e->views);
    for (size_t i = 0; i < e->views; i++) seen[i] = e->first[i + 1] > e->first[i];
    for (int c = 0; c < e->channels; c++) {
        double *gains = gains_of(s, c);
        for (size_t i = 0; i < 2 * e->views; i++) sums[i] = 0;
        for (size_t i = 0; i < e->views; i++)
            if (seen[i]) {
                sums[2 * views[i].component] += gains[i];
                sums[2 * views[i].component + 1]++;
            }
        for (size_t i = 0; i < e->views; i++)
            gains[i] = seen[i] ? gains[i] - sums[2 * views[i].component] / sums[2 * views[i].component + 1] : 0;
    }
    endo_free(sums);
    return ENDO_OK;
}

static double mean_gain(const solution *s, size_t view) {
    double sum = 0;
    for (int c = 0; c < s->samples.channels; c++) sum += gains_of(s, c)[view];
    return sum / s->samples.channels;
}

/* Gains, and their differences between channels, are believed as far as parts of the frames bear each other out. */
static endo_status believe_gains(const endo_light *light, int colours, solution *s) {
    light_shares shares;
    ENDO_TRY(light_gains_share(light, &s->surface, &s->samples, s->gains, &shares));
    if (!colours) shares.colours = 0;
    for (size_t i = 0; i < s->samples.views; i++) {
        double mean = mean_gain(s, i);
        for (int c = 0; c < s->samples.channels; c++) {
            double *gain = &gains_of(s, c)[i];
            *gain = shares.level * mean + shares.colours * (*gain - mean);
        }
    }
    return ENDO_OK;
}

/* Logarithm of how much larger the middle of a view shows the scene, as an area, than its component's plane does. */
static double zoom_of(const endo_light *light, const endo_light_view *view) {
    static const double beside[4][2] = {{0.5, 0}, {-0.5, 0}, {0, 0.5}, {0, -0.5}}; /* px */
    double x = 0.5 * light->frame.width;
    double y = 0.5 * light->frame.height;
    double at[4][2];
    for (int k = 0; k < 4; k++)
        if (!endo_transform_point(&view->transform, x + beside[k][0], y + beside[k][1], &at[k][0], &at[k][1])) return 0;
    double area = (at[0][0] - at[1][0]) * (at[2][1] - at[3][1]) - (at[0][1] - at[1][1]) * (at[2][0] - at[3][0]);
    return area > 0 && isfinite(area) ? -log(area) : 0;
}

/* The zooms of the views, each less the mean of its component; 0 of views without samples. */
static endo_status find_zooms(const endo_light *light, const endo_light_view *views, const uint8_t *seen, size_t n,
                              double *zooms) {
    double (*sums)[2] = endo_alloc_zeroed(n + 1, sizeof *sums);
    if (!sums) return endo_fail(ENDO_ERR_MEMORY, "no memory for the gains of %zu frames", n);
    for (size_t i = 0; i < n; i++) {
        if (!seen[i]) continue;
        zooms[i] = zoom_of(light, &views[i]);
        sums[views[i].component][0] += zooms[i];
        sums[views[i].component][1]++;
    }
    for (size_t i = 0; i < n; i++)
        zooms[i] = seen[i] ? zooms[i] - sums[views[i].component][0] / sums[views[i].component][1] : 0;
    endo_free(sums);
    return ENDO_OK;
}

/* How sure it is that the scene has depth, 0..1, by what pairs say of walls. */
static double depth_of(const endo_light *light, const light_surface *surface) {
    light_nearer walls = light_nearer_of_pairs(light, surface);
    double square = walls.share * walls.share;
    double doubt = DEEP * DEEP * walls.variance;
    return square > doubt ? 1 - doubt / square : 0;
}

/* Takes the zooms out of the gains of each component as far as they explain them, not at all as long as that is less than half
 * of the squares. squares: zeros, by component: of the gains, and of the gains less the zooms. */
static void take_zooms(const double *zooms, const endo_light_view *views, double depth, double (*squares)[2], solution *s) {
    for (size_t i = 0; i < s->samples.views; i++) {
        double gain = mean_gain(s, i);
        squares[views[i].component][0] += gain * gain;
        squares[views[i].component][1] += (gain - zooms[i]) * (gain - zooms[i]);
    }
    for (size_t i = 0; i < s->samples.views; i++) {
        const double *of = squares[views[i].component];
        if (!(of[0] > 0)) continue;
        double share = depth * fmax(1 - 2 * of[1] / of[0], 0);
        for (int c = 0; c < s->samples.channels; c++) gains_of(s, c)[i] -= share * zooms[i];
    }
}

/* A lamp that comes nearer lights what is seen by the inverse square of its distance, as the scene's area in the frame grows:
 * its gains are the zooms, no camera's control. In a flat scene they are made even; where there is depth no gain makes even
 * what is near and what is far, and they are left to the frames' own colours. */
static endo_status leave_approach(const endo_light *light, const endo_light_view *views, const uint8_t *seen, solution *s) {
    size_t n = s->samples.views;
    double depth = depth_of(light, &s->surface);
    if (depth == 0) return ENDO_OK;
    double *zooms = endo_alloc_zeroed(n + 1, sizeof *zooms);
    double (*squares)[2] = endo_alloc_zeroed(n + 1, sizeof *squares);
    endo_status status = zooms && squares ? find_zooms(light, views, seen, n, zooms)
                                          : endo_fail(ENDO_ERR_MEMORY, "no memory for the gains of %zu frames", n);
    if (status == ENDO_OK) take_zooms(zooms, views, depth, squares, s);
    endo_free(zooms);
    endo_free(squares);
    return status;
}

/* Where a view looks in its component's panorama, in units of the field's reach. */
static void place_of(const endo_light *light, const light_surface *surface, const endo_light_view *view, double out[2]) {
    if (!endo_transform_point(&view->transform, 0.5 * light->frame.width, 0.5 * light->frame.height, &out[0], &out[1]))
        out[0] = out[1] = 0;
    out[0] /= surface->reach;
    out[1] /= surface->reach;
}

/* Sums over the views of a component: of their number, places, products of places, and of gains with places. */
typedef struct way_sums {
    double n, place[2], products[3], gains[2];
} way_sums;

/* Slope of the gains over the places: by least squares; a way along a line tells nothing across it. */
static void find_slope(const way_sums *w, double out[2]) {
    double xx = w->products[0] - w->place[0] * w->place[0] / w->n;
    double xy = w->products[1] - w->place[0] * w->place[1] / w->n;
    double yy = w->products[2] - w->place[1] * w->place[1] / w->n;
    double little = STRAIGHT * (xx + yy) + 1e-9;
    double square = (xx + little) * (yy + little) - xy * xy;
    out[0] = ((yy + little) * w->gains[0] - xy * w->gains[1]) / square;
    out[1] = ((xx + little) * w->gains[1] - xy * w->gains[0]) / square;
}

/* Gains that rise along the way of the scope may be a gradient of the light over the frame that is not known: a slope no
 * steeper than such gradients is taken out of the gains, and of a steeper one the share that their square has of its square. */
static endo_status believe_slopes(const endo_light *light, const endo_light_view *views, const uint8_t *seen, solution *s) {
    size_t n = s->samples.views;
    double unknown = (1 - s->share) * LIGHT_GRADIENT * fabs(s->surface.terms[0][1]);
    way_sums *sums = endo_alloc_zeroed(n + 1, sizeof *sums);
    if (!sums) return endo_fail(ENDO_ERR_MEMORY, "no memory for the gains of %zu frames", n);
    for (size_t i = 0; i < n; i++) {
        way_sums *w = &sums[views[i].component];
        double at[2];
        if (!seen[i]) continue;
        place_of(light, &s->surface, &views[i], at);
        w->n++;
        for (int k = 0; k < 2; k++) {
            w->place[k] += at[k];
            w->gains[k] += at[k] * mean_gain(s, i);
        }
        w->products[0] += at[0] * at[0], w->products[1] += at[0] * at[1], w->products[2] += at[1] * at[1];
    }
    for (size_t i = 0; i < n; i++) {
        way_sums *w = &sums[views[i].component];
        double at[2];
        double slope[2];
        if (!seen[i]) continue;
        place_of(light, &s->surface, &views[i], at);
        find_slope(w, slope);
        double square = slope[0] * slope[0] + slope[1] * slope[1];
        double doubt = square > unknown * unknown ? unknown * unknown / square : 1;
        double along = slope[0] * (at[0] - w->place[0] / w->n) + slope[1] * (at[1] - w->place[1] / w->n);
        for (int c = 0; c < s->samples.channels; c++) gains_of(s, c)[i] -= doubt * along;
    }
    endo_free(sums);
    return ENDO_OK;
}

static void write_gains(const solution *s, double limit, int32_t *gains) {
    for (size_t i = 0; i < s->samples.views; i++)
        for (int c = 0; c < LIGHT_CHANNELS; c++) {
            int channel = c < s->samples.channels ? c : 0;
            double factor = exp(-gains_of(s, channel)[i]);
            factor = fmax(fmin(factor, limit), 1 / limit);
            gains[3 * i + (size_t)c] = (int32_t)(factor * ENDO_LIGHT_ONE + 0.5);
        }
}

static void report_gains(const solution *s, const uint8_t *seen, endo_light_report *report) {
    double flicker = 0, colour = 0, n = 0;
    for (size_t i = 0; i < s->samples.views; i++) {
        double mean = mean_gain(s, i);
        n += seen[i];
        flicker += mean * mean;
        for (int c = 0; c < s->samples.channels; c++) {
            double rest = gains_of(s, c)[i] - mean;
            colour += rest * rest / s->samples.channels;
        }
    }
    report->flicker = n > 0 ? exp(sqrt(flicker / n)) - 1 : 0;
    report->colour = n > 0 ? exp(sqrt(colour / n)) - 1 : 0;
    report->rest = exp(s->rest) - 1;
    report->frames = (int64_t)n;
}

/* --------------------------------------------------------------- reference */

/* How bright a view's samples are, as they are and without the vignetting. */
static void find_brightness(const solution *s, size_t view, double (*out)[2]) {
    const light_samples *e = &s->samples;
    double gain = mean_gain(s, view);
    for (size_t i = e->first[view]; i < e->first[view + 1]; i++) {
        double sum = 0;
        for (int c = 0; c < e->channels; c++) sum += e->values[(size_t)c * e->n + i];
        out[i][0] = e->share[i] * exp(sum / e->channels - gain);
        out[i][1] = e->share[i] * exp(sum / e->channels - gain - e->vignetting[i]);
    }
}

/* Value of the vignetting at which pixels are left as they are, such that the mean brightness of all samples stays. */
static endo_status find_reference(const solution *s, double *reference) {
    const light_samples *e = &s->samples;
    double lit = 0, even = 0;
    double (*brightness)[2] = endo_alloc(e->n + 1, sizeof *brightness);
    if (!brightness) return endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %zu frames", e->views);
#pragma omp parallel for num_threads(e->threads) schedule(static) if (e->n > 10000)
    for (size_t v = 0; v < e->views; v++) find_brightness(s, v, brightness);
    for (size_t i = 0; i < e->n; i++) {
        lit += brightness[i][0];
        even += brightness[i][1];
    }
    endo_free(brightness);
    *reference = lit > 0 ? log(lit / even) : 0;
    return ENDO_OK;
}

/* ------------------------------------------------------------------ outputs */

static endo_status write_all(const endo_light *light, solution *s, const uint8_t *seen, double limit,
                             uint16_t *correction, int32_t *gains, endo_light_report *report) {
    light_shape shape = light_shape_make(light, &s->surface, s->terms);
    int corrects = s->share > 0;
    if (!corrects) {
        shape.peak_x = shape.x;
        shape.peak_y = shape.y;
    }
    shape.reference = shape.peak;
    if (corrects) ENDO_TRY(find_reference(s, &shape.reference));
    endo_light_report made = {.found = s->samples.n > 0 && s->deviation <= WORST_DEVIATION, .deviation = s->deviation};
    if (report) ENDO_TRY(light_shape_report(light, &shape, &made));
    if (correction) light_shape_correct(light, &shape, limit, correction);
    if (gains) write_gains(s, limit, gains);
    if (!report) return ENDO_OK;
    report_gains(s, seen, &made);
    *report = made;
    return ENDO_OK;
}

static int take_memory(solution *s) {
    s->gains = endo_alloc_zeroed((size_t)s->samples.channels * s->samples.views + 1, sizeof *s->gains);
    return s->gains != NULL;
}

static void free_solution(solution *s) {
    light_samples_free(&s->samples);
    endo_free(s->gains);
}

endo_status light_find(const endo_light *light, const endo_light_view *views, size_t n,
                       const endo_light_options *options, uint16_t *correction, int32_t *gains,
                       endo_light_report *report) {
    solution s;
    memset(&s, 0, sizeof s);
    uint8_t *seen = endo_alloc_zeroed(n + 1, 1);
    light_surface_make(light, &s.surface);
    endo_status status = seen ? light_samples_make(light, views, n, &s.samples)
                              : endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %zu frames", n);
    if (status == ENDO_OK && !take_memory(&s))
        status = endo_fail(ENDO_ERR_MEMORY, "no memory for the gains of %zu frames", n);
    if (status == ENDO_OK) status = solve(light, views, options->robust, &s);
    if (status == ENDO_OK) status = centre_gains(views, &s, seen);
    if (status == ENDO_OK) status = believe_gains(light, options->colour, &s);
    if (status == ENDO_OK) status = leave_approach(light, views, seen, &s);
    if (status == ENDO_OK) status = believe_slopes(light, views, seen, &s);
    if (status == ENDO_OK) status = write_all(light, &s, seen, options->limit, correction, gains, report);
    free_solution(&s);
    endo_free(seen);
    return status;
}
