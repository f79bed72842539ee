/* The frames of a sequence without the distortion of their lens: the public call's, with memory that is used again. */
#include "include/endorama/lens.h"
#include "systems/mosaic/sequence.h"

#include "check.h"

#include <string.h>

#define W 150
#define H 110
#define AREA (W * H)

typedef struct image {
    uint32_t rgb[AREA];
} image;

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state ^ *state >> 15;
}

static void make_noise(image *to, uint32_t seed) {
    for (int i = 0; i < AREA; i++) to->rgb[i] = next_random(&seed);
}

/* With one instruction set and thread; a sequence may take others. */
static const endo_context_options plain = {.backend = ENDO_BACKEND_CPU, .threads = 1, .cpu = ENDO_CPU_C};

static endo_lens *plain_lens(double percent) {
    endo_context *context = NULL;
    endo_lens *lens = NULL;
    CHECK(endo_context_create(&plain, &context) == ENDO_OK);
    CHECK(endo_lens_create(context, W, H, percent, &lens) == ENDO_OK);
    endo_context_destroy(&context);
    return lens;
}

static image two[2];
static int n_lent;

static const void *lend_one(void *user, int32_t frame, char *reason) {
    (void)user;
    if (frame == 2) {
        snprintf(reason, ENDO_REASON_SIZE, "spoilt");
        return NULL;
    }
    n_lent++;
    return &two[frame];
}

static void give_one_back(void *user, int32_t frame, const void *pixels) {
    (void)user;
    CHECK(pixels == &two[frame]);
    n_lent--;
}

static const endo_mosaic_source source = {
    .frames = 3, .width = W, .height = H, .type = ENDO_RGB32, .lend = lend_one, .give_back = give_one_back};

static void test_memory_is_used_again(void) {
    static image straight;
    mosaic_sequence *frames;
    endo_lens *lens = plain_lens(-20);
    make_noise(&two[0], 1);
    make_noise(&two[1], 2);
    CHECK(endo_lens_undistort(lens, &two[0], ENDO_RGB32, W, &straight, W) == ENDO_OK);
    endo_lens_destroy(&lens);
    CHECK(sequence_create(&source, -20, 0, NULL, &frames) == ENDO_OK);
    const void *one = sequence_lend(frames, 0, 0);
    CHECK(one != &two[0] && !memcmp(one, &straight, sizeof straight) && n_lent == 0);
    const void *other = sequence_lend(frames, 1, 0);
    CHECK(other != one && !memcmp(one, &straight, sizeof straight) && memcmp(other, one, sizeof straight));
    sequence_give_back(frames, 0, one, 0);
    CHECK(sequence_lend(frames, 0, 0) == one && !memcmp(one, &straight, sizeof straight));
    CHECK(!sequence_lend(frames, 2, 0) && !strcmp(sequence_reason(frames), "frame 3: spoilt"));
    CHECK(!sequence_is_at_hand(frames, 0));
    sequence_give_back(frames, 0, one, 0);
    sequence_give_back(frames, 1, other, 0);
    sequence_destroy(&frames);
}

static void test_frames_as_the_scope_shows_them(void) {
    mosaic_sequence *frames;
    CHECK(sequence_create(&source, -20, sizeof(image), &plain, &frames) == ENDO_OK);
    CHECK(sequence_lend(frames, 0, 1) == &two[0] && n_lent == 1 && !sequence_is_at_hand(frames, 0));
    sequence_give_back(frames, 0, &two[0], 1);
    CHECK(n_lent == 0);
    const void *straight = sequence_lend(frames, 0, 0);
    sequence_give_back(frames, 0, straight, 0);
    CHECK(sequence_is_at_hand(frames, 0) && sequence_lend(frames, 0, 0) == straight && n_lent == 0);
    sequence_destroy(&frames);
    CHECK(sequence_create(&source, 0, 0, NULL, &frames) == ENDO_OK);
    CHECK(sequence_lend(frames, 1, 0) == &two[1]);
    sequence_give_back(frames, 1, &two[1], 0);
    sequence_destroy(&frames);
    CHECK(n_lent == 0);
}

/* FNV-1a, a pixel at a time. */
static uint64_t hash(const image *of) {
    uint64_t h = 0xcbf29ce484222325u;
    for (int i = 0; i < AREA; i++) h = (h ^ of->rgb[i]) * 0x100000001b3u;
    return h;
}

/* The numbers that an implementation of its own gave, in Java. */
static void test_every_bit(void) {
    static const double percents[] = {-14, 9, -37.3, 0.01, 33};
    static const uint64_t wanted[] = {0x6c5788b467c26bbb, 0x5fe8afebed02a293, 0x0e689d647b69bbb1, 0xbbaf0a95e0517447,
                                      0xb4b9822fc34c2b8c};
    make_noise(&two[0], 5);
    for (int k = 0; k < 5; k++) {
        mosaic_sequence *frames;
        CHECK(sequence_create(&source, percents[k], 0, NULL, &frames) == ENDO_OK);
        const void *straight = sequence_lend(frames, 0, 0);
        CHECK(hash(straight) == wanted[k]);
        sequence_give_back(frames, 0, straight, 0);
        sequence_destroy(&frames);
    }
}

static void test_masks_too(void) {
    static uint8_t shown[AREA];
    static uint8_t wanted[AREA];
    static uint8_t mask[AREA];
    mosaic_sequence *frames;
    endo_lens *lens = plain_lens(30);
    for (int i = 0; i < AREA; i++) shown[i] = i % W > 40 ? 255 : 0;
    CHECK(sequence_create(&source, 30, 0, NULL, &frames) == ENDO_OK);
    CHECK(endo_lens_mask(lens, shown, wanted) == ENDO_OK && sequence_undistort_mask(frames, shown, mask) == ENDO_OK);
    CHECK(!memcmp(mask, wanted, AREA));
    CHECK(endo_lens_mask(lens, NULL, wanted) == ENDO_OK && memcmp(mask, wanted, AREA));
    endo_lens_destroy(&lens);
    sequence_destroy(&frames);
}

int main(void) {
    test_memory_is_used_again();
    test_frames_as_the_scope_shows_them();
    test_every_bit();
    test_masks_too();
    return check_summary("test_mosaic_lens");
}
