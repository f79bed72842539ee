/* The demo's tissue: noise in eleven octaves for shade, redness, mottling and grain, lit from one
 * side like a wet surface, with trees of arteries and veins and a few spots.
 *
 * While the scene is made its pixels hold coverages (artery, vein, pallor), drawn first; the
 * colouring then replaces them in place, so that a scene costs four bytes a pixel. */
#include "demo_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "demo_numbers.h"

enum { ARTERY, VEIN, PALLOR, CHANNELS = 4 };

/* ------------------------------------------------------------------- noise */

enum { SHADE, REDNESS, MOTTLE, GRAIN, LAYERS };

/* Cells in pixels; no two are multiples, lest the lattices line up. The finest still spans more
 * than two pixels: the scene stays band-limited enough to be sampled bicubically. */
static const struct {
    int layer;
    double cell;
    float weight;
} octave_table[] = {
    {SHADE, 467.0, 0.8f},   {SHADE, 181.3, 0.6f},  {REDNESS, 311.7, 0.7f}, {REDNESS, 127.1, 0.6f},
    {REDNESS, 53.9, 0.4f},  {MOTTLE, 61.3, 0.5f},  {MOTTLE, 29.7, 0.6f},   {MOTTLE, 14.9, 0.6f},
    {GRAIN, 8.3, 0.6f},     {GRAIN, 4.7, 0.6f},    {GRAIN, 2.9, 0.5f},
};
enum { OCTAVES = sizeof octave_table / sizeof *octave_table };

/* Cubic B-spline noise on a square lattice, prepared for rows of one width. */
typedef struct octave {
    double cell;
    uint32_t key;
    int columns;
    int *column;        /* width: first of the four lattice columns */
    float (*weight)[4]; /* width: their weights */
} octave;

static void spline_weights(float t, float weight[4]) {
    float s = 1.0f - t;
    weight[0] = s * s * s * (1.0f / 6.0f);
    weight[1] = (4.0f - 6.0f * t * t + 3.0f * t * t * t) * (1.0f / 6.0f);
    weight[2] = (4.0f - 6.0f * s * s + 3.0f * s * s * s) * (1.0f / 6.0f);
    weight[3] = t * t * t * (1.0f / 6.0f);
}

static int octave_create(octave *o, double cell, int width, uint64_t seed) {
    o->cell = cell;
    o->key = (uint32_t)demo_mix(seed);
    o->columns = (int)(width / cell) + 5;
    o->column = endo_alloc((size_t)width, sizeof *o->column);
    o->weight = endo_alloc((size_t)width, sizeof *o->weight);
    if (!o->column || !o->weight) return 0;
    for (int x = 0; x < width; x++) {
        double position = x / cell;
        o->column[x] = (int)position;
        spline_weights((float)(position - (int)position), o->weight[x]);
    }
    return 1;
}

static void octave_destroy(octave *o) {
    endo_free(o->column);
    endo_free(o->weight);
}

/* Uniform in -1..1. */
static inline float lattice_value(uint32_t row_key, uint32_t column) {
    uint32_t h = column * 0x9E3779B1u ^ row_key;
    h = (h ^ (h >> 16)) * 0x7FEB352Du;
    h = (h ^ (h >> 15)) * 0x846CA68Bu;
    return (float)(int32_t)(h ^ (h >> 16)) * (1.0f / 2147483648.0f);
}

/* out[] += weight * noise of row y, whose standard deviation is about 1. */
static void octave_add_row(const octave *o, int y, float weight, float *lattice, int width, float *out) {
    double position = y / o->cell;
    uint32_t key[4];
    float vertical[4];
    spline_weights((float)(position - (int)position), vertical);
    for (int k = 0; k < 4; k++) {
        key[k] = (uint32_t)demo_mix(((uint64_t)o->key << 32) | (uint32_t)((int)position + k));
        vertical[k] *= 3.6f * weight; /* 3.6: the spline averages the spread of the lattice away */
    }
    for (int i = 0; i < o->columns; i++)
        lattice[i] = vertical[0] * lattice_value(key[0], (uint32_t)i) +
                     vertical[1] * lattice_value(key[1], (uint32_t)i) +
                     vertical[2] * lattice_value(key[2], (uint32_t)i) +
                     vertical[3] * lattice_value(key[3], (uint32_t)i);
    for (int x = 0; x < width; x++) {
        const float *v = lattice + o->column[x], *w = o->weight[x];
        out[x] += v[0] * w[0] + v[1] * w[1] + v[2] * w[2] + v[3] * w[3];
    }
}

/* ----------------------------------------------------------------- vessels */

