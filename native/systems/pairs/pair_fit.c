/* From the motion vectors of a pair's landmarks to its transform, [S] section 2.5, steps 3 to 8.
 *
 * Beyond [S]: the selection and the fit (steps 6 to 8) are repeated until the selection stays, so that
 * one bad vector in the first fit cannot push out good ones; and the result is judged. Invariant: what is
 * judged and counted is the selection that the final matrix makes. */
#include "pairs.h"

#include "base/transform.h"
#include "pair_deviation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct vector {
    double from[2], to[2];
    double coefficient, distance;
    int accepted, selected;
} vector;

/* A matrix, and the accepted vectors that it was fitted to: the first `used` by distance. */
typedef struct fitted {
    endo_transform forward; /* reference -> current, as the searches went */
    size_t within, used;    /* vectors within uthresh of the matrix; with those that the guarantee adds */
} fitted;

static int compare(double a, double b) { return a < b ? -1 : a > b; }

/* Vectors of equal rank are ordered by their position in the frame, so that the order does not depend on the sort. */
static int compare_positions(const vector *a, const vector *b) {
    int rows = compare(a->from[1], b->from[1]);
    return rows ? rows : compare(a->from[0], b->from[0]);
}

/* For qsort: greatest coefficient first. */
static int rank_coefficient(const void *a, const void *b) {
    int order = compare(((const vector *)b)->coefficient, ((const vector *)a)->coefficient);
    return order ? order : compare_positions(a, b);
}

static int rank_position(const void *a, const void *b) { return compare_positions(a, b); }

/* For qsort: smallest distance first. */
static int rank_distance(const void *a, const void *b) {
    int order = compare(((const vector *)a)->distance, ((const vector *)b)->distance);
    return order ? order : compare_positions(a, b);
}

/* Fits to the selected ones of n vectors; a plain shift where the class has no unique solution. points: workspace of
 * 4 n numbers. */
static int fit(const vector *v, size_t n, endo_transform_class kind, double *points, endo_transform *t) {
    double *from = points, *to = points + 2 * n;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!v[i].selected) continue;
        memcpy(from + 2 * count, v[i].from, sizeof v[i].from);
        memcpy(to + 2 * count, v[i].to, sizeof v[i].to);
        count++;
    }
    return endo_transform_solve(from, to, NULL, count, kind, t) ||
           endo_transform_solve(from, to, NULL, count, ENDO_TRANSFORM_TRANSLATION, t);
}

static void measure_distances(vector *v, size_t n, const double matrix[6]) {
    for (size_t i = 0; i < n; i++) {
        double x, y;
        endo_affine_apply(matrix, v[i].from[0], v[i].from[1], &x, &y);
        v[i].distance = sqrt((v[i].to[0] - x) * (v[i].to[0] - x) + (v[i].to[1] - y) * (v[i].to[1] - y));
    }
}

/* How many of the n vectors, ranked by distance, lie within the threshold. */
static size_t count_within(const vector *v, size_t n, double uthresh) {
    size_t count = 0;
    while (count < n && v[count].distance <= uthresh) count++;
    return count;
}

/* Whether turn, zoom and shear are as small as between an endoscope's neighbouring views. */
static int is_plausible(const double m[6]) {
    double determinant = m[0] * m[4] - m[1] * m[3];
    double stretch = fabs(m[0] - m[4]) + fabs(m[1] + m[3]);
    return determinant > 0.5 && determinant < 2 && stretch < 0.5;
}

static size_t collect(const double *from, const endo_search_result *found, size_t n, vector *v,
                      endo_pair_result *out) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        out->computed += found[i].computed;
        out->reused += found[i].reused;
        if (found[i].state != ENDO_LANDMARK_NO_TEXTURE) out->landmarks++;
        if (found[i].state != ENDO_LANDMARK_FOUND) continue;
        v[count++] = (vector){
            .from = {from[2 * i], from[2 * i + 1]},
            .to = {found[i].x, found[i].y},
            .coefficient = found[i].coefficient,
        };
    }
    return count;
}

/* Selects the first `used` of n vectors; returns whether that is another selection than before. */
static int select_first(vector *v, size_t n, size_t used) {
    int changed = 0;
    for (size_t i = 0; i < n; i++) {
        int selected = i < used;
        changed |= v[i].selected != selected;
        v[i].selected = selected;
    }
    return changed;
}

/* Steps 6 and 7: selects by the distances from the matrix. Returns whether the selection changed. */
static int select_vectors(vector *v, size_t n, size_t guaranteed, double uthresh, fitted *f) {
    measure_distances(v, n, f->forward.matrix);
    qsort(v, n, sizeof *v, rank_distance);
    f->within = count_within(v, n, uthresh);
    f->used = f->within < guaranteed ? guaranteed : f->within;
    if (f->used > n) f->used = n;
    return select_first(v, n, f->used);
}

/* Steps 5 to 8 on the n accepted vectors, all of them selected. Returns the rounds; 0: no fit.
 *
 * The rounds end: a selection takes what makes the sum of (distance^2 - uthresh^2) least for its matrix, a fit
 * makes it least for its selection, so it falls and no selection comes back. Only where a plain shift stands in
 * for a map without a unique solution may it rise; for that there is a last round. */
