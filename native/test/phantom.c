/* A head of ellipsoids (phantom.h). */
#include "phantom.h"

#include "systems/mutual/affine3.h"
#include "systems/mutual/mutual_space.h"

#include <math.h>
#include <string.h>

static double between(test_random *r, double low, double high) { return low + (high - low) * test_unit(r); }

/* A random direction of length 1. */
static void direction(test_random *r, double out[3]) {
    double length;
    do {
        length = 0;
        for (int i = 0; i < 3; i++) out[i] = between(r, -1, 1), length += out[i] * out[i];
    } while (length > 1 || length < 0.01);
    for (int i = 0; i < 3; i++) out[i] /= sqrt(length);
}

static void turn_about(const double axis[3], double angle, double out[9]) {
    double c = cos(angle), s = sin(angle);
    const double cross[9] = {0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0};
    for (int i = 0; i < 9; i++) out[i] = (i % 4 == 0 ? c : 0) + s * cross[i] + (1 - c) * axis[i / 3] * axis[i % 3];
}

static void set_part(phantom_part *p, const double centre[3], const double radius[3], const double turn[9], double soft,
                     double first, double second) {
    memcpy(p->centre, centre, sizeof p->centre);
    double most = fmax(radius[0], fmax(radius[1], radius[2]));
    for (int i = 0; i < 9; i++) p->inverse[i] = turn[i] / radius[i / 3];
    p->reach = most * most * (1 + 2 * soft);
    p->softness = soft, p->grey[0] = first, p->grey[1] = second;
}

void phantom_init(phantom *p, uint64_t seed) {
    static const double still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double middle[3] = {0, 0, 0};
    test_random r = {seed * 77 + 5};
    double skin[3] = {between(&r, 76, 84), between(&r, 92, 102), between(&r, 70, 80)}, inner[3];
    memset(p, 0, sizeof *p);
    set_part(&p->parts[0], middle, skin, still, 0.02, 0.75, 0.6);
    for (int i = 0; i < 3; i++) inner[i] = skin[i] - 6;
    set_part(&p->parts[1], middle, inner, still, 0.02, 0.12, 0.15); /* bone */
    for (int i = 0; i < 3; i++) inner[i] -= 5;
    set_part(&p->parts[2], middle, inner, still, 0.02, 0.55, 0.45);
    for (int i = 3; i < PHANTOM_PARTS; i++) {
        double centre[3], radius[3], axis[3], turn[9];
        direction(&r, centre);
        double far = cbrt(test_unit(&r)) * 0.75;
        for (int k = 0; k < 3; k++) centre[k] *= far * inner[k], radius[k] = between(&r, 5, 24);
        direction(&r, axis);
        turn_about(axis, between(&r, 0, 3), turn);
        set_part(&p->parts[i], centre, radius, turn, 0.12, between(&r, 0.1, 1), between(&r, 0.1, 1));
    }
    for (int i = 0; i < PHANTOM_WAVES; i++) {
        direction(&r, p->wave[i]);
        double k = 6.283185307179586 / between(&r, 9, 40);
        for (int a = 0; a < 3; a++) p->wave[i][a] *= k;
        p->phase[i] = between(&r, 0, 6.28);
    }
}

/* 1 inside, 0 outside, smooth between. */
static double share_of(const phantom_part *p, const double at[3]) {
    double d[3] = {at[0] - p->centre[0], at[1] - p->centre[1], at[2] - p->centre[2]}, square = 0;
    if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] >= p->reach) return 0;
    for (int i = 0; i < 3; i++) {
        double v = p->inverse[3 * i] * d[0] + p->inverse[3 * i + 1] * d[1] + p->inverse[3 * i + 2] * d[2];
        square += v * v;
    }
    double edge = 2 * p->softness; /* of the square */
    if (square >= 1 + edge) return 0;
    if (square <= 1 - edge) return 1;
    double t = (1 + edge - square) / (2 * edge);
    return t * t * (3 - 2 * t);
}

static double grey_at(const phantom *p, int modality, const double at[3]) {
    double inside = share_of(&p->parts[0], at), grey = 0, texture = 0;
    if (inside == 0) return 0;
    for (int i = 0; i < PHANTOM_PARTS; i++) {
        double share = i ? share_of(&p->parts[i], at) : inside;
        grey += share * (p->parts[i].grey[modality] - grey);
    }
    for (int i = 0; i < PHANTOM_WAVES; i++)
        texture += sin(p->wave[i][0] * at[0] + p->wave[i][1] * at[1] + p->wave[i][2] * at[2] + p->phase[i]);
    return grey + inside * (modality ? -0.02 : 0.025) * texture;
}

