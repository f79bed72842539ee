/* The views from which the vignetting is found: a hundred suffice. Neighbours among them must overlap well, so that scene
 * points are seen at different distances from the middle; so long sequences give several runs, from begin to end. */
#include "light_vignetting.h"

#include "base/transform.h"

#include <math.h>

/* Fewest views for a motion of a frame's width, and the number of runs of long sequences. */
#define A_WIDTH 8
#define RUNS 4

static double distance(const endo_light *light, const endo_light_view *a, const endo_light_view *b) {
    double x = 0.5 * light->frame.width, y = 0.5 * light->frame.height;
    double ax, ay, bx, by;
    if (a->component != b->component || !endo_transform_point(&a->transform, x, y, &ax, &ay) ||
        !endo_transform_point(&b->transform, x, y, &bx, &by))
        return 0;
    return hypot(ax - bx, ay - by);
}

/* Step between the views: few enough of them, but neighbours not too far apart. */
static size_t find_step(const endo_light *light, const endo_light_view *views, size_t n) {
    double way = 0, most;
    for (size_t i = 1; i < n; i++) way += fmin(distance(light, &views[i - 1], &views[i]), light->frame.width);
    most = way > 0 ? (double)light->frame.width / A_WIDTH / (way / (double)n) : (double)n;
    size_t step = (n + VIGNETTING_MOST_VIEWS - 1) / VIGNETTING_MOST_VIEWS;
    if ((double)step > most) step = most > 1 ? (size_t)most : 1;
    return step;
}

size_t light_choose(const endo_light *light, const endo_light_view *views, size_t n, size_t *chosen) {
    size_t step = find_step(light, views, n), taken = (n + step - 1) / step, made = 0;
    for (size_t i = 0; i < taken && taken <= VIGNETTING_MOST_VIEWS; i++) chosen[made++] = i * step;
    for (size_t run = 0; run < RUNS && taken > VIGNETTING_MOST_VIEWS; run++) {
        size_t first = run * (taken - VIGNETTING_MOST_VIEWS / RUNS) / (RUNS - 1);
        for (size_t i = 0; i < VIGNETTING_MOST_VIEWS / RUNS; i++) chosen[made++] = (first + i) * step;
    }
    return made;
}
