/* Light: frames of noise, anywhere. */
#include "fuzz_stores.h"

#include <stdlib.h>

#define VIEWS 12

static void check_light(const uint16_t *correction, size_t area, const int32_t *gains, int n,
                        const endo_light_options *o, const endo_light_report *report) {
    double most = ENDO_LIGHT_ONE * o->limit + 1;
    for (size_t i = 0; i < area; i++)
        fuzz_require(correction[i] >= 1 && correction[i] <= most, "a correction beyond its limit");
    for (int i = 0; i < 3 * n; i++)
        fuzz_require(gains[i] >= 1 && gains[i] <= most, "a gain beyond its limit");
    fuzz_require(report->frames >= 0 && report->frames <= n, "more frames than there are");
    for (int k = 0; k < ENDO_LIGHT_CURVE; k++)
        fuzz_require(report->curve[k] > 0 && report->curve[k] < 1.01, "a curve beyond the brightest place");
}

static void put_frames(fuzz_input *in, endo_light *light, int width, int height, size_t size) {
    int stride = width + fuzz_between(in, 0, 5);
    for (int i = fuzz_between(in, 0, 9); i > 0; i--) {
        void *pixels = fuzz_image(in, width, height, stride, size);
        int frame = fuzz_wild(in, 0, VIEWS);
        if (frame > 1000) frame = -1; /* takes much memory, or is refused */
        fuzz_checked(endo_light_put(light, frame, pixels, stride), NULL, 0, "endo_light_put");
        free(pixels);
    }
}

/* Patches on a grid that move by a few pixels, or anything. */
static void put_places(fuzz_input *in, endo_light *light) {
    endo_patch_place places[ENDO_PATCH_PLACES] = {{0}};
    for (int pair = fuzz_between(in, 0, 3); pair > 0; pair--) {
        int n = fuzz_between(in, 0, ENDO_PATCH_PLACES);
        int sane = !fuzz_one_in(in, 4);
        for (int i = 0; i < n; i++) {
            float x = (float)(10 * (i % 16));
            float y = (float)(10 * (i / 16));
            places[i] = (endo_patch_place){x, y, x + (float)fuzz_real(in, -9, 9), y + (float)fuzz_real(in, -9, 9), 0.1f};
        }
        if (!sane && n > 0) {
            places[n - 1].current_x = (float)fuzz_real(in, -1e9, 1e9);
            places[0].deviation = (float)fuzz_real(in, -1, 1e9);
        }
        fuzz_checked(endo_light_put_places(light, places, sane ? n : fuzz_wild(in, 0, n)), NULL, 0, "endo_light_put_places");
    }
}

static void solve(fuzz_session *s, endo_light *light, size_t area) {
    fuzz_input *in = &s->in;
    endo_light_view views[VIEWS];
    endo_light_options o = endo_light_options_default();
    endo_light_report report;
    int n = fuzz_between(in, 0, VIEWS), sane = !fuzz_one_in(in, 8);
    uint16_t *correction = fuzz_output(area * sizeof *correction);
    int32_t *gains = fuzz_output(3 * VIEWS * sizeof *gains);
    for (int i = 0; i < n; i++) {
        endo_transform t = fuzz_transform(in, 100), inverse;
        if (sane && endo_transform_invert(&t, &inverse) != ENDO_OK) t = endo_transform_identity();
        views[i] = (endo_light_view){sane ? fuzz_between(in, 0, VIEWS) : fuzz_wild(in, 0, VIEWS),
                                     sane ? fuzz_between(in, 0, n - 1) : fuzz_wild(in, 0, n - 1), t};
    }
    if (!sane) o.limit = fuzz_real(in, 1, 16), o.robust = fuzz_real(in, 1, 100), o.colour = fuzz_wild(in, 0, 1);
    endo_status status = fuzz_checked(endo_light_solve(light, views, (size_t)n, &o, correction, gains, &report), gains,
                                      3 * VIEWS * sizeof *gains, "endo_light_solve");
    if (status == ENDO_OK) check_light(correction, area, gains, n, &o, &report);
    free(correction);
    free(gains);
}

void fuzz_light(fuzz_session *s) {
    fuzz_input *in = &s->in;
    int width = fuzz_wild(in, 1, 200), height = fuzz_between(in, 1, 150), high = fuzz_wild(in, 1, 65535);
    endo_pixel type = (endo_pixel)fuzz_wild(in, 0, 2);
    endo_light *light = NULL;
    if (width > 400) width = 0; /* large is slow, too large is refused */
    endo_status status = fuzz_checked(endo_light_create(s->context, type, width, height, high, NULL, &light), NULL, 0,
                                      "endo_light_create");
    if (status != ENDO_OK) return;
    put_frames(in, light, width, height, endo_pixel_size(type));
    put_places(in, light);
    solve(s, light, (size_t)width * (size_t)height);
    endo_light_destroy(&light);
}
