/* The pictures of a panorama, one behind the other in memory or in a scratch file (panorama_store.h). */
#include "panorama_store.h"

#include "base/copy.h"
#include "base/memory.h"
#include "base/openmp.h"
#include "base/pages.h"
#include "base/scratch_file.h"

#include <stdio.h>
#include <string.h>

/* One part in this many of the memory for frames and panoramas is a panorama's; kept frames leave that much. */
#define SHARE_OF 3
#define SHARES 4
/* Pixels of a file that are copied at once, unless a row is longer. */
#define BAND_PIXELS (1 << 22)

/* Bytes from which on a rectangle of a panorama in memory is copied by several threads, and how many at most: it may go to
 * memory that the system has yet to find. */
#define MANY_BYTES ((size_t)4 << 20)
#define MOST_COPIERS 4

/* Bytes of a pixel of colour: none of a picture has more; all have a power of two. */
#define LARGEST ((size_t)4)

enum { PIXELS, PAINTED, COVERAGE, UNCERTAINTY, PICTURES };

static const char *const names[PICTURES] = {"pixels", "painted", "coverage", "uncertainty"};

typedef struct picture {
    size_t size;     /* bytes a pixel; 0: there is no such picture */
    uint64_t offset; /* of the first pixel, bytes */
} picture;

struct panorama_store {
    mosaic_rect rect;
    double scale;
    picture pictures[PICTURES];
    uint8_t *memory; /* all pictures, by the page; NULL: they are in the file */
    size_t bytes;    /* of the memory */
    int threads;     /* that copy a large rectangle */
    endo_scratch_file *file;
};

/* ------------------------------------------------------------------------ sizes */

static size_t size_of(const endo_mosaic_options *options, endo_pixel type, int which, int with_extras) {
    switch (which) {
    case PIXELS: return endo_pixel_size(type);
    case PAINTED: return 1;
    case COVERAGE: return with_extras && (options->extras & ENDO_MOSAIC_COVERAGE) ? sizeof(uint16_t) : 0;
    default: return with_extras && (options->extras & ENDO_MOSAIC_UNCERTAINTY) ? sizeof(uint16_t) : 0;
    }
}

static int64_t allowed(const endo_mosaic_options *options) { return options->memory / SHARES * SHARE_OF; }

int64_t panorama_store_limit(const endo_mosaic_options *options, endo_pixel type) {
    int64_t pixel = 0;
    for (int i = 0; i < PICTURES; i++) pixel += (int64_t)size_of(options, type, i, 1);
    int64_t most = allowed(options) / pixel;
    if (most < 1) most = 1;
    return options->scratch || most > options->max_canvas ? options->max_canvas : most;
}

/* Places the pictures one behind the other, those of the largest numbers first, so that each number lies at a multiple of its
 * size, and returns their size, bytes. */
static uint64_t lay_out(panorama_store *s, const endo_mosaic_options *options, endo_pixel type, int with_extras) {
    uint64_t end = 0;
    for (int i = 0; i < PICTURES; i++) s->pictures[i].size = size_of(options, type, i, with_extras);
    for (size_t size = LARGEST; size > 0; size /= 2)
        for (int i = 0; i < PICTURES; i++) {
            if (s->pictures[i].size != size) continue;
            s->pictures[i].offset = end;
            end += (uint64_t)rect_area(s->rect) * size;
        }
    return end;
}

/* -------------------------------------------------------------- create, destroy */

static double gigabytes(uint64_t bytes) { return 1e-9 * (double)bytes; }

static endo_status too_large(const panorama_store *s, const char *why) {
    return endo_fail(ENDO_ERR_MEMORY, "no room for the panorama of %d x %d px: %s", rect_width(s->rect), rect_height(s->rect),
                     why);
}

/* Adds the file system's error to a message about the panorama. */
static endo_status disk_failed(const panorama_store *s) {
    char why[ENDO_REASON_SIZE];
    snprintf(why, sizeof why, "%s", endo_last_error());
    return too_large(s, why);
}

