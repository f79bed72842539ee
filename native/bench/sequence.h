/* Frames to measure on: the test scene seen by a camera that moves, in colour and with noise. */
#ifndef ENDO_BENCH_SEQUENCE_H
#define ENDO_BENCH_SEQUENCE_H

#include "include/endorama.h"

typedef struct sequence {
    int width, height, n;
    uint32_t **frames; /* n dense images, ENDO_RGB32 */
} sequence;

/* 0 if memory is out. */
int bench_sequence_create(sequence *s, int width, int height, int n);
void bench_sequence_destroy(sequence *s);

/* Puts every frame into its slot. */
endo_status sequence_put(const sequence *s, endo_frames *frames);

#endif
