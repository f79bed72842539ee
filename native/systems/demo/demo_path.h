/* The scope's path through the demo's scene: where each frame looks from, and how frames relate.
 *
 * A camera is the similarity frame -> scene about the frame's centre c:
 *     scene = (x, y) + scale * (cosine, -sine; sine, cosine) * (pixel - c). */
#ifndef ENDO_DEMO_PATH_H
#define ENDO_DEMO_PATH_H

#include <math.h>

#include "include/endorama.h"
#include "demo_numbers.h"

typedef struct camera {
    double x, y; /* scene position of the frame's centre */
    double scale, cosine, sine;
} camera;

static inline void loop_point(double u, double wobble, double *x, double *y) {
    *x = demo_cos(u) + 0.07 * demo_cos(3.0 * u + wobble);
    *y = 0.78 * demo_sin(u) + 0.05 * demo_sin(4.0 * u + wobble);
}

/* Equal arcs of a closed curve, found on a fine polygon; frame n would be frame 0 again. */
static inline void lay_loop(camera *cameras, int n, double wobble) {
    enum { SIDES = 4096 };
    double total = 0.0, walked = 0.0; /* px: of all sides, and of those before this one */
    double x0, y0, x1, y1;            /* a side's ends */
    loop_point(0.0, wobble, &x0, &y0);
    for (int k = 1; k <= SIDES; k++, x0 = x1, y0 = y1) {
        loop_point((double)k / SIDES, wobble, &x1, &y1);
        total += sqrt((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0));
    }
    loop_point(0.0, wobble, &x0, &y0);
    for (int k = 1, i = 0; k <= SIDES && i < n; k++, x0 = x1, y0 = y1) {
        loop_point((double)k / SIDES, wobble, &x1, &y1);
        double side = sqrt((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0));
        for (; i < n && total * i / n <= walked + side; i++) {
            double part = (total * i / n - walked) / side;
            cameras[i].x = x0 + part * (x1 - x0);
            cameras[i].y = y0 + part * (y1 - y0);
        }
        walked += side;
    }
}

/* Rows joined by half circles, `spacing` apart. */
static inline void lay_sweep(camera *cameras, int n, double step, double spacing) {
    const double turn = 3.14159265358979324 * 0.5 * spacing;
    double row = sqrt(n * step * spacing);
    if (row < spacing) row = spacing;
    for (int i = 0; i < n; i++) {
        int64_t k = (int64_t)(i * step / (row + turn));
        double along = i * step - (double)k * (row + turn), x = along, y = (double)k * spacing;
        if (along > row) {
            double half = 0.5 * (along - row) / turn; /* turns of the circle */
            x = row + 0.5 * spacing * demo_sin(half);
            y += 0.5 * spacing * (1.0 - demo_cos(half));
        }
        cameras[i].x = k % 2 ? row - x : x;
        cameras[i].y = y;
    }
}

/* Archimedes' spiral from its centre. */
static inline void lay_spiral(camera *cameras, int n, double step, double spacing) {
    double turns = 0.0, b = spacing / 6.283185307179586477;
    for (int i = 0; i < n; i++) {
        double radius = spacing * turns;
        cameras[i].x = radius * demo_cos(turns);
        cameras[i].y = radius * demo_sin(turns);
        turns += step / sqrt(radius * radius + b * b) / 6.283185307179586477;
    }
}

static inline void turn_and_zoom(camera *cameras, const endo_demo_options *p) {
    for (int i = 0; i < p->frames; i++) {
        double u = (double)i / p->frames;
        double roll = p->rotation / 360.0 * demo_sin(u);
        cameras[i].scale = 1.0 + p->zoom / 100.0 * demo_sin(u + 0.15);
        cameras[i].cosine = demo_cos(roll);
        cameras[i].sine = demo_sin(roll);
    }
}

/* Stretches the path until the mean motion, seen in each frame's own pixels, is `step`. */
static inline void stretch_path(camera *cameras, int n, double step) {
    double sum = 0.0;
    for (int i = 0; i + 1 < n; i++) {
        double dx = cameras[i + 1].x - cameras[i].x, dy = cameras[i + 1].y - cameras[i].y;
        sum += sqrt(dx * dx + dy * dy) / cameras[i].scale;
    }
    double factor = step * (n - 1) / sum;
    for (int i = 0; i < n; i++) {
        cameras[i].x *= factor;
        cameras[i].y *= factor;
    }
}

/* The cameras of all frames, p->frames of them; the scene positions start anywhere. */
static inline void lay_path(camera *cameras, const endo_demo_options *p) {
    double step = p->step > 1e-6 ? p->step : 1.0; /* a shape to stretch, if only to a point; its squares count */
    double length = step * p->frames, spacing = 0.3 * (p->width < p->height ? p->width : p->height);
    if (spacing > length / 13.0) spacing = length / 13.0; /* a short path gets its rows and turns too */
    uint64_t random = demo_mix(p->seed ^ 0x70617468u);
    if (p->path == ENDO_DEMO_LOOP) lay_loop(cameras, p->frames, demo_random(&random));
    if (p->path == ENDO_DEMO_SWEEP) lay_sweep(cameras, p->frames, step, spacing);
    if (p->path == ENDO_DEMO_SPIRAL) lay_spiral(cameras, p->frames, step, spacing);
    turn_and_zoom(cameras, p);
    stretch_path(cameras, p->frames, p->step);
}

/* Matrix of `frame` -> `first`, both with the same centre pixel: inv(T_first) T_frame. */
static inline void relative_view(const camera *first, const camera *frame, double centre_x,
                                 double centre_y, double matrix[6]) {
    double dx = frame->x - first->x, dy = frame->y - first->y;
    double zoom = frame->scale / first->scale;
    double a = zoom * (first->cosine * frame->cosine + first->sine * frame->sine);
    double b = zoom * (first->cosine * frame->sine - first->sine * frame->cosine);
    double move_x = (first->cosine * dx + first->sine * dy) / first->scale;
    double move_y = (first->cosine * dy - first->sine * dx) / first->scale;
    matrix[0] = a;
    matrix[1] = -b;
    matrix[2] = centre_x + move_x - a * centre_x + b * centre_y;
    matrix[3] = b;
    matrix[4] = a;
    matrix[5] = centre_y + move_y - b * centre_x - a * centre_y;
}

#endif
