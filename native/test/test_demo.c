/* Demo sequence: its truth against its own pixels, and what its header promises. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "endorama.h"

enum { WIDTH = 320, HEIGHT = 240, AREA = WIDTH * HEIGHT };

static uint32_t first[AREA], second[AREA];
static uint8_t field[AREA];

static endo_context *context_of(int threads) {
    endo_context_options options = endo_context_options_default();
    endo_context *context = NULL;
    options.backend = ENDO_BACKEND_CPU;
    options.threads = threads;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    return context;
}

static endo_demo_options small_params(void) {
    endo_demo_options p = endo_demo_options_default();
    p.width = WIDTH;
    p.height = HEIGHT;
    p.frames = 24;
    return p;
}

/* Nothing but tissue and vignetting. */
static endo_demo_options clean_params(void) {
    endo_demo_options p = small_params();
    p.noise = p.flicker = 0;
    p.highlights = 0;
    return p;
}

static endo_demo *make(endo_context *context, endo_demo_options p) {
    endo_demo *demo = NULL;
    CHECK(endo_demo_create(context, &p, &demo) == ENDO_OK);
    return demo;
}

static double green(const uint32_t *pixels, double x, double y) {
    int ix = (int)x, iy = (int)y;
    double fx = x - ix, fy = y - iy;
    const uint32_t *p = pixels + iy * WIDTH + ix;
    double top = (1 - fx) * (p[0] >> 8 & 255) + fx * (p[1] >> 8 & 255);
    double bottom = (1 - fx) * (p[WIDTH] >> 8 & 255) + fx * (p[WIDTH + 1] >> 8 & 255);
    return (1 - fy) * top + fy * bottom;
}

/* Mean difference of first and second, second -> first by m, inside both fields. Each pixel is taken
 * against the mean of its surroundings, so that vignetting has little influence. */
static double misfit(const double m[6], double shift_x, double shift_y) {
    double sum = 0, n = 0;
    const int half = 6;
    for (int y = half; y < HEIGHT - half; y += 3)
        for (int x = half; x < WIDTH - half; x += 3) {
            double px = m[0] * x + m[1] * y + m[2] + shift_x, py = m[3] * x + m[4] * y + m[5] + shift_y;
            if (px < half || py < half || px > WIDTH - 2 - half || py > HEIGHT - 2 - half) continue;
            int corners = 1;
            for (int k = 0; k < 4; k++) {
                int dx = k & 1 ? half : -half, dy = k & 2 ? half : -half;
                corners &= field[(y + dy) * WIDTH + x + dx] && field[((int)py + dy) * WIDTH + (int)px + dx];
            }
            if (!corners) continue;
            double here = 0, there = 0;
            for (int dy = -half; dy <= half; dy += half)
                for (int dx = -half; dx <= half; dx += half) {
                    here += green(second, x + dx, y + dy) / 9;
                    there += green(first, px + m[0] * dx + m[1] * dy, py + m[3] * dx + m[4] * dy) / 9;
                }
            sum += fabs((green(second, x, y) - here) - (green(first, px, py) - there));
            n++;
        }
    CHECK(n > 1000);
    return sum / n;
}

static void test_truth_fits_pixels(endo_context *context, endo_demo_path path) {
    endo_demo_options p = clean_params();
    p.path = path;
    endo_demo *demo = make(context, p);
    endo_transform t;
    const double *m = t.matrix;
    CHECK(endo_demo_field(demo, field) == ENDO_OK);
    CHECK(endo_demo_render(demo, 0, first) == ENDO_OK);
    for (int index = 3; index < p.frames; index += 7) {
        CHECK(endo_demo_render(demo, index, second) == ENDO_OK);
        CHECK(endo_demo_truth(demo, index, &t) == ENDO_OK);
        double right = misfit(m, 0, 0);
        CHECK(right < 1.2); /* vignetting, rounding and the two interpolations */
        CHECK(misfit(m, 0.5, 0) > 1.3 * right && misfit(m, -0.5, 0) > 1.3 * right);
        CHECK(misfit(m, 0, 0.5) > 1.3 * right && misfit(m, 0, -0.5) > 1.3 * right);
        CHECK(misfit(m, 3, -2) > 4 * right);
    }
    endo_demo_destroy(&demo);
}

static void test_identity_and_loop(endo_context *context) {
    static const double identity[6] = {1, 0, 0, 0, 1, 0};
    endo_demo_options p = endo_demo_options_default();
    endo_demo *demo = make(context, p);
    endo_transform t;
    const double *m = t.matrix;
    CHECK(endo_demo_truth(demo, 0, &t) == ENDO_OK);
    CHECK(memcmp(m, identity, sizeof identity) == 0 && t.kind == ENDO_TRANSFORM_SIMILARITY);
    CHECK(endo_demo_truth(demo, p.frames - 1, &t) == ENDO_OK);
    double cx = 0.5 * (p.width - 1), cy = 0.5 * (p.height - 1);
    double dx = m[0] * cx + m[1] * cy + m[2] - cx, dy = m[3] * cx + m[4] * cy + m[5] - cy;
    CHECK_NEAR(sqrt(dx * dx + dy * dy), p.step, 0.25 * p.step); /* the last frame is one step short */
    CHECK(endo_demo_truth(demo, p.frames / 2, &t) == ENDO_OK);
    dx = m[0] * cx + m[1] * cy + m[2] - cx, dy = m[3] * cx + m[4] * cy + m[5] - cy;
    CHECK(sqrt(dx * dx + dy * dy) > 10 * p.step);
    endo_demo_destroy(&demo);
}

