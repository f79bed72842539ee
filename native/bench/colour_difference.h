/* Colours as people see them: CIE Lab under D65, and the difference CIEDE2000 of two of them (CIE 142-2001; Sharma, Wu and
 * Dalal, The CIEDE2000 color-difference formula, Color Research and Application 30(1), 2005). */
#ifndef ENDO_BENCH_COLOUR_DIFFERENCE_H
#define ENDO_BENCH_COLOUR_DIFFERENCE_H

#include <stdint.h>

typedef struct colour_lab {
    double l, a, b; /* lightness 0..100; towards red; towards yellow */
} colour_lab;

/* CIE Lab, D65, of sRGB values 0..255. */
colour_lab colour_lab_of(double red, double green, double blue);
colour_lab colour_lab_of_rgb(uint32_t rgb);

/* About 1 is just noticeable. */
double colour_difference(colour_lab one, colour_lab other);

/* Angle between the hues, degrees, 0..180; 0 if one of them has a chroma below `least`. */
double colour_hue_shift(colour_lab one, colour_lab other, double least);

#endif
