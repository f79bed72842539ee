/* A sequence of frames of one grey value each, for tests: it remembers what is read and given back, and whether it is asked by
 * two threads at a time. */
#ifndef ENDO_TEST_SEQUENCE_RIG_H
#define ENDO_TEST_SEQUENCE_RIG_H

#include "systems/mosaic/sequence.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLAT_FRAMES 20
#define FLAT_MOST 2000

typedef struct flat_frames {
    endo_mosaic_source source;
    int read[FLAT_MOST]; /* frames, in the order in which they were asked for */
    int n_read;
    int back[FLAT_MOST];
    int n_back;
    int lent; /* and not given back */
    int failing; /* fails when it is read first; -1: none */
    int delay;   /* us that a frame takes */
    atomic_int inside;
    int is_crowded; /* two threads asked at one time */
} flat_frames;

static inline void flat_enter(flat_frames *f) { f->is_crowded |= atomic_fetch_add(&f->inside, 1) != 0; }

static inline void flat_leave(flat_frames *f) { atomic_fetch_sub(&f->inside, 1); }

static inline const void *flat_lend(void *user, int32_t frame, char *reason) {
    flat_frames *f = user;
    size_t area = (size_t)f->source.width * (size_t)f->source.height;
    void *pixels = NULL;
    flat_enter(f);
    f->read[f->n_read++] = frame;
    if (f->delay) usleep((useconds_t)f->delay);
    if (frame == f->failing) {
        f->failing = -1;
        snprintf(reason, ENDO_REASON_SIZE, "not now");
    } else {
        pixels = malloc(area);
        memset(pixels, 10 * frame, area);
        f->lent++;
    }
    flat_leave(f);
    return pixels;
}

static inline void flat_give_back(void *user, int32_t frame, const void *pixels) {
    flat_frames *f = user;
    flat_enter(f);
    f->back[f->n_back++] = frame;
    f->lent--;
    free((void *)pixels);
    flat_leave(f);
}

static inline const char *flat_name(void *user, int32_t frame) {
    static char name[24];
    flat_enter(user);
    snprintf(name, sizeof name, "f%d.png", frame + 1);
    flat_leave(user);
    return frame == 3 ? "" : name;
}

static inline void flat_init(flat_frames *f, int width, int height) {
    memset(f, 0, sizeof *f);
    f->failing = -1;
    f->source = (endo_mosaic_source){
        .frames = FLAT_FRAMES,
        .width = width,
        .height = height,
        .type = ENDO_GREY8,
        .lend = flat_lend,
        .give_back = flat_give_back,
        .name = flat_name,
        .user = f,
    };
}

/* How often a frame is in a list. */
static inline int flat_count(const int *list, int n, int frame) {
    int found = 0;
    for (int i = 0; i < n; i++) found += list[i] == frame;
    return found;
}

/* The list begins with these, up to -1. */
static inline int flat_begins(const int *list, int n, const int *wanted) {
    for (int i = 0; wanted[i] >= 0; i++)
        if (i >= n || list[i] != wanted[i]) return 0;
    return 1;
}

/* The list is these, up to -1. */
static inline int flat_is(const int *list, int n, const int *wanted) {
    int many = 0;
    while (wanted[many] >= 0) many++;
    return n == many && flat_begins(list, n, wanted);
}

#define FLAT_LIST(...) ((const int[]){__VA_ARGS__, -1})

#endif
