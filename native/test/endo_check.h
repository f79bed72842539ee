/* endo_check holds every kernel of every back end against native/ref, byte for byte, over one table of
 * cases. The batch kernels come from the list in batches.h: each needs a check_<stem>.c with one function. */
#ifndef ENDO_CHECK_H
#define ENDO_CHECK_H

#include "backend/objects.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

typedef struct check_case {
    int number;
    int width, height;
    test_fill fill;
    test_field field;
    endo_pixel type;
    int highlights, iir;
    uint64_t seed;
} check_case;

/* The reference's results in one check of a case, in order: computed for the first back end, read for the others. */
typedef struct check_journal {
    uint8_t *bytes;
    size_t used, room, at;
} check_journal;

/* One case set up twice: by the reference, and by the back end under test. Slots 0 and 1 hold a pair. */
typedef struct check_rig {
    const check_case *c;
    check_journal *journal; /* of this check */
    endo_context *reference_context, *tested_context;
    endo_frames *reference, *tested;
    test_random random;
} check_rig;

/* 0 = equal. On a difference, writes what and where into text. */
#define CHECK_NOT_FOR_CASE (-1) /* nothing to compare in this case */
typedef int (*check_function)(check_rig *rig, char *text, size_t size);

int check_store(check_rig *rig, char *text, size_t size);
int check_planes(check_rig *rig, char *text, size_t size);
int check_paint(check_rig *rig, char *text, size_t size);
int check_register(check_rig *rig, char *text, size_t size);
int check_ahe(check_rig *rig, char *text, size_t size);
int check_mutual(check_rig *rig, char *text, size_t size);
int check_lens(check_rig *rig, char *text, size_t size);
int check_blend(check_rig *rig, char *text, size_t size);
int check_upload(check_rig *rig, char *text, size_t size);
int check_beside(check_rig *rig, char *text, size_t size);

/* check_<stem> for every line of batches.h. */
#define CHECK_PROTOTYPE(stem, request, setup, result) int check_##stem(check_rig *rig, char *text, size_t size);
ENDO_BATCHES(CHECK_PROTOTYPE)
ENDO_DEVICE_BATCHES(CHECK_PROTOTYPE)

/* Position of the first differing byte, or -1. */
long check_difference(const void *a, const void *b, size_t bytes);

/* Whether an earlier back end has asked the reference the same; then its answer is in out. */
int check_recall(check_rig *rig, void *out, size_t bytes);

/* Keeps the answer for the back ends that follow. Returns the status. */
endo_status check_keep(check_rig *rig, endo_status status, const void *out, size_t bytes);

/* The status of a call of the reference that fills `bytes` bytes at out: computed once a case, not for every back end. */
#define CHECK_REFERENCE(rig, call, out, bytes)                                                            \
    (check_recall(rig, out, bytes) ? ENDO_OK : check_keep(rig, (call), out, bytes))

/* A map near the identity, or (one in four) a wild one. */
endo_transform check_random_map(check_rig *rig);

/* A place on a canvas: the same, or (one in three) a homography, of which some are wild. */
endo_transform check_random_place(check_rig *rig);

/* Makes a homography of it, whose denominators are above 0 over the frame: hardly bent, or (half of them) far. */
void check_distortion(check_rig *rig, endo_transform *map);

/* Runs one call on both stores and compares what came back, all of it in a and b: `bytes` bytes each. They are poisoned
 * first. */
#define CHECK_BOTH(call_reference, call_tested, a, b, bytes, what)                                              \
    do {                                                                                                  \
        memset(a, 0x5a, bytes);                                                                           \
        memset(b, 0xa5, bytes);                                                                           \
        if (CHECK_REFERENCE(rig, call_reference, a, bytes) != ENDO_OK || (call_tested) != ENDO_OK) {       \
            snprintf(text, size, "%s: %s", what, endo_last_error());                                      \
            return 1;                                                                                     \
        }                                                                                                 \
        long at = check_difference(a, b, bytes);                                                          \
        if (at >= 0) {                                                                                    \
            snprintf(text, size, "%s: byte %ld of %ld differs", what, at, (long)(bytes));                 \
            return 1;                                                                                     \
        }                                                                                                 \
    } while (0)

#endif
