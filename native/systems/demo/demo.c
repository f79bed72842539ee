/* Demo sequence: a scope moves over a synthetic scene (demo_scene.c) along a known path.
 *
 * Frame i sees the scene through a similarity T_i (frame -> scene), so its truth is inv(T_0) T_i.
 * A pixel is the scene sampled bicubically, times vignetting and brightness of the frame, under the
 * scope's highlights, cut by the circular field, with noise from a hash of (seed, frame, pixel,
 * channel): no pixel depends on the order or number of threads. */
#include "demo.h"

#include "base/memory.h"
#include "base/openmp.h"
#include "base/status.h"
#include "base/transform.h"
#include "demo_path.h"
#include "demo_scene.h"

#include <math.h>
#include <string.h>

/* Red, green, blue and a spare, so that one vector is one pixel. */
typedef float pixel4 __attribute__((vector_size(16)));
typedef uint8_t bytes4 __attribute__((vector_size(4)));

enum { LOBES = 6 };

/* A highlight at rest: lobes around a centre, in units of the field's radius. */
typedef struct highlight {
    float x, y;
    float phase[4]; /* phases of its wandering, turns */
    float lobe_x[LOBES], lobe_y[LOBES], lobe_radius[LOBES];
} highlight;

struct endo_demo {
    endo_demo_options options;
    int threads;
    double centre_x, centre_y, radius; /* the field, in frame pixels */
    camera *cameras;
    highlight *highlights;
    demo_scene scene;
};

/* ------------------------------------------------------------------- scene */

/* Moves the path so that all it sees lies in a scene that starts at 0, 0, and sizes the scene. */
static endo_status fit_scene(endo_demo *demo, int *width, int *height) {
    const endo_demo_options *p = &demo->options;
    double corner = 0.5 * sqrt((double)p->width * p->width + (double)p->height * p->height);
    double reach = demo->radius + 2.0 < corner ? demo->radius + 2.0 : corner;
    double left = 0, right = 0, top = 0, bottom = 0;
    for (int i = 0; i < p->frames; i++) {
        const camera *c = &demo->cameras[i];
        double r = reach * c->scale + 3.0; /* 3: the taps of the interpolation */
        if (i == 0 || c->x - r < left) left = c->x - r;
        if (i == 0 || c->x + r > right) right = c->x + r;
        if (i == 0 || c->y - r < top) top = c->y - r;
        if (i == 0 || c->y + r > bottom) bottom = c->y + r;
    }
    double w = right - left + 1.0, h = bottom - top + 1.0;
    if (w * h > DEMO_SCENE_LIMIT)
        return endo_fail(ENDO_ERR_MEMORY,
                         "demo: the path needs a scene of %.0f x %.0f pixels, at most %.0f million are "
                         "allowed: take fewer frames, a smaller step or another path",
                         w, h, DEMO_SCENE_LIMIT / 1e6);
    for (int i = 0; i < p->frames; i++) {
        demo->cameras[i].x -= left;
        demo->cameras[i].y -= top;
    }
    *width = (int)w + 1;
    *height = (int)h + 1;
    return ENDO_OK;
}

/* -------------------------------------------------------------- highlights */

/* Elongated blobs, most of them small, kept off the rim. */
static void scatter_highlights(endo_demo *demo) {
    uint64_t random = demo_mix(demo->options.seed ^ 0x676C616E6365u);
    for (int i = 0; i < demo->options.highlights; i++) {
        highlight *h = &demo->highlights[i];
        double angle = demo_random(&random), distance = 0.82 * sqrt(demo_random(&random));
        float u = demo_random(&random), size = 0.009f + 0.032f * u * u * u;
        float lie = demo_random(&random), dx = (float)demo_cos(lie), dy = (float)demo_sin(lie);
        h->x = (float)(distance * demo_cos(angle));
        h->y = (float)(distance * demo_sin(angle));
        for (int k = 0; k < 4; k++) h->phase[k] = demo_random(&random);
        for (int k = 0; k < LOBES; k++) {
            float along = 1.7f * size * (2.0f * demo_random(&random) - 1.0f);
            float across = 1.1f * size * (demo_random(&random) - 0.5f);
            h->lobe_x[k] = along * dx - across * dy;
            h->lobe_y[k] = along * dy + across * dx;
            h->lobe_radius[k] = size * (0.8f + 0.7f * demo_random(&random));
        }
    }
}

