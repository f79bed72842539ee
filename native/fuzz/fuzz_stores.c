#include "fuzz_stores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 4
#define MAX_REQUESTS 24

/* A side that leaves room for the other within FUZZ_PIXELS; often tiny. */
static int side(fuzz_input *in, int other) {
    int most = FUZZ_PIXELS / (other > 0 && other < FUZZ_PIXELS ? other : 200);
    return fuzz_wild(in, 1, fuzz_one_in(in, 3) ? 9 : most < 300 ? most : 300);
}

static uint8_t *make_field(fuzz_input *in, int width, int height) {
    uint8_t *field = malloc((size_t)width * (size_t)height);
    unsigned kind = fuzz_byte(in) % 3;
    fuzz_require(field != NULL, "memory for a mask");
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int dx = 2 * x - width, dy = 2 * y - height, inside = dx * dx + dy * dy < width * height;
            if (kind == 1) inside = (x * 7 + y * 13) % 61 != 0;
            if (kind == 2) inside = x > width / 4;
            field[(size_t)y * (size_t)width + (size_t)x] = (uint8_t)(inside ? 1 + x % 255 : 0);
        }
    return field;
}

static int16_t *make_pattern(fuzz_input *in, int width, int height) {
    size_t area = (size_t)width * (size_t)height;
    int16_t *pattern = malloc(area * sizeof *pattern);
    int most = fuzz_wild(in, 0, 255);
    fuzz_require(pattern != NULL, "memory for a pattern");
    for (size_t i = 0; i < area; i++) pattern[i] = (int16_t)(i % 3 == 0 ? most : i % 7 == 0 ? -20 : 0);
    return pattern;
}

void fuzz_make_frames(fuzz_session *s) {
    fuzz_input *in = &s->in;
    endo_frames_options o = endo_frames_options_default();
    endo_frames *made = NULL;
    uint8_t *field = NULL;
    int16_t *pattern = NULL;
    o.width = side(in, 0), o.height = side(in, o.width);
    o.type = (endo_pixel)fuzz_wild(in, 0, 2);
    o.capacity = fuzz_wild(in, 1, MAX_FRAMES);
    o.rim = fuzz_wild(in, 0, 20), o.iir = fuzz_wild(in, 0, 255);
    o.highlights = fuzz_one_in(in, 3) ? 1 + fuzz_one_in(in, 2) : 0, o.flow = !fuzz_one_in(in, 6), o.keep_pixels = !fuzz_one_in(in, 6);
    o.low = fuzz_wild(in, 0, 30000), o.high = fuzz_wild(in, 30001, 65535);
    if (fuzz_one_in(in, 4)) o.enhance = fuzz_one_in(in, 6) ? fuzz_wild(in, 3, 1023) : 2 * fuzz_between(in, 1, 20) + 1;
    if (fuzz_one_in(in, 2)) o.enhance_limit = fuzz_real(in, 1.01, 8);
    int sane = o.width > 0 && o.height > 0 && o.width <= 32767 && o.height <= 32767;
    if (sane && ((int64_t)o.width * o.height > 8 * FUZZ_PIXELS || o.capacity > MAX_FRAMES)) return;
    if (sane && fuzz_one_in(in, 2)) o.field = field = make_field(in, o.width, o.height);
    if (sane && fuzz_one_in(in, 4)) o.pattern = pattern = make_pattern(in, o.width, o.height);
    endo_status status = endo_frames_create(s->context, &o, &made);
    free(field); /* the library has its own copies now */
    free(pattern);
    fuzz_checked(status, NULL, 0, "endo_frames_create");
    fuzz_require((status == ENDO_OK) == (made != NULL), "a frame store and its status disagree");
    if (status != ENDO_OK) return;
    endo_frames_destroy(&s->frames);
    s->frames = made;
    s->options = o;
    for (int i = 0; i < o.capacity && i < 2; i++) fuzz_put(s);
}

void fuzz_put(fuzz_session *s) {
    fuzz_input *in = &s->in;
    if (!s->frames) return;
    int width = s->options.width, height = s->options.height, stride = width + fuzz_between(in, 0, 9);
    int slot = fuzz_wild(in, 0, s->options.capacity - 1);
    void *pixels = fuzz_image(in, width, height, stride, endo_pixel_size(s->options.type));
    fuzz_checked(endo_frames_put(s->frames, slot, pixels, fuzz_one_in(in, 24) ? width - 1 : stride), NULL, 0,
                 "endo_frames_put");
    free(pixels);
}