/* Mean and largest motion of the frame's centre from frame to frame, in pixels of each frame. */
static void motion(const endo_demo *demo, int frames, double cx, double cy, double *mean, double *most) {
    endo_transform last, next;
    const double *a = last.matrix, *b = next.matrix;
    *mean = *most = 0;
    CHECK(endo_demo_truth(demo, 0, &last) == ENDO_OK);
    for (int i = 1; i < frames; i++, last = next) {
        CHECK(endo_demo_truth(demo, i, &next) == ENDO_OK);
        double dx = (b[0] - a[0]) * cx + (b[1] - a[1]) * cy + b[2] - a[2];
        double dy = (b[3] - a[3]) * cx + (b[4] - a[4]) * cy + b[5] - a[5];
        double step = sqrt(dx * dx + dy * dy) / sqrt(a[0] * a[0] + a[3] * a[3]);
        *mean += step / (frames - 1);
        *most = step > *most ? step : *most;
    }
}

static void test_steps(endo_context *context) {
    for (int path = ENDO_DEMO_LOOP; path <= ENDO_DEMO_SPIRAL; path++)
        for (int frames = 2; frames < 400; frames *= 7) {
            endo_demo_options p = small_params();
            p.path = (endo_demo_path)path;
            p.frames = frames;
            p.step = 4.5;
            endo_demo *demo = make(context, p);
            double mean, most;
            motion(demo, frames, 0.5 * (WIDTH - 1), 0.5 * (HEIGHT - 1), &mean, &most);
            CHECK_NEAR(mean, p.step, 1e-9);
            CHECK(most < 1.5 * p.step);
            endo_demo_destroy(&demo);
        }
    for (int i = 0; i < 6; i++) { /* none, and less than whose square there is a number for */
        endo_demo_options still = small_params();
        still.path = (endo_demo_path)(i % 3);
        still.step = i < 3 ? 0 : 1e-300;
        endo_demo *demo = make(context, still);
        double mean, most;
        motion(demo, still.frames, 0.5 * (WIDTH - 1), 0.5 * (HEIGHT - 1), &mean, &most);
        CHECK_NEAR(mean, 0, 1e-9);
        CHECK_NEAR(most, 0, 1e-9);
        endo_demo_destroy(&demo);
    }
}

static int same_frames(endo_context *one, endo_demo_options a, endo_context *two, endo_demo_options b,
                       int index) {
    endo_demo *left = make(one, a), *right = make(two, b);
    CHECK(endo_demo_render(left, index, first) == ENDO_OK);
    CHECK(endo_demo_render(right, 0, second) == ENDO_OK); /* no frame depends on those before */
    CHECK(endo_demo_render(right, index, second) == ENDO_OK);
    endo_demo_destroy(&left);
    endo_demo_destroy(&right);
    return memcmp(first, second, sizeof first) == 0;
}

/* FNV-1a of a frame: the same on every machine, compiler and number of threads. */
static uint64_t fingerprint(const uint32_t *pixels) {
    uint64_t h = 0xCBF29CE484222325u;
    for (int i = 0; i < AREA; i++) h = (h ^ pixels[i]) * 0x100000001B3u;
    return h;
}

static void test_repeatable(endo_context *one) {
    endo_context *two = context_of(2), *three = context_of(3);
    endo_demo_options p = small_params(), other = p;
    other.seed = 2;
    CHECK(same_frames(one, p, two, p, 5));
    CHECK(fingerprint(first) == 0x189BF7D10F8870E4u);
    CHECK(same_frames(one, p, three, p, 17));
    CHECK(!same_frames(one, p, one, other, 5));
    endo_context_destroy(&two);
    endo_context_destroy(&three);
}

static void test_picture(endo_context *context) {
    endo_demo_options p = small_params();
    endo_demo *demo = make(context, p);
    CHECK(endo_demo_field(demo, field) == ENDO_OK);
    CHECK(endo_demo_render(demo, 7, first) == ENDO_OK);
    endo_demo_destroy(&demo);
    CHECK(demo == NULL);
    CHECK(field[0] == 0 && field[WIDTH / 2] == 255 && field[AREA / 2 + WIDTH / 2] == 255);
    double inside = 0, outside = 0, red = 0, grey = 0;
    int darkest_lit = 255, opaque = 1;
    for (int i = 0; i < AREA; i++) {
        int r = first[i] >> 16 & 255, g = first[i] >> 8 & 255, b = first[i] & 255;
        opaque &= first[i] >> 24 == 255;
        if (field[i]) {
            inside++, red += r, grey += g;
            darkest_lit = r < darkest_lit ? r : darkest_lit;
        } else if (i % WIDTH < 40 && i / WIDTH < 40) {
            int most = r > g ? r : g;
            outside = most > outside ? most : outside;
            outside = b > outside ? b : outside;
        }
    }
    CHECK(opaque);
    CHECK(outside <= 6);
    CHECK(darkest_lit > 25);
    CHECK(red / inside > 1.4 * grey / inside);
    CHECK_NEAR(inside / AREA, 0.70, 0.05);
}

