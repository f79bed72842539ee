/* Affine maps of space. */
#include "affine3.h"

#include "base/transform.h"

#include <string.h>

void endo_affine3_identity(double out[16]) {
    for (int i = 0; i < 16; i++) out[i] = i % 5 == 0;
}

void endo_affine3_product(const double first[16], const double second[16], double out[16]) {
    double product[16];
    for (int i = 0; i < 16; i++) {
        const double *row = second + i / 4 * 4, *column = first + i % 4;
        product[i] = row[0] * column[0] + row[1] * column[4] + row[2] * column[8] + row[3] * column[12];
    }
    memcpy(out, product, sizeof product);
}

/* The cofactors of the linear part, row by row; returns its determinant. */
static double cofactors(const double m[16], double c[9]) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const double *above = m + 4 * ((k + 1) % 3), *below = m + 4 * ((k + 2) % 3);
            int left = (i + 1) % 3, right = (i + 2) % 3;
            c[3 * i + k] = above[left] * below[right] - above[right] * below[left];
        }
    return m[0] * c[0] + m[1] * c[3] + m[2] * c[6];
}

int endo_affine3_invert(const double m[16], double out[16]) {
    double c[9], result[16], size = 1;
    double determinant = cofactors(m, c);
    for (int i = 0; i < 3; i++) /* the determinant of orthogonal columns of these lengths */
        size *= sqrt(m[i] * m[i] + m[4 + i] * m[4 + i] + m[8 + i] * m[8 + i]);
    if (!endo_is_finite(determinant) || !(fabs(determinant) > 1e-9 * size)) return 0;
    endo_affine3_identity(result);
    for (int i = 0; i < 3; i++) {
        double *row = result + 4 * i;
        for (int k = 0; k < 3; k++) row[k] = c[3 * i + k] / determinant;
        row[3] = 0 - (row[0] * m[3] + row[1] * m[7] + row[2] * m[11]);
    }
    for (int i = 0; i < 12; i++)
        if (!endo_is_finite(result[i])) return 0;
    memcpy(out, result, sizeof result);
    return 1;
}

void endo_affine3_apply(const double m[16], const double from[3], double to[3]) {
    double moved[3];
    for (int i = 0; i < 3; i++)
        moved[i] = m[4 * i] * from[0] + m[4 * i + 1] * from[1] + m[4 * i + 2] * from[2] + m[4 * i + 3];
    memcpy(to, moved, sizeof moved);
}

int endo_affine3_is_affine(const double m[16]) {
    for (int i = 0; i < 12; i++)
        if (!endo_is_finite(m[i])) return 0;
    return m[12] == 0 && m[13] == 0 && m[14] == 0 && m[15] == 1;
}

int endo_affine3_to_fixed(const double m[16], endo_mutual_map *out) {
    for (int i = 0; i < 12; i++)
        if (!(fabs(m[i]) < (i % 4 == 3 ? ENDO_MUTUAL_MAX_SHIFT : ENDO_MUTUAL_MAX_STEP))) return 0;
    for (int i = 0; i < 12; i++) out->m[i] = (int64_t)floor(m[i] * 4294967296.0 + 0.5);
    for (int i = 0; i < 4; i++) out->gain[i] = i == 3 ? (int64_t)1 << 32 : 0;
    return 1;
}