static inline float smooth_step(float t) {
    if (t <= 0.0f) return 0.0f;
    if (t >= 1.0f) return 1.0f;
    return t * t * (3.0f - 2.0f * t);
}

typedef struct stroke {
    float x0, y0, x1, y1;
    float radius, edge; /* edge: width over which the coverage falls from 1 to 0 */
    float strength;     /* coverage inside, 0..1 */
    int channel;
} stroke;

/* Raises the coverage of the pixels near a line segment. The maximum is taken: overlapping
 * strokes of one vessel join without a seam. */
static void draw_stroke(demo_scene *scene, const stroke *s) {
    float reach = s->radius + 0.5f * s->edge;
    float left = fminf(s->x0, s->x1) - reach, right = fmaxf(s->x0, s->x1) + reach;
    float top = fminf(s->y0, s->y1) - reach, bottom = fmaxf(s->y0, s->y1) + reach;
    if (right < 0 || bottom < 0 || left > (float)scene->width || top > (float)scene->height) return;
    int x_first = left > 0 ? (int)left : 0, y_first = top > 0 ? (int)top : 0;
    int x_last = right < (float)scene->width - 1 ? (int)right : scene->width - 1;
    int y_last = bottom < (float)scene->height - 1 ? (int)bottom : scene->height - 1;
    float dx = s->x1 - s->x0, dy = s->y1 - s->y0;
    float inverse = 1.0f / (dx * dx + dy * dy + 1e-6f);
    for (int y = y_first; y <= y_last; y++) {
        uint8_t *row = scene->pixels + ((size_t)y * (size_t)scene->width) * CHANNELS + s->channel;
        for (int x = x_first; x <= x_last; x++) {
            float px = (float)x - s->x0, py = (float)y - s->y0;
            float t = (px * dx + py * dy) * inverse;
            t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
            float ex = px - t * dx, ey = py - t * dy;
            float squared = ex * ex + ey * ey;
            if (squared >= reach * reach) continue;
            float cover = s->strength * smooth_step((reach - sqrtf(squared)) / s->edge);
            uint8_t value = (uint8_t)(255.0f * cover + 0.5f);
            if (value > row[(size_t)x * CHANNELS]) row[(size_t)x * CHANNELS] = value;
        }
    }
}

typedef struct branch {
    float x, y, dx, dy; /* tip and unit direction */
    float aim_x, aim_y; /* unit direction that its wandering returns to */
    float radius;
    float grown; /* length of the vessel up to here; it surfaces over the first stretch */
} branch;

enum { BRANCH_STACK = 128 };

/* A child leaves at 25 to 60 degrees to one side (-1 or 1). */
static branch fork_branch(const branch *parent, float side, uint64_t *random) {
    float tangent = side * (0.45f + 0.9f * demo_random(random));
    float norm = 1.0f / sqrtf(1.0f + tangent * tangent);
    branch child = *parent;
    child.dx = (parent->dx - tangent * parent->dy) * norm;
    child.dy = (parent->dy + tangent * parent->dx) * norm;
    child.aim_x = child.dx;
    child.aim_y = child.dy;
    child.radius *= 0.45f + 0.4f * demo_random(random);
    return child;
}

static void draw_vessel_step(demo_scene *scene, const branch *b, float length, int channel) {
    float thin = b->radius < 0.9f ? b->radius / 0.9f : 1.0f;
    stroke s = {
        .x0 = b->x,
        .y0 = b->y,
        .x1 = b->x + b->dx * length,
        .y1 = b->y + b->dy * length,
        .radius = b->radius,
        .edge = channel == VEIN ? 2.2f + 0.9f * b->radius : 1.5f + 0.6f * b->radius,
        .strength = thin * smooth_step(0.1f + b->grown * (1.0f / 120.0f)),
        .channel = channel,
    };
    draw_stroke(scene, &s);
}

/* Grows one branch to its end: a walk whose curvature wanders, thinner step by step. */
static void grow_branch(demo_scene *scene, branch b, int channel, branch *stack, int *depth,
                        uint64_t *random) {
    float curvature = 0.0f, side = demo_random(random) < 0.5f ? 1.0f : -1.0f;
    float until_fork = (12.0f + 22.0f * demo_random(random)) * (0.6f + b.radius);
    while (b.radius > 0.4f) {
        float length = 1.5f + 0.5f * b.radius;
        float astray = b.dx * b.aim_y - b.dy * b.aim_x;
        curvature = 0.92f * curvature + (demo_random(random) - 0.5f) * 0.12f / (0.8f + 0.2f * b.radius);
        float turn = length * (0.5f * curvature + 0.06f * astray);
        float dx = b.dx - turn * b.dy, dy = b.dy + turn * b.dx;
        float norm = 1.0f / sqrtf(dx * dx + dy * dy);
        b.dx = dx * norm;
        b.dy = dy * norm;
        draw_vessel_step(scene, &b, length, channel);
        b.x += b.dx * length;
        b.y += b.dy * length;
        b.grown += length;
        b.radius -= length * (0.0018f + 0.0011f * b.radius);
        until_fork -= length;
        if (until_fork > 0.0f || *depth == BRANCH_STACK) continue;
        until_fork = (12.0f + 22.0f * demo_random(random)) * (0.6f + b.radius);
        stack[(*depth)++] = fork_branch(&b, side, random);
        curvature -= side * 0.05f / length; /* the parent gives way to the other side */
        b.radius *= 0.93f;
        side = demo_random(random) < 0.8f ? -side : side;
    }
}

