/* The circle that dark frames show together.
 *
 * A frame's noise may be as large as the step from the surround to dark tissue. In the brightest greys of several frames,
 * smoothed, it is smaller; and the scene, which moves, is blurred, but the rim stays where it is. That image is stretched to
 * the greys of a bright frame and judged as one. As stretching makes fading steep, too, the circle must be an edge: from the
 * ring beyond it to the ring within the greys must change more than from there on inwards, along most of the circle that
 * lies in the image. */
#include "field_dark.h"

#include "field_shape.h"

#include <math.h>
#include <string.h>

/* Greys that dark and bright become; a hundredth of the pixels may be beyond either. */
enum { DARK = 4, BRIGHT = 200 };

enum { SECTORS = 48 };

/* ---------------------------------------------------------------- stretch */

enum { WINDOW = 25, MOST = 255 * WINDOW };

/* The sum of 5 x 5 pixels around one; the border is repeated. */
static int sum_around(const uint8_t *grey, int width, int height, int x, int y) {
    int sum = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int row = y + dy < 0 ? 0 : y + dy >= height ? height - 1 : y + dy;
            int column = x + dx < 0 ? 0 : x + dx >= width ? width - 1 : x + dx;
            sum += grey[(size_t)row * (size_t)width + (size_t)column];
        }
    return sum;
}

/* The sums below and above which a hundredth of all lie. */
static void find_range(const uint8_t *grey, int width, int height, int *low, int *high) {
    size_t histogram[MOST + 1] = {0}, area = (size_t)width * (size_t)height, below = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) histogram[sum_around(grey, width, height, x, y)]++;
    *low = *high = 0;
    for (int sum = 0; sum <= MOST; sum++) {
        if (100 * below <= area) *low = sum;
        if (100 * below <= 99 * area) *high = sum;
        below += histogram[sum];
    }
}

/* Smooths and stretches; 0 if the image is the same all over. */
static int stretch(const uint8_t *grey, int width, int height, uint8_t *out) {
    int low, high;
    find_range(grey, width, height, &low, &high);
    if (high <= low) return 0;
    double scale = (double)(BRIGHT - DARK) / (high - low);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double value = DARK + scale * (sum_around(grey, width, height, x, y) - low);
            out[(size_t)y * (size_t)width + (size_t)x] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5);
        }
    return 1;
}

/* ------------------------------------------------------------------- edge */

/* Rings at the rim: beyond it, just within, further within. */
enum { BEYOND, WITHIN, INSIDE, RINGS };

typedef struct sector {
    double total[RINGS];
    size_t n[RINGS];
} sector;

/* The ring at a distance outwards from the rim, px; -1: none, as in the blurred rim. */
static int ring_at(double distance) {
    const double blur = 3, thickness = 6;
    if (fabs(distance) <= blur) return -1;
    if (distance > 0) return distance <= blur + thickness ? BEYOND : -1;
    if (distance >= -blur - thickness) return WITHIN;
    return distance >= -blur - 2 * thickness ? INSIDE : -1;
}

static void count_sectors(const uint8_t *grey, int width, int height, const endo_field_info *circle, sector *sectors) {
    const double pi = 3.14159265358979323846;
    memset(sectors, 0, SECTORS * sizeof *sectors);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double dx = x - circle->x, dy = y - circle->y;
            int ring = ring_at(sqrt(dx * dx + dy * dy) - circle->radius);
            if (ring < 0) continue;
            sector *s = &sectors[(int)((atan2(dy, dx) + pi) / (2 * pi) * SECTORS) % SECTORS];
            s->total[ring] += grey[(size_t)y * (size_t)width + (size_t)x];
            s->n[ring]++;
        }
}

/* Whether greys change more at the rim than further within; where they fade both are alike. */
static int is_edge(const sector *s) {
    const double least_step = 8;
    double beyond = s->total[BEYOND] / (double)s->n[BEYOND], within = s->total[WITHIN] / (double)s->n[WITHIN];
    double inside = s->total[INSIDE] / (double)s->n[INSIDE];
    return within - beyond >= least_step && within - beyond >= 2 * fabs(inside - within);
}

/* Whether at least a third of the circle is in the image, and three fifths of that are an edge: elsewhere the tissue at the
 * rim may be as dark as the surround. */
static int is_rim(const uint8_t *grey, int width, int height, const endo_field_info *circle) {
    sector sectors[SECTORS];
    int seen = 0, edges = 0;
    count_sectors(grey, width, height, circle, sectors);
    for (int k = 0; k < SECTORS; k++) {
        const sector *s = &sectors[k];
        if (!s->n[BEYOND] || !s->n[WITHIN] || !s->n[INSIDE]) continue;
        seen++;
        edges += is_edge(s);
    }
    return 3 * seen >= SECTORS && 5 * edges >= 3 * seen;
}

endo_status endo_field_dark_circle(const uint8_t *brightest, int width, int height, uint8_t *grey, uint8_t *region,
                                   endo_field_info *info) {
    endo_field_info found = {.shape = ENDO_FIELD_WHOLE};
    memset(region, 255, (size_t)width * (size_t)height);
    *info = found;
    if (!stretch(brightest, width, height, grey)) return ENDO_OK;
    const double smoothed = 2; /* px by which smoothing moves the rim outwards */
    endo_status status = endo_field_shape_of(grey, width, height, region, &found);
    if (status != ENDO_OK) return status;
    memset(region, 255, (size_t)width * (size_t)height);
    if (found.radius <= 0 || !is_rim(grey, width, height, &found)) return ENDO_OK;
    found.shape = ENDO_FIELD_CIRCLE;
    found.radius -= smoothed;
    endo_field_cut(region, width, height, found.x, found.y, found.radius);
    *info = found;
    return ENDO_OK;
}
