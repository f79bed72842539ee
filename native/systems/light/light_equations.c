/* Sums of the vignetting's equations: each thread adds the columns of one view at a time, so that the result does not depend
 * on the number of threads. */
#include "light_vignetting.h"

#include "base/math/dense.h"
#include "base/openmp.h"
#include "base/simd.h"

#include <math.h>
#include <string.h>

typedef double four __attribute__((vector_size(32), may_alias));
#define FOURS (VIGNETTING_ROW / 4)

/* ------------------------------------------------------------------- nodes */

ENDO_SIMD_INLINE void sum_node(const vignetting_equations *f, size_t node) {
    four sums[FOURS] = {{0}};
    double weight = 0;
    for (size_t k = f->at_node[node]; k < f->at_node[node + 1]; k++) {
        size_t i = (size_t)f->samples[k];
        const four *row = (const four *)f->row[i];
        double w = f->weight[i];
        weight += w;
        for (int q = 0; q < FOURS; q++) sums[q] += w * row[q];
        *(four *)f->local[k] = (four){w, w * f->row[i][0], w * f->row[i][1], 0};
    }
    f->node_weight[node] = weight;
    memcpy(f->node_row[node], sums, sizeof sums);
}

/* ------------------------------------------------------------------- views */

typedef struct view_sums {
    four local[VIGNETTING_MOST_VIEWS][VIGNETTING_LOCAL]; /* products of this view's unknowns with those of views from it on */
    four rows[VIGNETTING_LOCAL][FOURS];          /* products with the terms and the seen value */
} view_sums;

/* Subtracts the products with the node's mean: of a sample's local row with those of all samples of its node from it on. */
ENDO_SIMD_INLINE void take_mean(const vignetting_equations *f, size_t i, double part, view_sums *sums) {
    size_t node = (size_t)f->node[i];
    double a = part, b = part * f->row[i][0], c = part * f->row[i][1];
    for (size_t k = (size_t)f->slot[i]; k < f->at_node[node + 1]; k++) {
        four *to = sums->local[f->owner[k]], other = *(const four *)f->local[k];
        to[0] -= a * other;
        to[1] -= b * other;
        to[2] -= c * other;
    }
}

ENDO_SIMD_INLINE void add_sample(const vignetting_equations *f, size_t view, size_t i, view_sums *sums) {
    size_t node = (size_t)f->node[i];
    const four *row = (const four *)f->row[i], *mean = (const four *)f->node_row[node];
    double w = f->weight[i], part = w / f->node_weight[node];
    const double local[VIGNETTING_LOCAL] = {1, f->row[i][0], f->row[i][1]};
    four weighted = *(const four *)f->local[f->slot[i]];
    for (int a = 0; a < VIGNETTING_LOCAL; a++) sums->local[view][a] += local[a] * weighted;
    for (int q = 0; q < FOURS; q++) {
        four rest = w * row[q] - part * mean[q];
        for (int a = 0; a < VIGNETTING_LOCAL; a++) sums->rows[a][q] += local[a] * rest;
    }
    take_mean(f, i, part, sums);
}

/* Adds w row row' above the diagonal; the matrix stores the transpose. */
ENDO_SIMD_INLINE void add_products(const double *row, double w, double out[LIGHT_TERMS][VIGNETTING_ROW]) {
    for (int t = 0; t < LIGHT_TERMS; t++) {
        double share = w * row[t];
        for (int q = t / 4; q < FOURS; q++) ((four *)out[t])[q] += share * ((const four *)row)[q];
    }
}

static void write_view(const vignetting_equations *f, size_t view, const view_sums *sums) {
    size_t terms = VIGNETTING_LOCAL * f->views;
    for (size_t a = 0; a < VIGNETTING_LOCAL; a++) {
        double *column = vignetting_number(f, 0, VIGNETTING_LOCAL * view + a);
        for (size_t v = view; v < f->views; v++)
            memcpy(column + VIGNETTING_LOCAL * v, &sums->local[v][a], VIGNETTING_LOCAL * sizeof *column);
        memcpy(column + terms, sums->rows[a], LIGHT_TERMS * sizeof *column);
        f->right[VIGNETTING_LOCAL * view + a] = ((const double *)sums->rows[a])[VIGNETTING_VALUE];
    }
}

