#include "sequence.h"

#include "backend/objects.h"
#include "test/scene.h"

#include <math.h>

/* The frame's map into the scene: from frame to frame it moves by about 1 % of the width, turns by up to
 * half a degree and breathes a little. A larger frame shows the same in more detail, not more. */
static void camera(int frame, int width, double m[6]) {
    double angle = 0.05 * sin(0.17 * frame), zoom = 1 + 0.03 * sin(0.11 * frame), shown = width;
    if (width > 720) zoom *= 720.0 / width, shown = 720;
    m[0] = m[4] = zoom * cos(angle);
    m[3] = zoom * sin(angle);
    m[1] = -m[3];
    m[2] = 0.009 * shown * frame;
    m[5] = 0.04 * shown * sin(0.1 * frame);
}

/* test_scene_at along a row: each wave turns by a constant angle from pixel to pixel. */
static void render_row(const test_scene *s, const double m[6], int y, int width, double *out) {
    double a[SCENE_WAVES], b[SCENE_WAVES], turn_a[SCENE_WAVES], turn_b[SCENE_WAVES];
    for (int i = 0; i < SCENE_WAVES; i++) {
        double start = s->kx[i] * (m[1] * y + m[2]) + s->ky[i] * (m[4] * y + m[5]) + s->phase[i];
        double step = s->kx[i] * m[0] + s->ky[i] * m[3];
        a[i] = s->amplitude[i] * sin(start), b[i] = s->amplitude[i] * cos(start);
        turn_a[i] = sin(step), turn_b[i] = cos(step);
    }
    for (int x = 0; x < width; x++) {
        double lanes[8] = {128};
        for (int i = 0; i < SCENE_WAVES; i += 8)
            for (int k = 0; k < 8; k++) {
                double p = a[i + k], q = b[i + k];
                lanes[k] += p;
                a[i + k] = p * turn_b[i + k] + q * turn_a[i + k];
                b[i + k] = q * turn_b[i + k] - p * turn_a[i + k];
            }
        out[x] = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    }
}

static uint32_t clamp8(double v) { return v <= 0 ? 0 : v >= 255 ? 255 : (uint32_t)v; }

/* Reddish, with noise of about two grey levels. */
static void colour_row(const double *light, int width, test_random *r, uint32_t *out) {
    for (int x = 0; x < width; x++) {
        uint32_t noise = test_next(r);
        double v = light[x] + (int)(noise & 7) - 3.5;
        out[x] = clamp8(v + 40) << 16 | clamp8(v - 4) << 8 | clamp8(0.8 * v);
    }
}

static int render(uint32_t *out, int width, int height, int frame) {
    test_scene scene;
    double map[6];
    int failed = 0;
    test_scene_init(&scene, 20);
    camera(frame, width, map);
#pragma omp parallel reduction(| : failed)
    {
        double *light = endo_alloc((size_t)width, sizeof *light);
        failed |= !light;
#pragma omp for
        for (int y = 0; y < height; y++) {
            test_random r = {(uint64_t)frame << 32 | (uint32_t)y};
            if (!light) continue;
            render_row(&scene, map, y, width, light);
            colour_row(light, width, &r, out + (size_t)y * width);
        }
        endo_free(light);
    }
    return !failed;
}

int bench_sequence_create(sequence *s, int width, int height, int n) {
    sequence made = {width, height, n, endo_alloc_zeroed((size_t)n, sizeof *made.frames)};
    int ready = made.frames != NULL;
    for (int i = 0; ready && i < n; i++) {
        made.frames[i] = endo_alloc((size_t)width * height, sizeof **made.frames);
        ready = made.frames[i] && render(made.frames[i], width, height, i);
    }
    if (!ready) bench_sequence_destroy(&made);
    *s = made;
    return ready;
}

void bench_sequence_destroy(sequence *s) {
    for (int i = 0; s->frames && i < s->n; i++) endo_free(s->frames[i]);
    endo_free(s->frames);
    s->frames = NULL;
}

endo_status sequence_put(const sequence *s, endo_frames *frames) {
    endo_status status = ENDO_OK;
    for (int i = 0; i < s->n && status == ENDO_OK; i++) status = endo_frames_put(frames, i, s->frames[i], s->width);
    return status;
}
