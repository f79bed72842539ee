#include "colour_difference.h"

#include <math.h>

#define PI 3.14159265358979323846

/* White of D65. */
static const double white[3] = {0.95047, 1, 1.08883};
static const double xyz_of_rgb[3][3] = {
    {0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}};

static double linear(double v) {
    v /= 255;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double root(double t) { return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116; }

colour_lab colour_lab_of(double red, double green, double blue) {
    double rgb[3] = {linear(red), linear(green), linear(blue)};
    double f[3];
    for (int i = 0; i < 3; i++) {
        const double *row = xyz_of_rgb[i];
        f[i] = root((row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2]) / white[i]);
    }
    return (colour_lab){116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

colour_lab colour_lab_of_rgb(uint32_t rgb) { return colour_lab_of(rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255); }

static double radians(double degrees) { return degrees * PI / 180; }

/* Hue, degrees, 0..360; 0 of greys. */
static double hue(double a, double b) {
    double angle = a == 0 && b == 0 ? 0 : atan2(b, a) * 180 / PI;
    return angle < 0 ? angle + 360 : angle;
}

static double weight7(double chroma) {
    double power = pow(chroma, 7);
    return sqrt(power / (power + pow(25, 7)));
}

/* The hue of `to` less that of `from`, degrees, -180..180. */
static double hue_difference(double from, double to) {
    double d = to - from;
    return d > 180 ? d - 360 : d < -180 ? d + 360 : d;
}

static double mean_hue(double one, double other) {
    double sum = one + other;
    if (fabs(one - other) <= 180) return sum / 2;
    return sum < 360 ? (sum + 360) / 2 : (sum - 360) / 2;
}

double colour_difference(colour_lab one, colour_lab other) {
    double g = 0.5 * (1 - weight7((hypot(one.a, one.b) + hypot(other.a, other.b)) / 2));
    double a1 = (1 + g) * one.a;
    double a2 = (1 + g) * other.a;
    double c1 = hypot(a1, one.b);
    double c2 = hypot(a2, other.b);
    double h1 = hue(a1, one.b);
    double h2 = hue(a2, other.b);
    int coloured = c1 * c2 != 0;
    double turn = coloured ? hue_difference(h1, h2) : 0;
    double h = coloured ? mean_hue(h1, h2) : h1 + h2;
    double l = (one.l + other.l) / 2;
    double c = (c1 + c2) / 2;
    double t = 1 - 0.17 * cos(radians(h - 30)) + 0.24 * cos(radians(2 * h)) + 0.32 * cos(radians(3 * h + 6)) -
               0.20 * cos(radians(4 * h - 63));
    double around = (h - 275) / 25;
    double rotation = -sin(radians(60 * exp(-around * around))) * 2 * weight7(c);
    double dl = (other.l - one.l) / (1 + 0.015 * (l - 50) * (l - 50) / sqrt(20 + (l - 50) * (l - 50)));
    double dc = (c2 - c1) / (1 + 0.045 * c);
    double dh = 2 * sqrt(c1 * c2) * sin(radians(turn / 2)) / (1 + 0.015 * c * t);
    return sqrt(fmax(dl * dl + dc * dc + dh * dh + rotation * dc * dh, 0));
}

double colour_hue_shift(colour_lab one, colour_lab other, double least) {
    if (hypot(one.a, one.b) < least || hypot(other.a, other.b) < least) return 0;
    return fabs(hue_difference(hue(one.a, one.b), hue(other.a, other.b)));
}
