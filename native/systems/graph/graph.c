/* Gauss-Newton over a pose graph, with a robust function that begins wide (endorama/graph.h). */
#include "graph.h"

#include "base/memory.h"
#include "base/status.h"
#include "backend/objects.h"

#include <math.h>
#include <string.h>

/* Pairs whose terms are computed at a time. */
#define CHUNK 4096
/* Poses that move by less than this, px, have settled. */
#define SETTLED 1e-7
/* Factor by which the robust function narrows from one iteration to the next. */
#define NARROWING 0.25
/* Poses that move by less than this, px, are near enough to their solution for the curvature of the robust function. */
#define NEAR 0.1
/* Relative rounding of a sum of losses, by which a step may seem worse. */
#define ROUNDING 1e-12
/* First damping that is tried when a step increases the loss, and the largest. */
#define DAMPING 1e-6
#define MOST_DAMPING 1e6

typedef struct graph_run {
    const graph_frame *frame;
    const endo_graph_pair *pairs;
    size_t n_pairs, n;
    int threads;
    endo_cpu cpu; /* the limit of the instruction sets */
    double wide; /* contradiction, in deviations, at which a pair counts half; 0: all count alike */
    int near;    /* whether steps are Newton's */
    int32_t *rows, *components;
    int32_t free_frames, n_components;
    graph_equations *equations;
    graph_term *terms;
    double *contradictions, *steps;
    double (*poses)[9], (*tried)[9];
    int32_t cut; /* poses whose last step was shortened, before any damping */
} graph_run;

/* A robust sum of contradictions, compared first by the number of pairs whose contradiction is infinite. */
typedef struct graph_loss {
    size_t endless;
    double sum;
} graph_loss;

/* Cauchy's weight, and the function whose weight it is. */
static double weight_of(double contradiction, double wide) {
    double ratio = contradiction / wide;
    return wide > 0 ? 1 / (1 + ratio * ratio) : 1;
}

static double loss_of(double contradiction, double wide) {
    double ratio = contradiction / wide;
    return wide > 0 ? wide * wide * log1p(ratio * ratio) : contradiction * contradiction;
}

/* ------------------------------------------------------------------ memory */

static void destroy(graph_run *g) {
    if (g->equations) graph_equations_destroy(g->equations);
    endo_free(g->rows);
    endo_free(g->components);
    endo_free(g->terms);
    endo_free(g->contradictions);
    endo_free(g->steps);
    endo_free(g->poses);
    endo_free(g->tried);
}

/* Holds the fixed frame and the first one of every other component. */
static void hold(graph_run *g, int32_t fixed) {
    int32_t next = 0;
    g->free_frames = 0;
    for (size_t i = 0; i < g->n; i++) {
        int first = g->components[i] == next;
        next += first;
        int held = g->components[i] == g->components[fixed] ? (int32_t)i == fixed : first;
        g->rows[i] = held ? -1 : g->free_frames++;
    }
}

static endo_status create(graph_run *g, int32_t fixed) {
    g->rows = endo_alloc(g->n, sizeof *g->rows);
    g->components = endo_alloc(g->n, sizeof *g->components);
    g->terms = endo_alloc(CHUNK, sizeof *g->terms);
    g->contradictions = endo_alloc(g->n_pairs, sizeof *g->contradictions);
    g->steps = endo_alloc(g->n * GRAPH_MOST, sizeof *g->steps);
    g->poses = endo_alloc(g->n, sizeof *g->poses);
    g->tried = endo_alloc(g->n, sizeof *g->tried);
    if (!g->rows || !g->components || !g->terms || !g->contradictions || !g->steps || !g->poses || !g->tried)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a graph of %zu frames and %zu pairs", g->n, g->n_pairs);
    ENDO_TRY(graph_components(g->pairs, g->n_pairs, g->n, g->components, &g->n_components));
    hold(g, fixed);
    if (g->free_frames == 0) return ENDO_OK;
    return graph_equations_create(g->pairs, g->n_pairs, g->rows, g->free_frames, g->frame->numbers, g->threads, g->cpu,
                                  &g->equations);
}

/* --------------------------------------------------------------- iteration */

static void compute_terms(graph_run *g, double (*poses)[9], size_t first, size_t n, int with_equations) {
#pragma omp parallel for num_threads(n < GRAPH_MANY ? 1 : g->threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        const endo_graph_pair *p = &g->pairs[first + i];
        graph_term *term = &g->terms[i];
        graph_term_of(g->frame, p, poses[p->reference], poses[p->current], with_equations, term);
        g->contradictions[first + i] = term->contradiction;
        term->weight = weight_of(term->contradiction, g->wide);
        if (with_equations && g->near) graph_term_distortion(g->frame, g->wide, term);
    }
}