static void grow_tree(demo_scene *scene, branch root, int channel, uint64_t *random) {
    branch stack[BRANCH_STACK];
    int depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
        branch next = stack[--depth];
        grow_branch(scene, next, channel, stack, &depth, random);
    }
}

/* Numbers are drawn one statement at a time: C leaves the order within an initializer open. */
static branch plant_root(float left, float top, float cell, uint64_t *random) {
    branch root = {0};
    float size = demo_random(random), angle = demo_random(random);
    root.x = left + cell * demo_random(random);
    root.y = top + cell * demo_random(random);
    root.dx = root.aim_x = (float)demo_cos(angle);
    root.dy = root.aim_y = (float)demo_sin(angle);
    root.radius = 0.9f + 1.2f * size + 3.2f * size * size * size * size; /* large trees are rare */
    return root;
}

/* One root in every cell of a coarse grid, beyond the borders too. */
static void draw_vessels(demo_scene *scene, uint64_t seed) {
    const int cell = 170;
    for (int cy = -1; cy <= scene->height / cell + 1; cy++)
        for (int cx = -1; cx <= scene->width / cell + 1; cx++) {
            uint64_t random = demo_mix(seed ^ ((uint64_t)(uint32_t)cy << 32 | (uint32_t)cx));
            branch root = plant_root((float)(cx * cell), (float)(cy * cell), (float)cell, &random);
            int channel = demo_random(&random) < 0.42f ? VEIN : ARTERY;
            if (channel == VEIN) root.radius *= 1.25f;
            grow_tree(scene, root, channel, &random);
        }
}

static void draw_spots(demo_scene *scene, uint64_t seed) {
    uint64_t random = demo_mix(seed);
    int count = (int)((double)scene->width * scene->height / 40000.0) + 2;
    for (int i = 0; i < count; i++) {
        float x = demo_random(&random) * (float)scene->width;
        float y = demo_random(&random) * (float)scene->height;
        int red = demo_random(&random) < 0.4f;
        float size = demo_random(&random), tilt = demo_random(&random) - 0.5f;
        float radius = red ? 1.0f + 1.8f * size : 2.0f + 5.0f * size;
        stroke s = {
            .x0 = x,
            .y0 = y,
            .x1 = x + radius * tilt,
            .y1 = y + radius * (0.5f - size),
            .radius = radius,
            .edge = 1.5f + radius,
            .strength = 0.35f + 0.4f * demo_random(&random),
            .channel = red ? ARTERY : PALLOR,
        };
        draw_stroke(scene, &s);
    }
}

/* ----------------------------------------------------------------- colours */

/* Workspace of one thread that colours rows. */
typedef struct painter {
    const octave *octaves;
    float *lattice;
    float *layer[LAYERS];
    float *height_above; /* surface of the row above, for the relief */
    float *block;
} painter;

static int painter_create(painter *p, const octave *octaves, int width) {
    size_t lattice = 0;
    for (int k = 0; k < OCTAVES; k++)
        if ((size_t)octaves[k].columns > lattice) lattice = (size_t)octaves[k].columns;
    p->octaves = octaves;
    p->block = endo_alloc(lattice + (size_t)width * (LAYERS + 1), sizeof(float));
    if (!p->block) return 0;
    p->lattice = p->block;
    for (int k = 0; k < LAYERS; k++) p->layer[k] = p->block + lattice + (size_t)k * (size_t)width;
    p->height_above = p->block + lattice + (size_t)LAYERS * (size_t)width;
    return 1;
}

static void fill_layers(painter *p, int y, int width) {
    for (int k = 0; k < LAYERS; k++) memset(p->layer[k], 0, (size_t)width * sizeof(float));
    for (int k = 0; k < OCTAVES; k++)
        octave_add_row(&p->octaves[k], y, octave_table[k].weight, p->lattice, width,
                       p->layer[octave_table[k].layer]);
}

