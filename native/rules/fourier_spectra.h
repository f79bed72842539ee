/* Log-polar positions, values and weights: the floating-point part of Fourier registration, once for every back end. Planes of
 * different precision agree within the tolerance of native/test/check_turns.c. */
#ifndef ENDO_RULES_FOURIER_SPECTRA_H
#define ENDO_RULES_FOURIER_SPECTRA_H

#include "fourier_levels.h"

#define ENDO_PI 3.14159265358979323846

/* Direction of a row of the log-polar plane, -90 degrees + 180 row / angles: rows cover the half of the spectrum with x >= 0,
 * since the other half is its mirror image. */
ENDO_HD double endo_log_polar_angle(const endo_turns_setup *s, int row) { return ENDO_PI * row / s->angles - ENDO_PI / 2; }

ENDO_HD double endo_log_polar_radius(const endo_turns_setup *s, int column) {
    return s->first_radius * exp(column * s->radius_step);
}

/* Whether the position (x, y) from the centre of the spectrum has its four neighbours in it; beyond, magnitudes are 0. */
ENDO_HD int endo_log_polar_is_inside(const endo_turns_setup *s, double x, double y) {
    double last = s->spectrum.side / 2 - 1;
    return x <= last && y <= last && y >= 0 - last;
}

/* Weight of a column, after the mean of its radius is subtracted: tapered at both ends, since radii are not periodic. */
ENDO_HD double endo_log_polar_weight(const endo_turns_setup *s, int column) {
    return s->paper ? 1 : endo_fourier_window_at(ENDO_WINDOW_TUKEY, column, s->radii);
}

/* Magnitude below which a spectrum of side x side grey values, which are whole numbers, holds only their rounding. */
ENDO_HD double endo_spectrum_floor(int side) { return 0.1 * side; }

/* The value of a log-polar plane for a magnitude. */
ENDO_HD double endo_log_polar_value(const endo_turns_setup *s, double magnitude) {
    return s->paper ? magnitude : log(endo_spectrum_floor(s->spectrum.side) + magnitude);
}

/* Weight of a magnitude in a phase correlation ([F] eq. 4, with the conjugate that is missing in print), the product of two
 * spectra each divided by its magnitude: every spectrum is weighted once, and then divided by the root of the sum of its
 * squares, so that the height of a peak is a coefficient, 1 for equal images. The floor keeps rounding out of it. */
ENDO_HD double endo_shift_weight(double magnitude, int side) { return 1 / (magnitude + endo_spectrum_floor(side)); }

/* Weight of a magnitude in the transform of a log-polar plane, at (x, y) of it, |x| <= radii / 2, |y| <= angles / 2. [F]: the
 * phase alone. Default: divided by the root of the magnitude, and less for high frequencies, which hold little but noise,
 * since neighbouring values of a spectrum depend on each other. */
ENDO_HD double endo_turn_weight(const endo_turns_setup *s, double magnitude, double x, double y) {
    double least = 0.01 * sqrt((double)s->angles * s->radii), u = 2 * x / s->radii, v = 2 * y / s->angles;
    if (s->paper) return 1 / (magnitude + least);
    return exp((u * u + v * v) / (-2 * 0.3 * 0.3)) / sqrt(magnitude + least);
}

/* A position in the correlation with an image that is turned by 180 degrees more (bit 1 of endo_shifts_request.twins): its
 * spectrum is the conjugate, up to a shift by one pixel, which is taken back here. */
ENDO_HD int endo_twin_position(int position, int side) { return (position + 1) % side; }

#endif