static void assemble(graph_run *g) {
    for (size_t i = 0; i < g->n; i++)
        if (g->rows[i] >= 0) memcpy(g->tried[g->rows[i]], g->poses[i], sizeof *g->tried);
    graph_equations_clear(g->equations, (const double (*)[9])g->tried);
    for (size_t first = 0; first < g->n_pairs; first += CHUNK) {
        size_t n = g->n_pairs - first < CHUNK ? g->n_pairs - first : CHUNK;
        compute_terms(g, g->poses, first, n, 1);
        graph_equations_add(g->equations, first, n, g->terms);
    }
}

static void contradict(graph_run *g, double (*poses)[9]) {
    for (size_t first = 0; first < g->n_pairs; first += CHUNK) {
        size_t n = g->n_pairs - first < CHUNK ? g->n_pairs - first : CHUNK;
        compute_terms(g, poses, first, n, 0);
    }
}

/* The robust sum of all pairs' contradictions, as they are now. */
static graph_loss total_loss(const graph_run *g) {
    graph_loss all = {0, 0};
    for (size_t i = 0; i < g->n_pairs; i++) {
        int ends = isfinite(g->contradictions[i]) != 0;
        all.endless += !ends;
        all.sum += ends ? loss_of(g->contradictions[i], g->wide) : 0;
    }
    return all;
}

static int is_worse(graph_loss tried, graph_loss before) {
    if (tried.endless != before.endless) return tried.endless > before.endless;
    return !(tried.sum <= before.sum + ROUNDING * before.sum);
}

/* Moves all poses into `tried`; returns the greatest number of a step, px. *cut: poses whose step was shortened. */
static double move_all(graph_run *g, int32_t *cut) {
    double most = 0;
    int d = g->frame->numbers, homographies = g->frame->kind == ENDO_TRANSFORM_HOMOGRAPHY;
    memcpy(g->tried, g->poses, g->n * sizeof *g->poses);
    *cut = 0;
    for (size_t i = 0; i < g->n; i++) {
        if (g->rows[i] < 0) continue;
        const double *step = g->steps + (size_t)g->rows[i] * d;
        double shortened[GRAPH_MOST] = {0};
        memcpy(shortened, step, (size_t)d * sizeof *shortened);
        if (homographies) *cut += graph_homography_cut(g->frame, g->tried[i], shortened);
        for (int k = 0; k < d; k++)
            if (fabs(shortened[k]) > most) most = fabs(shortened[k]);
        graph_move(g->frame, shortened, g->tried[i]);
    }
    return most;
}

/* One step that does not increase the loss; *moved: how far, px, 0 if there is none. */
static endo_status step(graph_run *g, double *moved) {
    assemble(g);
    graph_loss before = total_loss(g);
    double damping = 0;
    endo_status status = ENDO_OK;
    for (*moved = 0; damping <= MOST_DAMPING; damping = damping > 0 ? 100 * damping : DAMPING) {
        status = graph_equations_solve(g->equations, damping, g->steps);
        if (status == ENDO_ERR_ARGUMENT) continue; /* not determined, but with more damping */
        if (status != ENDO_OK) return status;
        int32_t cut;
        double most = move_all(g, &cut);
        if (damping == 0) g->cut = cut;
        contradict(g, g->tried);
        if (is_worse(total_loss(g), before)) continue;
        *moved = most;
        memcpy(g->poses, g->tried, g->n * sizeof *g->poses);
        return ENDO_OK;
    }
    return status;
}

/* The greatest finite value: a pair with a singular pose has an infinite contradiction. */
static double greatest(const double *values, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (values[i] > most && isfinite(values[i])) most = values[i];
    return most;
}

static endo_status iterate(graph_run *g, endo_context *context, const endo_graph_options *options,
                           endo_graph_report *report) {
    double moved = 1;
    contradict(g, g->poses);
    g->wide = options->robust > 0 ? fmax(options->robust, greatest(g->contradictions, g->n_pairs)) : 0;
    for (report->iterations = 0; report->iterations < options->iterations; report->iterations++) {
        endo_status status = endo_context_go_on(context);
        if (status == ENDO_OK) status = step(g, &moved);
        if (status != ENDO_OK) return status;
        report->settled = moved < SETTLED && g->wide <= options->robust;
        if (report->settled) return ENDO_OK;
        g->wide = fmax(options->robust, NARROWING * g->wide);
        if (options->robust == 0) g->wide = 0;
        g->near = g->wide > 0 && g->wide <= options->robust && moved < NEAR;
    }
    return ENDO_OK;
}

