/* Registration of a chunk of frame pairs, [S] section 2.5: optical flow, landmarks, their searches (steps
 * 1 to 3) each as one batch over all pairs, then fit and quality.
 *
 * A pair whose searches found too little from the start by flow or bitmaps is searched once more from no motion: where the
 * start was misled, the logarithmic search alone often is not. */
#include "pairs.h"

#include "base/transform.h"
#include "centres.h"
#include "lost_pairs.h"
#include "overlap.h"
#include "pair_refine.h"
#include "pair_starts.h"
#include "backend/pieces.h"

#include <math.h>
#include <string.h>

typedef struct landmarks {
    size_t n;
    double *points; /* x, y interleaved */
    endo_centres centres;
} landmarks;

/* Step 2: a grid over the part of the field that can hold a template, each point at the centre of its cell; points off the
 * field are left out. */
static endo_status spread_landmarks(endo_frames *frames, int side, int per_dimension, landmarks *out) {
    endo_box box;
    int width = frames->options.width;
    ENDO_TRY(endo_centres_of(frames, side, &out->centres, &box));
    out->n = 0;
    out->points = endo_alloc((size_t)2 * per_dimension * per_dimension, sizeof *out->points);
    if (!out->points) return endo_fail(ENDO_ERR_MEMORY, "no memory for landmarks");
    for (int j = 0; box.left <= box.right && j < per_dimension; j++)
        for (int i = 0; i < per_dimension; i++) {
            int x = box.left + (2 * i + 1) * (box.right - box.left) / (2 * per_dimension);
            int y = box.top + (2 * j + 1) * (box.bottom - box.top) / (2 * per_dimension);
            if (!out->centres.mask[(size_t)y * width + x]) continue;
            out->points[2 * out->n] = x;
            out->points[2 * out->n + 1] = y;
            out->n++;
        }
    return ENDO_OK;
}

static int32_t start_at(double position, int size) {
    double low = -ENDO_SEARCH_MARGIN, high = size + ENDO_SEARCH_MARGIN - 1;
    return (int32_t)floor((position < low ? low : position > high ? high : position) + 0.5);
}

/* Requests from a start, current -> reference, which is inverted for the searches; one without an inverse counts as no
 * motion. */
static void make_requests(const endo_frames_options *o, const endo_pair *pair, const endo_transform *start,
                          const landmarks *marks, endo_search_request *requests) {
    endo_transform forward = endo_transform_still;
    (void)endo_transform_inverse(start, &forward);
    for (size_t i = 0; i < marks->n; i++) {
        double x, y;
        double px = marks->points[2 * i], py = marks->points[2 * i + 1];
        if (!endo_transform_point(&forward, px, py, &x, &y)) {
            x = px;
            y = py;
        }
        requests[i] = (endo_search_request){
            .reference = pair->reference,
            .current = pair->current,
            .x = (int32_t)px,
            .y = (int32_t)py,
            .start_x = start_at(x, o->width),
            .start_y = start_at(y, o->height),
        };
    }
}

/* Fewest fits that are worth threads: one takes microseconds. */
#define FITS_FOR_THREADS 32

/* Makes zeroed outputs for n pairs; out->capacity is given. To be freed in any case. */
static endo_status out_create(endo_pairs_out *out, size_t n, int with_landmarks) {
    out->results = endo_alloc_zeroed(n, sizeof *out->results);
    out->landmarks = with_landmarks ? endo_alloc_zeroed(n, out->capacity * sizeof *out->landmarks) : NULL;
    out->counts = with_landmarks ? endo_alloc_zeroed(n, sizeof *out->counts) : NULL;
    if (out->results && (!with_landmarks || (out->landmarks && out->counts))) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
}

static void out_free(endo_pairs_out *out) {
    endo_free(out->results);
    endo_free(out->landmarks);
    endo_free(out->counts);
}

/* The outputs from pair i on. */
static endo_pairs_out out_from(const endo_pairs_out *out, size_t i) {
    endo_pairs_out rest = {out->results + i, NULL, NULL, out->capacity};
    if (out->landmarks) {
        rest.landmarks = out->landmarks + i * out->capacity;
        rest.counts = out->counts + i;
    }
    return rest;
}

