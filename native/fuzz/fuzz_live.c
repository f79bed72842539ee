/* Calls about live panoramas: small frames that move on, jump, are black or stand still, some of another size or with a stride
 * that is too small, with options that fit or do not. */
#include "fuzz_stores.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 96, SHEET = 240, MOST_PUTS = 24 };

static uint8_t sheet[SHEET * SHEET];

static void draw_sheet(fuzz_input *in) {
    unsigned salt = fuzz_byte(in) * 2654435761u + 7;
    int coarse = fuzz_between(in, 2, 6);
    for (int y = 0; y < SHEET; y++)
        for (int x = 0; x < SHEET; x++) {
            unsigned cell = (unsigned)(x / coarse * 7919 + y / coarse * 104729) * 2654435761u + salt;
            sheet[y * SHEET + x] = (uint8_t)(40 + (cell >> 24) * 3 / 4);
        }
}

static endo_live_options make_options(fuzz_input *in, const uint8_t *mask) {
    endo_live_options o = endo_live_options_default();
    o.mosaic.context.backend = ENDO_BACKEND_CPU;
    o.mosaic.context.threads = 1;
    o.mosaic.pairs.method = (endo_pairs_method)fuzz_wild(in, 0, 1);
    o.mosaic.pairs.transform = fuzz_one_in(in, 2) ? ENDO_TRANSFORM_AUTO : (endo_transform_class)fuzz_wild(in, 0, 4);
    o.mosaic.field = (endo_mosaic_field)fuzz_wild(in, 0, 2);
    o.mosaic.mask = fuzz_one_in(in, 8) ? NULL : mask;
    o.mosaic.rim = fuzz_wild(in, 0, 20);
    o.mosaic.enhance = fuzz_one_in(in, 8);
    o.mosaic.painting = (endo_mosaic_painting)fuzz_wild(in, 0, 2);
    if (fuzz_one_in(in, 4)) o.mosaic.memory = 1 << 20;
    o.step = fuzz_real(in, 0.5, 20);
    o.preview = fuzz_wild(in, 64, 128);
    o.loops = fuzz_one_in(in, 4) ? fuzz_wild(in, 0, 1) : 0;
    return o;
}

static void check_frame(const endo_live_frame *f, int64_t number) {
    fuzz_require(f->number == number, "another number than that of the frame put");
    fuzz_require(f->state >= ENDO_LIVE_STARTING && f->state <= ENDO_LIVE_LOST, "an unknown state");
    fuzz_require(f->kept >= 0 && f->kept <= number && f->component >= 0 && f->component <= number, "a frame that was not put");
    fuzz_require(endo_transform_check(&f->pose) == ENDO_OK, "a pose that is no transform");
    int is_in = f->state == ENDO_LIVE_FOUND || f->state == ENDO_LIVE_DOUBTFUL;
    fuzz_require(is_in == (f->component > 0) && (is_in || !f->kept), "a lost frame in a panorama");
}

static void read_preview(fuzz_input *in, endo_live *live, endo_pixel type) {
    endo_live_view view;
    endo_live_counts counts;
    fuzz_require(endo_live_describe(live, &view, &counts) == ENDO_OK, "a preview that cannot be described");
    fuzz_require(view.width >= 0 && view.height >= 0 && view.scale > 0 && view.scale <= 1, "the size of a preview");
    size_t room = (size_t)view.width * (size_t)view.height;
    if (room > 0 && fuzz_one_in(in, 4)) room--;
    size_t bytes = (room ? room : 1) * (endo_pixel_size(type) ? endo_pixel_size(type) : 1);
    void *pixels = fuzz_guarded(bytes);
    endo_status status = endo_live_read(live, pixels, room, &view);
    fuzz_checked(status, pixels, bytes, "endo_live_read");
    fuzz_release(pixels, bytes);
}