static void expect_error(endo_context *context, endo_demo_options p, endo_status status, const char *what) {
    endo_demo *demo = (endo_demo *)&p;
    CHECK(endo_demo_create(context, &p, &demo) == status);
    CHECK(demo == (endo_demo *)&p); /* untouched */
    CHECK(strstr(endo_last_error(), what) != NULL);
}

static void test_errors(endo_context *context) {
    endo_demo_options d = small_params(), p = d;
    p.width = 63, expect_error(context, p, ENDO_ERR_ARGUMENT, "width 63: must be 64..4096"), p = d;
    p.height = 4097, expect_error(context, p, ENDO_ERR_ARGUMENT, "height 4097: must be 64..4096"), p = d;
    p.frames = 1, expect_error(context, p, ENDO_ERR_ARGUMENT, "frames 1: must be 2..100000"), p = d;
    p.path = (endo_demo_path)3, expect_error(context, p, ENDO_ERR_ARGUMENT, "path 3: must be 0..2"), p = d;
    p.step = 64.5, expect_error(context, p, ENDO_ERR_ARGUMENT, "step 64.5: must be 0..64"), p = d;
    p.step = NAN, expect_error(context, p, ENDO_ERR_ARGUMENT, "step nan: must be 0..64"), p = d;
    p.rotation = -1, expect_error(context, p, ENDO_ERR_ARGUMENT, "rotation -1: must be 0..180"), p = d;
    p.zoom = 51, expect_error(context, p, ENDO_ERR_ARGUMENT, "zoom 51: must be 0..50"), p = d;
    p.noise = 65, expect_error(context, p, ENDO_ERR_ARGUMENT, "noise 65: must be 0..64"), p = d;
    p.flicker = 51, expect_error(context, p, ENDO_ERR_ARGUMENT, "flicker 51: must be 0..50"), p = d;
    p.highlights = 1001, expect_error(context, p, ENDO_ERR_ARGUMENT, "highlights 1001"), p = d;
    p.frames = 100000, p.step = 64, expect_error(context, p, ENDO_ERR_MEMORY, "fewer frames");
    endo_demo *demo = NULL;
    CHECK(endo_demo_create(NULL, &d, &demo) == ENDO_ERR_ARGUMENT);
    CHECK(endo_demo_create(context, NULL, &demo) == ENDO_ERR_ARGUMENT);
    CHECK(endo_demo_create(context, &d, NULL) == ENDO_ERR_ARGUMENT);
    demo = make(context, d);
    endo_transform t;
    CHECK(endo_demo_render(demo, d.frames, first) == ENDO_ERR_ARGUMENT);
    CHECK(strstr(endo_last_error(), "frame 24: must be 0..23") != NULL);
    CHECK(endo_demo_render(demo, 0, NULL) == ENDO_ERR_ARGUMENT);
    CHECK(endo_demo_truth(demo, -1, &t) == ENDO_ERR_ARGUMENT);
    CHECK(endo_demo_truth(NULL, 0, &t) == ENDO_ERR_ARGUMENT);
    CHECK(endo_demo_field(demo, NULL) == ENDO_ERR_ARGUMENT);
    endo_demo_destroy(&demo);
    endo_demo_destroy(&demo);
    endo_demo_destroy(NULL);
}

/* The extremes of every option at once still stay inside the scene. */
static void test_extremes(endo_context *context) {
    endo_demo_options p = small_params();
    p.width = 64, p.height = HEIGHT, p.frames = 9;
    p.rotation = 180, p.zoom = 50, p.step = 64, p.noise = 64, p.flicker = 50, p.highlights = 1000;
    for (int path = ENDO_DEMO_LOOP; path <= ENDO_DEMO_SPIRAL; path++) {
        p.path = (endo_demo_path)path;
        endo_demo *demo = make(context, p);
        for (int i = 0; i < p.frames; i++) CHECK(endo_demo_render(demo, i, first) == ENDO_OK);
        endo_demo_destroy(&demo);
    }
}

int main(void) {
    endo_context *context = context_of(1);
    for (int path = ENDO_DEMO_LOOP; path <= ENDO_DEMO_SPIRAL; path++)
        test_truth_fits_pixels(context, (endo_demo_path)path);
    test_identity_and_loop(context);
    test_steps(context);
    test_repeatable(context);
    test_picture(context);
    test_errors(context);
    test_extremes(context);
    endo_context_destroy(&context);
    return check_summary("test_demo");
}
