/* The check of the alignment of exposures: every parameter, both orders of the pair, a frame with itself; the
 * frames as they are, and the second one as a darker exposure that is moved and clipped. */
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
    if (endo_exposures_register(rig->reference, pairs, 3, p, a) != ENDO_OK ||
        endo_exposures_register(rig->tested, pairs, 3, p, b) != ENDO_OK) {
        snprintf(text, size, "exposures: %s", endo_last_error());
        return 1;
    }
    for (int i = 0; i < 3; i++) {
        if (check_difference(&a[i], &b[i], sizeof a[i]) < 0) continue;
        snprintf(text, size,
                 "exposures, search %d tolerance %d bins %d, pair %d: %g %g status %d threshold %d, "
                 "should be %g %g status %d threshold %d; byte %ld",
                 p->search, p->tolerance, p->bins, i, b[i].dx, b[i].dy, b[i].status, b[i].threshold_reference, a[i].dx,
                 a[i].dy, a[i].status, a[i].threshold_reference, check_difference(&a[i], &b[i], sizeof a[i]));
        return 1;
    }
    return 0;
}

/* The first frame moved by some pixels, at a fraction of its brightness, cut off at the dark end. */
static void expose_again(const check_case *c, test_random *random, const uint8_t *first, uint8_t *out) {
    int dx = test_between(random, -9, 9), dy = test_between(random, -9, 9);
    int gain = test_between(random, 32, 256), offset = test_between(random, 0, 40);
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            int u = x + dx, v = y + dy;
            u = u < 0 ? 0 : u >= c->width ? c->width - 1 : u;
            v = v < 0 ? 0 : v >= c->height ? c->height - 1 : v;
            int value = (first[v * c->width + u] - offset) * gain / 256 + test_between(random, -1, 1);
            out[y * c->width + x] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
}

static int put_again(check_rig *rig, char *text, size_t size) {
    const check_case *c = rig->c;
    size_t area = (size_t)c->width * c->height;
    uint8_t *first = endo_alloc(area, 1), *second = endo_alloc(area, 1);
    uint32_t *wide = endo_alloc(area, sizeof *wide);
    int failed = endo_frames_get_grey(rig->reference, 0, first) != ENDO_OK;
    if (!failed) {
        expose_again(c, &rig->random, first, second);
        test_widen(second, c->width, c->height, c->type, c->width, wide);
        failed = endo_frames_put(rig->reference, 1, wide, c->width) != ENDO_OK ||
                 endo_frames_put(rig->tested, 1, wide, c->width) != ENDO_OK;
    }
    if (failed) snprintf(text, size, "exposures: %s", endo_last_error());
    endo_free(first);
    endo_free(second);
    endo_free(wide);
    return failed;
}

int check_exposures(check_rig *rig, char *text, size_t size) {
    /* Large images take the reference long: some of the rows then, others in the next case. */
    size_t step = rig->c->width >= 360 ? 5 : rig->c->width >= 130 ? 3 : 1, from = rig->c->number % step;
    for (size_t i = from; i < N_PARAMS && step < 5; i += step)
        if (check_pairs(rig, &options[i], text, size)) return 1;
    if (put_again(rig, text, size)) return 1;
    for (size_t i = from; i < N_PARAMS; i += step)
        if (check_pairs(rig, &options[i], text, size)) return 1;
    return 0;
}
