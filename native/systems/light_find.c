/* The light of a sequence: fall-off and gains, robustly, and whether the fall-off can be known at all. */
#include "light.h"

#include <math.h>
#include <string.h>

/* Solves, each with the weights that follow from the one before. */
#define ROUNDS 5
/* A fall-off that is not known better than this, as a logarithm, is not known: the frames move too little against each
 * other to tell it from the scene. */
#define WORST_DEVIATION 0.1
/* One cell in so many is brighter than what is kept as bright as it was. */
#define BRIGHTEST 20
/* The robust function's scale is at least this: of quantisation and noise alone. */
#define LEAST_SCALE 0.003

typedef struct solution {
    light_equations equations;
    light_surface surface;
    double *unknowns;
    float *residuals, *sorted;
    double deviation, rest;
} solution;

/* ------------------------------------------------------------------ robust */

/* The k-th smallest, by Hoare's selection; the order changes. */
static float select_kth(float *a, size_t n, size_t k) {
    size_t low = 0, high = n - 1;
    while (low < high) {
        float pivot = a[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (a[i] < pivot) i++;
            while (a[j] > pivot) j--;
            if (i >= j) break;
            float swap = a[i];
            a[i++] = a[j], a[j--] = swap;
        }
        size_t end = a[j] > pivot ? j - 1 : j;
        if (k <= end) high = end;
        else low = end + 1;
    }
    return a[k];
}

/* Geman's and McClure's function: what is far off has no say. */
static void weigh(solution *s, double robust) {
    light_equations *e = &s->equations;
    light_equations_residuals(e, s->unknowns, s->residuals);
    memcpy(s->sorted, s->residuals, e->n * sizeof *s->sorted);
    s->rest = select_kth(s->sorted, e->n, e->n / 2);
    double scale = robust * fmax(s->rest * 1.48, LEAST_SCALE);
    for (size_t i = 0; i < e->n; i++) {
        double off = s->residuals[i] / scale, half = 1 / (1 + off * off);
        e->sights[i].weight = (float)(e->sights[i].share * half * half);
    }
}

/* What is known of the fall-off: by how much its descent to the rim may be off. */
static endo_status find_deviation(const endo_light *light, solution *s) {
    double fall[LIGHT_TERMS], variance = 0;
    size_t n = light_unknowns(&s->equations);
    double *answer = endo_alloc_zeroed(n, sizeof *answer);
    if (!answer) return endo_fail(ENDO_ERR_MEMORY, "no memory for the light: %zu unknowns", n);
    light_surface_fall(light, &s->surface, fall);
    endo_status status = light_equations_solve(light->context, &s->equations, fall, answer);
    for (int t = 0; t < LIGHT_TERMS; t++) variance += fall[t] * answer[t];
    endo_free(answer);
    s->deviation = LIGHT_NOISE * sqrt(LIGHT_ALIKE * variance);
    return status;
}

/* Begins with the fall-off, and goes on without where it is not known. */
static endo_status solve(const endo_light *light, double robust, solution *s) {
    light_equations *e = &s->equations;
    if (e->n == 0) {
        e->terms = 0;
        return ENDO_OK;
    }
    ENDO_TRY(find_deviation(light, s));
    if (!(s->deviation <= WORST_DEVIATION)) e->terms = 0;
    for (int round = 0; round < ROUNDS; round++) {
        ENDO_TRY(light_equations_solve(light->context, e, NULL, s->unknowns));
        weigh(s, round < ROUNDS / 2 ? 2 * robust : robust); /* wide, as long as the light is not known */
    }
    return ENDO_OK;
}

/* ------------------------------------------------------------------- gains */

/* Views with a say get the mean logarithm 0 in their part; the others have gain 1. */
static endo_status centre_gains(const endo_light_view *views, solution *s, uint8_t *seen) {
    light_equations *e = &s->equations;
    double *sums = endo_alloc(2 * e->views, sizeof *sums);
    if (!sums) return endo_fail(ENDO_ERR_MEMORY, "no memory for the gains of %zu frames", e->views);
    for (size_t i = 0; i < e->n; i++) seen[e->sights[i].view] = 1;
    for (int c = 0; c < e->channels; c++) {
        double *gains = light_gains(e, s->unknowns, c);
        for (size_t i = 0; i < 2 * e->views; i++) sums[i] = 0;
        for (size_t i = 0; i < e->views; i++)
            if (seen[i]) sums[2 * views[i].part] += gains[i], sums[2 * views[i].part + 1]++;
        for (size_t i = 0; i < e->views; i++)
            gains[i] = seen[i] ? gains[i] - sums[2 * views[i].part] / sums[2 * views[i].part + 1] : 0;
    }
    endo_free(sums);
    return ENDO_OK;
}

static double mean_gain(const solution *s, size_t view) {
    double sum = 0;
    for (int c = 0; c < s->equations.channels; c++) sum += light_gains(&s->equations, s->unknowns, c)[view];
    return sum / s->equations.channels;
}

