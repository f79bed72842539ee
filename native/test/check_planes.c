/* The check of planes and volumes: zero when made, then what was written, whatever the strides of the host's arrays;
 * what lies between and around them is left alone. */
#include "endo_check.h"

#define GUARD 64

static const int sizes[][3] = {{1, 1, 1}, {1, 37, 1},  {37, 1, 2},  {64, 3, 5},   {65, 47, 1},    {33, 31, 7},
                               {1, 1, 40}, {63, 2, 3}, {128, 64, 1}, {97, 61, 13}, {1000, 300, 2}};

#define N_SIZES ((int)(sizeof sizes / sizeof sizes[0]))
#define N_TYPES (ENDO_PLANE_COMPLEX + 1)

/* An array of the host's, with GUARD bytes of 0xc3 on either side; strides in elements. */
typedef struct host_array {
    uint8_t *memory;
    size_t bytes; /* with the guards */
    ptrdiff_t row, slice;
} host_array;

static host_array array_create(const endo_plane_format *f, int more_columns, int more_rows) {
    host_array a = {.row = f->width + more_columns, .slice = (ptrdiff_t)(f->width + more_columns) * (f->height + more_rows)};
    a.bytes = (size_t)a.slice * f->depth * endo_plane_element(f->type) + 2 * GUARD;
    a.memory = endo_alloc(a.bytes, 1);
    memset(a.memory, 0xc3, a.bytes);
    return a;
}

static uint8_t *row_of(const host_array *a, const endo_plane_format *f, int y, int z) {
    return a->memory + GUARD + (size_t)(z * a->slice + y * a->row) * endo_plane_element(f->type);
}

static void fill(const host_array *a, const endo_plane_format *f, test_random *random) {
    for (int z = 0; z < f->depth; z++)
        for (int y = 0; y < f->height; y++)
            for (size_t i = 0; i < f->width * endo_plane_element(f->type); i++)
                row_of(a, f, y, z)[i] = (uint8_t)(test_next(random) >> 24);
}

/* Fills `to` with what reading must leave there: the rows of `from`, or zeros. */
static void expect(const host_array *from, const host_array *to, const endo_plane_format *f) {
    size_t bytes = f->width * endo_plane_element(f->type);
    for (int z = 0; z < f->depth; z++)
        for (int y = 0; y < f->height; y++) {
            if (from)
                memcpy(row_of(to, f, y, z), row_of(from, f, y, z), bytes);
            else
                memset(row_of(to, f, y, z), 0, bytes);
        }
}

typedef struct plane_case {
    endo_plane_format format;
    host_array in, out, expected;
} plane_case;

static endo_status read_out(const endo_context *c, const void *plane, plane_case *p) {
    memset(p->out.memory, 0xc3, p->out.bytes);
    return c->kernels->planes->read(plane, p->out.memory + GUARD, p->out.row, p->out.slice);
}

/* NULL, or what went wrong. */
static const char *try_one(const endo_context *c, plane_case *p) {
    void *plane = NULL;
    const char *wrong = NULL;
    if (c->kernels->planes->create(c->backend, &p->format, &plane) != ENDO_OK) return endo_last_error();
    expect(NULL, &p->expected, &p->format);
    if (read_out(c, plane, p) != ENDO_OK) wrong = endo_last_error();
    else if (check_difference(p->out.memory, p->expected.memory, p->out.bytes) >= 0) wrong = "is not zero when made";
    expect(&p->in, &p->expected, &p->format);
    if (!wrong && c->kernels->planes->write(plane, p->in.memory + GUARD, p->in.row, p->in.slice) != ENDO_OK)
        wrong = endo_last_error();
    if (!wrong && read_out(c, plane, p) != ENDO_OK) wrong = endo_last_error();
    if (!wrong && check_difference(p->out.memory, p->expected.memory, p->out.bytes) >= 0)
        wrong = "is not read as it was written";
    c->kernels->planes->destroy(plane);
    return wrong;
}

static int check_format(check_rig *rig, const endo_plane_format *format, char *text, size_t size) {
    test_random *r = &rig->random;
    int more_columns = test_between(r, 0, 9), more_rows = test_between(r, 0, 3);
    plane_case p = {*format, array_create(format, test_between(r, 0, 9), test_between(r, 0, 3)),
                    array_create(format, more_columns, more_rows), array_create(format, more_columns, more_rows)};
    const endo_context *contexts[2] = {rig->reference_context, rig->tested_context};
    const char *wrong = NULL;
    fill(&p.in, format, r);
    for (int i = 0; i < 2 && !wrong; i++) wrong = try_one(contexts[i], &p);
    if (wrong)
        snprintf(text, size, "a plane of %d x %d x %d, type %d, %s", format->width, format->height, format->depth,
                 (int)format->type, wrong);
    endo_free(p.in.memory);
    endo_free(p.out.memory);
    endo_free(p.expected.memory);
    return wrong != NULL;
}

int check_planes(check_rig *rig, char *text, size_t size) {
    const int *s = sizes[rig->c->number % N_SIZES];
    int failed = 0;
    for (int type = 0; type < N_TYPES && !failed; type++) {
        endo_plane_format format = {(endo_plane_type)type, s[0], s[1], s[2]};
        failed = check_format(rig, &format, text, size);
    }
    return failed;
}