/* Puts a frame; returns whether the library took it. */
static int put(fuzz_input *in, endo_live *live, endo_pixel type, int at[2], int64_t number) {
    int width = fuzz_one_in(in, 30) ? fuzz_wild(in, 1, SIDE) : SIDE;
    int height = SIDE;
    int stride = fuzz_one_in(in, 20) ? width - 1 : width + fuzz_between(in, 0, 3);
    size_t size = endo_pixel_size(type) ? endo_pixel_size(type) : 1;
    if (width < 1 || width > SIDE) width = stride = SIDE;
    size_t row = (size_t)(stride > width ? stride : width);
    uint8_t *pixels = calloc(row * (size_t)height, size);
    endo_live_frame *frame = fuzz_output(sizeof *frame);
    int is_black = fuzz_one_in(in, 8);
    fuzz_require(pixels != NULL, "memory for a frame");
    for (int y = 0; y < height && !is_black; y++)
        for (int x = 0; x < width; x++)
            memset(pixels + ((size_t)y * row + (size_t)x) * size, sheet[(y + at[1]) * SHEET + x + at[0]], size);
    endo_status status = endo_live_put(live, pixels, type, width, height, stride, frame);
    fuzz_checked(status, frame, sizeof *frame, "endo_live_put");
    if (status == ENDO_OK) check_frame(frame, number);
    free(pixels);
    free(frame);
    return status != ENDO_ERR_ARGUMENT;
}

static void finish(endo_live *live) {
    endo_mosaic *mosaic = NULL;
    endo_live_counts counts;
    endo_live_frame frame;
    fuzz_require(endo_live_describe(live, NULL, &counts) == ENDO_OK, "a preview that cannot be described");
    endo_status status = endo_live_finish(live, &mosaic);
    fuzz_checked(status, &status, 0, "endo_live_finish");
    fuzz_require((mosaic != NULL) == (counts.kept >= 2), "a panorama of less than two frames, or none of more");
    if (mosaic) fuzz_require(endo_mosaic_components(mosaic) <= counts.kept, "more panoramas than frames");
    status = endo_live_put(live, sheet, ENDO_GREY8, SIDE, SIDE, SIDE, &frame);
    fuzz_require(status == ENDO_ERR_ARGUMENT, "a frame after the end");
}

void fuzz_live(fuzz_session *session) {
    fuzz_input *in = &session->in;
    static uint8_t mask[SIDE * SIDE];
    endo_live *live = NULL;
    if (!fuzz_one_in(in, 6)) return;
    draw_sheet(in);
    memset(mask, 255, sizeof mask);
    mask[fuzz_between(in, 0, (int)sizeof mask - 1)] = 0;
    endo_live_options options = make_options(in, mask);
    endo_pixel type = (endo_pixel)fuzz_between(in, 0, 2);
    int abi = fuzz_one_in(in, 30) ? fuzz_wild(in, 0, 20) : ENDO_ABI;
    endo_status status = endo_live_create_abi(&options, NULL, abi, &live);
    if (fuzz_checked(status, &live, 0, "endo_live_create_abi") != ENDO_OK) return;
    int at[2] = {fuzz_between(in, 0, SHEET - SIDE), fuzz_between(in, 0, SHEET - SIDE)};
    int64_t number = 1;
    int puts = fuzz_between(in, 0, MOST_PUTS);
    for (int i = 0; i < puts; i++) {
        int far = fuzz_one_in(in, 10) ? 80 : 5;
        for (int k = 0; k < 2; k++) {
            at[k] += fuzz_between(in, -far, far);
            at[k] = at[k] < 0 ? 0 : at[k] > SHEET - SIDE ? SHEET - SIDE : at[k];
        }
        number += put(in, live, type, at, number);
        if (fuzz_one_in(in, 6)) read_preview(in, live, type);
    }
    if (fuzz_one_in(in, 3)) finish(live);
    read_preview(in, live, type);
    endo_live_destroy(&live);
}