void fuzz_put_list(fuzz_session *s) {
    fuzz_input *in = &s->in;
    if (!s->frames) return;
    int width = s->options.width, height = s->options.height, n = fuzz_between(in, 0, 3);
    int32_t slots[3];
    void *images[3];
    const void *given[3];
    for (int i = 0; i < n; i++) {
        slots[i] = fuzz_wild(in, 0, s->options.capacity - 1);
        given[i] = images[i] = fuzz_image(in, width, height, width, endo_pixel_size(s->options.type));
    }
    fuzz_checked(endo_frames_put_list(s->frames, slots, (size_t)n, given, width), NULL, 0, "endo_frames_put_list");
    for (int i = 0; i < n; i++) free(images[i]);
}

void fuzz_put_for(fuzz_session *s) {
    int uses = fuzz_one_in(&s->in, 2) ? fuzz_wild(&s->in, 1, ENDO_USE_ANY) : ENDO_USE_ANY;
    if (s->frames) fuzz_checked(endo_frames_put_for(s->frames, uses), NULL, 0, "endo_frames_put_for");
}

void fuzz_hide(fuzz_session *s) {
    uint8_t cells[ENDO_MOST_HIDDEN];
    if (!s->frames) return;
    int slot = fuzz_wild(&s->in, 0, s->options.capacity - 1);
    int columns = fuzz_wild(&s->in, 1, 20);
    int rows = fuzz_wild(&s->in, 1, 20);
    int first = fuzz_wild(&s->in, ENDO_SHOWN, ENDO_HIDDEN);
    for (int i = 0; i < ENDO_MOST_HIDDEN; i++) cells[i] = (uint8_t)(i % (ENDO_HIDDEN + 1));
    cells[0] = (uint8_t)first;
    fuzz_checked(endo_frames_hide(s->frames, slot, columns, rows, cells), NULL, 0, "endo_frames_hide");
}

void fuzz_colours(fuzz_session *s) {
    enum { MOST = 64 };
    uint8_t bytes[MOST * 8] = {0};
    uint32_t *pixels = fuzz_output(MOST * sizeof *pixels);
    size_t n = (size_t)fuzz_between(&s->in, 0, MOST);
    int samples = fuzz_wild(&s->in, 3, 8);
    if (samples > 8 && samples <= 65535) n = 0;
    for (int i = 0; i < MOST; i++) bytes[i] = (uint8_t)i;
    fuzz_checked(endo_colours_from_bytes(bytes, samples, n, pixels), NULL, 0, "endo_colours_from_bytes");
    free(pixels);
}

void fuzz_get_grey(fuzz_session *s) {
    if (!s->frames) return;
    size_t bytes = (size_t)s->options.width * (size_t)s->options.height;
    void *grey = fuzz_output(bytes);
    int slot = fuzz_wild(&s->in, 0, s->options.capacity - 1);
    fuzz_checked(endo_frames_get_grey(s->frames, slot, grey), grey, bytes, "endo_frames_get_grey");
    free(grey);
}

static int slot_of(fuzz_session *s) {
    int most = s->options.capacity < 2 ? 0 : 1; /* the slots that were filled at once */
    return fuzz_wild(&s->in, 0, fuzz_one_in(&s->in, 8) ? s->options.capacity - 1 : most);
}

static int odd_side(fuzz_input *in) {
    return fuzz_one_in(in, 6) ? fuzz_wild(in, 3, 255) : 2 * fuzz_between(in, 1, fuzz_one_in(in, 3) ? 40 : 12) + 1;
}

static int place(fuzz_input *in, int size) { return fuzz_wild(in, -4, size + 4); }

int fuzz_is_coefficient(double c) { return c != c || fabs(c) <= 1 + 1e-12; }

void fuzz_ncc(fuzz_session *s) {
    fuzz_input *in = &s->in;
    if (!s->frames) return;
    size_t n = (size_t)fuzz_between(in, 0, MAX_REQUESTS), bytes = n * sizeof(double);
    endo_ncc_request *requests = malloc(n * sizeof *requests + !n);
    double *out = fuzz_output(bytes);
    fuzz_require(requests != NULL, "memory for requests");
    for (size_t i = 0; i < n; i++) {
        int width = s->options.width, height = s->options.height;
        endo_ncc_request q = {slot_of(s), slot_of(s), place(in, width), place(in, height), place(in, width),
                              place(in, height)};
        requests[i] = i > 0 && fuzz_one_in(in, 2) ? requests[i - 1] : q; /* runs of one template */
        requests[i].cx = q.cx, requests[i].cy = q.cy;
    }
    endo_status status = endo_ncc_compute(s->frames, requests, n, odd_side(in), out);
    fuzz_checked(status, out, bytes, "endo_ncc_compute");
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        fuzz_require(fuzz_is_coefficient(out[i]), "a coefficient outside -1..1");
    free(requests);
    free(out);
}

