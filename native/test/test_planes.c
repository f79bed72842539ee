/* Arenas and planes of the CPU: how parts lie, what padding a plane has, what a failure leaves. */
#include "backends.h"

#include "cpu/planes.h"

#include <limits.h>
#include <string.h>

static int is_zero(const uint8_t *memory, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (memory[i]) return 0;
    return 1;
}

/* Parts of n, n + 7, n + 14 ... bytes: taken once to count, once to have. */
static void take_parts(cpu_arena *a, size_t n, uint8_t *parts[4]) {
    for (size_t i = 0; i < 4; i++) parts[i] = cpu_arena_take(a, n + 7 * i, 1);
}

static void test_arena(void) {
    cpu_arena a = {NULL, 0, 0};
    uint8_t *counted[4], *parts[4], *later[4];
    take_parts(&a, 61, counted);
    for (int i = 0; i < 4; i++) CHECK(counted[i] == NULL);
    CHECK(cpu_arena_grow(&a) == ENDO_OK);
    take_parts(&a, 61, parts);
    for (int i = 0; i < 4; i++) {
        CHECK(parts[i] != NULL && (uintptr_t)parts[i] % 64 == 0);
        CHECK(is_zero(parts[i], 61 + 7 * (size_t)i));
        if (i) CHECK(parts[i] >= parts[i - 1] + 61 + 7 * (i - 1));
        memset(parts[i], 1 + i, 61 + 7 * (size_t)i);
    }
    take_parts(&a, 5000, later);
    CHECK(later[0] == NULL && cpu_arena_grow(&a) == ENDO_OK);
    take_parts(&a, 5000, later);
    for (int i = 0; i < 4; i++) CHECK(later[i] != NULL && is_zero(later[i], 5000));
    for (int i = 0; i < 4; i++) CHECK(parts[i][0] == 1 + i && parts[i][60 + 7 * i] == 1 + i); /* where they were */
    cpu_arena_free(&a);
    CHECK(a.last == NULL);
    cpu_arena_free(&a); /* empty: nothing to do */
}

/* A part that would fit what is left does not overtake one that has to wait. */
static void test_arena_order(void) {
    cpu_arena a = {NULL, 0, 0};
    CHECK(cpu_arena_take(&a, 1000, 1) == NULL && cpu_arena_grow(&a) == ENDO_OK);
    CHECK(cpu_arena_take(&a, 64, 1) != NULL);
    CHECK(cpu_arena_take(&a, 5000, 1) == NULL && cpu_arena_take(&a, 64, 1) == NULL);
    CHECK(cpu_arena_grow(&a) == ENDO_OK);
    uint8_t *large = cpu_arena_take(&a, 5000, 1), *small = cpu_arena_take(&a, 64, 1);
    CHECK(large != NULL && small == large + 5056);
    cpu_arena_free(&a);
}

/* More than there is: refused, and the arena goes on as if nobody had asked. */
static void test_arena_refuses(void) {
    static const size_t sizes[][2] = {{SIZE_MAX, 1}, {SIZE_MAX / 2, 2}, {SIZE_MAX / 8, 16}, {(size_t)1 << 60, 1}};
    cpu_arena a = {NULL, 0, 0};
    for (int i = 0; i < 4; i++) {
        CHECK(cpu_arena_take(&a, sizes[i][0], sizes[i][1]) == NULL);
        CHECK(cpu_arena_take(&a, SIZE_MAX / 2, 1) == NULL);
        CHECK(cpu_arena_grow(&a) == ENDO_ERR_MEMORY);
        CHECK(a.last == NULL && a.counted == 0);
    }
    CHECK(cpu_arena_take(&a, 100, 1) == NULL && cpu_arena_grow(&a) == ENDO_OK);
    CHECK(cpu_arena_take(&a, 100, 1) != NULL);
    cpu_arena_free(&a);
}

static void test_padding(void) {
    static const endo_plane_format formats[] = {{ENDO_PLANE_U8, 1, 1, 1}, {ENDO_PLANE_U8, 63, 5, 2},
                                                {ENDO_PLANE_S16, 64, 5, 3}, {ENDO_PLANE_COMPLEX, 130, 7, 2}};
    for (int i = 0; i < 8; i++) {
        const endo_plane_format *f = &formats[i / 2];
        int edge = i % 2;
        cpu_arena a = {NULL, 0, 0};
        cpu_plane_take(&a, f, edge);
        CHECK(cpu_arena_grow(&a) == ENDO_OK);
        cpu_plane p = cpu_plane_take(&a, f, edge);
        size_t element = endo_plane_element(f->type);
        CHECK(p.stride >= f->width + edge && p.stride < f->width + edge + 64 && p.stride % 64 == 0);
        CHECK(p.slice >= p.stride * (f->height + edge) + 64);
        for (int z = 0; z < f->depth; z++) CHECK((uintptr_t)cpu_plane_slice(&p, z) % 64 == 0);
        CHECK(is_zero(cpu_plane_slice(&p, f->depth - 1), (size_t)p.slice * element)); /* all of it may be read */
        memset(cpu_plane_slice(&p, f->depth - 1), 9, (size_t)p.slice * element);
        cpu_arena_free(&a);
    }
}

/* Bytes that no number of 64 bits counts, and more than there are. */
static void test_too_large(const endo_context *c) {
    static const endo_plane_format formats[] = {{ENDO_PLANE_COMPLEX, INT_MAX, INT_MAX, INT_MAX},
                                                {ENDO_PLANE_COMPLEX, INT_MAX, INT_MAX, 1},
                                                {ENDO_PLANE_U8, INT_MAX, INT_MAX, 1}};
    for (int i = 0; i < 3; i++) {
        void *plane = (void *)&formats;
        CHECK(c->kernels->planes->create(c->backend, &formats[i], &plane) == ENDO_ERR_MEMORY);
        CHECK(plane == (void *)&formats);
    }
}

static void test_types(void) {
    CHECK(endo_plane_element(ENDO_PLANE_U8) == 1 && endo_plane_element(ENDO_PLANE_U16) == 2);
    CHECK(endo_plane_element(ENDO_PLANE_S16) == 2 && endo_plane_element(ENDO_PLANE_U32) == 4);
    CHECK(endo_plane_element(ENDO_PLANE_F32) == 4 && endo_plane_element(ENDO_PLANE_COMPLEX) == 8);
    CHECK(endo_plane_element((endo_plane_type)99) == 0);
}

int main(void) {
    test_types();
    test_arena();
    test_arena_order();
    test_arena_refuses();
    test_padding();
    for (int i = 0; i < TEST_BACKENDS; i++) {
        endo_context *context = test_open(i);
        if (!context) continue;
        test_too_large(context);
        endo_context_destroy(&context);
    }
    return check_summary("test_planes");
}
