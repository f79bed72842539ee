/* Frames that one thread puts, several at once, while another one registers those that were put before, and puts some itself into
 * another store: as if there were one thread, and each came alone. */
#include "endo_check.h"

#include "rules/grey.h"

#include <pthread.h>

#define FRAMES 12
#define ROUNDS 4

typedef struct putting {
    endo_frames *frames, *others;
    const uint8_t *images; /* dense, of all slots */
    size_t area;           /* bytes of an image */
    int width, first, end, together;
    endo_status status;
} putting;

/* One by one, or together. */
static void *put_some(void *job) {
    putting *p = job;
    const void *images[FRAMES];
    int32_t slots[FRAMES];
    size_t n = 0;
    for (int i = p->first; i < p->end && p->status == ENDO_OK; i++) {
        images[n] = p->images + (size_t)i * p->area, slots[n++] = i;
        if (!p->together) p->status = endo_frames_put(p->frames, i, images[n - 1], p->width);
    }
    if (p->together) p->status = endo_frames_put_list(p->frames, slots, n, images, p->width);
    return NULL;
}

/* Neighbours among the slots first .. end - 1. */
static endo_status register_some(endo_frames *frames, int first, int end, endo_pair_result *results) {
    endo_pairs_options o = endo_pairs_options_default();
    endo_pair pairs[FRAMES];
    int n = 0;
    for (int i = first; i + 1 < end; i++) pairs[n].reference = i, pairs[n++].current = i + 1;
    o.method = ENDO_METHOD_BEST, o.transform = ENDO_TRANSFORM_AUTO;
    return endo_pairs_register(frames, pairs, (size_t)n, &o, results);
}

/* Puts images into the other store, one by one, and sees whether they are there. */
static endo_status put_others(const putting *p, uint8_t *grey) {
    size_t pixels = p->area / sizeof(uint32_t);
    for (int i = 0; i < FRAMES; i++) {
        const uint32_t *image = (const uint32_t *)(p->images + (size_t)(i % 3) * p->area);
        ENDO_TRY(endo_frames_put(p->others, i % 2, image, p->width));
        ENDO_TRY(endo_frames_get_grey(p->others, i % 2, grey));
        for (size_t k = 0; k < pixels; k++)
            if (grey[k] != endo_grey_of_rgb(image[k])) return endo_fail(ENDO_ERR_INTERNAL, "pixel %zu of another store", k);
    }
    return ENDO_OK;
}

static endo_status register_beside(putting *p, int first, int end, endo_pair_result *results) {
    uint8_t *grey = endo_alloc(p->area, 1);
    pthread_t thread;
    if (pthread_create(&thread, NULL, put_some, p) != 0) return endo_fail(ENDO_ERR_MEMORY, "no thread");
    endo_status status = grey ? put_others(p, grey) : ENDO_ERR_MEMORY;
    if (status == ENDO_OK) status = register_some(p->frames, first, end, results);
    pthread_join(thread, NULL);
    endo_free(grey);
    return status == ENDO_OK ? p->status : status;
}

/* The halves of the store take turns: one is registered while other frames come into the other one. */
static endo_status run_beside(endo_frames *frames, endo_frames *others, const uint8_t *images, int width, size_t area,
                              endo_pair_result results[ROUNDS][FRAMES]) {
    const int half = FRAMES / 2;
    putting p = {frames, others, images, area, width, 0, half, 1, ENDO_OK};
    put_some(&p);
    endo_status status = p.status;
    for (int round = 0; round < ROUNDS && status == ENDO_OK; round++) {
        int here = round % 2 * half, there = half - here;
        p.images = images + (size_t)(round + 1) * area, p.first = there, p.end = there + half;
        status = register_beside(&p, here, here + half, results[round]);
    }
    return status;
}

static endo_status run_alone(endo_frames *frames, const uint8_t *images, int width, size_t area,
                             endo_pair_result results[ROUNDS][FRAMES]) {
    const int half = FRAMES / 2;
    endo_status status = ENDO_OK;
    for (int round = 0; round < ROUNDS && status == ENDO_OK; round++) {
        int here = round % 2 * half;
        putting p = {frames, NULL, images + (size_t)round * area, area, width, here, here + half, 0, ENDO_OK};
        put_some(&p);
        status = p.status == ENDO_OK ? register_some(frames, here, here + half, results[round]) : p.status;
    }
    return status;
}

static endo_status run(endo_context *context, const check_case *c, const uint8_t *images, int beside,
                       endo_pair_result results[ROUNDS][FRAMES]) {
    endo_frames_options o = endo_frames_options_default();
    endo_frames *frames = NULL;
    endo_frames *others = NULL;
    o.width = c->width, o.height = c->height, o.type = ENDO_RGB32, o.capacity = FRAMES, o.highlights = c->highlights;
    endo_status status = endo_frames_create(context, &o, &frames);
    if (status == ENDO_OK) status = endo_frames_create(context, &o, &others);
    size_t area = (size_t)c->width * c->height * sizeof(uint32_t);
    if (status == ENDO_OK)
        status = beside ? run_beside(frames, others, images, c->width, area, results)
                        : run_alone(frames, images, c->width, area, results);
    endo_frames_destroy(&others);
    endo_frames_destroy(&frames);
    return status;
}

/* Windows of one scene that moves along, frame after frame, in colour. */
static uint8_t *make_images(const check_case *c, int n) {
    size_t area = (size_t)c->width * c->height, bytes = area * sizeof(uint32_t);
    uint8_t *images = endo_alloc((size_t)n, bytes), *pair = endo_alloc(area, 2);
    for (int i = 0; images && pair && i < n; i++) {
        test_fill_pair(c->fill, c->width, c->height, c->seed + (uint64_t)(i / 4), pair, pair + area);
        test_widen(pair + (size_t)(i % 2) * area, c->width, c->height, ENDO_RGB32, c->width, images + (size_t)i * bytes);
    }
    endo_free(pair);
    return images;
}

int check_beside(check_rig *rig, char *text, size_t size) {
    static endo_pair_result a[ROUNDS][FRAMES], b[ROUNDS][FRAMES];
    const check_case *c = rig->c;
    if (c->width < 200 || c->width > 360 || c->fill != FILL_SCENE) return CHECK_NOT_FOR_CASE;
    uint8_t *images = make_images(c, FRAMES + ROUNDS);
    memset(a, 0, sizeof a), memset(b, 0, sizeof b);
    int failed = !images || run(rig->tested_context, c, images, 0, a) != ENDO_OK ||
                 run(rig->tested_context, c, images, 1, b) != ENDO_OK;
    endo_free(images);
    if (failed) snprintf(text, size, "frames put beside a call: %s", endo_last_error());
    for (int round = 0; round < ROUNDS && !failed; round++)
        for (int i = 0; i + 1 < FRAMES / 2 && !failed; i++) {
            failed = check_difference(&a[round][i], &b[round][i], sizeof a[round][i]) >= 0;
            if (failed) snprintf(text, size, "frames put beside a call: round %d, pair %d differs", round, i);
        }
    return failed;
}
