/* Equalization, lenses and the alignment of exposures with arguments that they must refuse: the message, which names the value, and
 * outputs left alone. */
#include "include/endorama.h"
#include "check.h"
#include "refuses.h"

#include <string.h>

/* ------------------------------------------------------------ equalization */

enum { AHE_WIDTH = 64, AHE_HEIGHT = 48 };
static uint16_t ahe_in[AHE_WIDTH * AHE_HEIGHT], ahe_out[AHE_WIDTH * AHE_HEIGHT];

#define REFUSES_EQUALIZATION(type_, width_, height_, stride_, region_, params_, out_stride_, text)              \
    REFUSES(endo_ahe_apply(context, &(endo_image){ahe_in, type_, width_, height_, stride_}, region_, params_, ahe_out, \
                           out_stride_), text)

static void test_equalization_options(endo_context *context) {
    endo_ahe_options good = endo_ahe_options_default(), p;
    memset(ahe_out, 0x33, sizeof ahe_out);
#define WITH_AHE(field_, value, text)                                       \
    p = good, p.field_ = (value);                                           \
    REFUSES_EQUALIZATION(ENDO_GREY16, AHE_WIDTH, AHE_HEIGHT, AHE_WIDTH, NULL, &p, AHE_WIDTH, text)
    WITH_AHE(method, (endo_ahe_method)2, "method 2: must be 0 (sliding window) or 1 (global)");
    WITH_AHE(window, 64, "window 64: must be odd, 3..1023");
    WITH_AHE(window, 1, "window 1: must be odd, 3..1023");
    WITH_AHE(window, 1025, "window 1025: must be odd, 3..1023");
    WITH_AHE(limit, 1, "limit 1: must be 0 (none) or above 1, up to 1000");
    WITH_AHE(limit, -1, "limit -1: must be 0 (none)");
    WITH_AHE(limit, 1001, "limit 1001: must be 0 (none)");
    WITH_AHE(limit, NAN, "nan: must be 0 (none)");
    WITH_AHE(low, 5, "grey range 5..0: must grow, within 0..65535");
    WITH_AHE(low, -1, "grey range -1..0: must grow, within 0..65535");
    WITH_AHE(high, 65536, "grey range 0..65536: must grow, within 0..65535");
    CHECK(all_bytes(ahe_out, sizeof ahe_out, 0x33));
}

static void test_equalization_regions(endo_context *context) {
    endo_ahe_options good = endo_ahe_options_default();
    endo_region inside = {10, 8, 20, 16}, r;
    memset(ahe_out, 0x33, sizeof ahe_out);
#define WITH_REGION(field_, value, text)                                    \
    r = inside, r.field_ = (value);                                         \
    REFUSES_EQUALIZATION(ENDO_GREY16, AHE_WIDTH, AHE_HEIGHT, AHE_WIDTH, &r, &good, AHE_WIDTH, text)
    WITH_REGION(x, 45, "region of 20 x 16 at (45, 8): must lie in the image of 64 x 48");
    WITH_REGION(y, -1, "region of 20 x 16 at (10, -1): must lie in");
    WITH_REGION(width, 0, "region of 0 x 16 at (10, 8)");
    WITH_REGION(height, 2147483647, "region of 20 x 2147483647");
    REFUSES_EQUALIZATION((endo_pixel)3, AHE_WIDTH, AHE_HEIGHT, AHE_WIDTH, NULL, &good, AHE_WIDTH, "pixel type 3: must be 0..2");
    REFUSES_EQUALIZATION(ENDO_GREY8, 0, AHE_HEIGHT, AHE_WIDTH, NULL, &good, AHE_WIDTH, "image of 0 x 48: each side must");
    REFUSES_EQUALIZATION(ENDO_GREY8, AHE_WIDTH, 32768, AHE_WIDTH, NULL, &good, AHE_WIDTH, "image of 64 x 32768");
    REFUSES_EQUALIZATION(ENDO_GREY8, AHE_WIDTH, AHE_HEIGHT, 63, NULL, &good, AHE_WIDTH, "stride 63: must be at least the width 64");
    REFUSES_EQUALIZATION(ENDO_GREY8, AHE_WIDTH, AHE_HEIGHT, AHE_WIDTH, &inside, &good, 19, "out stride 19: must be at least");
    REFUSES_EQUALIZATION(ENDO_GREY8, AHE_WIDTH, AHE_HEIGHT, AHE_WIDTH, NULL, NULL, AHE_WIDTH, "NULL");
    REFUSES(endo_ahe_apply(context, &(endo_image){NULL, ENDO_GREY8, 1, 1, 1}, NULL, &good, ahe_out, 1), "NULL");
    REFUSES(endo_ahe_apply(NULL, &(endo_image){ahe_in, ENDO_GREY8, 1, 1, 1}, NULL, &good, ahe_out, 1), "NULL");
    REFUSES(endo_ahe_apply(context, &(endo_image){ahe_in, ENDO_GREY8, 1, 1, 1}, NULL, &good, NULL, 1), "NULL");
    CHECK(all_bytes(ahe_out, sizeof ahe_out, 0x33));
    CHECK(endo_ahe_apply(context, &(endo_image){ahe_in, ENDO_GREY16, AHE_WIDTH, AHE_HEIGHT, AHE_WIDTH}, &inside, &good,
                         ahe_out, AHE_WIDTH) == ENDO_OK);
    CHECK(!all_bytes(ahe_out, 40, 0x33) && all_bytes(ahe_out + 20, 2 * (AHE_WIDTH - 20), 0x33));
}

