/* How panoramas look, on demo sequences whose scene is known without the scope's light: fall-off, flicker, highlights and
 * noise. Painted at their true poses by Union, by a plain feathered mean, and blended with the light taken out. */
#include "bench.h"
#include "look_light.h"
#include "look_paint.h"
#include "look_score.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/transform.h"
#include "systems/demo/demo.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct look_sequence {
    const char *name;
    endo_demo_options options;
} look_sequence;

/* width, height, frames, path, step, rotation, zoom, noise, flicker, highlights, seed. */
static const look_sequence sequences[] = {
    {"loop", {720, 576, 60, ENDO_DEMO_LOOP, 12, 10, 8, 2, 10, 20, 1}},
    {"sweep", {720, 576, 60, ENDO_DEMO_SWEEP, 12, 10, 8, 2, 10, 20, 2}},
    {"long loop", {720, 576, 150, ENDO_DEMO_LOOP, 12, 10, 8, 2, 10, 20, 1}},
    {"spiral", {400, 320, 60, ENDO_DEMO_SPIRAL, 6, 10, 8, 2, 10, 20, 3}},
};

/* A sequence in a store, and the rectangle of the first frame's plane that it shows. */
typedef struct look {
    const endo_demo_options *options;
    endo_context *context;
    endo_demo *demo;
    endo_frames *frames;
    uint8_t *field;
    uint32_t **images;
    int32_t *slots;
    endo_transform *poses;
    int left, top, width, height;
    uint32_t *scene, *panorama;
    uint8_t *painted;
} look;

static void look_destroy(look *l) {
    endo_frames_destroy(&l->frames);
    endo_demo_destroy(&l->demo);
    for (int i = 0; l->images && i < l->options->frames; i++) endo_free(l->images[i]);
    endo_free(l->images);
    endo_free(l->field);
    endo_free(l->slots);
    endo_free(l->poses);
    endo_free(l->scene);
    endo_free(l->panorama);
    endo_free(l->painted);
}

static endo_status no_memory(void) { return endo_fail(ENDO_ERR_MEMORY, "no memory for a panorama and its scene"); }

static endo_status render(look *l) {
    const endo_demo_options *o = l->options;
    size_t area = (size_t)o->width * o->height;
    endo_status status = endo_demo_create(l->context, o, &l->demo);
    l->field = endo_alloc(area, 1);
    l->images = endo_alloc_zeroed((size_t)o->frames, sizeof *l->images);
    l->slots = endo_alloc((size_t)o->frames, sizeof *l->slots);
    l->poses = endo_alloc((size_t)o->frames, sizeof *l->poses);
    if (!l->field || !l->images || !l->slots || !l->poses) return no_memory();
    if (status == ENDO_OK) status = endo_demo_field(l->demo, l->field);
    for (int i = 0; i < o->frames && status == ENDO_OK; i++) {
        l->images[i] = endo_alloc(area, sizeof **l->images);
        if (!l->images[i]) return no_memory();
        l->slots[i] = i;
        status = endo_demo_render(l->demo, i, l->images[i]);
        if (status == ENDO_OK) status = endo_demo_truth(l->demo, i, &l->poses[i]);
    }
    return status;
}

/* The rectangle around all frames, and what is to be seen there. */
static endo_status find_scene(look *l) {
    double low[2] = {0, 0}, high[2] = {0, 0};
    for (int i = 0; i < 4 * l->options->frames; i++) {
        double x = i & 1 ? l->options->width - 1 : 0, y = i & 2 ? l->options->height - 1 : 0, p[2];
        endo_affine_apply(l->poses[i / 4].matrix, x, y, &p[0], &p[1]);
        for (int k = 0; k < 2; k++) {
            if (p[k] < low[k]) low[k] = p[k];
            if (p[k] > high[k]) high[k] = p[k];
        }
    }
    l->left = (int)floor(low[0]), l->top = (int)floor(low[1]);
    l->width = (int)ceil(high[0]) - l->left + 1, l->height = (int)ceil(high[1]) - l->top + 1;
    size_t area = (size_t)l->width * l->height;
    l->scene = endo_alloc(area, sizeof *l->scene);
    l->panorama = endo_alloc(area, sizeof *l->panorama);
    l->painted = endo_alloc(area, 1);
    if (!l->scene || !l->panorama || !l->painted) return no_memory();
    endo_demo_see(l->demo, l->left, l->top, l->width, l->height, l->scene);
    return ENDO_OK;
}

static endo_status look_create(endo_context *context, const endo_demo_options *options, look *l) {
    *l = (look){.options = options, .context = context};
    endo_status status = render(l);
    const look_frames frames = {options->width, options->height, options->frames, l->field, l->images, l->poses};
    if (status == ENDO_OK) status = look_store(context, &frames, &l->frames);
    return status == ENDO_OK ? find_scene(l) : status;
}

