/* The canvases of a run, their previous state while they are painted anew, and the blend that replaces them (canvases.h). */
#include "canvases.h"

#include "base/memory.h"
#include "blending.h"
#include "panorama_canvas.h"

#include <string.h>

typedef struct canvas_entry {
    int number;
    panorama_canvas *canvas; /* NULL: nothing is painted */
    panorama_canvas *before; /* previous canvas while it is painted anew; equals `canvas` if that is kept; NULL: none */
} canvas_entry;

struct mosaic_canvases {
    canvas_setup setup;
    canvas_entry *entries; /* sorted by number */
    int n;
    int capacity;
    int stops;       /* painting stops where memory ends */
    blending *blend; /* NULL: nothing is blended */
};

/* ----------------------------------------------------------------------- entries */

/* Index of the entry of a number, or where it would be inserted. */
static int find(const mosaic_canvases *c, int number) {
    int low = 0;
    int high = c->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->entries[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static endo_status reserve(mosaic_canvases *c) {
    if (c->n < c->capacity) return ENDO_OK;
    int capacity = c->capacity ? 2 * c->capacity : 4;
    canvas_entry *entries = endo_alloc((size_t)capacity, sizeof *entries);
    if (!entries) return endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d canvases", capacity);
    if (c->n) memcpy(entries, c->entries, (size_t)c->n * sizeof *entries);
    endo_free(c->entries);
    c->entries = entries;
    c->capacity = capacity;
    return ENDO_OK;
}

static endo_status entry_of(mosaic_canvases *c, int number, canvas_entry **out) {
    int at = find(c, number);
    if (at == c->n || c->entries[at].number != number) {
        ENDO_TRY(reserve(c));
        memmove(c->entries + at + 1, c->entries + at, (size_t)(c->n - at) * sizeof *c->entries);
        c->entries[at] = (canvas_entry){.number = number};
        c->n++;
    }
    *out = &c->entries[at];
    return ENDO_OK;
}

/* The canvas of a number; made empty if there was none. */
static endo_status canvas_of(mosaic_canvases *c, int number, panorama_canvas **out) {
    canvas_entry *entry;
    ENDO_TRY(entry_of(c, number, &entry));
    if (!entry->canvas) {
        ENDO_TRY(panorama_canvas_create(&c->setup, &entry->canvas));
        if (c->stops) panorama_canvas_stop_where_memory_ends(entry->canvas);
    }
    *out = entry->canvas;
    return ENDO_OK;
}

static void forget_before(canvas_entry *entry) {
    if (entry->before != entry->canvas) panorama_canvas_destroy(&entry->before);
    entry->before = NULL;
}

/* -------------------------------------------------------------------------- life */

endo_status canvases_create(endo_context *const *context, const endo_mosaic_options *options, mosaic_sequence *sequence,
                            const field_of_view *field, mosaic_canvases **out) {
    mosaic_canvases *c = endo_alloc_zeroed(1, sizeof *c);
    if (!c) return endo_fail(ENDO_ERR_MEMORY, "no memory for what is painted");
    c->setup = (canvas_setup){
        .context = context,
        .options = options,
        .field = field,
        .numbers = sequence_numbers(sequence),
        .type = sequence_type(sequence),
    };
    *out = c;
    return ENDO_OK;
}

void canvases_destroy(mosaic_canvases **canvases) {
    mosaic_canvases *c = *canvases;
    *canvases = NULL;
    if (!c) return;
    blending_destroy(&c->blend);
    canvases_clear(c);
    endo_free(c->entries);
    endo_free(c);
}

void canvases_set_band_rows(mosaic_canvases *c, int rows) { c->setup.band_rows = rows; }

void canvases_clear(mosaic_canvases *c) {
    for (int i = 0; i < c->n; i++) {
        forget_before(&c->entries[i]);
        panorama_canvas_destroy(&c->entries[i].canvas);
    }
    c->n = 0;
}

/* ---------------------------------------------------------------------- painting */

static blend_band *band(const mosaic_canvases *c) { return c->blend ? blending_band(c->blend) : NULL; }

const char *canvases_full(const mosaic_canvases *c) {
    if (c->blend) return blending_full(c->blend);
    for (int i = 0; i < c->n; i++) {
        const panorama_canvas *canvas = c->entries[i].canvas;
        if (canvas && panorama_canvas_full(canvas)) return panorama_canvas_full(canvas);
    }
    return NULL;
}

int canvases_uses(const mosaic_canvases *c) {
    if (!band(c)) return ENDO_USE_ANY;
    return blend_band_is_second(band(c)) ? ENDO_USE_FIRST_PASS + ENDO_USE_PAINTING : ENDO_USE_FIRST_PASS;
}

static endo_status paint(mosaic_canvases *c, endo_frames *frames, const placed_frame *items, int n) {
    panorama_canvas *canvas;
    if (band(c)) return blend_band_add(band(c), frames, items, n);
    ENDO_TRY(canvas_of(c, items[0].canvas, &canvas));
    return panorama_canvas_paint(canvas, frames, items, n);
}

endo_status canvases_paint(mosaic_canvases *c, endo_frames *frames, const placed_frame *items, int n) {
    int to;
    for (int from = 0; from < n; from = to) {
        for (to = from + 1; to < n && items[to].canvas == items[from].canvas;) to++;
        ENDO_TRY(paint(c, frames, items + from, to - from));
    }
    return ENDO_OK;
}

endo_status canvases_snapshot(mosaic_canvases *c, int canvas, panorama_store **out) {
    int at = find(c, canvas);
    *out = NULL;
    if (c->blend && blending_is_done(c->blend)) {
        *out = blending_take_panorama(c->blend, canvas);
        return ENDO_OK;
    }
    if (at == c->n || c->entries[at].number != canvas || !c->entries[at].canvas) return ENDO_OK;
    return panorama_canvas_snapshot(c->entries[at].canvas, out);
}

/* ------------------------------------------------------------------ painted anew */

static int is_in(const int *list, int n, int number) {
    for (int i = 0; i < n; i++)
        if (list[i] == number) return 1;
    return 0;
}

endo_status canvases_start_over(mosaic_canvases *c, const int *kept, int n) {
    for (int i = 0; i < c->n; i++) {
        canvas_entry *entry = &c->entries[i];
        entry->before = entry->canvas;
        if (!is_in(kept, n, entry->number)) entry->canvas = NULL;
    }
    return ENDO_OK;
}

void canvases_keep_new(mosaic_canvases *c) {
    for (int i = 0; i < c->n; i++) forget_before(&c->entries[i]);
}

void canvases_take_back(mosaic_canvases *c) {
    for (int i = 0; i < c->n; i++) {
        canvas_entry *entry = &c->entries[i];
        if (entry->canvas != entry->before) panorama_canvas_destroy(&entry->canvas);
        entry->canvas = entry->before;
        entry->before = NULL;
    }
}

/* ---------------------------------------------------------------------- blending */

endo_status canvases_start_blending(mosaic_canvases *c, const placed_frames *items, const light_of_scope *light,
                                    const frame_weights *weights, const endo_mosaic_frame *frames) {
    const blend_scene scene = {.setup = &c->setup, .light = light, .weights = weights, .frames = frames};
    blending *made = NULL;
    ENDO_TRY(blending_create(&scene, items, &made));
    blending_destroy(&c->blend);
    c->blend = made;
    return ENDO_OK;
}

int canvases_is_blending(const mosaic_canvases *c) { return c->blend != NULL; }

int canvases_blend_is_done(const mosaic_canvases *c) { return blending_is_done(c->blend); }

double canvases_blend_share(const mosaic_canvases *c) { return blending_share(c->blend); }

int canvases_has_band(const mosaic_canvases *c) { return band(c) != NULL; }

endo_status canvases_begin_band(mosaic_canvases *c) { return blending_begin_band(c->blend); }

int canvases_band_next(mosaic_canvases *c, int most, const placed_frame **items) {
    return blend_band_next(band(c), most, items);
}

void canvases_band_passed(mosaic_canvases *c, int n) { blend_band_passed(band(c), n); }

endo_status canvases_band_end_pass(mosaic_canvases *c) { return blending_end_pass(c->blend); }

void canvases_drop_band(mosaic_canvases *c) {
    if (c->blend) blending_drop_band(c->blend);
}

int canvases_halve_bands(mosaic_canvases *c) { return blending_halve(c->blend); }

void canvases_drop_blending(mosaic_canvases *c) { blending_destroy(&c->blend); }

/* ---------------------------------------------------------------------- failures */

int canvases_stop_where_memory_ends(mosaic_canvases *c) {
    if (c->stops) return 0;
    c->stops = 1;
    for (int i = 0; i < c->n; i++)
        if (c->entries[i].canvas) panorama_canvas_stop_where_memory_ends(c->entries[i].canvas);
    return 1;
}

/* Lists the canvases of an entry, without duplicates. */
static int both_of(const canvas_entry *entry, panorama_canvas *both[2]) {
    int n = 0;
    if (entry->canvas) both[n++] = entry->canvas;
    if (entry->before && entry->before != entry->canvas) both[n++] = entry->before;
    return n;
}

int canvases_leave(mosaic_canvases *c) {
    for (int i = 0; i < c->n; i++) {
        panorama_canvas *both[2];
        int n = both_of(&c->entries[i], both);
        for (int k = 0; k < n; k++)
            if (panorama_canvas_leave(both[k]) != ENDO_OK) return 0;
    }
    return 1;
}

int canvases_enter(mosaic_canvases *c) {
    int are_there = 1;
    for (int i = 0; i < c->n; i++) {
        panorama_canvas *both[2];
        int n = both_of(&c->entries[i], both);
        for (int k = 0; k < n; k++) are_there &= panorama_canvas_enter(both[k]);
    }
    return are_there;
}