/* ------------------------------------------------------------------ lenses */

static void test_lenses(endo_context *context) {
    static uint8_t pixels[4 * 8 * 6];
    static uint8_t out[4 * 8 * 6];
    endo_lens *lens = NULL;
    REFUSES(endo_lens_create(NULL, 8, 6, 5, &lens), "NULL");
    REFUSES(endo_lens_create(context, 8, 6, 5, NULL), "NULL");
    REFUSES(endo_lens_create(context, 0, 6, 5, &lens), "lens for frames of 0 x 6: each side must be 1..32767");
    REFUSES(endo_lens_create(context, 8, 32768, 5, &lens), "lens for frames of 8 x 32768");
    REFUSES(endo_lens_create(context, 8, 6, 40.5, &lens), "lens 40.5 %: must be -40..40");
    REFUSES(endo_lens_create(context, 8, 6, -41, &lens), "lens -41 %: must be -40..40");
    REFUSES(endo_lens_create(context, 8, 6, NAN, &lens), "nan %: must be -40..40");
    CHECK(lens == NULL);
    endo_lens_destroy(&lens);
    endo_lens_destroy(NULL);
    CHECK(endo_lens_create(context, 8, 6, -40, &lens) == ENDO_OK);
    memset(out, 0x33, sizeof out);
    REFUSES(endo_lens_undistort(NULL, pixels, ENDO_GREY8, 8, out, 8), "NULL");
    REFUSES(endo_lens_undistort(lens, NULL, ENDO_GREY8, 8, out, 8), "NULL");
    REFUSES(endo_lens_undistort(lens, pixels, ENDO_GREY8, 8, NULL, 8), "NULL");
    REFUSES(endo_lens_undistort(lens, pixels, (endo_pixel)3, 8, out, 8), "pixel type 3: must be 0..2");
    REFUSES(endo_lens_undistort(lens, pixels, ENDO_GREY8, 7, out, 8), "stride 7: must be at least the width, 8");
    REFUSES(endo_lens_undistort(lens, pixels, ENDO_GREY8, 8, out, 7), "out stride 7: must be at least the width, 8");
    REFUSES(endo_lens_mask(NULL, NULL, out), "NULL");
    REFUSES(endo_lens_mask(lens, NULL, NULL), "NULL");
    CHECK(all_bytes(out, sizeof out, 0x33));
    CHECK(endo_lens_undistort(lens, pixels, ENDO_RGB32, 8, out, 8) == ENDO_OK && !all_bytes(out, sizeof out, 0x33));
    endo_lens_destroy(&lens);
    CHECK(lens == NULL);
}

/* --------------------------------------------------------------- exposures */

/* Two of three slots are filled. */
static endo_frames *make_frames(endo_context *context) {
    static uint8_t pixels[64 * 48];
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    o.width = 64, o.height = 48, o.capacity = 3, o.flow = 0;
    CHECK(endo_frames_create(context, &o, &frames) == ENDO_OK);
    for (int i = 0; i < 2; i++) CHECK(endo_frames_put(frames, i, pixels, 64) == ENDO_OK);
    return frames;
}

