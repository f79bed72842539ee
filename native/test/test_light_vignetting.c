/* The fall-off of the light against the same equations written out, with the scene among the unknowns, and solved by
 * elimination in long double. */
#include "systems/light/light_vignetting.h"

#include "base/math/dense.h"
#include "check.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nodes lie in rows of 13. */
enum { WIDTH = 240, HEIGHT = 180, VIEWS = 24, NODES = 40, COLUMNS = 13, SEEN = 22, SAMPLES = VIEWS * SEEN };
/* Unknowns: of each view a gain and two numbers of a gradient, the terms, the scene. */
enum { TERMS = 3 * VIEWS, SCENE = TERMS + LIGHT_TERMS, UNKNOWNS = SCENE + NODES };

static endo_light *light;
static light_surface surface;
static endo_light_view views[VIEWS];
static float x[SAMPLES], y[SAMPLES], values[SAMPLES], share[SAMPLES];
static int32_t node[SAMPLES];
static size_t first[VIEWS + 1];
static light_samples samples = {.channels = 1, .threads = 2, .n = SAMPLES, .nodes = NODES, .stride = COLUMNS, .views = VIEWS,
                              .alike = 7, .first = first, .node = node, .x = x, .y = y, .values = values, .share = share};

/* How much there is of everything, deviations of logarithms. */
typedef struct amounts {
    double gain, gradient, noise;
    int control; /* gains rise from frame to frame */
    double fall; /* factor of a strong vignetting */
} amounts;

static double any(test_random *r, double deviation) { return deviation * sqrt(3) * (2 * test_unit(r) - 1); }

/* Frames one to three apart, each of which sees a node once at most; a sample in twenty shows something else. */
static void make_samples(const amounts *a, test_random *r) {
    double scene[NODES], vignetting[LIGHT_TERMS], slow = 0;
    for (int i = 0; i < NODES; i++) scene[i] = any(r, 0.3);
    for (int t = 0; t < LIGHT_TERMS; t++) vignetting[t] = a->fall * any(r, t < 5 ? 0.2 : 0.05);
    for (int v = 0, frame = 0; v < VIEWS; v++, frame += test_between(r, 1, 3)) {
        slow += a->gain;
        double own[3] = {a->control ? slow : any(r, a->gain), any(r, a->gradient), any(r, a->gradient)};
        views[v] = (endo_light_view){frame, 0, {ENDO_TRANSFORM_TRANSLATION, {1, 0, 60.0 * v, 0, 1, 0, 0, 0, 1}}};
        int begin = test_between(r, 0, NODES - 1), step = 7 + 2 * test_between(r, 0, 3); /* 40 has no divisor with them */
        first[v] = (size_t)v * SEEN;
        for (int i = v * SEEN; i < (v + 1) * SEEN; i++) {
            double terms[LIGHT_TERMS], value = own[0] + any(r, a->noise) + (test_between(r, 0, 19) ? 0 : 0.5);
            x[i] = (float)test_between(r, 0, WIDTH - 1), y[i] = (float)test_between(r, 0, HEIGHT - 1);
            node[i] = (begin + i % SEEN * step) % NODES, share[i] = (float)(0.3 + 0.7 * test_unit(r));
            light_surface_terms(&surface, x[i], y[i], terms);
            for (int t = 0; t < LIGHT_TERMS; t++) value += (vignetting[t] + (t < 2 ? own[1 + t] : 0)) * terms[t];
            values[i] = (float)(value + scene[node[i]]);
        }
    }
    first[VIEWS] = SAMPLES;
}

/* ---------------------------------------------------------------- equations */

static long double matrix[UNKNOWNS][UNKNOWNS + 2]; /* and two right sides */

/* The coefficients of the unknowns at sample i. */
static void row_of(int i, double row[UNKNOWNS]) {
    memset(row, 0, UNKNOWNS * sizeof *row);
    light_surface_terms(&surface, x[i], y[i], row + TERMS);
    row[i / SEEN * 3] = 1, row[i / SEEN * 3 + 1] = row[TERMS], row[i / SEEN * 3 + 2] = row[TERMS + 1];
    row[SCENE + node[i]] = 1;
}