ENDO_SIMD_INLINE void sum_view(const vignetting_equations *f, size_t view) {
    view_sums sums;
    memset(sums.local[view], 0, (f->views - view) * sizeof *sums.local);
    memset(sums.rows, 0, sizeof sums.rows);
    memset(f->products[view], 0, sizeof *f->products);
    for (size_t i = f->first[view]; i < f->first[view + 1]; i++) {
        if (!(f->weight[i] > 0)) continue;
        add_sample(f, view, i, &sums);
        add_products(f->row[i], f->weight[i], f->products[view]);
    }
    write_view(f, view, &sums);
}

/* ------------------------------------------------------------------- terms */

/* The equations of the terms: the views' products less those of the nodes' means. */
static void sum_terms(const vignetting_equations *f) {
    size_t first = VIGNETTING_LOCAL * f->views;
    _Alignas(64) double all[LIGHT_TERMS][VIGNETTING_ROW] = {{0}};
    for (size_t v = 0; v < f->views; v++)
        for (int k = 0; k < LIGHT_TERMS * VIGNETTING_ROW; k++) ((double *)all)[k] += ((const double *)f->products[v])[k];
    for (size_t i = 0; i < f->nodes; i++)
        if (f->node_weight[i] > 0) add_products(f->node_row[i], -1 / f->node_weight[i], all);
    for (size_t t = 0; t < LIGHT_TERMS; t++) {
        memcpy(vignetting_number(f, first + t, first + t), all[t] + t, (LIGHT_TERMS - t) * sizeof(double));
        f->right[first + t] = all[t][VIGNETTING_VALUE];
    }
}

/* ------------------------------------------------------------------- rests */

/* Residuals of a view's samples under the vignetting and the view's local unknowns, with the scene still in them. */
ENDO_SIMD_INLINE void find_rests(const vignetting_equations *f, size_t view) {
    const double *terms = f->answer + VIGNETTING_LOCAL * f->views, *local = f->answer + VIGNETTING_LOCAL * view;
    _Alignas(64) double less[VIGNETTING_ROW] = {0};
    memcpy(less, terms, LIGHT_TERMS * sizeof *less);
    less[0] += local[1];
    less[1] += local[2];
    less[VIGNETTING_VALUE] = -1;
    for (size_t i = f->first[view]; i < f->first[view + 1]; i++) {
        four sum = {0};
        for (int q = 0; q < FOURS; q++) sum += ((const four *)f->row[i])[q] * ((const four *)less)[q];
        f->rest[i] = -(local[0] + ((sum[0] + sum[1]) + (sum[2] + sum[3])));
    }
}

static void take_scene(const vignetting_equations *f, size_t node) {
    double sum = 0, weight = f->node_weight[node];
    for (size_t k = f->at_node[node]; k < f->at_node[node + 1]; k++)
        sum += f->weight[f->samples[k]] * f->rest[f->samples[k]];
    float mean = (float)(weight > 0 ? sum / weight : 0);
    for (size_t k = f->at_node[node]; k < f->at_node[node + 1]; k++)
        f->residual[f->samples[k]] = fabsf((float)f->rest[f->samples[k]] - mean);
}

/* -------------------------------------------------------------------- loops */

ENDO_SIMD_LOOP(sum_nodes, sum_node, (const vignetting_equations *f, size_t node), (f, node))
ENDO_SIMD_LOOP(sum_views, sum_view, (const vignetting_equations *f, size_t view), (f, view))
ENDO_SIMD_LOOP(find_all_rests, find_rests, (const vignetting_equations *f, size_t view), (f, view))