static double noise_of(test_random *r) {
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += test_unit(r);
    return (sum - 3) * 1.4142135623730951; /* deviation 1 */
}

static double seen(const phantom_appearance *look, double grey, const double bias[3], const double at[3], test_random *r) {
    double gain = 1;
    for (int i = 0; i < 3; i++) gain += look->bias * bias[i] * at[i] / 90;
    if (look->invert && grey > 0) grey = 1.1 - grey;
    double v = pow(grey < 0 ? 0 : grey, look->gamma) * gain + look->noise * noise_of(r);
    return v < 0 ? 0 : v > 1.2 ? 1 : v / 1.2;
}

void phantom_render(const phantom *p, const phantom_appearance *look, const endo_volume *v, const double *map, void *pixels) {
    test_random seed = {look->seed * 31 + 9};
    double world[16], bias[3];
    endo_volume_world(v, 0, world);
    if (map) endo_affine3_product(world, map, world);
    direction(&seed, bias);
#pragma omp parallel for schedule(dynamic)
    for (int z = 0; z < v->depth; z++) {
        test_random r = {look->seed * 1000003 + (uint64_t)z};
        for (int y = 0; y < v->height; y++)
            for (int x = 0; x < v->width; x++) {
                double at[3] = {x, y, z};
                endo_affine3_apply(world, at, at);
                double grey = seen(look, grey_at(p, look->modality, at), bias, at, &r);
                size_t i = ((size_t)z * v->height + y) * v->width + x;
                if (v->type == ENDO_GREY8) ((uint8_t *)pixels)[i] = (uint8_t)(grey * 255 + 0.5);
                else ((uint16_t *)pixels)[i] = (uint16_t)(grey * 4000 + 0.5);
            }
    }
}

void phantom_cut(test_random *r, const endo_volume *v, double share, double degrees, void *pixels) {
    const int size[3] = {v->width, v->height, v->depth};
    double axis[3], turned[9];
    direction(r, axis);
    turn_about(axis, degrees * test_unit(r) * 0.017453292519943295, turned);
    for (size_t i = 0; i < (size_t)v->width * v->height * v->depth; i++) {
        size_t at[3] = {i % (size_t)v->width, i / (size_t)v->width % (size_t)v->height, i / (size_t)v->width / (size_t)v->height};
        double d[3];
        int inside = 1;
        for (int k = 0; k < 3; k++) d[k] = v->spacing[k] * ((double)at[k] - (size[k] - 1) / 2.0);
        for (int k = 0; k < 3; k++) {
            double way = turned[3 * k] * d[0] + turned[3 * k + 1] * d[1] + turned[3 * k + 2] * d[2];
            inside &= fabs(way) <= share * v->spacing[k] * size[k] / 2;
        }
        if (!inside && v->type == ENDO_GREY8) ((uint8_t *)pixels)[i] = 0;
        if (!inside && v->type == ENDO_GREY16) ((uint16_t *)pixels)[i] = 0;
    }
}

void phantom_motion(test_random *r, double degrees, double mm, double map[16]) {
    double axis[3], way[3], turn[9];
    direction(r, axis);
    direction(r, way);
    turn_about(axis, degrees * 0.017453292519943295, turn);
    endo_affine3_identity(map);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) map[4 * i + k] = turn[3 * i + k];
        map[4 * i + 3] = mm * way[i];
    }
}

void phantom_invert_motion(const double map[16], double inverse[16]) { endo_affine3_invert(map, inverse); }

double phantom_distance(const double a[16], const double b[16], const double spacing[3]) {
    double sum = 0;
    int n = 0;
    for (int z = -60; z <= 60; z += 20)
        for (int y = -80; y <= 80; y += 20)
            for (int x = -60; x <= 60; x += 20, n++) {
                double at[3] = {x, y, z}, p[3], q[3], square = 0;
                endo_affine3_apply(a, at, p);
                endo_affine3_apply(b, at, q);
                for (int i = 0; i < 3; i++) square += (p[i] - q[i]) * (p[i] - q[i]) / (spacing[i] * spacing[i]);
                sum += sqrt(square);
            }
    return sum / n;
}
