/* The pixels of a group of levels (ahe_groups.h), and how many of them a window holds that are not above its centre.
 *
 * Members have numbers row by row, so that those on the rows of a window are a run. Which of them are on its columns is a
 * row of bits for each place of the window; which of them are not above a level is a row of bits for every CPU_AHE_STEP
 * of them by level. So most of an answer is the bits of a run that are set in two rows, and the rest a comparison of
 * fewer than CPU_AHE_STEP places. */
#ifndef ENDO_CPU_AHE_MEMBERS_H
#define ENDO_CPU_AHE_MEMBERS_H

#include <stdint.h>

#define CPU_AHE_STEP 32
/* Words that loops read beyond a row of bits; a row is a multiple of them. */
#define CPU_AHE_WORDS 8

/* A pixel whose window is asked about: its place in the output, and how many members are not above it. */
typedef struct cpu_ahe_asked {
    uint16_t x, y, end;
} cpu_ahe_asked;

/* Members by level, some at a time. */
typedef struct cpu_ahe_step {
    uint16_t columns[CPU_AHE_STEP], numbers[CPU_AHE_STEP];
} cpu_ahe_step;

typedef struct cpu_ahe_members {
    int n;                /* members */
    int words;            /* of a row of bits */
    int window, width;    /* places of the window along a row */
    int most;             /* words in which the numbers of a window's rows lie, at most */
    uint64_t *on_columns; /* of the window that leaves column x: row x, width + 1 of them */
    uint64_t *not_above;  /* of the first CPU_AHE_STEP * c by level: row c */
    cpu_ahe_step *steps;  /* number c: the members by level that follow the first CPU_AHE_STEP * c; one more than are full */
    uint16_t *ends;       /* of each row: members up to its end */
    cpu_ahe_asked *asked;
    int n_asked;
    uint16_t *own;        /* the answers, as the output lies */
    int64_t stride;       /* of own */
} cpu_ahe_members;

#endif
