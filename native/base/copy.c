/* Some rows a share (copy.h). */
#include "copy.h"

#include <string.h>

/* What a member of the crew takes at once: enough to be worth a turn, and little, so that all end at the same time. */
#define SHARE ((size_t)256 << 10)

typedef struct copy {
    uint8_t *to;
    const uint8_t *from;
    size_t to_pitch, from_pitch, row;
    int height, rows; /* of all, of a share */
} copy;

static void copy_share(void *job, size_t share, int member) {
    const copy *c = job;
    int first = (int)share * c->rows, end = c->height - first > c->rows ? first + c->rows : c->height;
    (void)member;
    for (int y = first; y < end; y++)
        memcpy(c->to + (size_t)y * c->to_pitch, c->from + (size_t)y * c->from_pitch, c->row);
}

void endo_copy_rows(endo_crew *crew, uint8_t *to, size_t to_pitch, const uint8_t *from, size_t from_pitch, size_t row,
                    int height) {
    int rows = row < SHARE ? (int)(SHARE / (row ? row : 1)) : 1;
    copy c = {to, from, to_pitch, from_pitch, row, height, rows < height ? rows : height};
    if (height > 0) endo_crew_run(crew, (size_t)((height + c.rows - 1) / c.rows), copy_share, &c);
}