/* Believed: that a sum of two unknowns with factors is 0, with a weight. */
static void believe(int i, int k, double factor, double weight) {
    matrix[i][i] += weight;
    if (k < 0) return;
    matrix[k][k] += factor * factor * weight;
    matrix[i][k] += factor * weight, matrix[k][i] += factor * weight;
}

/* What is believed of the terms: the inverse of their covariance, that of a lamp's fall-off of unknown strength and of
 * differences from it. */
static double lamp[LIGHT_TERMS];
static long double certainty[LIGHT_TERMS][LIGHT_TERMS];

/* -log(1 + r^2) as a sum of the terms; all cells are full. */
static void find_lamp(void) {
    const light_grid *g = &light->grid;
    double square = 0;
    for (size_t i = 0; i < light_cells(g); i++) {
        double terms[LIGHT_TERMS];
        double px = light_centre(g, (int)(i % (size_t)g->columns), WIDTH);
        double py = light_centre(g, (int)(i / (size_t)g->columns), HEIGHT);
        double r = hypot(px - surface.x, py - surface.y) / surface.reach;
        light_surface_terms(&surface, px, py, terms);
        for (int t = 0; t < LIGHT_TERMS; t++) lamp[t] -= terms[t] * log(1 + r * r);
    }
    for (int t = 0; t < LIGHT_TERMS; t++) square += lamp[t] * lamp[t];
    for (int t = 0; t < LIGHT_TERMS; t++) lamp[t] /= sqrt(square);
}

static void find_certainty(void) {
    long double covariance[LIGHT_TERMS][LIGHT_TERMS];
    for (int t = 0; t < LIGHT_TERMS; t++)
        for (int k = 0; k < LIGHT_TERMS; k++) {
            double deviation = t < 2 ? 0.1 : t < 5 ? 0.15 : 0.05;
            covariance[t][k] = 0.5 * 0.5 * lamp[t] * lamp[k] + (t == k ? deviation * deviation : 0);
            certainty[t][k] = t == k;
        }
    for (int j = 0; j < LIGHT_TERMS; j++)
        for (int k = 0; k < LIGHT_TERMS; k++) {
            long double part = k == j ? 1 - 1 / covariance[j][j] : covariance[k][j] / covariance[j][j];
            for (int c = 0; c < LIGHT_TERMS; c++) {
                certainty[k][c] -= part * certainty[j][c];
                if (c != j) covariance[k][c] -= part * covariance[j][c];
            }
            covariance[k][j] = k == j;
        }
}

/* Deviations that are believed beforehand. */
typedef struct beliefs {
    double gain, wander, noise;
    double alike; /* gains that count as one */
    double fall;  /* factor of the deviations of the terms */
} beliefs;

static void add_beliefs(const beliefs *b) {
    double all = samples.alike * b->noise * b->noise;
    for (int v = 0; v < VIEWS; v++) {
        double like = v ? pow(0.8, views[v].frame - views[v - 1].frame) : 0, news = b->wander * b->wander * (1 - like * like);
        believe(3 * v, -1, 0, all / (b->alike * b->gain * b->gain));
        for (int k = 1; k <= 2; k++) believe(3 * v + k, v ? 3 * v - 3 + k : -1, -like, all / news);
    }
    for (int t = 0; t < LIGHT_TERMS; t++)
        for (int k = 0; k < LIGHT_TERMS; k++) matrix[TERMS + t][TERMS + k] += all * certainty[t][k] / (b->fall * b->fall);
}

