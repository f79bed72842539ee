/* Requests of the checks of Fourier registration: the pair of the rig in two sizes. */
#ifndef ENDO_CHECK_FOURIER_H
#define ENDO_CHECK_FOURIER_H

#include "endo_check.h"

#include "systems/fourier/fourier.h"

/* A pair of whole images, or (one in three) of smaller ones in the corner. */
static inline endo_fourier_images check_images(check_rig *rig) {
    int width = rig->c->width, height = rig->c->height, small = rig->c->number % 3 == 0;
    endo_fourier_images m = {0, 1, width, height, small ? width - width / 4 : width, small ? height - height / 3 : height};
    return m;
}

static inline int check_side(const check_rig *rig, int extent) {
    int longer = rig->c->width > rig->c->height ? rig->c->width : rig->c->height;
    while (longer > extent) longer /= 2;
    return longer;
}

#endif