static void share_gains(solution *s) {
    for (size_t i = 0; i < s->equations.views; i++) {
        double mean = mean_gain(s, i);
        for (int c = 0; c < s->equations.channels; c++) light_gains(&s->equations, s->unknowns, c)[i] = mean;
    }
}

static void write_gains(const solution *s, double limit, int32_t *gains) {
    for (size_t i = 0; i < s->equations.views; i++)
        for (int c = 0; c < LIGHT_CHANNELS; c++) {
            int channel = c < s->equations.channels ? c : 0;
            double factor = exp(-light_gains(&s->equations, s->unknowns, channel)[i]);
            factor = fmax(fmin(factor, limit), 1 / limit);
            gains[3 * i + (size_t)c] = (int32_t)(factor * ENDO_LIGHT_ONE + 0.5);
        }
}

static void report_gains(const solution *s, const uint8_t *seen, endo_light_report *report) {
    double flicker = 0, colour = 0, n = 0;
    for (size_t i = 0; i < s->equations.views; i++) {
        double mean = mean_gain(s, i);
        n += seen[i], flicker += mean * mean;
        for (int c = 0; c < s->equations.channels; c++) {
            double rest = light_gains(&s->equations, s->unknowns, c)[i] - mean;
            colour += rest * rest / s->equations.channels;
        }
    }
    report->flicker = n > 0 ? exp(sqrt(flicker / n)) - 1 : 0;
    report->colour = n > 0 ? exp(sqrt(colour / n)) - 1 : 0;
    report->rest = exp(s->rest) - 1;
    report->frames = (int64_t)n;
}

/* --------------------------------------------------------------- reference */

/* The fall-off at which pixels stay as they are: so that the brightest of what is seen is as bright as in the frames. With
 * the brightest place for a reference, what is bright but not quite there would be blown out. */
static double find_reference(solution *s) {
    light_equations *e = &s->equations;
    size_t k = e->n - 1 - e->n / BRIGHTEST;
    if (e->n == 0) return 0;
    for (size_t i = 0; i < e->n; i++) {
        const light_sight *sight = &e->sights[i];
        double sum = 0, fall = 0;
        for (int c = 0; c < e->channels; c++) sum += e->values[(size_t)c * e->room + i];
        for (int t = 0; t < e->terms; t++) fall += s->unknowns[t] * e->basis[(size_t)sight->cell * LIGHT_TERMS + (size_t)t];
        s->sorted[i] = (float)(sum / e->channels - mean_gain(s, (size_t)sight->view)); /* as it is lit */
        s->residuals[i] = s->sorted[i] - (float)fall;                                  /* as it is */
    }
    return (double)select_kth(s->sorted, e->n, k) - select_kth(s->residuals, e->n, k);
}

/* ------------------------------------------------------------------ outputs */

static void write_all(const endo_light *light, solution *s, const uint8_t *seen, double limit,
                      uint16_t *correction, int32_t *gains, endo_light_report *report) {
    const double none[LIGHT_TERMS] = {0};
    int found = s->equations.terms > 0;
    light_shape shape = light_shape_make(light, &s->surface, found ? s->unknowns : none);
    if (!found) shape.peak_x = shape.x, shape.peak_y = shape.y;
    shape.reference = found ? find_reference(s) : shape.peak;
    if (correction) light_shape_correct(light, &shape, limit, correction);
    if (gains) write_gains(s, limit, gains);
    if (!report) return;
    endo_light_report made = {.found = found, .deviation = s->deviation};
    light_shape_report(light, &shape, &made);
    report_gains(s, seen, &made);
    *report = made;
}

static int take_memory(solution *s) {
    size_t n = s->equations.n + 1;
    s->unknowns = endo_alloc_zeroed(light_unknowns(&s->equations) + 1, sizeof *s->unknowns);
    s->residuals = endo_alloc(n, sizeof *s->residuals);
    s->sorted = endo_alloc(n, sizeof *s->sorted);
    return s->unknowns && s->residuals && s->sorted;
}

static void free_solution(solution *s) {
    light_sights_free(&s->equations);
    endo_free(s->unknowns);
    endo_free(s->residuals);
    endo_free(s->sorted);
}

endo_status light_find(const endo_light *light, const endo_light_view *views, size_t n,
                       const endo_light_options *options, uint16_t *correction, int32_t *gains,
                       endo_light_report *report) {
    solution s;
    memset(&s, 0, sizeof s);
    uint8_t *seen = endo_alloc_zeroed(n + 1, 1);
    light_surface_make(light, &s.surface);
    endo_status status = seen ? light_sights_make(light, &s.surface, views, n, &s.equations)
                              : endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %zu frames", n);
    if (status == ENDO_OK && !take_memory(&s))
        status = endo_fail(ENDO_ERR_MEMORY, "no memory for the light: %zu unknowns", light_unknowns(&s.equations));
    if (status == ENDO_OK) status = solve(light, options->robust, &s);
    if (status == ENDO_OK) status = centre_gains(views, &s, seen);
    if (status == ENDO_OK && !options->colour) share_gains(&s);
    if (status == ENDO_OK) write_all(light, &s, seen, options->limit, correction, gains, report);
    free_solution(&s);
    endo_free(seen);
    return status;
}