/* The centre of a highlight in one frame, px: it wanders over some 3 % of the radius with periods of 30 to 80 frames. */
static void wander(const endo_demo *demo, const highlight *h, int index, float *x, float *y) {
    double dx = demo_sin(index / 47.0 + h->phase[0]) + 0.5 * demo_sin(index / 29.0 + h->phase[1]);
    double dy = demo_sin(index / 79.0 + h->phase[2]) + 0.5 * demo_sin(index / 31.0 + h->phase[3]);
    *x = (float)(demo->centre_x + demo->radius * (h->x + 0.03 * dx));
    *y = (float)(demo->centre_y + demo->radius * (h->y + 0.03 * dy));
}

/* Share of a pixel at (x, y) from its centre, in radii, that a highlight covers: a saturated core in a glow. */
static float shine(const highlight *h, float x, float y) {
    float sum = 0.0f;
    for (int k = 0; k < LOBES; k++) {
        float dx = x - h->lobe_x[k], dy = y - h->lobe_y[k], r = h->lobe_radius[k];
        float t = 1.0f - (dx * dx + dy * dy) / (r * r);
        if (t > 0.0f) sum += t * t;
    }
    float glow = 0.3f * (sum < 1.0f ? sum : 1.0f), t = (sum - 0.45f) * 1.3f;
    float core = t <= 0.0f ? 0.0f : t >= 1.0f ? 1.0f : t * t * (3.0f - 2.0f * t);
    return core + (1.0f - core) * glow;
}

static void add_highlights(const endo_demo *demo, int index, int y, pixel4 *row) {
    float radius = (float)demo->radius;
    for (int i = 0; i < demo->options.highlights; i++) {
        const highlight *h = &demo->highlights[i];
        float hx, hy, reach = 0.18f * radius; /* no lobe ends farther from the centre */
        wander(demo, h, index, &hx, &hy);
        if ((float)y < hy - reach || (float)y > hy + reach) continue;
        int first = hx > reach ? (int)(hx - reach) : 0;
        int last = hx + reach < (float)demo->options.width - 1 ? (int)(hx + reach) : demo->options.width - 1;
        for (int x = first; x <= last; x++) {
            float cover = shine(h, ((float)x - hx) / radius, ((float)y - hy) / radius);
            row[x] += cover * ((pixel4){255.0f, 252.0f, 248.0f, 0.0f} - row[x]);
        }
    }
}

/* --------------------------------------------------------------- rendering */

static inline pixel4 load_pixel(const uint8_t *p) {
    bytes4 bytes;
    memcpy(&bytes, p, sizeof bytes);
    return __builtin_convertvector(bytes, pixel4);
}

static inline void catmull_rom(float t, float w[4]) {
    w[0] = t * (-0.5f + t * (1.0f - 0.5f * t));
    w[1] = 1.0f + t * t * (-2.5f + 1.5f * t);
    w[2] = t * (0.5f + t * (2.0f - 1.5f * t));
    w[3] = t * t * (-0.5f + 0.5f * t);
}

/* Samples the scene. x, y are at least 1 and two pixels inside the far borders: fit_scene() ensures that. */
static inline pixel4 sample_scene(const demo_scene *scene, double x, double y) {
    int ix = (int)x, iy = (int)y;
    float wx[4], wy[4];
    catmull_rom((float)(x - ix), wx);
    catmull_rom((float)(y - iy), wy);
    size_t pitch = 4 * (size_t)scene->width;
    const uint8_t *p = scene->pixels + (size_t)(iy - 1) * pitch + 4 * (size_t)(ix - 1);
    pixel4 sum = {0};
    for (int k = 0; k < 4; k++, p += pitch)
        sum += wy[k] * (wx[0] * load_pixel(p) + wx[1] * load_pixel(p + 4) + wx[2] * load_pixel(p + 8) +
                        wx[3] * load_pixel(p + 12));
    return sum;
}

