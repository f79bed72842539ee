#include "field_bars.h"

#include <stddef.h>
#include <string.h>

/* A place is of the bar's grey if it is off by so many levels at most: four deviations of what compression leaves. */
#define NOISE 6
/* A line belongs to a bar if all but a 16th of it is of its grey: text and marks may stand there. */
#define MARKS 16
/* The bar ends where, so many lines on, less than half of a line is within twice the noise of its grey: shade and plain
 * tissue taper instead. */
#define EDGE 3

/* Fewer lines are no bar: a gap between fibres, say. */
#define LEAST 3

/* Lines parallel to a border, counted from there. */
typedef struct lines {
    uint8_t *first;          /* place of the first line */
    ptrdiff_t along, inward; /* to the next place, and to the next line */
    int length, n;
} lines;

static uint8_t median_of(const lines *l, int line) {
    int histogram[256] = {0}, below = 0, v = 0;
    const uint8_t *p = l->first + line * l->inward;
    for (int i = 0; i < l->length; i++) histogram[p[i * l->along]]++;
    while (2 * (below + histogram[v]) <= l->length) below += histogram[v++];
    return (uint8_t)v;
}

/* Places of a line that are off by so many levels at most. */
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
