/* A panorama against the scene that it shows. */
#ifndef ENDO_BENCH_LOOK_SCORE_H
#define ENDO_BENCH_LOOK_SCORE_H

#include <stdint.h>

/* Panorama and scene of one size, RGB32; painted: 255 or 0. */
typedef struct look_images {
    int width, height;
    const uint32_t *panorama, *scene;
    const uint8_t *painted;
} look_images;

/* Inside what is painted, 7 px off its edge. One gain a channel is fitted, nothing else: uneven light counts. */
typedef struct look_score {
    double mae, psnr;  /* grey levels of all channels; dB */
    double ssim;       /* of the grey images, Gaussian windows of 1.5 px */
    double sharpness;  /* energy of the grey image less its Gaussian mean of 2.5 px, as a share of the scene's */
    double share;      /* of the rectangle that was looked at */
    float *error;      /* grey panorama less scene; width*height, 1e9 where nothing was looked at; to be freed */
} look_score;

/* 0: memory is out. */
int look_score_make(const look_images *images, look_score *out);

#endif