static int take_memory(panorama_store *s, uint64_t bytes) {
    s->bytes = (size_t)bytes;
    if (bytes <= SIZE_MAX && endo_memory_can_hold((size_t)bytes)) s->memory = endo_pages_alloc(s->bytes);
    return s->memory != NULL;
}

static endo_status refuse_memory(const panorama_store *s, uint64_t bytes, uint64_t most) {
    char why[ENDO_REASON_SIZE];
    if (bytes > most)
        snprintf(why, sizeof why, "%.2f GB are needed, option memory leaves %.2f to it; allow more, or name a scratch folder",
                 gigabytes(bytes), gigabytes(most));
    else
        snprintf(why, sizeof why, "%.2f GB are needed, and the system has not as many; name a scratch folder",
                 gigabytes(bytes));
    return too_large(s, why);
}

/* Checks the free space first, so that a panorama that does not fit fails before it is computed. */
static endo_status take_file(panorama_store *s, const char *folder, uint64_t bytes) {
    char why[ENDO_REASON_SIZE];
    uint64_t available = endo_scratch_free_bytes(folder);
    if (available < bytes) {
        snprintf(why, sizeof why, "%.2f GB are needed, %.2f are free in the scratch folder %s", gigabytes(bytes),
                 gigabytes(available), folder);
        return too_large(s, why);
    }
    return endo_scratch_create(folder, &s->file) == ENDO_OK ? ENDO_OK : disk_failed(s);
}

static endo_status allocate(panorama_store *s, const endo_mosaic_options *options, uint64_t bytes) {
    uint64_t most = (uint64_t)allowed(options);
    if (bytes <= most && take_memory(s, bytes)) return ENDO_OK;
    return options->scratch ? take_file(s, options->scratch, bytes) : refuse_memory(s, bytes, most);
}

/* asked: the option; 0: as many as there are processors. */
static int copiers(int asked) {
    int threads = asked > 0 ? asked : omp_get_num_procs();
    return threads < MOST_COPIERS ? threads : MOST_COPIERS;
}

endo_status panorama_store_create(const endo_mosaic_options *options, endo_pixel type, mosaic_rect rect, double scale,
                                  int with_extras, panorama_store **out) {
    panorama_store *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory for a panorama of %d x %d px", rect_width(rect), rect_height(rect));
    s->rect = rect;
    s->scale = scale;
    s->threads = copiers(options->context.threads);
    endo_status status = allocate(s, options, lay_out(s, options, type, with_extras));
    if (status == ENDO_OK)
        *out = s;
    else
        panorama_store_destroy(&s);
    return status;
}

void panorama_store_destroy(panorama_store **store) {
    panorama_store *s = *store;
    *store = NULL;
    if (!s) return;
    endo_scratch_destroy(&s->file);
    if (s->memory) endo_pages_free(s->memory, s->bytes);
    endo_free(s);
}

/* ------------------------------------------------------------------------ asked */

mosaic_rect panorama_store_rect(const panorama_store *s) { return s->rect; }

double panorama_store_scale(const panorama_store *s) { return s->scale; }

int panorama_store_extras(const panorama_store *s) {
    int coverage = s->pictures[COVERAGE].size ? ENDO_MOSAIC_COVERAGE : 0;
    return s->pictures[UNCERTAINTY].size ? coverage + ENDO_MOSAIC_UNCERTAINTY : coverage;
}

int panorama_store_band(const panorama_store *s) {
    int height = rect_height(s->rect);
    int rows = BAND_PIXELS / rect_width(s->rect);
    if (s->memory || rows > height) return height;
    return rows < 1 ? 1 : rows;
}

/* ------------------------------------------------------------------------- rows */

static uint64_t offset_of(const panorama_store *s, const picture *p, int x, int y) {
    return p->offset + ((uint64_t)y * (uint64_t)rect_width(s->rect) + (uint64_t)x) * p->size;
}

