/* Geometry of Fourier registration: from peaks to maps, and from a map to a result. */
#include "fourier_candidates.h"

#include "rules/fourier_spectra.h"

#include <math.h>
#include <string.h>

/* Sides of the transforms. Default: the spectrum of an image of 256 px in a plane twice as large, which samples it
 * finely enough to be turned; shifts are found at the same size. */
#define TURN_EXTENT 256
#define TURN_SIDE 512
#define LAYER_EXTENT 128
#define LAYER_SIDE 256
#define SHIFT_EXTENT 256
/* Fewest pixels of the longer side of the moved image at the level at which alignment begins. */
#define ALIGN_SIDE 96
#define LEAST_SIDE 16

/* The next even number 2^a 3^b 5^c. */
static int smooth_side(int n) {
    for (int side = n < 2 ? 2 : n;; side++) {
        int rest = side;
        while (rest % 2 == 0) rest /= 2;
        while (rest % 3 == 0) rest /= 3;
        while (rest % 5 == 0) rest /= 5;
        if (rest == 1 && side % 2 == 0) return side;
    }
}

static int longest_side(const endo_fourier_pair *pairs, size_t n) {
    int longest = 1;
    for (size_t i = 0; i < n; i++) {
        const endo_fourier_pair *p = &pairs[i];
        int sides[4] = {p->reference_width, p->reference_height, p->current_width, p->current_height};
        for (int k = 0; k < 4; k++) longest = sides[k] > longest ? sides[k] : longest;
    }
    return longest;
}

/* The side of an image at the first level at which it fits. */
static int reduced(int side, int extent) {
    while (side > extent) side /= 2;
    return side;
}

static void limit_turns(const endo_fourier_options *o, endo_turns_setup *s) {
    s->max_angle = o->max_angle;
    s->max_log_scale = o->model == ENDO_TRANSFORM_SIMILARITY ? log(o->max_scale) : 0;
}

/* Default setup: radii from a 32nd of half the plane to nearly all of it. */
static endo_turns_setup default_turns(const endo_fourier_options *o, const endo_fourier_spectrum *like, int extent, int side) {
    endo_turns_setup s;
    memset(&s, 0, sizeof s);
    s.spectrum = *like;
    s.spectrum.extent = extent;
    s.spectrum.side = side;
    s.angles = side;
    s.radii = side / 2;
    s.first_radius = side / 32.0;
    s.radius_step = log((side / 2.0 - 2) / s.first_radius) / s.radii;
    s.peaks = o->candidates + 1 < ENDO_FOURIER_PEAKS ? o->candidates + 1 : ENDO_FOURIER_PEAKS;
    limit_turns(o, &s);
    return s;
}

static endo_turns_setup paper_turns(const endo_fourier_options *o, const endo_fourier_spectrum *like) {
    endo_turns_setup s;
    memset(&s, 0, sizeof s);
    s.spectrum = *like;
    s.paper = 1;
    s.angles = s.radii = like->side;
    s.first_radius = 1;
    s.radius_step = log((double)like->side) / like->side; /* [F] eq. 12: the base is W^(1/W) */
    s.peaks = 2;
    limit_turns(o, &s);
    return s;
}

void fourier_plan_make(const endo_fourier_pair *pairs, size_t n, const endo_fourier_options *options,
                       const endo_fourier_taper *tapers, double field, fourier_plan *plan) {
    int longest = longest_side(pairs, n);
    endo_fourier_spectrum spectrum;
    memset(plan, 0, sizeof *plan);
    memset(&spectrum, 0, sizeof spectrum);
    spectrum.window = options->window;
    spectrum.gradient = options->gradient;
    spectrum.tapers = tapers;
    plan->options = options;
    plan->align.model = options->model;
    plan->field = field;
    if (options->paper) {
        spectrum.extent = longest;
        spectrum.side = smooth_side(longest);
        plan->turns = paper_turns(options, &spectrum);
        plan->shifts.spectrum = spectrum;
        return;
    }
    int turn = reduced(longest, TURN_EXTENT), layer = reduced(longest, LAYER_EXTENT), shift = reduced(longest, SHIFT_EXTENT);
    plan->turns = default_turns(options, &spectrum, turn, smooth_side(turn * TURN_SIDE / TURN_EXTENT));
    plan->layers = default_turns(options, &spectrum, layer, smooth_side(layer * LAYER_SIDE / LAYER_EXTENT));
    plan->shifts.spectrum = spectrum;
    plan->shifts.spectrum.extent = shift;
    plan->shifts.spectrum.side = smooth_side(shift);
}

int fourier_is_large_enough(const fourier_plan *plan, int width, int height) {
    int level = endo_fourier_level(width, height, plan->shifts.spectrum.extent);
    int extent = plan->shifts.spectrum.extent;
    return width >> level >= LEAST_SIDE && height >> level >= LEAST_SIDE && width >> level <= extent &&
           height >> level <= extent;
}

/* -------------------------------------------------------------- candidates */

/* Makes a candidate. The image with the larger footprint is fixed, so that the middle of the other one lies in it. */
static fourier_candidate make_candidate(const fourier_pair_state *state, size_t pair, double angle, double log_scale,
                                        int32_t twins) {
    const endo_fourier_pair *p = &state->pair;
    double reference = (double)p->reference_width * p->reference_height, current = (double)p->current_width * p->current_height;
    fourier_candidate c = {.pair = pair, .angle = angle, .log_scale = log_scale, .images = *p, .twins = twins};
    if (current * exp(2 * log_scale) <= reference) return c;
    endo_fourier_images turned = {p->current, p->reference, p->current_width, p->current_height, p->reference_width,
                                  p->reference_height};
    c.swapped = 1;
    c.images = turned;
    c.angle = 0 - angle;
    c.log_scale = 0 - log_scale;
    return c;
}