static endo_status fit_all(const endo_frames *frames, const endo_flow_result *starts, const endo_search_result *found,
                           size_t n, const landmarks *marks, const endo_pairs_options *options,
                           const endo_pairs_out *out) {
    const int size[2] = {frames->options.width, frames->options.height};
    int failed = 0;
#pragma omp parallel for num_threads(frames->context->threads) schedule(dynamic) reduction(| : failed) if (n >= FITS_FOR_THREADS)
    for (long i = 0; i < (long)n; i++) {
        endo_pairs_out to = out_from(out, i);
        failed |= endo_mosaic_fit(marks->points, found + i * marks->n, marks->n, options, size, to.results, to.landmarks,
                                  to.counts) != ENDO_OK;
        to.results->flow_pixels = (int32_t)starts[i].pixels;
    }
    return failed ? endo_fail(ENDO_ERR_MEMORY, "no memory to fit %zu pairs", n) : ENDO_OK;
}

/* Searches and fits n pairs, each from its start. */
static endo_status search_and_fit(endo_frames *frames, const endo_pair *pairs, const endo_flow_result *starts,
                                  size_t n, const landmarks *marks, const endo_pairs_options *options,
                                  const endo_pairs_out *out) {
    endo_search_setup setup = {{options->template_side, options->cross, options->subpixel}, marks->centres};
    endo_search_request *requests = endo_alloc(n * marks->n, sizeof *requests);
    endo_search_result *found = endo_alloc(n * marks->n, sizeof *found);
    endo_status status = ENDO_OK;
    if (!requests || !found) status = endo_fail(ENDO_ERR_MEMORY, "no memory for %zu searches", n * marks->n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++)
        make_requests(&frames->options, &pairs[i], &starts[i].transform, marks, requests + i * marks->n);
    if (status == ENDO_OK && marks->n)
        status = frames->context->kernels->batches->search(frames->store, requests, n * marks->n, &setup, found);
    if (status == ENDO_OK) status = fit_all(frames, starts, found, n, marks, options, out);
    endo_free(requests);
    endo_free(found);
    return status;
}

static int better(const endo_pair_result *a, const endo_pair_result *b) {
    if ((a->status == ENDO_PAIR_OK) != (b->status == ENDO_PAIR_OK)) return a->status == ENDO_PAIR_OK;
    return a->found > b->found;
}

/* Whether there was a start, but its search found too little. */
static int was_misled(const endo_pair_result *r, const endo_flow_result *start) {
    if (r->status == ENDO_PAIR_OK || r->status == ENDO_PAIR_NO_TEXTURE) return 0;
    return start->pixels != 0 || endo_start_moves(&start->transform); /* else it did start from no motion */
}

/* Templates do not turn with the image, and are lost where it turns far. The result of the spectra is then kept, as doubtful
 * as any estimate by few landmarks: the quality decides. */
static void take_spectra(const endo_flow_result *starts, size_t n, const endo_pairs_out *out) {
    for (size_t i = 0; i < n; i++) {
        endo_pair_result *r = &out->results[i];
        if (!was_misled(r, &starts[i])) continue;
        r->transform = starts[i].transform;
        r->status = ENDO_PAIR_FEW_LANDMARKS;
        r->mean_coefficient = r->deviation = NAN;
        r->found = r->used = r->rounds = 0;
        if (!out->landmarks) continue;
        memset(out->landmarks + i * out->capacity, 0, out->capacity * sizeof *out->landmarks);
        out->counts[i] = 0;
    }
}

/* The better of two attempts, with the counts of coefficients of both and the flow_pixels of the first. */
static void take_better(const endo_pairs_out *again, const endo_pairs_out *kept) {
    endo_pair_result first = *kept->results;
    if (better(again->results, &first)) {
        *kept->results = *again->results;
        if (kept->landmarks) memcpy(kept->landmarks, again->landmarks, kept->capacity * sizeof *kept->landmarks);
        if (kept->landmarks) *kept->counts = *again->counts;
    }
    kept->results->computed = first.computed + again->results->computed;
    kept->results->reused = first.reused + again->results->reused;
    kept->results->flow_pixels = first.flow_pixels;
}