/* ------------------------------------------------------------------- result */

/* Standard deviation of a frame's points by the covariance of its parameters: root mean square over points and axes, px. */
static double deviation_of(const graph_frame *f, const double *covariance) {
    double sum = 0;
    int d = f->numbers;
    for (int k = 0; k < f->n_points; k++) {
        double rows[2 * GRAPH_MOST], share = f->shares[k];
        graph_motion(f, f->points[k], rows);
        for (int axis = 0; axis < 2; axis++)
            for (int i = 0; i < d; i++)
                for (int j = 0; j < d; j++)
                    sum += share * (rows[axis * d + i] * covariance[i * d + j] * rows[axis * d + j]);
    }
    return sqrt(fmax(sum, 0) / 2);
}

static endo_status find_deviations(graph_run *g, int32_t fixed, double *deviations) {
    int d = g->frame->numbers;
    size_t block = (size_t)d * d;
    double *blocks = endo_alloc_zeroed((size_t)g->free_frames + 1, block * sizeof *blocks);
    if (!blocks) return endo_fail(ENDO_ERR_MEMORY, "no memory for the deviations of %zu frames", g->n);
    endo_status status = ENDO_OK;
    if (g->equations) {
        g->near = 0;
        assemble(g);
        status = graph_equations_covariances(g->equations, blocks);
    }
    size_t n = status == ENDO_OK ? g->n : 0;
#pragma omp parallel for num_threads(n < GRAPH_MANY ? 1 : g->threads) schedule(static)
    for (size_t i = 0; i < n; i++) {
        if (g->components[i] != g->components[fixed])
            deviations[i] = NAN;
        else
            deviations[i] = g->rows[i] < 0 ? 0 : deviation_of(g->frame, blocks + block * (size_t)g->rows[i]);
    }
    endo_free(blocks);
    return status;
}

static double weighted_rms(const graph_run *g, const double *weights) {
    double sum = 0, all = 0;
    for (size_t i = 0; i < g->n_pairs; i++) {
        sum += weights[i] * g->contradictions[i] * g->contradictions[i];
        all += weights[i];
    }
    return all > 0 ? sqrt(sum / all) : 0;
}

static endo_status describe(graph_run *g, const endo_transform *given, double *weights, endo_graph_report *report) {
    double *found = endo_alloc(g->n_pairs, sizeof *found);
    if (!found) return endo_fail(ENDO_ERR_MEMORY, "no memory for the weights of %zu pairs", g->n_pairs);
    contradict(g, g->poses);
    for (size_t i = 0; i < g->n_pairs; i++) {
        found[i] = weight_of(g->contradictions[i], g->wide);
        report->doubtful += found[i] < 0.5;
    }
    report->after = weighted_rms(g, found);
    for (size_t i = 0; i < g->n; i++) memcpy(g->tried[i], given[i].matrix, sizeof *g->tried);
    contradict(g, g->tried);
    report->before = weighted_rms(g, found);
    report->components = g->n_components;
    report->cut = g->cut;
    if (weights) memcpy(weights, found, g->n_pairs * sizeof *found);
    endo_free(found);
    return ENDO_OK;
}

endo_status endo_graph_run(endo_context *context, const graph_frame *frame, const endo_graph_pair *pairs, size_t n_pairs,
                           const endo_graph_options *options, endo_transform *poses, size_t n, double *deviations,
                           double *weights, endo_graph_report *report) {
    graph_run g = {
        .frame = frame,
        .pairs = pairs,
        .n_pairs = n_pairs,
        .n = n,
        .threads = context->threads,
        .cpu = context->cpu,
    };
    double *found = deviations ? endo_alloc(n, sizeof *found) : NULL;
    endo_status status = create(&g, options->fixed);
    if (deviations && !found) status = endo_fail(ENDO_ERR_MEMORY, "no memory for the deviations of %zu frames", n);
    if (status == ENDO_OK) {
        for (size_t i = 0; i < n; i++) memcpy(g.poses[i], poses[i].matrix, sizeof *g.poses);
        report->settled = !g.equations;
    }
    if (status == ENDO_OK && g.equations) status = iterate(&g, context, options, report);
    if (status == ENDO_OK && deviations) status = find_deviations(&g, options->fixed, found);
    if (status == ENDO_OK) status = describe(&g, poses, weights, report);
    if (status == ENDO_OK) {
        if (deviations) memcpy(deviations, found, n * sizeof *found);
        for (size_t i = 0; i < n; i++) memcpy(poses[i].matrix, g.poses[i], sizeof g.poses[i]);
    }
    endo_free(found);
    destroy(&g);
    return status;
}