fourier_candidate fourier_candidate_still(const fourier_pair_state *state, size_t pair) {
    return make_candidate(state, pair, 0, 0, 1);
}

int fourier_candidate_of_peak(const fourier_plan *plan, const fourier_pair_state *state, size_t pair,
                              const endo_turns_request *q, const endo_fourier_peak *peak, fourier_candidate *out) {
    const endo_turns_setup *s = q->layer ? &plan->layers : &plan->turns;
    const endo_fourier_options *o = plan->options;
    const endo_fourier_images *m = &q->images;
    int between = !o->paper && !o->refine, extent = s->spectrum.extent;
    double x = peak->x, y = peak->y;
    if (between) x += endo_fourier_between(peak->around[0], peak->height, peak->around[1]);
    if (between) y += endo_fourier_between(peak->around[2], peak->height, peak->around[3]);
    int reference_layer = q->layer > 0 ? q->layer : 0, current_layer = q->layer < 0 ? q->layer : 0;
    int reference_level = endo_fourier_tile(m->reference_width, m->reference_height, reference_layer, 0, extent).level;
    int current_level = endo_fourier_tile(m->current_width, m->current_height, current_layer, 0, extent).level;
    double degrees = endo_turn_degrees(y, s->angles), log_scale = endo_turn_log_scale(x, s->radii, s->radius_step);
    log_scale += endo_turn_level_scale(reference_level, current_level);
    if (o->model != ENDO_TRANSFORM_SIMILARITY) log_scale = 0;
    int bin = 180 / s->angles + 1, upright = fabs(degrees) <= o->max_angle + bin;
    int turned = 180 - fabs(degrees) <= o->max_angle + bin;
    if (!upright && !turned) return 0;
    *out = make_candidate(state, pair, degrees * ENDO_PI / 180, log_scale, upright + 2 * turned);
    return 1;
}

/* The level of the moved image whose pixels are nearest in size to those of a level of the fixed one. */
static int moved_level(const endo_fourier_images *m, double log_scale, int fixed_level) {
    int level = fixed_level + (int)floor(0.5 - log_scale / log(2)), n = endo_fourier_levels(m->current_width, m->current_height);
    return level < 0 ? 0 : level >= n ? n - 1 : level;
}

static int fixed_shift_level(const fourier_plan *plan, const endo_fourier_images *m) {
    return endo_fourier_tile(m->reference_width, m->reference_height, 0, 0, plan->shifts.spectrum.extent).level;
}

endo_shifts_request fourier_shifts_request(const fourier_plan *plan, const fourier_candidate *c) {
    int fixed = fixed_shift_level(plan, &c->images), moved = moved_level(&c->images, c->log_scale, fixed);
    double scale = exp(endo_turn_level_scale(moved, fixed) + c->log_scale);
    endo_shifts_request q = {c->images, moved, c->twins, {cos(c->angle) / scale, 0 - sin(c->angle) / scale}};
    return q;
}

/* ------------------------------------------------------------------ trials */

/* Level of the fixed image at which a trial begins. */
static int first_level(const endo_fourier_images *m, double log_scale) {
    int longer = m->current_width > m->current_height ? m->current_width : m->current_height;
    double side = longer * exp(log_scale);
    int level = 0, n = endo_fourier_levels(m->reference_width, m->reference_height);
    while (level < n - 1 && side / (double)(2 << level) >= ALIGN_SIDE) level++;
    return level;
}

/* The middle of the moved image, in px of the fixed one: the whole multiple of the side that is nearest to its middle. */
static double middle_of(double shift, int side, int length, int level) {
    double position = (side - 1) / 2.0 + shift, middle = (length - 1) / 2.0;
    while (position >= middle + side / 2.0) position -= side;
    while (position < middle - side / 2.0) position += side;
    return endo_fourier_up(position, level);
}

fourier_trial fourier_trial_of_peak(const fourier_plan *plan, const fourier_candidate *c, int twin,
                                    const endo_fourier_peak *peak) {
    const endo_fourier_images *m = &c->images;
    int side = plan->shifts.spectrum.side, level = fixed_shift_level(plan, m);
    int between = !plan->options->paper && !plan->options->refine;
    double angle = c->angle + (twin ? ENDO_PI : 0), scale = exp(c->log_scale);
    double x = peak->x, y = peak->y;
    if (between) x += endo_fourier_between(peak->around[0], peak->height, peak->around[1]);
    if (between) y += endo_fourier_between(peak->around[2], peak->height, peak->around[3]);
    x = middle_of(x, side, m->reference_width >> level, level);
    y = middle_of(y, side, m->reference_height >> level, level);
    endo_fourier_map map = {cos(angle) / scale, 0 - sin(angle) / scale, 0, 0};
    map.tx = (m->current_width - 1) / 2.0 - (map.a * x - map.b * y);
    map.ty = (m->current_height - 1) / 2.0 - (map.b * x + map.a * y);
    int fixed = first_level(m, c->log_scale), moved = moved_level(m, c->log_scale, fixed);
    fourier_trial t;
    memset(&t, 0, sizeof t);
    t.pair = c->pair;
    t.swapped = c->swapped;
    t.height = peak->height;
    t.request = (endo_align_request){
        .images = *m,
        .reference_level = fixed,
        .current_level = moved,
        .levels = 1,
        .iterations = plan->options->refine && !plan->options->paper ? 8 : 0,
        .half = endo_fourier_half(scale * exp(endo_turn_level_scale(moved, fixed))),
        .map = map,
    };
    return t;
}