/* ------------------------------------------------------------------ painters */

static endo_status paint_union(look *l) {
    const endo_posed_frames posed = {
        .slots = l->slots,
        .transforms = l->poses,
        .n = (size_t)l->options->frames,
        .origin_x = -l->left,
        .origin_y = -l->top,
    };
    endo_canvas *canvas = NULL;
    endo_status status = endo_canvas_create(l->context, ENDO_RGB32, l->width, l->height, &canvas);
    if (status == ENDO_OK) status = endo_canvas_paint(canvas, l->frames, &posed, ENDO_PAINT_UNION);
    if (status == ENDO_OK)
        status = endo_canvas_read(canvas, 0, 0, l->width, l->height, l->panorama, l->painted);
    endo_canvas_destroy(&canvas);
    return status;
}

/* The frames as they are, weighted by the distance to the field's edge. */
static endo_status paint_feathered(look *l) {
    const endo_demo_options *o = l->options;
    double radius = 0.49 * 1.15 * (o->width < o->height ? o->width : o->height) - 6, inverse[6];
    float *sums = endo_alloc_zeroed((size_t)l->width * l->height, 4 * sizeof *sums);
    if (!sums) return no_memory();
    for (int k = 0; k < o->frames; k++) {
        if (!endo_affine_invert(l->poses[k].matrix, inverse)) continue;
        for (int y = 0; y < l->height; y++)
            for (int x = 0; x < l->width; x++) {
                double u, v;
                endo_affine_apply(inverse, x + l->left, y + l->top, &u, &v);
                if (u < 4 || v < 4 || u >= o->width - 5 || v >= o->height - 5) continue;
                double weight = radius - hypot(u - (o->width - 1) / 2.0, v - (o->height - 1) / 2.0);
                if (weight <= 0) continue;
                const uint32_t *p = l->images[k] + (size_t)v * o->width + (size_t)u;
                float *sum = sums + 4 * ((size_t)y * l->width + x), fx = (float)(u - floor(u)), fy = (float)(v - floor(v));
                for (int c = 0; c < 3; c++) {
                    float a = (float)(p[0] >> 8 * c & 255), b = (float)(p[1] >> 8 * c & 255);
                    float d = (float)(p[o->width] >> 8 * c & 255), e = (float)(p[o->width + 1] >> 8 * c & 255);
                    sum[c] += (float)weight * ((1 - fy) * (a + fx * (b - a)) + fy * (d + fx * (e - d)));
                }
                sum[3] += (float)weight;
            }
    }
    for (size_t i = 0; i < (size_t)l->width * l->height; i++) {
        l->painted[i] = sums[4 * i + 3] > 0 ? 255 : 0;
        l->panorama[i] = l->painted[i] ? 0xff000000u : 0;
        for (int c = 0; c < 3 && l->painted[i]; c++)
            l->panorama[i] |= (uint32_t)(sums[4 * i + c] / sums[4 * i + 3] + 0.5f) << 8 * c;
    }
    endo_free(sums);
    return ENDO_OK;
}

static endo_status paint_blended(look *l, look_times *times) {
    const endo_demo_options *o = l->options;
    const look_frames frames = {o->width, o->height, o->frames, l->field, l->images, l->poses};
    look_panorama p = {l->left, l->top, l->width, l->height, l->panorama, l->painted};
    return look_paint(l->context, l->frames, &frames, 1, &p, times, NULL);
}

/* ---------------------------------------------------------------------- rims */

/* The mean error around a place of a frame at a distance from its middle; 0: nothing was looked at there. */
static int error_at(const look *l, const look_score *s, int frame, double distance, double angle, double *sum) {
    double x = (l->options->width - 1) / 2.0 + distance * cos(angle), y = (l->options->height - 1) / 2.0 + distance * sin(angle);
    double u, v;
    if (x < 5 || y < 5 || x > l->options->width - 6 || y > l->options->height - 6) return 0;
    endo_affine_apply(l->poses[frame].matrix, x, y, &u, &v);
    int column = (int)floor(u - l->left + 0.5), row = (int)floor(v - l->top + 0.5);
    if (column < 0 || row < 0 || column >= l->width || row >= l->height) return 0;
    float error = s->error[(size_t)row * l->width + column];
    if (error > 1e8f) return 0;
    *sum += error;
    return 1;
}