static endo_status write_bytes(panorama_store *s, uint64_t at, const void *bytes, size_t n) {
    if (!s->memory) return endo_scratch_write(s->file, at, bytes, n) == ENDO_OK ? ENDO_OK : disk_failed(s);
    memcpy(s->memory + at, bytes, n);
    return ENDO_OK;
}

static endo_status check_is_there(const panorama_store *s, int which, const void *wanted) {
    if (!wanted || s->pictures[which].size) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "%s: the panorama has none: option extras did not ask for it, or it is not blended",
                     names[which]);
}

endo_status panorama_store_put(panorama_store *s, int first, int n, const void *pixels, const uint8_t *painted,
                               const uint16_t *coverage, const uint16_t *uncertainty) {
    const void *const from[PICTURES] = {pixels, painted, coverage, uncertainty};
    size_t count = (size_t)n * (size_t)rect_width(s->rect);
    for (int i = 0; i < PICTURES; i++) ENDO_TRY(check_is_there(s, i, from[i]));
    for (int i = 0; i < PICTURES; i++) {
        const picture *p = &s->pictures[i];
        if (from[i]) ENDO_TRY(write_bytes(s, offset_of(s, p, 0, first), from[i], count * p->size));
    }
    return ENDO_OK;
}

int panorama_store_rows(panorama_store *s, int first, endo_panorama_planes *planes) {
    uint8_t *rows[PICTURES];
    if (!s->memory) return 0;
    for (int i = 0; i < PICTURES; i++) {
        const picture *p = &s->pictures[i];
        rows[i] = p->size ? s->memory + offset_of(s, p, 0, first) : NULL;
    }
    *planes = (endo_panorama_planes){
        .pixels = rows[PIXELS],
        .painted = rows[PAINTED],
        .coverage = (uint16_t *)(void *)rows[COVERAGE],
        .uncertainty = (uint16_t *)(void *)rows[UNCERTAINTY],
    };
    return 1;
}

static endo_status read_file(const panorama_store *s, const picture *p, const endo_rectangle *r, uint8_t *to) {
    size_t row = (size_t)r->width * p->size;
    if (r->width == rect_width(s->rect))
        return endo_scratch_read(s->file, offset_of(s, p, 0, r->y), to, (size_t)r->height * row);
    for (int i = 0; i < r->height; i++)
        ENDO_TRY(endo_scratch_read(s->file, offset_of(s, p, r->x, r->y + i), to + (size_t)i * row, row));
    return ENDO_OK;
}

static void read_memory(const panorama_store *s, const picture *p, const endo_rectangle *r, endo_thread_pool *pool,
                        uint8_t *to) {
    size_t row = (size_t)r->width * p->size;
    size_t pitch = (size_t)rect_width(s->rect) * p->size;
    endo_copy_rows(pool, to, row, s->memory + offset_of(s, p, r->x, r->y), pitch, row, r->height);
}

static void read_pictures(const panorama_store *s, const endo_rectangle *r, void *const to[PICTURES]) {
    size_t bytes = 0;
    for (int i = 0; i < PICTURES; i++) bytes += to[i] ? (size_t)r->width * (size_t)r->height * s->pictures[i].size : 0;
    endo_thread_pool *pool = bytes >= MANY_BYTES ? endo_thread_pool_create(s->threads) : NULL; /* NULL: one thread copies */
    for (int i = 0; i < PICTURES; i++)
        if (to[i]) read_memory(s, &s->pictures[i], r, pool, to[i]);
    endo_thread_pool_destroy(&pool);
}

endo_status panorama_store_read(const panorama_store *s, const endo_rectangle *rectangle, const endo_panorama_planes *planes) {
    void *const to[PICTURES] = {planes->pixels, planes->painted, planes->coverage, planes->uncertainty};
    for (int i = 0; i < PICTURES; i++) ENDO_TRY(check_is_there(s, i, to[i]));
    if (s->memory) {
        read_pictures(s, rectangle, to);
        return ENDO_OK;
    }
    for (int i = 0; i < PICTURES; i++)
        if (to[i]) ENDO_TRY(read_file(s, &s->pictures[i], rectangle, to[i]));
    return ENDO_OK;
}