/* Solves for what is seen, with weights, and for a second right side: of the terms alone. */
static void solve(const beliefs *b, const float *weights, const double terms[LIGHT_TERMS], double of[2][UNKNOWNS]) {
    memset(matrix, 0, sizeof matrix);
    for (int i = 0; i < SAMPLES; i++) {
        double row[UNKNOWNS];
        row_of(i, row);
        for (int j = 0; j < UNKNOWNS; j++) {
            if (row[j] == 0) continue;
            for (int k = 0; k < UNKNOWNS; k++) matrix[j][k] += (long double)weights[i] * row[j] * row[k];
            matrix[j][UNKNOWNS] += (long double)weights[i] * row[j] * values[i];
        }
    }
    for (int t = 0; t < LIGHT_TERMS; t++) matrix[TERMS + t][UNKNOWNS + 1] = terms[t];
    add_beliefs(b);
    for (int j = 0; j < UNKNOWNS; j++)
        for (int k = 0; k < UNKNOWNS; k++) {
            long double part = k == j ? 0 : matrix[k][j] / (matrix[j][j] + (matrix[j][j] == 0));
            for (int c = j; c < UNKNOWNS + 2 && part != 0; c++) matrix[k][c] -= part * matrix[j][c];
        }
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < UNKNOWNS; j++) /* a node that nobody sees has no equation */
            of[side][j] = (double)(matrix[j][j] == 0 ? 0 : matrix[j][UNKNOWNS + side] / matrix[j][j]);
}

/* ------------------------------------------------------------------- rounds */

static int compare(const void *a, const void *b) {
    float one = *(const float *)a, other = *(const float *)b;
    return (one > other) - (one < other);
}

/* Weights by what is left; returns the median of that. */
static double weigh(const double answer[UNKNOWNS], double robust, float *weights) {
    static float left[SAMPLES], sorted[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        double row[UNKNOWNS], sum = values[i];
        row_of(i, row);
        for (int j = 0; j < UNKNOWNS; j++) sum -= row[j] * answer[j];
        left[i] = sorted[i] = (float)fabs(sum);
    }
    qsort(sorted, SAMPLES, sizeof *sorted, compare);
    double median = sorted[SAMPLES / 2], scale = robust * fmax(1.48 * median, 0.003);
    for (int i = 0; i < SAMPLES; i++) {
        double off = left[i] / scale;
        weights[i] = (float)(share[i] / ((1 + off * off) * (1 + off * off)));
    }
    return median;
}

/* The beliefs on gains and gradients after they were found to vary so much. */
static void learn(const double answer[UNKNOWNS], int early, double median, beliefs *b) {
    double mean = 0, gains = 0, gradients = 0, neighbours = 0;
    for (int v = 0; v < VIEWS; v++) mean += answer[3 * v] / VIEWS;
    for (int v = 0; v < VIEWS; v++) {
        const double *own = answer + 3 * v;
        gains += (own[0] - mean) * (own[0] - mean) / VIEWS;
        gradients += (own[1] * own[1] + own[2] * own[2]) / (2 * VIEWS);
    }
    for (int v = 1; v < VIEWS; v++) neighbours += (answer[3 * v] - mean) * (answer[3 * v - 3] - mean) / VIEWS;
    double like = neighbours / gains;
    b->alike = fmin(like > 0 ? 3 * (1 + like) / (1 - like) : 3, 30);
    b->gain = fmax(1.2 * sqrt(gains), 0.01);
    b->wander = early ? 0.01 : fmin(fmax(6 * sqrt(gradients), 0.002), 0.1);
    b->noise = fmin(fmax(2 * median, 0.003), 0.05);
}

/* ----------------------------------------------------------------- held out */

static int half_of(int i) { return (node[i] % COLUMNS / 3 + node[i] / COLUMNS / 3) % 2; }

/* Squares of what is left at node n under an answer. */
static double squares_at(int n, const double answer[UNKNOWNS], const float *weights) {
    double weight = 0;
    double mean = 0;
    double square = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double row[UNKNOWNS];
        double rest = values[i];
        if (node[i] != n) continue;
        row_of(i, row);
        for (int j = 0; j < SCENE; j++) rest -= row[j] * answer[j];
        weight += weights[i], mean += weights[i] * rest, square += weights[i] * rest * rest;
    }
    return weight > 0 ? square - mean * mean / weight : 0;
}

