/* Tests of edges for perspective, and of chains and solutions for errors (consistency.h). */
#include "consistency.h"

#include <math.h>
#include <stdio.h>

#include "numbers.h"

/* ------------------------------------------------------------------ perspective */

/* Fewest edges that decide anything. */
#define LEAST 8
/* The perspective of an edge counts as this many of its deviations at most. */
#define MOST 3.0
/* Least mean square perspective, in deviations, that asks for homographies; errors alone give 0.4 to 0.9. */
#define SURE 1.5
/* Share of affine maps among the edges that asks for homographies; planes seen straight on move by similarities. */
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

/* Least area of a pose relative to the first frame's, and inverse of the largest. */
#define SMALLEST_AREA 0.6
/* Largest ratio of the singular values. */
#define LARGEST_RATIO 1.25
/* Deviation of a homography's pose, as a share of the frame's diagonal, below which its shape is what the tilt makes of it. */
#define KNOWN 0.01

typedef struct shape_fault {
    const char *what;
    const char *measure;
    double value;
    double least;
    double most;
} shape_fault;

/* Returns 1 if the pose has a fault. */
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

/* Homographies shrink, grow and shear as a tilted plane does, so that only those with uncertain poses count. */
void shape_warning(const endo_mosaic_frame *frames, int n, mosaic_size size, char *out, size_t length) {
    double known = KNOWN * length_of(size.width, size.height);
    if (length > 0) out[0] = 0;
    for (int i = 0; i < n; i++) {
        const endo_mosaic_frame *frame = &frames[i];
        shape_fault fault;
        if (!frame->registered) continue;
        if (pose_is_homography(&frame->pose) && !(frame->deviation > known)) continue;
        endo_transform middle = frame_middle(size, &frame->pose);
        if (!find_fault(&middle, &fault)) continue;
        snprintf(out, length,
                 "frame %d: against the first frame the sequence has %s (%s %.3f, usual are %.2f to %.2f): unless the scope"
                 " moved or tilted so, errors have added up; register it in parts (option frames)",
                 record_number(frames, i), fault.what, fault.measure, fault.value, fault.least, fault.most);
        return;
    }
}

/* ------------------------------------------------------------------------ tears */

/* A tear: where a loop cannot be closed, in a hollow organ that is no plane or through a lens that distorts, edges contradict
 * each other by more than their deviations, and the panorama is torn at the edge that is given up, though each edge by itself
 * looks well. In six sequences the edge that the solution changed most was changed by 0.1 to 0.5 px; inside a ball by 375 px;
 * along the edge between two walls by 6 px, beside frames with deviations of 0.1 px. */

/* Least tear that is reported, root mean square over the corners of a frame, px. */
#define TEAR 8
/* Least tear that widens the deviations of poses, px. */
#define NOTICED 1

/* Distance between a frame's solved and its registered pose relative to a reference, px: root mean square over its corners. */
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

/* Tear at the edge between a frame and its reference, px; 0 without a reference in its component. */
static double tear_at(const endo_mosaic_frame *frames, int n, int i, mosaic_size size) {
    const endo_mosaic_frame *frame = &frames[i];
    if (!is_sure(frame) || frame->reference < 0 || frame->reference >= n || frame->reference == i) return 0;
    const endo_mosaic_frame *reference = &frames[frame->reference];
    if (!is_sure(reference) || reference->component != frame->component) return 0;
    return tear_between(&reference->pose, &frame->pose, &reference->chained, &frame->chained, size);
}

void tear_warning(const endo_mosaic_frame *frames, int n, mosaic_size size, char *out, size_t length) {
    int widest = -1;
    double most = TEAR;
    if (length > 0) out[0] = 0;
    for (int i = 0; i < n; i++) {
        double tear = tear_at(frames, n, i, size);
        if (!(tear > most)) continue;
        most = tear;
        widest = i;
    }
    if (widest < 0) return;
    snprintf(out, length,
             "frame %d: lies %.0f px from where it was registered with frame %d, since other frames contradict that: the"
             " panorama is torn between the two; register it in parts (option frames)",
             record_number(frames, widest), most, record_number(frames, frames[widest].reference));
}

double tear_half(const endo_transform *reference, const endo_transform *current, const endo_transform *chained_reference,
                 const endo_transform *chained, mosaic_size size) {
    if (!pose_is_invertible(reference) || !pose_is_invertible(chained_reference)) return 0;
    double tear = tear_between(reference, current, chained_reference, chained, size);
    return tear > NOTICED ? tear / 2 : 0;
}