static void check_search_result(const endo_search_result *r) {
    fuzz_require(r->state >= ENDO_LANDMARK_FOUND && r->state <= ENDO_LANDMARK_UNSETTLED, "a landmark's state");
    fuzz_require(r->computed >= 0 && r->computed <= ENDO_SEARCH_LIMIT && r->reused >= 0, "a search's counts");
    fuzz_require(fuzz_is_coefficient(r->coefficient), "a search's coefficient outside -1..1");
    if (r->state == ENDO_LANDMARK_FOUND)
        fuzz_require(r->coefficient == r->coefficient && isfinite(r->x) && isfinite(r->y), "a landmark found nowhere");
}

void fuzz_search(fuzz_session *s) {
    fuzz_input *in = &s->in;
    if (!s->frames) return;
    size_t n = (size_t)fuzz_between(in, 0, MAX_REQUESTS), bytes = n * sizeof(endo_search_result);
    endo_search_request *requests = malloc(n * sizeof *requests + !n);
    endo_search_result *out = fuzz_output(bytes);
    fuzz_require(requests != NULL, "memory for requests");
    for (size_t i = 0; i < n; i++) {
        int width = s->options.width, height = s->options.height;
        endo_search_request q = {slot_of(s), slot_of(s), place(in, width), place(in, height), place(in, width),
                                 place(in, height)};
        requests[i] = q;
    }
    endo_search_options p = {odd_side(in), 1 << fuzz_between(in, 0, 7), fuzz_one_in(in, 2)};
    if (fuzz_one_in(in, 16)) p.cross = fuzz_wild(in, 0, 200);
    endo_status status = endo_search_run(s->frames, requests, n, &p, out);
    fuzz_checked(status, out, bytes, "endo_search_run");
    for (size_t i = 0; i < n && status == ENDO_OK; i++) check_search_result(&out[i]);
    free(requests);
    free(out);
}

void fuzz_pairs(fuzz_session *s, endo_pair pairs[FUZZ_MAX_PAIRS], size_t n) {
    for (size_t i = 0; i < n; i++) {
        endo_pair p = {slot_of(s), slot_of(s)};
        pairs[i] = p;
    }
}

/* Whether the numbers of a transform are finite, and its class is none above the richest that may come. */
static int is_finite(const endo_transform *t, endo_transform_class richest) {
    for (int i = 0; i < 9; i++)
        if (!isfinite(t->matrix[i])) return 0;
    return t->kind >= ENDO_TRANSFORM_TRANSLATION && t->kind <= richest;
}

/* A translation, the other class that is given, or (seldom) anything. */
static endo_transform_class fuzz_class(fuzz_input *in, endo_transform_class other) {
    if (fuzz_one_in(in, 8)) return (endo_transform_class)fuzz_wild(in, 0, ENDO_TRANSFORM_AFFINE);
    return fuzz_one_in(in, 3) ? ENDO_TRANSFORM_TRANSLATION : other;
}

void fuzz_flow(fuzz_session *s) {
    endo_pair pairs[FUZZ_MAX_PAIRS];
    if (!s->frames) return;
    size_t n = (size_t)fuzz_between(&s->in, 0, FUZZ_MAX_PAIRS), bytes = n * sizeof(endo_flow_result);
    endo_flow_result *out = fuzz_output(bytes);
    fuzz_pairs(s, pairs, n);
    endo_status status = endo_flow_estimate(s->frames, pairs, n, fuzz_class(&s->in, ENDO_TRANSFORM_AFFINE), out);
    fuzz_checked(status, out, bytes, "endo_flow_estimate");
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        fuzz_require(out[i].pixels >= 0 && is_finite(&out[i].transform, ENDO_TRANSFORM_AFFINE), "a flow that is no number");
    free(out);
}

