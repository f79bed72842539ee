/* What edges ask for, and what chains and solutions must not do (consistency.h). */
#include "consistency.h"

#include <math.h>
#include <stdio.h>

#include "numbers.h"

/* ------------------------------------------------------------------ perspective */

/* Fewer edges decide nothing. */
#define LEAST 8
/* An edge counts as if it said so many of its deviations, at most. */
#define MOST 3.0
/* Mean of the squares, in deviations, from which on they ask for it: that of errors is 0.4 to 0.9. */
#define SURE 1.5
/* Share of edges that are affine maps; planes that are seen straight on move by similarities. */
#define AFFINE 0.5

int perspective_is_asked(const mosaic_edges *edges, char *reason, size_t size) {
    double sum = 0;
    int n = 0;
    int affine_maps = 0;
    if (size > 0) reason[0] = 0;
    for (int i = 0; i < edges->n; i++) {
        const endo_mosaic_edge *edge = &edges->items[i];
        if (!edge_says_perspective(edge) || edge->doubtful || pose_is_homography(&edge->transform)) continue;
        double away = length_of(edge->perspective[0], edge->perspective[1]) / edge->perspective_deviation;
        sum += lesser_of(MOST * MOST, away * away) / 2;
        affine_maps += edge->transform.kind == ENDO_TRANSFORM_AFFINE;
        n++;
    }
    double square = sum / (n > 1 ? n : 1);
    double affine = (double)affine_maps / (n > 1 ? n : 1);
    if (n < LEAST || (square < SURE && affine < AFFINE)) return 0;
    if (square >= SURE)
        snprintf(reason, size, "pairs show perspective (%.1f times as much as errors would)", square);
    else
        snprintf(reason, size, "%.0f %% of the pairs are affine maps", 100 * affine);
    return 1;
}

/* ------------------------------------------------------------------------ shape */

/* Area against the first frame's; and its inverse. */
#define SMALLEST_AREA 0.6
/* Ratio of the singular values. */
#define LARGEST_RATIO 1.25
/* Of a frame's diagonal: homographies whose poses deviate by less are what the tilt makes of them. */
#define KNOWN 0.01

typedef struct shape_fault {
    const char *what;
    const char *measure;
    double value, least, most;
} shape_fault;

/* 1: there is one. */
static int find_fault(const endo_transform *middle, shape_fault *out) {
    double area = fabs(pose_determinant(middle));
    double ratio = pose_singular_ratio(middle);
    if (area < SMALLEST_AREA || area > 1 / SMALLEST_AREA) {
        *out = (shape_fault){
            .what = area < 1 ? "shrunk" : "grown",
            .measure = "area scale",
            .value = area,
            .least = SMALLEST_AREA,
            .most = 1 / SMALLEST_AREA,
        };
        return 1;
    }
    if (!(ratio > LARGEST_RATIO)) return 0;
    *out = (shape_fault){
        .what = "been sheared",
        .measure = "ratio of singular values",
        .value = ratio,
        .least = 1,
        .most = LARGEST_RATIO,
    };
    return 1;
}

/* Homographies shrink, grow and shear as a tilted plane does: of those only frames count whose poses are not known well. */
void shape_warning(const endo_mosaic_frame *frames, int n, mosaic_size size, char *out, size_t room) {
    double known = KNOWN * length_of(size.width, size.height);
    if (room > 0) out[0] = 0;
    for (int i = 0; i < n; i++) {
        const endo_mosaic_frame *frame = &frames[i];
        shape_fault fault;
        if (!frame->registered) continue;
        if (pose_is_homography(&frame->pose) && !(frame->deviation > known)) continue;
        endo_transform middle = frame_middle(size, &frame->pose);
        if (!find_fault(&middle, &fault)) continue;
        snprintf(out, room,
                 "frame %d: against the first frame the sequence has %s (%s %.3f, usual are %.2f to %.2f): unless the scope"
                 " moved or tilted so, errors have added up; register it in parts (option frames)",
                 i + 1, fault.what, fault.measure, fault.value, fault.least, fault.most);
        return;
    }
}

/* ------------------------------------------------------------------------ tears */

/* Where a loop cannot be closed, in a hollow organ that is no plane or by a lens that distorts, the edges contradict each other
 * by more than they know of, and the one that is given up is where the panorama is torn, though each edge by itself looks well.
 * Of six sequences the edge that was changed most was changed by 0.1 to 0.5 px; inside a ball by 375 px. Along the edge between
 * two walls it was 6 px, beside frames whose deviations were 0.1 px. */

/* People are told of so much, root mean square over the corners of a frame, px; */
#define TEAR 8
/* and from so much on poses are not believed to be more exact than that. */
#define NOTICED 1

/* How far a frame was moved from where it was registered with another one, px of that: root mean square over its corners. */
static double tear_between(const endo_transform *reference, const endo_transform *current,
                           const endo_transform *chained_reference, const endo_transform *chained, mosaic_size size) {
    endo_transform solved = pose_between(reference, current);
    endo_transform registered = pose_between(chained_reference, chained);
    return frame_corner_distance(size, &solved, &registered);
}

static int is_sure(const endo_mosaic_frame *frame) {
    return frame->registered && !frame->doubtful && frame->solved && pose_is_invertible(&frame->chained) &&
           pose_is_invertible(&frame->pose);
}

/* 0 where a frame was not registered with another one of its component. */
static double tear_at(const endo_mosaic_frame *frames, int n, int i, mosaic_size size) {
    const endo_mosaic_frame *frame = &frames[i];
    if (!is_sure(frame) || frame->reference < 0 || frame->reference >= n || frame->reference == i) return 0;
    const endo_mosaic_frame *reference = &frames[frame->reference];
    if (!is_sure(reference) || reference->component != frame->component) return 0;
    return tear_between(&reference->pose, &frame->pose, &reference->chained, &frame->chained, size);
}

void tear_warning(const endo_mosaic_frame *frames, int n, mosaic_size size, char *out, size_t room) {
    int widest = -1;
    double most = TEAR;
    if (room > 0) out[0] = 0;
    for (int i = 0; i < n; i++) {
        double tear = tear_at(frames, n, i, size);
        if (!(tear > most)) continue;
        most = tear;
        widest = i;
    }
    if (widest < 0) return;
    snprintf(out, room,
             "frame %d: lies %.0f px from where it was registered with frame %d, since other frames contradict that: the"
             " panorama is torn between the two; register it in parts (option frames)",
             widest + 1, most, frames[widest].reference + 1);
}

double tear_half(const endo_transform *reference, const endo_transform *current, const endo_transform *chained_reference,
                 const endo_transform *chained, mosaic_size size) {
    if (!pose_is_invertible(reference) || !pose_is_invertible(chained_reference)) return 0;
    double tear = tear_between(reference, current, chained_reference, chained, size);
    return tear > NOTICED ? tear / 2 : 0;
}
