/* The check of the alignment of exposures: every parameter, both orders of the pair, a frame with itself; the
 * frames as they are, the second one as a darker exposure that is moved and clipped, and both near black. */
#include "endo_check.h"

#include <stdio.h>
#include <string.h>

static const endo_exposure_options options[] = {
    {64, 4, 64, ENDO_PERCENTILE_ADAPTIVE, 1}, {64, 4, 64, ENDO_PERCENTILE_MEDIAN, 0},
    {512, 0, 256, ENDO_PERCENTILE_ADAPTIVE, 1}, {9, 20, 256, ENDO_PERCENTILE_MEDIAN, 1},
    {1, 127, 64, ENDO_PERCENTILE_ADAPTIVE, 0}, {130, 1, 256, ENDO_PERCENTILE_ADAPTIVE, 0}};

#define N_PARAMS (sizeof options / sizeof options[0])

static int check_pairs(check_rig *rig, const endo_exposure_options *p, char *text, size_t size) {
    static const endo_pair pairs[] = {{0, 1}, {1, 0}, {0, 0}};
    endo_exposure_result a[3], b[3];
    memset(a, 0x5a, sizeof a);
    memset(b, 0xa5, sizeof b);
    if (CHECK_REFERENCE(rig, endo_exposures_register(rig->reference, pairs, 3, p, a), a, sizeof a) != ENDO_OK ||
        endo_exposures_register(rig->tested, pairs, 3, p, b) != ENDO_OK) {
        snprintf(text, size, "exposures: %s", endo_last_error());
        return 1;
    }
    for (int i = 0; i < 3; i++) {
        if (check_difference(&a[i], &b[i], sizeof a[i]) < 0) continue;
        snprintf(text, size,
                 "exposures, search %d tolerance %d bins %d, pair %d: %g %g status %d threshold %d, "
                 "should be %g %g status %d threshold %d; byte %ld",
                 p->search, p->tolerance, p->bins, i, b[i].dx, b[i].dy, (int)b[i].status, b[i].threshold_reference, a[i].dx,
                 a[i].dy, (int)a[i].status, a[i].threshold_reference, check_difference(&a[i], &b[i], sizeof a[i]));
        return 1;
    }
    return 0;
}

/* A pixel of a frame that goes on beyond its borders as they are. */
static int moved_pixel(const check_case *c, const uint8_t *grey, int x, int y) {
    x = x < 0 ? 0 : x >= c->width ? c->width - 1 : x;
    y = y < 0 ? 0 : y >= c->height ? c->height - 1 : y;
    return grey[y * c->width + x];
}

static uint8_t to_grey(int value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

/* The first frame moved by some pixels, at a fraction of its brightness, cut off at the dark end. */
static void expose_again(const check_case *c, test_random *random, const uint8_t *first, uint8_t *out) {
    int dx = test_between(random, -9, 9), dy = test_between(random, -9, 9);
    int gain = test_between(random, 32, 256), offset = test_between(random, 0, 40);
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++)
            out[y * c->width + x] = to_grey((moved_pixel(c, first, x + dx, y + dy) - offset) * gain / 256 +
                                            test_between(random, -1, 1));
}

/* Things that stand still in both frames of a pair near black. */
typedef enum still { STILL_NOTHING, STILL_OUTLINE, STILL_REFLECTION } still;

/* The first frame moved by (dx, dy), at a mean of some levels. */
static void expose_dark(const check_case *c, test_random *random, const uint8_t *first, int dx, int dy, still still,
                        uint8_t *out) {
    int64_t sum = 0, area = (int64_t)c->width * c->height, mean = test_between(random, 3, 12);
    for (int64_t i = 0; i < area; i++) sum += first[i];
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            int value = (int)(moved_pixel(c, first, x + dx, y + dy) * mean * area / (sum + 1));
            int inside = 8 * x > c->width && 8 * x < 7 * c->width && 6 * y > c->height;
            if (still == STILL_OUTLINE && !inside) value = 0;
            if (still == STILL_REFLECTION && 4 * x > 3 * c->width && 4 * y > 3 * c->height) value += 40;
            out[y * c->width + x] = to_grey(value + test_between(random, -1, 1));
        }
}

static int put(check_rig *rig, int slot, const uint8_t *grey, uint32_t *wide) {
    const check_case *c = rig->c;
    test_widen(grey, c->width, c->height, c->type, c->width, wide);
    return endo_frames_put(rig->reference, slot, wide, c->width) == ENDO_OK &&
           endo_frames_put(rig->tested, slot, wide, c->width) == ENDO_OK;
}

/* dark: what stands still; -1: the first frame stays. */
static int put_again(check_rig *rig, int dark, char *text, size_t size) {
    const check_case *c = rig->c;
    size_t area = (size_t)c->width * c->height;
    uint8_t *first = endo_alloc(area, 1), *second = endo_alloc(area, 1);
    uint32_t *wide = endo_alloc(area, sizeof *wide);
    int dx = test_between(&rig->random, -12, 12), dy = test_between(&rig->random, -12, 12);
    int done = endo_frames_get_grey(rig->reference, 0, first) == ENDO_OK;
    if (done && dark < 0) {
        expose_again(c, &rig->random, first, second);
        done = put(rig, 1, second, wide);
    } else if (done) {
        expose_dark(c, &rig->random, first, dx, dy, (still)dark, second);
        done = put(rig, 1, second, wide);
        expose_dark(c, &rig->random, first, 0, 0, (still)dark, second);
        done = done && put(rig, 0, second, wide);
    }
    if (!done) snprintf(text, size, "exposures: %s", endo_last_error());
    endo_free(first);
    endo_free(second);
    endo_free(wide);
    return !done;
}

int check_exposures(check_rig *rig, char *text, size_t size) {
    /* Large images take the reference long: some of the rows then, others in the next case. */
    size_t step = rig->c->width >= 360 ? 5 : rig->c->width >= 130 ? 3 : 1, from = rig->c->number % step;
    for (size_t i = from; i < N_PARAMS && step < 5; i += step)
        if (check_pairs(rig, &options[i], text, size)) return 1;
    if (put_again(rig, -1, text, size)) return 1;
    for (size_t i = from; i < N_PARAMS; i += step)
        if (check_pairs(rig, &options[i], text, size)) return 1;
    if (put_again(rig, rig->c->number % 3, text, size)) return 1;
    return check_pairs(rig, &options[rig->c->number % N_PARAMS], text, size);
}