static endo_pairs_options make_register_params(fuzz_input *in) {
    endo_pairs_options p = endo_pairs_options_default();
    p.initial = (endo_initial)fuzz_wild(in, 0, 3);
    if (fuzz_one_in(in, 2)) p.template_side = odd_side(in);
    if (fuzz_one_in(in, 4)) p.cross = 1 << fuzz_between(in, 0, 7);
    p.landmarks = fuzz_one_in(in, 8) ? fuzz_wild(in, 2, 64) : fuzz_between(in, 2, 6);
    p.cthresh = fuzz_real(in, -1, 1), p.uthresh = fuzz_real(in, 0.01, 10), p.guarantee = fuzz_real(in, 0, 1);
    p.transform = fuzz_class(in, ENDO_TRANSFORM_AFFINE);
    p.subpixel = fuzz_one_in(in, 2), p.quality = fuzz_one_in(in, 2);
    p.method = (endo_pairs_method)fuzz_wild(in, 0, 1);
    if (p.method == ENDO_METHOD_BEST && fuzz_one_in(in, 2)) p.transform = ENDO_TRANSFORM_AUTO;
    if (p.method == ENDO_METHOD_BEST && fuzz_one_in(in, 3)) p.transform = ENDO_TRANSFORM_HOMOGRAPHY;
    return p;
}

/* A number with its deviation, or neither. */
static int is_known_or_not(double v, double deviation) {
    return isnan(deviation) ? isnan(v) : isfinite(v) && isfinite(deviation) && deviation > 0;
}

static void check_pair_result(const endo_pair_result *r) {
    fuzz_require(r->status >= ENDO_PAIR_OK && r->status <= ENDO_PAIR_JUMP, "a pair's status");
    fuzz_require(is_finite(&r->transform, ENDO_TRANSFORM_HOMOGRAPHY), "a pair's matrix that is no number");
    fuzz_require(fuzz_is_coefficient(r->mean_coefficient) && fuzz_is_coefficient(r->quality), "a pair's coefficients");
    fuzz_require(isnan(r->deviation) || (r->deviation > 0 && isfinite(r->deviation)), "a pair's deviation");
    for (int k = 0; k < 2; k++)
        fuzz_require(is_known_or_not(r->perspective[k], r->perspective_deviation), "a pair's perspective");
    fuzz_require(is_known_or_not(r->lens, r->lens_deviation), "a pair's lens");
    if (r->used < 0 || r->used > r->landmarks || r->found < 0 || r->found > r->landmarks) {
        fprintf(stderr, "landmarks %d, found %d, used %d\n", r->landmarks, r->found, r->used);
        fuzz_require(0, "a pair's landmarks");
    }
}

/* Patches have no entry point of their own. */
void fuzz_patches(fuzz_session *s) { fuzz_register(s); }

static void fuzz_locate(fuzz_session *s, const endo_pair *pairs, const endo_transform *transforms, size_t n) {
    endo_patch_place *places = fuzz_output(n * ENDO_PATCH_PLACES * sizeof *places);
    int32_t counts[FUZZ_MAX_PAIRS];
    endo_status status = endo_pairs_locate(s->frames, pairs, transforms, n, places, counts);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        fuzz_require(counts[i] >= 0 && counts[i] <= ENDO_PATCH_PLACES, "a number of places");
        for (int k = 0; k < counts[i]; k++) {
            const endo_patch_place *p = &places[i * ENDO_PATCH_PLACES + (size_t)k];
            fuzz_require(isfinite(p->current_x) && isfinite(p->current_y) && p->deviation >= 0, "a place");
        }
    }
    free(places);
}

/* What is asked of pairs after they were registered. */
static void fuzz_registered(fuzz_session *s, const endo_pair *pairs, const endo_transform *starts, size_t n,
                            const endo_pairs_options *p, endo_pair_result *results) {
    endo_pair_layers layers[FUZZ_MAX_PAIRS];
    int32_t repeats[FUZZ_MAX_PAIRS];
    endo_status status = endo_pairs_separate(s->frames, pairs, n, p, results, layers);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        int cells = layers[i].columns * layers[i].rows;
        fuzz_require(layers[i].count >= 1 && layers[i].count <= 2 && cells <= ENDO_LAYER_CELLS, "layers of a pair");
        check_pair_result(&results[i]);
    }
    if (status == ENDO_OK) status = endo_pairs_register_layer(s->frames, pairs, starts, layers, n, p, results);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) check_pair_result(&results[i]);
    status = endo_pairs_try_rivals(s->frames, pairs, n, p, results, repeats);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        fuzz_require(repeats[i] == 0 || repeats[i] == 1, "whether a scene repeats itself");
        check_pair_result(&results[i]);
    }
}

