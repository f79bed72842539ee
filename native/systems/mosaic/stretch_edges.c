/* Contradictions between edges of a stretch and the path along its chain (stretch_edges.h). */
#include "stretch_edges.h"

#include <math.h>

#include "base/memory.h"
#include "numbers.h"

/* Median contradiction, in deviations, up to which deviations are accepted. */
#define ALLOWED 2
/* Quantile of the edges' estimates of common errors that is taken. */
#define COMMON 0.75
/* Fewest edges for an estimate. */
#define LEAST 3

/* Returns whether the edge belongs to the chain itself. */
static int is_step(const stretch_edges *s, const endo_mosaic_edge *edge) {
    return s->frames[edge->current].reference == edge->reference && !edge->by_hand;
}

/* Returns whether the frame was registered against an earlier one. Records of a caller may go round in circles. */
static int follows_earlier(const stretch_edges *s, int frame) { return s->frames[frame].reference < frame; }

int stretch_edges_is_within(const stretch_edges *s, const endo_mosaic_edge *edge) {
    if (edge->by_hand || is_step(s, edge) || edge->current <= edge->reference) return 0;
    if (!s->frames[edge->reference].key_frame) return 0;
    for (int frame = edge->reference + 1; frame < edge->current; frame++)
        if (s->frames[frame].key_frame) return 0;
    return 1;
}

int stretch_edges_steps(const stretch_edges *s, const endo_mosaic_edge *edge) {
    int steps = 0;
    int frame = stretch_edges_is_within(s, edge) ? edge->current : edge->reference;
    while (frame > edge->reference && follows_earlier(s, frame)) {
        frame = s->frames[frame].reference;
        steps++;
    }
    return steps > 1 ? steps : 1;
}

/* Variance of the path along the chain, px^2; NaN: the chain does not connect the frames. */
static double variance_along(const stretch_edges *s, const endo_mosaic_edge *edge) {
    double sum = 0;
    int frame = edge->current;
    while (frame > edge->reference && follows_earlier(s, frame) && !isnan(s->variance[frame])) {
        sum += s->variance[frame];
        frame = s->frames[frame].reference;
    }
    return frame == edge->reference ? sum : NAN;
}

/* Distance between edge and chain, px: root mean square over the frame and both axes. */
static double distance(const stretch_edges *s, const endo_mosaic_edge *edge) {
    endo_transform along = pose_between(&s->chained[edge->reference], &s->chained[edge->current]);
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        double x = s->centre_x + (k % 2 == 0 ? -s->across : s->across);
        double y = s->centre_y + (k < 2 ? -s->down : s->down);
        double dx = pose_x(&along, x, y) - pose_x(&edge->transform, x, y);
        double dy = pose_y(&along, x, y) - pose_y(&edge->transform, x, y);
        sum += dx * dx + dy * dy;
    }
    return sqrt(sum / 8);
}

static double contradiction(const stretch_edges *s, const endo_mosaic_edge *edge) {
    if (!stretch_edges_is_within(s, edge)) return NAN;
    double along = variance_along(s, edge);
    return isnan(along) ? NAN : distance(s, edge) / sqrt(along + edge->deviation * edge->deviation);
}

endo_status stretch_edges_create(const endo_mosaic_frame *frames, int n, const endo_transform *chained,
                                 const mosaic_edges *edges, mosaic_size size, stretch_edges *out) {
    stretch_edges s = {
        .frames = frames,
        .chained = chained,
        .edges = edges,
        .centre_x = (size.width - 1) / 2.0,
        .centre_y = (size.height - 1) / 2.0,
        .across = size.width / sqrt(12),
        .down = size.height / sqrt(12),
        .variance = endo_alloc((size_t)n, sizeof(double)),
        .contradictions = endo_alloc((size_t)edges->n, sizeof(double)),
        .numbers = endo_alloc((size_t)edges->n, sizeof(double)),
    };
    if (!s.variance || !s.contradictions || !s.numbers) {
        stretch_edges_free(&s);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the deviations of %d edges of %d frames", edges->n, n);
    }
    for (int i = 0; i < n; i++) s.variance[i] = NAN;
    for (int i = 0; i < edges->n; i++) {
        const endo_mosaic_edge *edge = &edges->items[i];
        if (is_step(&s, edge)) s.variance[edge->current] = edge->deviation * edge->deviation;
    }
    for (int i = 0; i < edges->n; i++) s.contradictions[i] = contradiction(&s, &edges->items[i]);
    *out = s;
    return ENDO_OK;
}

void stretch_edges_free(stretch_edges *s) {
    endo_free(s->variance);
    endo_free(s->contradictions);
    endo_free(s->numbers);
    *s = (stretch_edges){.frames = NULL};
}

double stretch_edges_factor(const stretch_edges *s) {
    size_t n = 0;
    for (int i = 0; i < s->edges->n; i++)
        if (!isnan(s->contradictions[i])) s->numbers[n++] = s->contradictions[i];
    if (n < LEAST) return 1;
    return greater_of(1, number_at_rank(s->numbers, n, n / 2) / ALLOWED);
}

double stretch_edges_common(const stretch_edges *s) {
    size_t n = 0;
    for (int i = 0; i < s->edges->n; i++) {
        double c = s->contradictions[i];
        if (!isnan(c)) s->numbers[n++] = (c * c - 1) / stretch_edges_steps(s, &s->edges->items[i]);
    }
    if (n < LEAST) return 0;
    return greater_of(0, number_at_rank(s->numbers, n, (size_t)(COMMON * (double)n)));
}
