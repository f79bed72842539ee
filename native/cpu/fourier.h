/* What Fourier registration keeps of the frames of a store: levels, and the spectra of whole images. */
#ifndef ENDO_CPU_FOURIER_H
#define ENDO_CPU_FOURIER_H

#include "fft.h"

#include "rules/fourier_levels.h"

/* A level of an image (rules/fourier_levels.h). Rows of `stride` elements. */
typedef struct cpu_fourier_level {
    int width, height;
    ptrdiff_t stride;
    const uint8_t *grey;
    const uint8_t *valid;  /* 1 or 0; NULL: all are valid */
    int16_t *highpass[ENDO_FOURIER_MOST_HALF + 1]; /* by half the side of the local means; NULL until first needed */
    uint32_t highpassed;                           /* bit h: highpass[h] is made */
} cpu_fourier_level;

/* A spectrum with what it was made for. */
typedef struct cpu_fourier_kept {
    int is_there;
    endo_turns_setup setup; /* of a shift's spectrum: only the part `spectrum` */
    float *values;
    size_t numbers; /* room for so many */
} cpu_fourier_kept;

/* Data derived from the frame in a slot for Fourier registration; the memory stays when another frame is put there. */
typedef struct cpu_fourier_frame {
    int width, height; /* of the image; 0: nothing is there */
    int n_levels;
    cpu_fourier_level levels[ENDO_FOURIER_LEVELS];
    cpu_fourier_kept turns, shifts;
    uint8_t *memory; /* of the levels, from 1 on, and of the masks */
} cpu_fourier_frame;

/* Levels of all images that the requests name, made where they lack. requests: begin with endo_fourier_images. */
endo_status cpu_fourier_prepare(cpu_store *s, const void *requests, size_t n, size_t size);

/* A high-passed level of a slot. */
typedef struct cpu_fourier_wanted {
    int32_t slot, level, half;
} cpu_fourier_wanted;

/* Makes high-passed values of levels that were prepared, where they lack; a level may be named twice. */
endo_status cpu_fourier_highpass(cpu_store *s, const cpu_fourier_wanted *wanted, size_t n);

void cpu_fourier_free(cpu_store *s);

int cpu_fourier_is_kept(const cpu_fourier_kept *k, const endo_turns_setup *setup);
/* From now on it is; with room for so many numbers. 0: no memory. */
int cpu_fourier_keep(cpu_fourier_kept *k, const endo_turns_setup *setup, size_t numbers);
void cpu_fourier_kept_free(cpu_fourier_kept *k);

/* A part of an image as spectra are taken of it: value less the mean of the part, times the weights of window and field.
 * With ENDO_GRADIENT_HIGHPASS its level was high-passed before. out: rows of `stride` floats. scratch: as many bytes as
 * cpu_fourier_scratch() says. */
size_t cpu_fourier_scratch(int width, int height);
void cpu_fourier_part(const cpu_fourier_loops *loops, const cpu_fourier_frame *f, const endo_fourier_part *part,
                      const endo_fourier_spectrum *spectrum, void *scratch, float *out, ptrdiff_t stride);

/* The highest local maxima of a correlation whose rows are `stride` floats apart. skip: NULL, or 1 for places that do not
 * count, rows * columns. */
int cpu_fourier_peaks(const cpu_fourier_loops *loops, const float *heights, ptrdiff_t stride, int columns, int rows,
                      const uint8_t *skip, int part, endo_fourier_peak *list, int n, int most);

#endif