void fuzz_register(fuzz_session *s) {
    endo_pair pairs[FUZZ_MAX_PAIRS];
    endo_transform starts[FUZZ_MAX_PAIRS];
    if (!s->frames) return;
    size_t n = (size_t)fuzz_between(&s->in, 0, FUZZ_MAX_PAIRS), bytes = n * sizeof(endo_pair_result);
    endo_pair_result *out = fuzz_output(bytes);
    endo_pairs_options p = make_register_params(&s->in);
    fuzz_pairs(s, pairs, n);
    for (size_t i = 0; i < n; i++) starts[i] = fuzz_transform(&s->in, s->options.width);
    int given = fuzz_one_in(&s->in, 2);
    endo_status status = given ? endo_pairs_register_from(s->frames, pairs, starts, n, &p, out)
                               : endo_pairs_register(s->frames, pairs, n, &p, out);
    fuzz_checked(status, out, bytes, "endo_pairs_register");
    for (size_t i = 0; i < n && status == ENDO_OK; i++) check_pair_result(&out[i]);
    fuzz_locate(s, pairs, starts, n);
    if (status == ENDO_OK) fuzz_registered(s, pairs, starts, n, &p, out);
    free(out);
}

static void check_landmarks(const endo_pair_result *r, const endo_landmark *marks, int32_t count, int most) {
    int used = 0;
    fuzz_require(count >= 0 && count <= most, "a number of landmarks");
    for (int i = 0; i < count; i++) {
        used += marks[i].used;
        fuzz_require(isfinite(marks[i].current_x) && isfinite(marks[i].current_y), "a landmark that is nowhere");
        fuzz_require(fuzz_is_coefficient(marks[i].coefficient) && marks[i].weight == marks[i].used, "a landmark");
    }
    fuzz_require(used == r->used, "landmarks that are not those of the result");
}

void fuzz_register_landmarks(fuzz_session *s) {
    endo_pair pairs[FUZZ_MAX_PAIRS];
    endo_pair_result results[FUZZ_MAX_PAIRS];
    int32_t counts[FUZZ_MAX_PAIRS];
    if (!s->frames) return;
    size_t n = (size_t)fuzz_between(&s->in, 0, FUZZ_MAX_PAIRS);
    endo_pairs_options p = make_register_params(&s->in);
    int most = p.landmarks >= 2 && p.landmarks <= 64 ? p.landmarks * p.landmarks : 0;
    size_t bytes = n * (size_t)most * sizeof(endo_landmark);
    endo_landmark *marks = fuzz_output(bytes);
    fuzz_pairs(s, pairs, n);
    endo_status status = endo_pairs_register_landmarks(s->frames, pairs, n, &p, results, marks, counts);
    fuzz_checked(status, marks, bytes, "endo_pairs_register_landmarks");
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        check_landmarks(&results[i], marks + i * (size_t)most, counts[i], most);
    free(marks);
}

void fuzz_quality(fuzz_session *s) {
    endo_pair pairs[FUZZ_MAX_PAIRS];
    endo_transform transforms[FUZZ_MAX_PAIRS];
    if (!s->frames) return;
    size_t n = (size_t)fuzz_between(&s->in, 0, FUZZ_MAX_PAIRS), bytes = n * sizeof(double);
    double *out = fuzz_output(bytes);
    fuzz_pairs(s, pairs, n);
    for (size_t i = 0; i < n; i++) transforms[i] = fuzz_transform(&s->in, s->options.width);
    endo_status status = endo_quality_measure(s->frames, pairs, transforms, n, out);
    fuzz_checked(status, out, bytes, "endo_quality_measure");
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        fuzz_require(fuzz_is_coefficient(out[i]), "a quality outside -1..1");
    free(out);
}

void fuzz_agreement(fuzz_session *s) {
    endo_pair pairs[FUZZ_MAX_PAIRS];
    endo_transform transforms[FUZZ_MAX_PAIRS];
    if (!s->frames) return;
    size_t n = (size_t)fuzz_between(&s->in, 0, FUZZ_MAX_PAIRS), bytes = n * sizeof(endo_agreement);
    endo_agreement *out = fuzz_output(bytes);
    fuzz_pairs(s, pairs, n);
    for (size_t i = 0; i < n; i++) transforms[i] = fuzz_transform(&s->in, s->options.width);
    endo_status status = endo_agreement_measure(s->frames, pairs, transforms, n, out);
    fuzz_checked(status, out, bytes, "endo_agreement_measure");
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        fuzz_require(out[i].differing >= 0 && out[i].differing <= out[i].tiles, "more tiles differ than there are");
    free(out);
}