/* 1 in the field, 0 outside, across a soft edge of 1.5 pixels. */
static inline float field_cover(const endo_demo *demo, double squared) {
    const double edge = 1.5;
    if (squared <= demo->radius * demo->radius) return 1.0f;
    if (squared >= (demo->radius + edge) * (demo->radius + edge)) return 0.0f;
    return (float)((demo->radius + edge - sqrt(squared)) / edge);
}

/* Scene, vignetting and brightness of one row; cover[] gets the field. */
static void sample_row(const endo_demo *demo, int index, int y, float gain, pixel4 *row, float *cover) {
    const camera *c = &demo->cameras[index];
    double a = c->scale * c->cosine, b = c->scale * c->sine, dy = y - demo->centre_y;
    double inverse = 1.0 / (demo->radius * demo->radius);
    for (int x = 0; x < demo->options.width; x++) {
        double dx = x - demo->centre_x, squared = dx * dx + dy * dy;
        row[x] = (pixel4){0};
        cover[x] = field_cover(demo, squared);
        if (cover[x] == 0.0f) continue;
        float q = (float)(squared * inverse);
        float light = gain * (1.0f - q * (0.30f + 0.26f * q));
        row[x] = light * sample_scene(&demo->scene, c->x + a * dx - b * dy, c->y + b * dx + a * dy);
    }
}

/* About normal, mean 0, standard deviation 1: four bytes of a hash, added. */
static inline float noise_at(uint32_t counter, uint32_t key0, uint32_t key1) {
    uint32_t h = counter ^ key0;
    h = (h ^ (h >> 16)) * 0x7FEB352Du;
    h = ((h ^ (h >> 15)) + key1) * 0x846CA68Bu;
    h ^= h >> 16;
    int sum = (int)(h & 255) + (int)(h >> 8 & 255) + (int)(h >> 16 & 255) + (int)(h >> 24);
    return (float)(sum - 510) * (1.0f / 147.80f); /* sqrt(4 * (256^2 - 1) / 12) */
}

/* Field, noise and rounding. Outside the field: nearly black whatever the noise. */
static void finish_row(const endo_demo *demo, uint64_t key, int y, const pixel4 *row, const float *cover,
                       uint32_t *pixels) {
    const float dark = 2.0f, noise = (float)demo->options.noise, dark_noise = noise < 1.0f ? noise : 1.0f;
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
    uint32_t counter = 3 * (uint32_t)y * (uint32_t)demo->options.width;
    for (int x = 0; x < demo->options.width; x++, counter += 3) {
        float in = cover[x], spread = dark_noise + in * (noise - dark_noise);
        int high = in > 0.0f ? 255 : 6, value[3];
        for (uint32_t c = 0; c < 3; c++) {
            float v = dark + in * (row[x][c] - dark) + spread * noise_at(counter + c, key0, key1);
            int level = (int)(v + 0.5f);
            value[c] = v < 0.0f ? 0 : level > high ? high : level;
        }
        pixels[x] = 0xFF000000u | (uint32_t)value[0] << 16 | (uint32_t)value[1] << 8 | (uint32_t)value[2];
    }
}

endo_status endo_demo_draw(const endo_demo *demo, int index, uint32_t *pixels) {
    uint64_t key = demo_mix(demo_mix(demo->options.seed ^ 0x6E6F697365u) + (uint64_t)index), random = key;
    float gain = 1.0f + (float)(demo->options.flicker / 100.0) * (2.0f * demo_random(&random) - 1.0f);
    size_t width = (size_t)demo->options.width, bytes = (width * (sizeof(pixel4) + sizeof(float)) + 63) & ~(size_t)63;
    uint8_t *rows = endo_alloc((size_t)demo->threads, bytes); /* one a thread, with its cover behind it */
    if (!rows) return endo_fail(ENDO_ERR_MEMORY, "demo: out of memory for rows of %zu pixels", width);
#pragma omp parallel for num_threads(demo->threads) schedule(dynamic, 16)
    for (int y = 0; y < demo->options.height; y++) {
        pixel4 *row = (pixel4 *)(rows + bytes * (size_t)omp_get_thread_num());
        float *cover = (float *)(row + width);
        sample_row(demo, index, y, gain, row, cover);
        add_highlights(demo, index, y, row);
        finish_row(demo, key, y, row, cover, pixels + (size_t)y * width);
    }
    endo_free(rows);
    return ENDO_OK;
}