/* Searches the pairs that their start misled once more, from no motion, as one batch. */
static endo_status search_again(endo_frames *frames, const endo_pair *pairs, const endo_flow_result *tried, size_t n,
                                const landmarks *marks, const endo_pairs_options *options,
                                const endo_pairs_out *out) {
    size_t *which = endo_alloc(n, sizeof *which), count = 0;
    endo_pair *left = endo_alloc(n, sizeof *left);
    endo_flow_result *starts = endo_alloc(n, sizeof *starts);
    endo_pairs_out again = {.capacity = out->capacity};
    endo_status status = ENDO_OK;
    if (!which || !left || !starts) status = endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        if (!was_misled(&out->results[i], &tried[i])) continue;
        which[count] = i;
        left[count] = pairs[i];
        starts[count] = endo_start_still();
        count++;
    }
    if (status == ENDO_OK && count) status = out_create(&again, count, out->landmarks != NULL);
    if (status == ENDO_OK && count) status = search_and_fit(frames, left, starts, count, marks, options, &again);
    for (size_t i = 0; i < count && status == ENDO_OK; i++) {
        endo_pairs_out second = out_from(&again, i), first = out_from(out, which[i]);
        take_better(&second, &first);
    }
    endo_free(which);
    endo_free(left);
    endo_free(starts);
    out_free(&again);
    return status;
}

static endo_status add_quality(endo_frames *frames, const endo_pair *pairs, size_t n, endo_pair_result *results) {
    endo_transform *transforms = endo_alloc(n, sizeof *transforms);
    double *quality = endo_alloc(n, sizeof *quality);
    endo_status status = ENDO_ERR_MEMORY;
    if (transforms && quality) {
        for (size_t i = 0; i < n; i++) transforms[i] = results[i].transform;
        status = endo_overlap_quality(frames, pairs, transforms, n, quality);
    } else {
        endo_fail(status, "no memory for the quality of %zu pairs", n);
    }
    for (size_t i = 0; i < n && status == ENDO_OK; i++) results[i].quality = quality[i];
    endo_free(transforms);
    endo_free(quality);
    return status;
}

int endo_mosaic_template_side(int width) { return width <= 400 ? 15 : width <= 800 ? 31 : 45; }

/* Whether a pair that started from a homography is not certain. */
static int is_homography_lost(const endo_flow_result *start, const endo_pair_result *result) {
    return start->transform.kind == ENDO_TRANSFORM_HOMOGRAPHY && result->status != ENDO_PAIR_OK;
}

/* Refines pairs that started from a homography and are not certain once more, from the result of their landmarks. */
static endo_status refine_lost(endo_frames *frames, const endo_pair *pairs, const endo_flow_result *starts, size_t n,
                               endo_transform_class kind, const endo_pair_result *landmarks, endo_pair_result *results) {
    size_t *which = endo_alloc(n, sizeof *which), count = 0;
    endo_pair *left = endo_alloc(n, sizeof *left);
    endo_flow_result *plain = endo_alloc(n, sizeof *plain);
    endo_pair_result *again = endo_alloc(n, sizeof *again);
    endo_status status = ENDO_OK;
    if (!which || !left || !plain || !again) status = endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        if (!is_homography_lost(&starts[i], &results[i])) continue;
        which[count] = i;
        left[count] = pairs[i];
        plain[count] = endo_start_still();
        again[count] = landmarks[i];
        count++;
    }
    if (status == ENDO_OK && count) status = endo_pairs_refine(frames, left, plain, count, kind, again);
    for (size_t i = 0; i < count && status == ENDO_OK; i++)
        if (again[i].status == ENDO_PAIR_OK || results[which[i]].status == ENDO_PAIR_JUMP) results[which[i]] = again[i];
    endo_free(which);
    endo_free(left);
    endo_free(plain);
    endo_free(again);
    return status;
}

