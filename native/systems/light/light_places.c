/* How near walls are, by where pairs of frames show the same patches: what is nearer moves faster. With d the motion of a pair
 * and q a place, both over half of the longer side, walls that come nearer towards the rim by the share h move a patch by
 * h |q|^2 d more than one affine transform does; a lens of lambda by lambda (|q|^2 d + 2 q (q . d)), and a scope that turns by a
 * multiple of q (q . d). So both the number of |q|^2 d and that less half of the number of q (q . d) are h, the first if there is
 * no lens, and the second if the scope does not turn. */
#include "light.h"

#include "base/math/cholesky.h"
#include "base/math/median.h"

#include <math.h>
#include <string.h>

/* Fewest patches of a pair. */
#define LEAST 20
/* Least standard deviation of a patch, px: interpolation errs by that. */
#define EXACT 0.03
/* Least scale of the residuals: patches are not known better than by half of what they say. */
#define LEAST_SCALE 0.5
/* Patches off by so many deviations count a quarter, and ever less beyond. */
#define ROBUST 3
#define ROUNDS 6
/* Median of the length of two normal numbers, over their deviation. */
#define MEDIAN 1.1774
/* Patches next to each other err alike, as four of them: their ways through the frames overlap. */
#define ALIKE 2
/* Share of h that is wrong, for it is of first order in it. */
#define MODEL 0.1

/* Six affine numbers; those of |q|^2 d, of q (q . d), and of q (q . d'), d' across d, of which nothing is asked. */
enum { AFFINE = 6, RIM = AFFINE, TURN, ACROSS, NUMBERS };

/* The rows of a patch, right and down, its motion, and its deviation, px. */
typedef struct patch_rows {
    double rows[2][NUMBERS];
    double moved[2];
    double deviation;
} patch_rows;

typedef struct place_fit {
    double middle[2], half; /* px */
    double motion[2];       /* mean of all, over `half` */
    patch_rows patches[ENDO_PATCH_PLACES];
    double weight[ENDO_PATCH_PLACES];
    double normal[NUMBERS][NUMBERS], right[NUMBERS], answer[NUMBERS], inverse[NUMBERS][NUMBERS];
    double scale;           /* of the residuals over their deviations */
} place_fit;

static double deviation_of(const endo_patch_place *p) { return sqrt((double)p->deviation * p->deviation + EXACT * EXACT); }

/* The place of a patch is that halfway between the frames. */
static void set_rows(const place_fit *f, const endo_patch_place *p, patch_rows *out) {
    double q[2] = {((p->x + (double)p->current_x) / 2 - f->middle[0]) / f->half,
                   ((p->y + (double)p->current_y) / 2 - f->middle[1]) / f->half};
    double square = q[0] * q[0] + q[1] * q[1];
    double along = q[0] * f->motion[0] + q[1] * f->motion[1];
    double across = q[1] * f->motion[0] - q[0] * f->motion[1];
    memset(out->rows, 0, sizeof out->rows);
    for (int k = 0; k < 2; k++) {
        double *row = out->rows[k];
        row[3 * k] = 1;
        row[3 * k + 1] = q[0];
        row[3 * k + 2] = q[1];
        row[RIM] = square * f->motion[k];
        row[TURN] = along * q[k];
        row[ACROSS] = across * q[k];
    }
    out->moved[0] = ((double)p->current_x - p->x) / f->half;
    out->moved[1] = ((double)p->current_y - p->y) / f->half;
    out->deviation = deviation_of(p);
}

static void add_patch(place_fit *f, const patch_rows *p, double weight) {
    double deviation = p->deviation / f->half;
    weight /= deviation * deviation;
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < NUMBERS; i++) {
            f->right[i] += weight * p->rows[e][i] * p->moved[e];
            for (int k = 0; k <= i; k++) f->normal[i][k] += weight * p->rows[e][i] * p->rows[e][k];
        }
}

/* How far a patch is from where the fit takes it, in its deviations. */
static double residual(const place_fit *f, const patch_rows *p) {
    double left[2] = {p->moved[0], p->moved[1]};
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < NUMBERS; i++) left[e] -= p->rows[e][i] * f->answer[i];
    return f->half * sqrt(left[0] * left[0] + left[1] * left[1]) / p->deviation;
}

