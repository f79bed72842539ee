/* endo_check holds every kernel of every back end against native/ref, byte for byte, over one table of
 * cases. Adding a kernel: a check_<stem>.c with one function, and its row in endo_check.c. */
#ifndef ENDO_CHECK_H
#define ENDO_CHECK_H

#include "../objects.h"
#include "scene.h"

typedef struct check_case {
    int number;
    int width, height;
    test_fill fill;
    test_field field;
    endo_pixel type;
    int highlights, iir;
    uint64_t seed;
} check_case;

/* One case set up twice: by the reference, and by the back end under test. Slots 0 and 1 hold a pair. */
typedef struct check_rig {
    const check_case *c;
    int ready; /* the tested context exists */
    endo_context *reference_context, *tested_context;
    endo_frames *reference, *tested;
    test_random random;
} check_rig;

/* 0 = equal. On a difference, writes what and where into text. */
#define CHECK_NOT_FOR_CASE (-1) /* nothing to compare in this case */
typedef int (*check_function)(check_rig *rig, char *text, size_t size);

int check_store(check_rig *rig, char *text, size_t size);
int check_ncc(check_rig *rig, char *text, size_t size);
int check_search(check_rig *rig, char *text, size_t size);
int check_flow(check_rig *rig, char *text, size_t size);
int check_quality(check_rig *rig, char *text, size_t size);
int check_paint(check_rig *rig, char *text, size_t size);
int check_register(check_rig *rig, char *text, size_t size);
int check_ahe(check_rig *rig, char *text, size_t size);
int check_exposures(check_rig *rig, char *text, size_t size);

/* Position of the first differing byte, or -1. */
long check_difference(const void *a, const void *b, size_t bytes);

/* A map near the identity, or (one in four) a wild one. */
void check_random_map(check_rig *rig, double matrix[6]);

#endif