/* Refines the results of the landmarks. */
static endo_status refine_all(endo_frames *frames, const endo_pair *pairs, const endo_flow_result *starts, size_t n,
                              endo_transform_class kind, endo_pair_result *results) {
    if (kind != ENDO_TRANSFORM_HOMOGRAPHY) return endo_pairs_refine(frames, pairs, starts, n, kind, results);
    endo_pair_result *landmarks = endo_alloc(n, sizeof *landmarks);
    if (!landmarks) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    memcpy(landmarks, results, n * sizeof *landmarks);
    endo_status status = endo_pairs_refine(frames, pairs, starts, n, kind, results);
    if (status == ENDO_OK) status = refine_lost(frames, pairs, starts, n, kind, landmarks, results);
    endo_free(landmarks);
    return status;
}

static void take_given(const endo_transform *given, size_t n, endo_flow_result *starts) {
    for (size_t i = 0; i < n; i++) {
        starts[i] = endo_start_still();
        starts[i].transform = given[i];
    }
}

/* Registers one piece of the pairs, all but the quality. given: NULL, or where their searches start. */
static endo_status register_piece(endo_frames *frames, const endo_pair *pairs, const endo_transform *given, size_t n,
                                  const landmarks *marks, const endo_pairs_options *options,
                                  const endo_pairs_out *made) {
    endo_pairs_options p = *options; /* those of the landmarks */
    endo_flow_result *starts = endo_alloc(n, sizeof *starts);
    if (!starts) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu pairs", n);
    if (p.transform == ENDO_TRANSFORM_AUTO || p.transform == ENDO_TRANSFORM_HOMOGRAPHY) p.transform = ENDO_TRANSFORM_AFFINE;
    endo_status status = endo_context_go_on(frames->context);
    if (given)
        take_given(given, n, starts);
    else if (status == ENDO_OK)
        status = endo_starts_find(frames, pairs, n, &p, starts);
    if (status == ENDO_OK) status = search_and_fit(frames, pairs, starts, n, marks, &p, made);
    if (status == ENDO_OK && p.initial == ENDO_INITIAL_FOURIER && !given)
        take_spectra(starts, n, made);
    else if (status == ENDO_OK)
        status = search_again(frames, pairs, starts, n, marks, &p, made);
    if (status == ENDO_OK && p.method == ENDO_METHOD_BEST)
        status = refine_all(frames, pairs, starts, n, options->transform, made->results);
    if (status == ENDO_OK && p.method == ENDO_METHOD_BEST && !given)
        status = endo_pairs_find_lost(frames, pairs, n, options->transform, p.initial != ENDO_INITIAL_FOURIER, made->results);
    if (status == ENDO_OK && p.method == ENDO_METHOD_BEST && given)
        status = endo_pairs_find_in_windows(frames, pairs, given, n, options->transform, made->results);
    endo_free(starts);
    return status;
}

static void copy_out(const endo_pairs_out *made, size_t n, const endo_pairs_out *out) {
    memcpy(out->results, made->results, n * sizeof *out->results);
    if (!out->landmarks) return;
    memcpy(out->landmarks, made->landmarks, n * out->capacity * sizeof *out->landmarks);
    memcpy(out->counts, made->counts, n * sizeof *out->counts);
}

endo_status endo_pairs_run(endo_frames *frames, const endo_pair *pairs, const endo_transform *starts, size_t n,
                           const endo_pairs_options *options, const endo_pairs_out *out) {
    endo_pairs_options p = *options;
    if (p.template_side == 0) p.template_side = endo_mosaic_template_side(frames->options.width);
    landmarks marks = {.n = 0};
    size_t piece = endo_pairs_a_piece(frames, n);
    endo_pairs_out made = {.capacity = out->capacity};
    endo_status status = out_create(&made, n, out->landmarks != NULL);
    if (status == ENDO_OK) status = spread_landmarks(frames, p.template_side, p.landmarks, &marks);
    for (size_t at = 0; at < n && status == ENDO_OK; at += piece) {
        endo_pairs_out rest = out_from(&made, at);
        status = register_piece(frames, pairs + at, starts ? starts + at : NULL, n - at < piece ? n - at : piece, &marks,
                                &p, &rest);
    }
    for (size_t i = 0; i < n && status == ENDO_OK; i++) made.results[i].quality = NAN;
    if (status == ENDO_OK && p.quality) status = add_quality(frames, pairs, n, made.results);
    if (status == ENDO_OK) copy_out(&made, n, out);
    endo_free(marks.points);
    out_free(&made);
    return status;
}