/* 0: the patches do not determine the numbers. */
static int solve(place_fit *f, size_t n) {
    double lower[NUMBERS][NUMBERS];
    memset(f->normal, 0, sizeof f->normal);
    memset(f->right, 0, sizeof f->right);
    for (size_t i = 0; i < n; i++) add_patch(f, &f->patches[i], f->weight[i]);
    if (!endo_cholesky(f->normal[0], NUMBERS, NUMBERS, lower[0])) return 0;
    endo_cholesky_solve(lower[0], NUMBERS, NUMBERS, f->right, f->answer);
    endo_cholesky_invert(lower[0], NUMBERS, NUMBERS, f->inverse[0]);
    return 1;
}

static void weigh(place_fit *f, size_t n) {
    double away[ENDO_PATCH_PLACES];
    double sorted[ENDO_PATCH_PLACES];
    double workspace[ENDO_PATCH_PLACES];
    for (size_t i = 0; i < n; i++) sorted[i] = away[i] = residual(f, &f->patches[i]);
    f->scale = fmax(endo_median(sorted, workspace, n) / MEDIAN, LEAST_SCALE);
    for (size_t i = 0; i < n; i++) {
        double off = away[i] / (ROBUST * f->scale);
        double share = 1 / (1 + off * off);
        f->weight[i] = share * share;
    }
}

static int fit(const light_frame *frame, const endo_patch_place *places, size_t n, place_fit *f) {
    f->middle[0] = (frame->width - 1) / 2.0;
    f->middle[1] = (frame->height - 1) / 2.0;
    f->half = (frame->width > frame->height ? frame->width : frame->height) / 2.0;
    f->motion[0] = 0;
    f->motion[1] = 0;
    for (size_t i = 0; i < n; i++) {
        f->motion[0] += ((double)places[i].current_x - places[i].x) / (f->half * (double)n);
        f->motion[1] += ((double)places[i].current_y - places[i].y) / (f->half * (double)n);
        f->weight[i] = 1;
    }
    for (size_t i = 0; i < n; i++) set_rows(f, &places[i], &f->patches[i]);
    for (int round = 0; round < ROUNDS; round++) {
        if (!solve(f, n)) return 0;
        weigh(f, n);
    }
    return 1;
}

static void add(light_walls *walls, double nearer, double deviation) {
    double weight = 1 / (deviation * deviation);
    walls->weight += weight;
    walls->value += weight * nearer;
    walls->square += weight * nearer * nearer;
    walls->pairs++;
}

void light_take_places(endo_light *light, const endo_patch_place *places, size_t n) {
    place_fit f;
    if (n < LEAST || !fit(&light->frame, places, n, &f)) return;
    double scale = ALIKE * f.scale * sqrt((double)n / ((double)n - NUMBERS / 2.0));
    double of_rim = scale * sqrt(f.inverse[RIM][RIM]);
    double of_both = scale * sqrt(f.inverse[RIM][RIM] - f.inverse[RIM][TURN] + f.inverse[TURN][TURN] / 4);
    if (!(of_rim > 0) || !(of_both > 0)) return;
    add(&light->walls[0], f.answer[RIM], of_rim);
    add(&light->walls[1], f.answer[RIM] - f.answer[TURN] / 2, of_both);
}

/* The mean of pairs, and its variance: what they say themselves, or what they differ by if that is more. */
static light_nearer mean_of(const light_walls *w) {
    double mean = w->value / w->weight;
    double apart = w->pairs > 1 ? (w->square / w->weight - mean * mean) / (w->pairs - 1) : 0;
    return (light_nearer){mean, fmax(1 / w->weight, apart)};
}

/* Where the two numbers differ there is a lens, or the scope turns, or both: what walls are is then as uncertain. */
light_nearer light_nearer_of_pairs(const endo_light *light, const light_surface *surface) {
    const light_frame *frame = &light->frame;
    double half = (frame->width > frame->height ? frame->width : frame->height) / 2.0;
    double rim = surface->reach * surface->reach / (half * half);
    if (!(light->walls[0].pairs > 0)) return (light_nearer){0, INFINITY};
    light_nearer first = mean_of(&light->walls[0]);
    light_nearer second = mean_of(&light->walls[1]);
    double nearer = (first.share + second.share) / 2;
    double apart = (first.share - second.share) / 2;
    double variance = fmax(first.variance, second.variance) + apart * apart + MODEL * MODEL * nearer * nearer;
    return (light_nearer){rim * nearer, rim * rim * variance};
}
