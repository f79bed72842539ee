/* A run that takes out the lens that it finds: what it takes, what poses are then, and where it takes none. */
#include "base/transform.h"
#include "include/endorama.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>

#define W 320
#define H 256
#define N 36
#define AREA (W * H)

static uint32_t plain[N][AREA], distorted[N][AREA];
static endo_transform truth[N];

/* What is shown at (x, y), px; bilinear, black outside. */
static uint32_t pixel_at(const uint32_t *image, double x, double y) {
    double sums[3] = {0.5, 0.5, 0.5};
    int left = (int)floor(x);
    int top = (int)floor(y);
    for (int i = 0; i < 4; i++) {
        int u = left + i % 2;
        int v = top + i / 2;
        if (u < 0 || v < 0 || u >= W || v >= H) continue;
        double share = (1 - fabs(x - u)) * (1 - fabs(y - v));
        for (int c = 0; c < 3; c++) sums[c] += share * (image[v * W + u] >> 8 * c & 255);
    }
    return 0xff000000u | (uint32_t)sums[2] << 16 | (uint32_t)sums[1] << 8 | (uint32_t)sums[0];
}

/* A pixel at r from the middle, in halves of the longer side, shows what lies at r / (1 + lambda r^2). */
static void distort(const uint32_t *image, double lambda, uint32_t *out) {
    for (int i = 0; i < AREA; i++) {
        double x = i % W - (W - 1) / 2.0;
        double y = i / W - (H - 1) / 2.0;
        double factor = 1 / (1 + lambda * 4 * (x * x + y * y) / (W * W));
        out[i] = pixel_at(image, (W - 1) / 2.0 + factor * x, (H - 1) / 2.0 + factor * y);
    }
}

static void render(void) {
    endo_context_options c = endo_context_options_default();
    endo_demo_options o = endo_demo_options_default();
    endo_context *context = NULL;
    endo_demo *demo = NULL;
    c.backend = ENDO_BACKEND_CPU;
    o.width = W;
    o.height = H;
    o.frames = N;
    CHECK(endo_context_create(&c, &context) == ENDO_OK && endo_demo_create(context, &o, &demo) == ENDO_OK);
    for (int i = 0; i < N; i++) {
        CHECK(endo_demo_render(demo, i, plain[i]) == ENDO_OK && endo_demo_truth(demo, i, &truth[i]) == ENDO_OK);
        distort(plain[i], -0.12, distorted[i]);
    }
    endo_demo_destroy(&demo);
    endo_context_destroy(&context);
}

static int passes; /* times that a run began to register frames anew */

static void count_passes(void *user, const endo_event *event) {
    (void)user;
    passes += event->kind == ENDO_EVENT_LENS && event->level == ENDO_EVENT_NOTE;
}

static const void *lend(void *user, int32_t frame, char *reason) {
    uint32_t(*frames)[AREA] = user;
    (void)reason;
    return frames[frame];
}

/* Runs over frames; *off: where the last frame's middle lies, from the truth, px. Returns the lens that was taken out, percent. */
static double run(uint32_t (*frames)[AREA], double lens, double *off) {
    endo_mosaic_options o = endo_mosaic_options_default();
    endo_mosaic_hooks hooks = {.event = count_passes};
    endo_mosaic_source source = {
        .frames = N, .width = W, .height = H, .type = ENDO_RGB32, .lend = lend, .user = frames, .at_hand = 1};
    endo_mosaic *mosaic = NULL;
    int32_t n = 0;
    passes = 0;
    *off = 0;
    o.context.backend = ENDO_BACKEND_CPU;
    o.picture = 0;
    o.lens = lens;
    CHECK(endo_mosaic_create(&o, &hooks, &mosaic) == ENDO_OK && endo_mosaic_run(mosaic, &source) == ENDO_OK);
    const endo_mosaic_frame *f = endo_mosaic_frames(mosaic, &n);
    CHECK(n == N);
    for (int i = 0; i < n; i++) {
        double x, y, u, v;
        CHECK(f[i].registered);
        endo_transform_point(&f[i].pose, (W - 1) / 2.0, (H - 1) / 2.0, &x, &y);
        endo_transform_point(&truth[i], (W - 1) / 2.0, (H - 1) / 2.0, &u, &v);
        *off = fmax(*off, hypot(x - u, y - v));
    }
    double taken = endo_mosaic_lens(mosaic);
    endo_mosaic_destroy(&mosaic);
    return taken;
}

int main(void) {
    double off;
    render();
    CHECK_NEAR(run(distorted, ENDO_MOSAIC_LENS_AUTO, &off), -12, 0.6);
    printf("     found: off by %.3f px, %d passes\n", off, passes);
    CHECK(off < 0.3 && passes == 2);
    CHECK(run(distorted, 0, &off) == 0 && off > 1 && passes == 0);
    CHECK(run(distorted, -12, &off) == -12 && off < 0.3 && passes == 0);
    CHECK(run(plain, ENDO_MOSAIC_LENS_AUTO, &off) == 0 && off < 0.1 && passes == 0);
    return check_summary("test_mosaic_lens_found");
}
