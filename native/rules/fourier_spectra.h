/* Log-polar places and values, and what is correlated: the floating-point part of Fourier registration, once for every
 * back end. Planes of different precision agree within native/test/check_turns.c's tolerance. */
#ifndef ENDO_RULES_FOURIER_SPECTRA_H
#define ENDO_RULES_FOURIER_SPECTRA_H

#include "fourier_levels.h"

#define ENDO_PI 3.14159265358979323846

/* Row `row` of the log-polar plane looks along -90 degrees + 180 row / angles: the half of the spectrum with x >= 0, which
 * is all of it, since the other half is its mirror image. */
ENDO_HD double endo_log_polar_angle(const endo_turns_setup *s, int row) { return ENDO_PI * row / s->angles - ENDO_PI / 2; }

ENDO_HD double endo_log_polar_radius(const endo_turns_setup *s, int column) {
    return s->first_radius * exp(column * s->radius_step);
}

/* Does (x, y) of the spectrum, both from its centre, have its four neighbours in it? Beyond, magnitudes are 0. */
ENDO_HD int endo_log_polar_is_inside(const endo_turns_setup *s, double x, double y) {
    double last = s->spectrum.side / 2 - 1;
    return x <= last && y <= last && y >= 0 - last;
}

/* Weight of a column, once the mean of its radius is taken off: faded at both ends, since radii are not periodic. */
ENDO_HD double endo_log_polar_weight(const endo_turns_setup *s, int column) {
    return s->paper ? 1 : endo_fourier_window_at(ENDO_WINDOW_TUKEY, column, s->radii);
}

/* Grey values are whole numbers: what a spectrum of side x side of them holds below this is their rounding. */
ENDO_HD double endo_spectrum_floor(int side) { return 0.1 * side; }

/* What a log-polar plane holds of a magnitude. */
ENDO_HD double endo_log_polar_value(const endo_turns_setup *s, double magnitude) {
    return s->paper ? magnitude : log(endo_spectrum_floor(s->spectrum.side) + magnitude);
}

/* A phase correlation ([F] eq. 4, with the conjugate that is missing in print) is the product of two spectra, each divided
 * by its own magnitude: so every spectrum is weighted once, and then divided by the root of the sum of its squares. Then
 * a height is a coefficient, 1 for equal images. The floors keep what is rounding out of it. */
ENDO_HD double endo_shift_weight(double magnitude, int side) { return 1 / (magnitude + endo_spectrum_floor(side)); }

/* Of the transform of a log-polar plane, at (x, y) of it, |x| <= radii / 2, |y| <= angles / 2. [F]: the phase alone.
 * Default: half of the way there, and less for what changes quickly from place to place: neighbouring values of
 * a spectrum are not independent of each other, so that there is little but noise. */
ENDO_HD double endo_turn_weight(const endo_turns_setup *s, double magnitude, double x, double y) {
    double least = 0.01 * sqrt((double)s->angles * s->radii), u = 2 * x / s->radii, v = 2 * y / s->angles;
    if (s->paper) return 1 / (magnitude + least);
    return exp((u * u + v * v) / (-2 * 0.3 * 0.3)) / sqrt(magnitude + least);
}

/* Bit 1 turns the image by 180 degrees more: its spectrum is the conjugate, up to a shift by one pixel, which this takes
 * back. */
ENDO_HD int endo_twin_position(int position, int side) { return (position + 1) % side; }

#endif