void endo_demo_see(const endo_demo *demo, int left, int top, int width, int height, uint32_t *pixels) {
    const camera *c = &demo->cameras[0];
    double a = c->scale * c->cosine, b = c->scale * c->sine;
#pragma omp parallel for num_threads(demo->threads) schedule(static)
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double dx = left + x - demo->centre_x, dy = top + y - demo->centre_y;
            double u = c->x + a * dx - b * dy, v = c->y + b * dx + a * dy;
            uint32_t *out = &pixels[(size_t)y * (size_t)width + (size_t)x];
            *out = 0;
            if (u < 1 || v < 1 || u >= demo->scene.width - 2 || v >= demo->scene.height - 2) continue;
            pixel4 seen = sample_scene(&demo->scene, u, v);
            *out = 0xFF000000u;
            for (int k = 0; k < 3; k++) {
                int level = (int)(seen[k] + 0.5f);
                *out |= (uint32_t)(level < 0 ? 0 : level > 255 ? 255 : level) << (16 - 8 * k);
            }
        }
}

endo_transform endo_demo_pose(const endo_demo *demo, int index) {
    double matrix[6] = {1, 0, 0, 0, 1, 0}; /* exact for frame 0 */
    if (index > 0)
        relative_view(&demo->cameras[0], &demo->cameras[index], demo->centre_x, demo->centre_y, matrix);
    return endo_transform_make(ENDO_TRANSFORM_SIMILARITY, matrix);
}

void endo_demo_mask(const endo_demo *demo, uint8_t *mask) {
    for (int y = 0; y < demo->options.height; y++)
        for (int x = 0; x < demo->options.width; x++) {
            double dx = x - demo->centre_x, dy = y - demo->centre_y;
            *mask++ = field_cover(demo, dx * dx + dy * dy) == 1.0f ? 255 : 0;
        }
}

/* ---------------------------------------------------------------- lifetime */

const endo_demo_options *endo_demo_options_of(const endo_demo *demo) { return &demo->options; }

static endo_status build_demo(endo_demo *demo) {
    const endo_demo_options *p = &demo->options;
    int side = p->width < p->height ? p->width : p->height, width = 0, height = 0;
    demo->centre_x = 0.5 * (p->width - 1);
    demo->centre_y = 0.5 * (p->height - 1);
    demo->radius = 0.49 * 1.15 * side; /* the field is cut a little at two sides, as with most scopes */
    demo->cameras = endo_alloc((size_t)p->frames, sizeof *demo->cameras);
    demo->highlights = endo_alloc((size_t)p->highlights, sizeof *demo->highlights);
    if (!demo->cameras || !demo->highlights)
        return endo_fail(ENDO_ERR_MEMORY, "demo: out of memory for a path of %d frames", p->frames);
    lay_path(demo->cameras, p);
    scatter_highlights(demo);
    endo_status status = fit_scene(demo, &width, &height);
    if (!status) status = demo_scene_create(width, height, p->seed, demo->threads, &demo->scene);
    return status;
}

void endo_demo_free(endo_demo *demo) {
    if (!demo) return;
    demo_scene_destroy(&demo->scene);
    endo_free(demo->cameras);
    endo_free(demo->highlights);
    endo_free(demo);
}

endo_status endo_demo_build(const endo_demo_options *options, int threads, endo_demo **out) {
    endo_demo *demo = endo_alloc_zeroed(1, sizeof *demo);
    if (!demo) return endo_fail(ENDO_ERR_MEMORY, "demo: out of memory");
    demo->options = *options;
    demo->threads = threads;
    endo_status status = build_demo(demo);
    if (status)
        endo_demo_free(demo);
    else
        *out = demo;
    return status;
}