/* The largest difference of the mean error inside and outside of an arc of a frame's rim, 10 degrees long. */
static double largest_step(const look *l, const look_score *s) {
    enum { ARCS = 36, ALONG = 20, DEEP = 4 };
    int shorter = l->options->width < l->options->height ? l->options->width : l->options->height;
    double rim = 0.49 * 1.15 * shorter - 5, most = 0;
    for (int frame = 0; frame < l->options->frames; frame++)
        for (int arc = 0; arc < ARCS; arc++) {
            double inside = 0, outside = 0;
            int n = 0;
            for (int i = 0; i < ALONG * DEEP; i++) {
                double angle = (arc + (i / DEEP + 0.5) / ALONG) * 2 * 3.14159265358979 / ARCS, away = 1 + i % DEEP;
                double in = 0, out = 0;
                if (!error_at(l, s, frame, rim - away, angle, &in) || !error_at(l, s, frame, rim + away, angle, &out)) continue;
                inside += in, outside += out, n++;
            }
            if (n == ALONG * DEEP && fabs(inside - outside) / n > most) most = fabs(inside - outside) / n;
        }
    return most;
}

/* -------------------------------------------------------------------- report */

static endo_status judge(bench *b, const look *l, const char *sequence, const char *painting) {
    look_images images = {l->width, l->height, l->panorama, l->scene, l->painted};
    look_score s;
    if (!look_score_make(&images, &s)) return no_memory();
    const struct {
        const char *what, *unit;
        double value;
    } rows[] = {{"MAE", "levels", s.mae}, {"PSNR", "dB", s.psnr}, {"SSIM", "", s.ssim}, {"sharpness", "of the scene", s.sharpness},
                {"step at a rim", "levels", largest_step(l, &s)}};
    for (int i = 0; i < 5; i++) {
        char name[80];
        snprintf(name, sizeof name, "look: %s, %s", sequence, rows[i].what);
        report_row row = {.kernel = name, .backend = painting, .threads = 0, .median = rows[i].value, .p90 = rows[i].value,
                          .unit = rows[i].unit, .baseline = ""};
        snprintf(row.size, sizeof row.size, "%dx%d", l->options->width, l->options->height);
        report_add(&b->report, &row);
    }
    if (!strcmp(painting, "Blend")) {
        char size[24];
        snprintf(size, sizeof size, "%s", sequence);
        report_target(&b->report, "panorama, mean absolute error", size, s.mae, 2.5, "levels", 0);
        report_target(&b->report, "panorama, largest step at a rim", size, rows[4].value, 2, "levels", 0);
        report_target(&b->report, "panorama, sharpness", size, s.sharpness, 0.95, "of the scene", 1);
    }
    endo_free(s.error);
    return ENDO_OK;
}

static void report_speed(bench *b, const look *l, const char *sequence, const look_times *t) {
    const struct {
        const char *what;
        double seconds;
    } rows[] = {{"light", t->light}, {"both passes", t->blend}, {"all", t->all}};
    for (int i = 0; i < 3; i++) {
        char name[80];
        double rate = l->options->frames / rows[i].seconds;
        snprintf(name, sizeof name, "look: %s, %s", sequence, rows[i].what);
        report_row row = {.kernel = name, .backend = "Blend", .threads = 0, .median = rate, .p90 = rate, .unit = "frames/s",
                          .baseline = ""};
        snprintf(row.size, sizeof row.size, "%dx%d", l->options->width, l->options->height);
        report_add(&b->report, &row);
    }
    if (l->options->width >= 720)
        report_target(&b->report, "light and blending, 720x576", sequence, l->options->frames / t->all, 150, "frames/s", 1);
}

static endo_status look_at(bench *b, endo_context *context, const look_sequence *s) {
    look l;
    look_times times = {0, 0, 0};
    endo_status status = look_create(context, &s->options, &l);
    if (status == ENDO_OK) status = paint_union(&l);
    if (status == ENDO_OK) status = judge(b, &l, s->name, "Union");
    if (status == ENDO_OK) status = paint_feathered(&l);
    if (status == ENDO_OK) status = judge(b, &l, s->name, "feathered mean");
    if (status == ENDO_OK) status = paint_blended(&l, &times);
    if (status == ENDO_OK) status = judge(b, &l, s->name, "Blend");
    if (status == ENDO_OK) report_speed(b, &l, s->name, &times);
    look_destroy(&l);
    return status;
}

int bench_look(bench *b) {
    endo_context *context = NULL;
    endo_context_options o = endo_context_options_default();
    int n = (int)(sizeof sequences / sizeof sequences[0]);
    if (endo_context_create(&o, &context) != ENDO_OK) return bench_failed("context");
    report_heading("panoramas");
    endo_status status = ENDO_OK;
    for (int i = 0; i < (b->quick ? 1 : n) && status == ENDO_OK; i++) status = look_at(b, context, &sequences[i]);
    if (status == ENDO_OK) status = look_light(b, context);
    endo_context_destroy(&context);
    return status == ENDO_OK ? 0 : bench_failed("look");
}