static void test_exposures(endo_context *context) {
    endo_frames *frames = make_frames(context);
    endo_exposure_options good = endo_exposure_options_default(), p;
    endo_exposure_result result;
    endo_pair pair = {0, 1}, empty = {2, 0}, outside = {0, 3};
    memset(&result, 0x33, sizeof result);
#define WITH_EXPOSURE(field_, value, text)                                  \
    p = good, p.field_ = (value);                                           \
    REFUSES(endo_exposures_register(frames, &pair, 1, &p, &result), text)
    WITH_EXPOSURE(search, 0, "search 0: must be 1..512");
    WITH_EXPOSURE(search, 513, "search 513: must be 1..512");
    WITH_EXPOSURE(tolerance, -1, "tolerance -1: must be 0..127");
    WITH_EXPOSURE(tolerance, 128, "tolerance 128: must be 0..127");
    WITH_EXPOSURE(bins, 128, "bins 128: must be 64 or 256");
    WITH_EXPOSURE(percentile, (endo_percentile)2, "percentile 2: must be 0 (median) or 1 (adaptive)");
    WITH_EXPOSURE(subpixel, -1, "subpixel -1: must be 0 or 1");
    REFUSES(endo_exposures_register(frames, &empty, 1, &good, &result), "slot 2: no frame");
    REFUSES(endo_exposures_register(frames, &outside, 1, &good, &result), "slot 3: must be 0..2");
    REFUSES(endo_exposures_register(frames, NULL, 1, &good, &result), "NULL");
    REFUSES(endo_exposures_register(frames, &pair, 1, &good, NULL), "NULL");
    REFUSES(endo_exposures_register(NULL, &pair, 1, &good, &result), "NULL");
    CHECK(all_bytes(&result, sizeof result, 0x33));
    endo_frames_destroy(&frames);
}

/* Shifts that are no numbers are refused, and the filter stays as it was. Distances of frames know no overflow. */
static void test_exposure_filter(void) {
    endo_exposure_filter f, before;
    endo_exposure_position place, untouched;
    endo_exposure_result good = {.dx = 1, .certainty = 0.9}, s;
    memset(&place, 0x33, sizeof place);
    untouched = place;
    REFUSES(endo_exposure_filter_begin(&f, 1001), "period 1001: must be 0..1000");
    CHECK(endo_exposure_filter_begin(&f, 3) == ENDO_OK);
    CHECK(endo_exposure_filter_start(&f, INT64_MIN, 0, 0) == ENDO_OK);
    before = f;
#define WITH_SHIFT(field_, value, text)                                     \
    s = good, s.field_ = (value);                                           \
    REFUSES(endo_exposure_filter_step(&f, 1, 0, 0, &s, &place), text)
    WITH_SHIFT(dx, NAN, "must be finite");
    WITH_SHIFT(dy, INFINITY, "shift 1, inf: must be finite");
    WITH_SHIFT(certainty, 1.5, "certainty 1.5: must be 0..1");
    WITH_SHIFT(certainty, NAN, "must be 0..1");
    WITH_SHIFT(deviation_x, -1, "deviation -1, 0: must be finite, 0 or above");
    WITH_SHIFT(deviation_y, NAN, "must be finite, 0 or above");
    CHECK(!memcmp(&f, &before, sizeof f) && !memcmp(&place, &untouched, sizeof place));
    s.status = ENDO_EXPOSURE_NO_CONTENT; /* its numbers mean nothing */
    CHECK(endo_exposure_filter_step(&f, INT64_MAX, 0, 0, &s, &place) == ENDO_OK);
    CHECK(!place.known && !place.predicted && place.x == 0 && place.y == 0);
}

int main(void) {
    endo_context *context = NULL;
    CHECK(endo_context_create(NULL, &context) == ENDO_OK);
    test_equalization_options(context);
    test_equalization_regions(context);
    test_lenses(context);
    test_exposures(context);
    test_exposure_filter();
    endo_context_destroy(&context);
    return check_summary("test_api_images");
}