/* --------------------------------------------------- Fourier registration */

static endo_fourier_options fourier_options(fuzz_input *in) {
    endo_fourier_options o = endo_fourier_options_default();
    o.model = fuzz_one_in(in, 8) ? (endo_transform_class)fuzz_wild(in, 0, 4) : (endo_transform_class)fuzz_between(in, 0, 2);
    o.max_scale = fuzz_real(in, 1, 8), o.max_angle = fuzz_real(in, 0, 180);
    o.window = (endo_fourier_window)fuzz_wild(in, 0, 2), o.gradient = (endo_fourier_gradient)fuzz_wild(in, 0, 2);
    o.candidates = fuzz_wild(in, 1, 5);
    return o;
}

static int is_share(double v) { return v >= 0 && v <= 1; }

static void check_fourier_result(const endo_fourier_result *r) {
    fuzz_require(r->status >= ENDO_FOURIER_OK && r->status <= ENDO_FOURIER_NO_CONTENT, "a Fourier status");
    fuzz_require(is_finite(&r->transform, ENDO_TRANSFORM_AFFINE) && isfinite(r->dx) && isfinite(r->dy),
                 "a Fourier transform that is no number");
    fuzz_require(r->scale > 0 && r->angle > -180 && r->angle <= 180, "an angle or a scale");
    fuzz_require(fuzz_is_coefficient(r->ncc) && is_share(r->overlap), "an overlap");
}

static void fuzz_fourier(fuzz_session *s, const endo_fourier_options *o) {
    endo_fourier_pair pairs[FUZZ_MAX_PAIRS];
    fuzz_input *in = &s->in;
    size_t n = (size_t)fuzz_between(in, 0, FUZZ_MAX_PAIRS), bytes = n * sizeof(endo_fourier_result);
    endo_fourier_result *out = fuzz_output(bytes);
    int part = fuzz_one_in(in, 3), width = part ? fuzz_wild(in, 1, s->options.width) : 0;
    int height = part ? fuzz_wild(in, 1, s->options.height) : 0;
    for (size_t i = 0; i < n; i++) {
        endo_fourier_pair p = {slot_of(s), slot_of(s), width, height, width, height};
        pairs[i] = p;
    }
    endo_status status = endo_fourier_register(s->frames, pairs, n, o, out);
    fuzz_checked(status, out, bytes, "endo_fourier_register");
    for (size_t i = 0; i < n && status == ENDO_OK; i++) check_fourier_result(&out[i]);
    free(out);
}

/* The paper's way, which is turns above all. */
void fuzz_turns(fuzz_session *s) {
    endo_fourier_options o = fourier_options(&s->in);
    if (!s->frames) return;
    o.paper = fuzz_wild(&s->in, 0, 1);
    fuzz_fourier(s, &o);
}

void fuzz_shifts(fuzz_session *s) {
    endo_fourier_options o = fourier_options(&s->in);
    if (!s->frames) return;
    o.model = ENDO_TRANSFORM_TRANSLATION, o.refine = fuzz_wild(&s->in, 0, 1);
    fuzz_fourier(s, &o);
}

/* Images of their own. */
void fuzz_align(fuzz_session *s) {
    fuzz_input *in = &s->in;
    endo_fourier_options o = fourier_options(in);
    endo_fourier_image images[2];
    void *pixels[2];
    for (int i = 0; i < 2; i++) {
        int width = side(in, 0), height = side(in, width), sane = width > 0 && height > 0 && width <= 400 && height <= 400;
        int stride = (sane ? width : 40) + fuzz_between(in, 0, 9);
        endo_fourier_image m = {NULL, (endo_pixel)fuzz_wild(in, 0, 2), width, height, stride, fuzz_wild(in, 0, 30000),
                                fuzz_wild(in, 30001, 65535)};
        if (!sane) m.width = 0;
        pixels[i] = fuzz_image(in, sane ? width : 40, sane ? height : 1, stride, sane ? endo_pixel_size(m.type) + !endo_pixel_size(m.type) : 4);
        m.pixels = pixels[i];
        images[i] = m;
    }
    endo_fourier_result *out = fuzz_output(sizeof *out);
    endo_status status = endo_fourier_register_images(s->context, &images[0], &images[1], &o, out);
    fuzz_checked(status, out, sizeof *out, "endo_fourier_register_images");
    if (status == ENDO_OK) check_fourier_result(out);
    free(out);
    free(pixels[0]);
    free(pixels[1]);
}
