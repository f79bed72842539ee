#include "field_bars.h"

#include <stddef.h>
#include <string.h>

/* Most grey levels by which a pixel of a bar differs from its grey: four deviations of the noise of compression. */
#define NOISE 6
/* A line belongs to a bar if all but a 16th of it has its grey: there may be text and marks. */
#define MARKS 16
/* A bar must end in an edge: so many lines on, less than half of a line is within twice the noise of its grey. Shade and plain
 * tissue fade instead. */
#define EDGE 3

/* Fewest lines of a bar: fewer may be a gap between fibres. */
#define LEAST 3

/* Lines parallel to a border, counted from there. */
typedef struct lines {
    uint8_t *first;          /* first pixel of the first line */
    ptrdiff_t along, inward; /* offset of the next pixel, and of the next line */
    int length, n;
} lines;

static uint8_t median_of(const lines *l, int line) {
    int histogram[256] = {0}, below = 0, v = 0;
    const uint8_t *p = l->first + line * l->inward;
    for (int i = 0; i < l->length; i++) histogram[p[i * l->along]]++;
    while (2 * (below + histogram[v]) <= l->length) below += histogram[v++];
    return (uint8_t)v;
}

/* Pixels of a line that differ from a grey by so many levels at most. */
static int count_alike(const lines *l, int line, int grey, int most) {
    const uint8_t *p = l->first + line * l->inward;
    int n = 0;
    for (int i = 0; i < l->length; i++) {
        int off = p[i * l->along] - grey;
        n += off <= most && off >= -most;
    }
    return n;
}

/* Lines of the bar; 0: there is none. */
static int thickness(const lines *l) {
    if (l->length == 0 || l->n == 0) return 0;
    int grey = median_of(l, 0), n = 0;
    while (n < l->n && MARKS * (l->length - count_alike(l, n, grey, NOISE)) <= l->length) n++;
    if (n < LEAST || n + EDGE > l->n) return 0;
    return 2 * count_alike(l, n + EDGE - 1, grey, 2 * NOISE) < l->length ? n : 0;
}

void endo_field_blacken_bars(uint8_t *grey, int width, int height) {
    lines top = {grey, 1, width, width, height};
    lines bottom = {grey + (ptrdiff_t)(height - 1) * width, 1, -width, width, height};
    int above = thickness(&top), below = thickness(&bottom), rest = height - above - below;
    uint8_t *first = grey + (ptrdiff_t)above * width;
    if (rest <= 0) return;
    lines left = {first, width, 1, rest, width};
    lines right = {first + width - 1, width, -1, rest, width};
    int before = thickness(&left), behind = thickness(&right);
    if (before + behind >= width) return;
    memset(grey, 0, (size_t)above * (size_t)width);
    memset(first + (ptrdiff_t)rest * width, 0, (size_t)below * (size_t)width);
    for (int y = 0; y < rest; y++) {
        memset(first + (ptrdiff_t)y * width, 0, (size_t)before);
        memset(first + (ptrdiff_t)(y + 1) * width - behind, 0, (size_t)behind);
    }
}