static int fit_and_select(vector *v, size_t n, size_t guaranteed, const endo_pairs_options *options, double *points,
                          fitted *f) {
    for (int round = 1; fit(v, n, options->transform, points, &f->forward); round++)
        if (!select_vectors(v, n, guaranteed, options->uthresh, f) || round == ENDO_PAIR_ROUNDS) return round;
    return 0;
}

/* Standard deviation, px, by the used vectors: moments about their centre, in two passes. */
static double deviation_of(const fitted *f, const vector *v, const int size[2]) {
    endo_spread s = {.n = f->used};
    for (size_t i = 0; i < f->used; i++)
        for (int k = 0; k < 2; k++) s.centre[k] += v[i].to[k] / (double)f->used;
    for (size_t i = 0; i < f->used; i++) {
        double x = v[i].to[0] - s.centre[0], y = v[i].to[1] - s.centre[1];
        s.xx += x * x;
        s.xy += x * y;
        s.yy += y * y;
        s.residuals += v[i].distance * v[i].distance;
    }
    return endo_spread_deviation(&s, (endo_transform_class)f->forward.kind, size);
}

static void judge(const fitted *f, size_t guaranteed, const vector *v, const int size[2], endo_pair_result *out) {
    endo_transform back; /* current -> reference */
    double sum = 0;
    for (size_t i = 0; i < f->used; i++) sum += v[i].coefficient;
    out->mean_coefficient = sum / (double)f->used;
    out->used = (int32_t)f->used;
    int few = f->within < guaranteed || out->found < (int32_t)guaranteed;
    if (!is_plausible(f->forward.matrix) || (few && out->mean_coefficient < 0.5) ||
        !endo_transform_inverse(&f->forward, &back)) {
        out->status = ENDO_PAIR_JUMP;
        return;
    }
    out->status = few ? ENDO_PAIR_FEW_LANDMARKS : ENDO_PAIR_OK;
    out->transform = back;
    out->deviation = deviation_of(f, v, size);
}

static void fit_pair(vector *v, size_t count, const endo_pairs_options *options, const int size[2], double *points,
                     endo_pair_result *out) {
    size_t guaranteed = (size_t)ceil(options->guarantee * out->landmarks), accepted = 0;
    fitted f;
    if (guaranteed < 3) guaranteed = 3;
    qsort(v, count, sizeof *v, rank_coefficient);
    while (accepted < count && v[accepted].coefficient >= options->cthresh) accepted++; /* step 3 */
    out->found = (int32_t)accepted;
    if (accepted < guaranteed) accepted = guaranteed < count ? guaranteed : count; /* step 4 */
    for (size_t i = 0; i < accepted; i++) v[i].accepted = v[i].selected = 1;
    out->rounds = fit_and_select(v, accepted, guaranteed, options, points, &f);
    if (out->rounds > 0 && f.within > 0) judge(&f, guaranteed, v, size, out);
}

/* Writes the landmarks row by row from the top left; none is used where the fit failed. */
static int32_t hand_out(vector *v, size_t n, const endo_pair_result *r, endo_landmark *landmarks) {
    qsort(v, n, sizeof *v, rank_position);
    for (size_t i = 0; i < n; i++) {
        int used = v[i].selected && r->used > 0;
        landmarks[i] = (endo_landmark){
            .reference_x = v[i].from[0],
            .reference_y = v[i].from[1],
            .current_x = v[i].to[0],
            .current_y = v[i].to[1],
            .coefficient = v[i].coefficient,
            .weight = used,
            .accepted = v[i].accepted,
            .used = used,
        };
    }
    return (int32_t)n;
}

endo_status endo_mosaic_fit(const double *from, const endo_search_result *found, size_t n,
                            const endo_pairs_options *options, const int size[2], endo_pair_result *out,
                            endo_landmark *landmarks, int32_t *count) {
    vector *v = endo_alloc(n, sizeof *v);
    double *points = endo_alloc(n, 4 * sizeof *points);
    endo_status status = ENDO_OK;
    if (v && points) {
        memset(out, 0, sizeof *out);
        out->transform = endo_transform_still;
        out->mean_coefficient = out->quality = out->deviation = NAN;
        out->perspective[0] = out->perspective[1] = out->perspective_deviation = NAN;
        out->lens = out->lens_deviation = NAN;
        size_t vectors = collect(from, found, n, v, out);
        out->status = out->landmarks < 3 ? ENDO_PAIR_NO_TEXTURE : ENDO_PAIR_JUMP;
        if (out->status == ENDO_PAIR_JUMP && vectors >= 3) fit_pair(v, vectors, options, size, points, out);
        if (landmarks) *count = hand_out(v, vectors, out, landmarks);
    } else {
        status = endo_fail(ENDO_ERR_MEMORY, "no memory to fit %zu landmarks", n);
    }
    endo_free(v);
    endo_free(points);
    return status;
}