void vignetting_fill(const vignetting_equations *f) {
    int threads = f->s->threads;
    endo_cpu set = endo_simd_best(f->s->cpu);
#pragma omp parallel num_threads(threads) if (f->n > 1000)
    {
#pragma omp for schedule(static)
        for (size_t i = 0; i < f->nodes; i++)
            sum_nodes[set](f, i);
#pragma omp for schedule(dynamic, 1)
        for (size_t v = 0; v < f->views; v++)
            sum_views[set](f, v);
    }
    sum_terms(f);
}

void vignetting_find_rests(const vignetting_equations *f) {
    endo_cpu set = endo_simd_best(f->s->cpu);
    for (size_t v = 0; v < f->views; v++)
        find_all_rests[set](f, v);
}

/* One thread does all: it is done before others are awake. */
void vignetting_find_residuals(const vignetting_equations *f) {
    vignetting_find_rests(f);
    for (size_t i = 0; i < f->nodes; i++) take_scene(f, i);
}

/* ------------------------------------------------------------------- solve */

/* Rows that a thread divides, and whose products it subtracts, at a time. */
#define ROWS 24

/* What is left of the matrix: its first w columns, of n, are decomposed down to row w. */
typedef struct trailing {
    const dense_loops *loops;
    double *matrix;
    int64_t stride, n, w;
} trailing;

static int64_t rows_from(const trailing *t, int64_t row) { return t->n - row < ROWS ? t->n - row : ROWS; }

static void divide(const trailing *t, int64_t row, double *work) {
    t->loops->divide(rows_from(t, row), t->w, t->matrix, t->stride, t->matrix + row, t->stride, work);
}

/* Left of the diagonal. */
static void subtract_products(const trailing *t, int64_t row, double *work) {
    int64_t rows = rows_from(t, row);
    dense_view these = {t->matrix + row, 1, t->stride}, others = {t->matrix + t->w, 1, t->stride};
    dense_product p = {rows, row + rows - t->w, t->w, these, others, 0, -1, t->matrix + t->w * t->stride + row, t->stride};
    t->loops->add_product(&p, work);
}

/* DENSE_DEPTH columns at a time: dense_loops.decompose sums up their products at once, too, so that the result is the same. */
int vignetting_decompose(const vignetting_equations *f, int threads) {
    trailing t = {.loops = dense_choose(f->s->cpu), .matrix = f->matrix, .stride = (int64_t)f->unknowns};
    for (t.n = t.stride; t.n > 0; t.n -= t.w, t.matrix += t.w * (t.stride + 1)) {
        t.w = t.n < DENSE_DEPTH ? t.n : DENSE_DEPTH;
        if (!t.loops->decompose(t.w, t.w, t.matrix, t.stride, f->work)) return 0;
#pragma omp parallel num_threads(threads) if (t.n > t.w)
        {
            double *work = f->work + (size_t)omp_get_thread_num() * DENSE_WORK;
#pragma omp for schedule(dynamic, 1)
            for (int64_t row = t.w; row < t.n; row += ROWS) divide(&t, row, work);
#pragma omp for schedule(dynamic, 1)
            for (int64_t row = t.w; row < t.n; row += ROWS) subtract_products(&t, row, work);
        }
    }
    return 1;
}

/* Forward, then backward substitution, by the columns of L. */
void vignetting_substitute(const vignetting_equations *f, const double *right, double *answer) {
    size_t n = f->unknowns;
    memmove(answer, right, n * sizeof *answer);
    for (size_t k = 0; k < n; k++) {
        const double *column = vignetting_number(f, 0, k);
        double value = answer[k] /= column[k];
        for (size_t i = k + 1; i < n; i++) answer[i] -= column[i] * value;
    }
    for (size_t k = n; k-- > 0;) {
        const double *column = vignetting_number(f, 0, k);
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t i = k + 1; i < n; i++) sum += column[i] * answer[i];
        answer[k] = (answer[k] - sum) / column[k];
    }
}
