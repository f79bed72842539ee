/* What a chain compares: parts of images, of one type and size, 16 bit spread over 8. */
#include "systems/chains/compared_frames.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

#define W 6
#define H 4

/* Two images of W x H, and one of another size; lent is what has not come back. */
typedef struct images {
    endo_mosaic_source source;
    const void *pixels[2];
    int lent;
    int is_broken;
} images;

static const void *lend(void *user, int32_t frame, char *reason) {
    images *m = user;
    if (m->is_broken) strcpy(reason, "torn");
    if (m->is_broken) return NULL;
    m->lent++;
    return m->pixels[frame];
}

static void give_back(void *user, int32_t frame, const void *pixels) {
    images *m = user;
    CHECK(pixels == m->pixels[frame]);
    m->lent--;
}

static const char *name(void *user, int32_t frame) { return ((images *)user)->source.width == W ? frame ? "b" : "a" : "onto"; }

static images images_of(endo_pixel type, int width, int height, const void *first, const void *second) {
    return (images){
        .source = {.frames = 2, .width = width, .height = height, .type = type, .lend = lend, .give_back = give_back,
                   .name = name},
        .pixels = {first, second},
    };
}

static compared_frames *compare(images *frames, images *onto, mosaic_rect part, mosaic_rect onto_part) {
    compared_frames *c = NULL;
    frames->source.user = frames;
    if (onto) onto->source.user = onto;
    compared_setup setup = {
        .frames = &frames->source, .onto = onto ? &onto->source : NULL, .part = part, .onto_part = onto_part};
    CHECK(compared_frames_create(&setup, &c) == ENDO_OK);
    return c;
}

static const void *take(const compared_frames *c, int frame) {
    const endo_mosaic_source *s = compared_frames_source(c);
    char reason[ENDO_REASON_SIZE] = "";
    return s->lend(s->user, frame, reason);
}

static void back(const compared_frames *c, int frame, const void *pixels) {
    const endo_mosaic_source *s = compared_frames_source(c);
    s->give_back(s->user, frame, pixels);
}

static const mosaic_rect whole;

static void test_whole_frames_are_lent_on(void) {
    uint8_t grey[2][W * H] = {{1}, {2}};
    images frames = images_of(ENDO_GREY8, W, H, grey[0], grey[1]);
    compared_frames *c = compare(&frames, NULL, whole, whole);
    const endo_mosaic_source *s = compared_frames_source(c);
    CHECK(s->frames == 2 && s->width == W && s->height == H && s->type == ENDO_GREY8 && compared_frames_are_whole(c));
    const void *pixels = take(c, 1);
    CHECK(pixels == grey[1] && frames.lent == 1);
    back(c, 1, pixels);
    CHECK(frames.lent == 0 && !strcmp(s->name(s->user, 1), "b"));
    frames.is_broken = 1;
    char reason[ENDO_REASON_SIZE] = "";
    CHECK(!s->lend(s->user, 0, reason) && !strcmp(reason, "torn"));
    compared_frames_destroy(&c);
}

/* Grey as colours where the other image has some; the part in the top left corner of the larger room. */
static void test_images_are_of_one_type_and_room(void) {
    uint8_t grey[W * H];
    uint32_t colours[3 * 9];
    for (int i = 0; i < W * H; i++) grey[i] = (uint8_t)(10 * i);
    for (int i = 0; i < 27; i++) colours[i] = 0xff000000u + (uint32_t)i;
    images frames = images_of(ENDO_GREY8, W, H, grey, grey);
    images onto = images_of(ENDO_RGB32, 3, 9, colours, NULL);
    mosaic_rect part = {.left = 1, .top = 2, .right = 5, .bottom = 4};
    compared_frames *c = compare(&frames, &onto, part, whole);
    const endo_mosaic_source *s = compared_frames_source(c);
    CHECK(s->frames == 3 && s->width == 4 && s->height == 9 && s->type == ENDO_RGB32 && !compared_frames_are_whole(c));
    CHECK(!strcmp(s->name(s->user, 0), "a") && !strcmp(s->name(s->user, 2), "onto"));
    const uint32_t *made = take(c, 0);
    CHECK(frames.lent == 0);
    for (int i = 0; i < 4 * 9; i++) {
        uint32_t value = i < 8 ? grey[(2 + i / 4) * W + 1 + i % 4] : 0;
        CHECK(made[i] == (i < 8 ? 0xff000000u | value * 0x010101u : 0));
    }
    back(c, 0, made);
    made = take(c, 2);
    CHECK(made[0] == colours[0] && made[2] == colours[2] && made[3] == 0 && made[4] == colours[3]);
    back(c, 2, made);
    CHECK(compared_frames_part(c, 1).left == 1 && compared_frames_part(c, 1).bottom == 4);
    CHECK(compared_frames_part(c, 2).right == 3 && compared_frames_part(c, 2).bottom == 9 && onto.lent == 0);
    compared_frames_destroy(&c);
}