/* The same at all nodes, when each half of the patches is predicted by the other one. */
static double held_out(const beliefs *b, const float *weights) {
    static double of[2][UNKNOWNS];
    const double terms[LIGHT_TERMS] = {0};
    double sum = 0;
    for (int half = 0; half < 2; half++) {
        float left[SAMPLES];
        int held[NODES] = {0};
        for (int i = 0; i < SAMPLES; i++) {
            left[i] = half_of(i) == half ? 0 : weights[i];
            held[node[i]] = half_of(i) == half;
        }
        solve(b, left, terms, of);
        for (int n = 0; n < NODES; n++) sum += held[n] ? squares_at(n, of[0], weights) : 0;
    }
    return sum;
}

/* Gradients and the fall-off are believed in if squares fall by a twentieth, and by a fiftieth. */
static int choose(beliefs *b, const float *weights) {
    beliefs none = *b;
    beliefs fall = *b;
    none.wander = none.fall = fall.wander = 1e-5;
    double squares[3] = {held_out(&none, weights), held_out(&fall, weights), held_out(b, weights)};
    int wanders = squares[2] < 0.95 * squares[1];
    if (!wanders) *b = fall;
    return squares[1 + wanders] < 0.98 * squares[0];
}

/* Seven rounds; the first three take twice as much for no contradiction, and leave gradients little room. */
static double plain_vignetting(double robust, double terms[LIGHT_TERMS], int chosen[2]) {
    static double of[2][UNKNOWNS];
    static float weights[SAMPLES];
    double vignetting[LIGHT_TERMS], square = 0;
    beliefs b = {1, 0.01, 0.05, 30, 1};
    light_surface_vignetting(light, &surface, vignetting);
    memcpy(weights, share, sizeof weights);
    for (int round = 0; round < 7; round++) {
        solve(&b, weights, vignetting, of);
        double median = weigh(of[0], round < 3 ? 2 * robust : robust, weights);
        if (round < 6) learn(of[0], round < 3, median, &b);
    }
    chosen[0] = choose(&b, weights);
    chosen[1] = b.wander > 1e-4;
    solve(&b, weights, vignetting, of);
    for (int t = 0; t < LIGHT_TERMS; t++) terms[t] = of[0][TERMS + t], square += vignetting[t] * of[1][TERMS + t];
    return 0.05 * sqrt(samples.alike * square);
}

/* How much of the lamp's variance is within the nodes. */
static double plain_seen(void) {
    double within = 0, all = 0, mean = 0, weight = 0, fall[SAMPLES] = {0};
    for (int i = 0; i < SAMPLES; i++) {
        double terms[LIGHT_TERMS];
        light_surface_terms(&surface, x[i], y[i], terms);
        for (int t = 0; t < LIGHT_TERMS; t++) fall[i] += lamp[t] * terms[t];
        mean += share[i] * fall[i], weight += share[i];
    }
    for (int i = 0; i < SAMPLES; i++) {
        double here = 0, sum = 0;
        for (int k = 0; k < SAMPLES; k++)
            if (node[k] == node[i]) here += share[k], sum += share[k] * fall[k];
        within += share[i] * (fall[i] - sum / here) * (fall[i] - sum / here);
        all += share[i] * (fall[i] - mean / weight) * (fall[i] - mean / weight);
    }
    return within / all;
}

/* Each belief decides somewhere: gains, gradients and noise that vary less than is believed at least, and more than at most.
 * Fall-offs and gradients are there or not. */
static void test_fall(void) {
    static const amounts all[] = {{0.002, 0.00005, 0.0003, 0, 1}, {0.0001, 0.00005, 0.012, 0, 1}, {0.02, 0.0006, 0.004, 0, 1},
                                  {0.2, 0.02, 0.01, 0, 1},        {0.4, 0.3, 0.06, 0, 1},         {0.03, 0.0006, 0.03, 1, 1},
                                  {0.02, 0.0006, 0.03, 0, 0}};
    test_random r = {31};
    int times[2] = {0, 0};
    for (int k = 0; k < 14; k++) {
        double plain[LIGHT_TERMS], terms[LIGHT_TERMS];
        int chosen[2];
        light_evidence evidence;
        make_samples(&all[k % 7], &r);
        double expected = plain_vignetting(1.5 + k / 7, plain, chosen);
        CHECK(light_vignetting_find(light, &surface, views, &samples, 1.5 + k / 7, terms, &evidence) == ENDO_OK);
        CHECK_NEAR(evidence.deviation, expected, 1e-4 * expected);
        CHECK_NEAR(evidence.seen, plain_seen(), 1e-6);
        CHECK(evidence.falls == chosen[0]);
        CHECK(evidence.nearer == 0); /* there are no small pictures */
        for (int t = 0; t < LIGHT_TERMS; t++) CHECK_NEAR(terms[t], plain[t], 1e-5);
        times[0] += chosen[0], times[1] += chosen[1];
    }
    CHECK(times[0] == 12 && times[1] > 0 && times[1] < 14);
}

