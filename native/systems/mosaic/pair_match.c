/* Acceptance of registrations, and their standard deviations (pair_match.h). */
#include "pair_match.h"

#include <math.h>

#include "numbers.h"
#include "plausibility.h"

/* Deviation of a pair without one, px. */
#define UNKNOWN 2

/* Error common to all landmarks of a pair, px, which their residuals do not show. */
#define BIAS 0.02

/* A pair with few landmarks counts from this quality on, if at least LEAST_FOUND of them reached cthresh, so that they can
 * carry a fit; with fewer it counts from PAIR_DOUBTFUL_QUALITY on. */
#define LEAST_QUALITY 0.3
#define LEAST_FOUND 3

/* Fewest tiles for a share. */
#define LEAST_TILES 8

pair_match pair_match_of(const endo_pair_result *result, int reference, int tiles, int differing, double milliseconds) {
    return (pair_match){
        .transform = result->transform,
        .result = *result,
        .reference = reference,
        .status = result->status,
        .differing = tiles < LEAST_TILES ? 0 : (double)differing / tiles,
        .tile = tiles < LEAST_TILES ? 0 : 1.0 / tiles,
        .milliseconds = milliseconds,
    };
}

int pair_match_counts(const pair_match *m, int after_failure) {
    int is_doubtful = after_failure || m->result.found < LEAST_FOUND;
    if (m->status == ENDO_FRAME_OK) return 1;
    if (m->status != ENDO_FRAME_FEW_LANDMARKS) return 0;
    return m->result.quality >= (is_doubtful ? PAIR_DOUBTFUL_QUALITY : LEAST_QUALITY);
}

double pair_match_unexplained(const pair_match *m) { return greater_of(0, m->differing - m->moving); }

int pair_match_is_leap(const pair_match *m) { return is_leap(&m->transform); }

/* Growth of the deviation from the reference to the frame. After the scope has withdrawn a frame extends beyond its reference,
 * where errors of scale and rotation grow with the distance. The deviation of a homography is over the frame already. */
static double beyond_reference(const pair_match *m) {
    if (pose_is_homography(&m->transform)) return 1;
    return greater_of(1, sqrt(fabs(pose_determinant(&m->transform))));
}

static double edge_deviation(const pair_match *m) {
    double deviation = m->result.deviation;
    return isnan(deviation) ? UNKNOWN : length_of(BIAS, beyond_reference(m) * deviation);
}

static int is_measured(double deviation) { return deviation > 0 && !isinf(deviation); }

endo_mosaic_edge pair_match_edge(const pair_match *m, int frame) {
    const endo_pair_result *r = &m->result;
    endo_mosaic_edge edge = {
        .transform = m->transform,
        .deviation = edge_deviation(m),
        .reference = m->reference,
        .current = frame,
        .doubtful = m->is_torn ? EDGE_TORN : m->status != ENDO_FRAME_OK,
    };
    if (is_measured(r->perspective_deviation)) {
        edge.perspective[0] = r->perspective[0];
        edge.perspective[1] = r->perspective[1];
        edge.perspective_deviation = r->perspective_deviation;
    }
    if (is_measured(r->lens_deviation) && !isnan(r->lens)) {
        edge.lens = r->lens;
        edge.lens_deviation = r->lens_deviation;
    }
    return edge;
}

void pair_match_describe(const pair_match *m, endo_mosaic_frame *frame) {
    const endo_pair_result *r = &m->result;
    frame->reference = m->reference;
    frame->status = m->status;
    frame->landmarks = r->landmarks;
    frame->found = r->found;
    frame->used = r->used;
    frame->coefficient = r->mean_coefficient;
    frame->quality = r->quality;
    frame->computed = r->computed;
    frame->reused = r->reused;
    frame->milliseconds = m->milliseconds;
}