/* A part that is all of a frame is a part. */
static void test_a_given_part_is_no_whole(void) {
    uint8_t grey[W * H] = {0};
    images frames = images_of(ENDO_GREY8, W, H, grey, grey);
    images same = images_of(ENDO_GREY8, W, H, grey, grey);
    mosaic_rect all = {.right = W, .bottom = H};
    compared_frames *c = compare(&frames, NULL, all, whole);
    CHECK(!compared_frames_are_whole(c) && compared_frames_source(c)->width == W);
    compared_frames_destroy(&c);
    c = compare(&frames, &same, whole, all);
    CHECK(!compared_frames_are_whole(c));
    compared_frames_destroy(&c);
    c = compare(&frames, &same, whole, whole);
    CHECK(compared_frames_are_whole(c) && compared_frames_source(c)->type == ENDO_GREY8);
    compared_frames_destroy(&c);
}

/* Each by itself, over all of its pixels, whichever part is compared: v -> (v - low) * 255 / (high - low). */
static void test_deep_frames_are_spread(void) {
    uint16_t deep[2][W * H];
    for (int i = 0; i < W * H; i++) {
        deep[0][i] = (uint16_t)(1000 + 100 * i);
        deep[1][i] = 7;
    }
    images frames = images_of(ENDO_GREY16, W, H, deep[0], deep[1]);
    compared_frames *c = compare(&frames, NULL, whole, whole);
    CHECK(compared_frames_source(c)->type == ENDO_GREY8 && compared_frames_are_whole(c));
    const uint8_t *made = take(c, 0);
    for (int i = 0; i < W * H; i++) CHECK(made[i] == 100 * i * 255 / 2300);
    back(c, 0, made);
    made = take(c, 1);
    CHECK(made[0] == 255 && made[W * H - 1] == 255);
    back(c, 1, made);
    compared_frames_destroy(&c);
    c = compare(&frames, NULL, (mosaic_rect){.left = 2, .top = 1, .right = 4, .bottom = 2}, whole);
    made = take(c, 0);
    CHECK(made[0] == 800 * 255 / 2300 && made[1] == 900 * 255 / 2300);
    back(c, 0, made);
    compared_frames_destroy(&c);
}

/* Rows of more than 256 pixels, beside colours. */
static void test_long_rows_of_deep_frames(void) {
    enum { LONG = 600 };
    static uint16_t deep[LONG];
    static uint32_t colours[LONG];
    for (int i = 0; i < LONG; i++) deep[i] = (uint16_t)(i == 0 ? 0 : 100 + i);
    images frames = images_of(ENDO_GREY16, LONG, 1, deep, deep);
    images onto = images_of(ENDO_RGB32, LONG, 1, colours, NULL);
    compared_frames *c = compare(&frames, &onto, whole, whole);
    const uint32_t *made = take(c, 1);
    int range = 100 + LONG - 1;
    for (int i = 0; i < LONG; i++) CHECK(made[i] == (0xff000000u | (uint32_t)(deep[i] * 255 / range) * 0x010101u));
    back(c, 1, made);
    compared_frames_destroy(&c);
}

int main(void) {
    test_whole_frames_are_lent_on();
    test_images_are_of_one_type_and_room();
    test_a_given_part_is_no_whole();
    test_deep_frames_are_spread();
    test_long_rows_of_deep_frames();
    return check_summary("test_chain_frames");
}