/* The lamp that is believed in is that of the definition. */
static void test_lamp(void) {
    double made[LIGHT_TERMS];
    light_surface_radial(light, &surface, made);
    for (int t = 0; t < LIGHT_TERMS; t++) CHECK_NEAR(made[t], lamp[t], 1e-9);
}

/* What the frames cannot contradict adds to the deviation, and nothing else is left of it where all is seen, but for walls that
 * are nearer at the rim. */
static void test_honesty(void) {
    const light_evidence cases[] = {{1, 0.1, 1, 0},     {1, 0.1, 0.5, 0},      {1, 0, 0.1, 0},      {1, 0.2, 0, 0},
                                    {1, 500, 0.5, 0},   {1, 0.1, 0.2, 0.01},   {1, 0.1, 1, 0.05}};
    const double expected[] = {0.1, hypot(0.1, 0.02), 0.02 * 9, 99, 99, hypot(0.1, 4 * 0.02 + 7 * 0.033),
                               hypot(0.1, 3 * 0.165)};
    for (int k = 0; k < 7; k++) CHECK_NEAR(light_honest_deviation(&cases[k]), expected[k], 1e-12);
    CHECK(light_share_of(0) == 1);
    CHECK_NEAR(light_share_of(0.33), 0.5, 1e-12);
    CHECK_NEAR(light_share_of(0.66), 0.2, 1e-12);
    CHECK(light_share_of(2.3) > 0.02 && light_share_of(2.32) == 0);
}

/* ----------------------------------------------------------- decomposition */

/* By blocks of columns, whose rows threads share: the same bytes as by the loops for dense matrices. */
static void test_decomposition(void) {
    enum { N = 398 };
    static double matrix[2][N * N];
    static double work[5 * DENSE_WORK];
    light_samples set = {.threads = 5};
    test_random r = {12};
    for (int threads = 1; threads <= 5; threads += 4) {
        vignetting_equations f = {.s = &set, .unknowns = N, .matrix = matrix[1], .work = work};
        for (int i = 0; i < N * N; i++) matrix[0][i] = test_unit(&r) + (i % (N + 1) == 0 ? N : 0);
        memcpy(matrix[1], matrix[0], sizeof *matrix);
        CHECK(dense_choose(set.cpu)->decompose(N, N, matrix[0], N, work) == 1);
        CHECK(vignetting_decompose(&f, threads) == 1);
        int wrong = 0;
        for (int c = 0; c < N; c++) wrong += memcmp(&matrix[0][c * (N + 1)], &matrix[1][c * (N + 1)], (size_t)(N - c) * 8) != 0;
        CHECK(wrong == 0);
        matrix[1][300 * (N + 1)] = -1;
        CHECK(vignetting_decompose(&f, threads) == 0);
    }
}

int main(void) {
    endo_context *context = NULL;
    endo_context_options o = endo_context_options_default();
    const light_frame frame = {ENDO_GREY8, WIDTH, HEIGHT, 255};
    o.backend = ENDO_BACKEND_CPU, o.threads = 2;
    CHECK(endo_context_create(&o, &context) == ENDO_OK);
    CHECK(light_make(context, &frame, NULL, &light) == ENDO_OK);
    light_surface_make(light, &surface);
    find_lamp();
    find_certainty();
    test_lamp();
    test_honesty();
    test_fall();
    test_decomposition();
    light_free(light);
    endo_context_destroy(&context);
    return check_summary("test_light_vignetting");
}