static inline float surface(const painter *p, int x) {
    return 1.3f * p->layer[MOTTLE][x] + 0.62f * p->layer[GRAIN][x];
}

static inline uint8_t to_byte(float v) { return v <= 0.0f ? 0 : v >= 255.0f ? 255 : (uint8_t)(v + 0.5f); }

/* Coverages in, colour out. */
static void colour_pixel(const painter *p, int x, float slope, uint8_t *pixel) {
    static const float pale[3] = {229.0f, 163.0f, 145.0f}, red[3] = {201.0f, 97.0f, 86.0f};
    static const float through[3][3] = {
        {0.76f, 0.34f, 0.36f}, {0.60f, 0.50f, 0.62f}, {1.10f, 1.22f, 1.16f}};
    float blush = smooth_step(0.48f + 0.17f * p->layer[REDNESS][x] + 0.05f * p->layer[MOTTLE][x]);
    float light = 1.0f + 0.06f * p->layer[SHADE][x] + 0.06f * slope;
    /* Blood: what is darker is redder too. */
    float blood = 1.0f + 0.030f * p->layer[MOTTLE][x] + 0.036f * p->layer[GRAIN][x];
    float tint[3] = {light * (0.5f + 0.5f * blood), light * blood * blood,
                     light * blood * (0.3f + 0.7f * blood)};
    float cover[3] = {pixel[ARTERY] * (0.80f / 255.0f), pixel[VEIN] * (0.72f / 255.0f),
                      pixel[PALLOR] * (0.7f / 255.0f)};
    for (int c = 0; c < 3; c++) {
        float value = (pale[c] + blush * (red[c] - pale[c])) * tint[c];
        for (int k = 0; k < 3; k++) value *= 1.0f + cover[k] * (through[k][c] - 1.0f);
        pixel[c] = to_byte(value);
    }
    pixel[3] = 0;
}

/* Rows first .. last-1; the row above `first` is made only for its surface. */
static void colour_rows(demo_scene *scene, painter *p, int first, int last) {
    int width = scene->width;
    fill_layers(p, first > 0 ? first - 1 : 0, width);
    for (int x = 0; x < width; x++) p->height_above[x] = surface(p, x);
    for (int y = first; y < last; y++) {
        uint8_t *row = scene->pixels + (size_t)y * (size_t)width * CHANNELS;
        fill_layers(p, y, width);
        float upper_left = p->height_above[0];
        for (int x = 0; x < width; x++) {
            float height = surface(p, x), slope = height - upper_left;
            upper_left = p->height_above[x];
            p->height_above[x] = height;
            colour_pixel(p, x, slope, row + (size_t)x * CHANNELS);
        }
    }
}

/* Bands of rows are independent; each is the same whoever colours it. */
static int colour_scene(demo_scene *scene, const octave *octaves, int threads) {
    enum { BAND = 32 };
    int bands = (scene->height + BAND - 1) / BAND, failed = 0;
#pragma omp parallel num_threads(threads) reduction(| : failed)
    {
        painter p;
        int ready = painter_create(&p, octaves, scene->width);
        failed = !ready;
#pragma omp for schedule(dynamic, 1)
        for (int band = 0; band < bands; band++) {
            int last = (band + 1) * BAND < scene->height ? (band + 1) * BAND : scene->height;
            if (ready) colour_rows(scene, &p, band * BAND, last);
        }
        if (ready) endo_free(p.block);
    }
    return !failed;
}

endo_status demo_scene_create(int width, int height, uint64_t seed, int threads, demo_scene *out) {
    demo_scene scene = {NULL, width, height};
    octave octaves[OCTAVES] = {{0}};
    int ready = 1;
    for (int k = 0; k < OCTAVES && ready; k++)
        ready = octave_create(&octaves[k], octave_table[k].cell, width, seed + (uint64_t)k);
    if (ready) scene.pixels = endo_alloc_zeroed((size_t)width * (size_t)height, CHANNELS);
    ready = ready && scene.pixels;
    if (ready) {
        draw_vessels(&scene, demo_mix(seed ^ 0x76657373656C73u));
        draw_spots(&scene, demo_mix(seed ^ 0x73706F7473u));
        ready = colour_scene(&scene, octaves, threads);
    }
    for (int k = 0; k < OCTAVES; k++) octave_destroy(&octaves[k]);
    if (!ready) {
        demo_scene_destroy(&scene);
        return endo_fail(ENDO_ERR_MEMORY, "demo: out of memory for a scene of %d x %d pixels", width, height);
    }
    *out = scene;
    return ENDO_OK;
}

void demo_scene_destroy(demo_scene *scene) {
    endo_free(scene->pixels);
    scene->pixels = NULL;
}
