/* Homographies over a frame (map_agreement.h). */
#include "map_agreement.h"

#include <math.h>

/* Lengths are enlarged by the denominator to the power of -1.5: four times is 16 in the cubes of the denominators. */
#define MOST_CUBED 16.0
/* Points along each side that stand for the frame. */
#define POINTS 5

int endo_map_shows_frame(endo_frame_size size, const endo_transform *map) {
    const double *m = map->matrix;
    double least = INFINITY, most = 0;
    for (int i = 0; i < 4; i++) {
        double w = m[6] * (i & 1 ? size.width - 1 : 0) + m[7] * (i & 2 ? size.height - 1 : 0) + m[8];
        if (!(w > 0)) return 0;
        least = w < least ? w : least;
        most = w > most ? w : most;
    }
    return most * most * most <= MOST_CUBED * least * least * least;
}

int endo_map_nearest_over_frame(endo_frame_size size, const endo_transform *map, endo_transform_class kind,
                                endo_transform *out) {
    double from[2 * POINTS * POINTS], to[2 * POINTS * POINTS];
    for (int i = 0; i < POINTS * POINTS; i++) {
        from[2 * i] = (i % POINTS + 0.5) * size.width / POINTS - 0.5;
        from[2 * i + 1] = (i / POINTS + 0.5) * size.height / POINTS - 0.5;
        if (!endo_transform_point(map, from[2 * i], from[2 * i + 1], &to[2 * i], &to[2 * i + 1])) return 0;
    }
    return endo_transform_solve(from, to, NULL, POINTS * POINTS, kind, out);
}
