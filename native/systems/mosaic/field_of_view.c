/* The field of view: from the options, or found in some frames (field_of_view.h). */
#include "field_of_view.h"

#include "base/mask.h"
#include "base/memory.h"
#include "include/endorama/field.h"
#include "include/endorama/pattern.h"
#include "include/endorama/registration.h"
#include "grey_range.h"
#include "interlacing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Frames sampled for the field, spread evenly over the sequence; and for the fixed pattern, where the first ones show that
 * there is one: more of them average more of the scene away. */
#define SAMPLES 16
#define MORE_SAMPLES 64

typedef struct search {
    endo_context *context;
    mosaic_sequence *sequence;
    const endo_mosaic_options *options;
    mosaic_events *events;
    int readable; /* frames could be read */
} search;

static size_t area_of(mosaic_size size) { return (size_t)size.width * (size_t)size.height; }

/* ---------------------------------------------------------------------- samples */

/* Uses the pixels of a sampled frame, which are released afterwards. */
typedef endo_status (*sample_taker)(void *self, const void *pixels);

static endo_status take_sample(search *s, int frame, int shown, sample_taker take, void *self, int *taken) {
    const void *lent = sequence_lend(s->sequence, frame, shown);
    if (!lent) return ENDO_OK;
    const void *pixels = sequence_hold(s->sequence, lent, shown);
    endo_status status = pixels ? take(self, pixels) : ENDO_ERR_MEMORY;
    if (pixels) sequence_let_go(s->sequence, lent, pixels, shown);
    sequence_give_back(s->sequence, frame, lent, shown);
    ++*taken;
    return status;
}

/* Samples frames spread evenly; unreadable ones are left out here, and reported when their turn comes. */
static endo_status sample(search *s, int most, int shown, sample_taker take, void *self) {
    int count = sequence_count(s->sequence);
    int n = most < count ? most : count;
    int taken = 0;
    int asked = 0;
    for (; asked < n && !events_cancelled(s->events); asked++) {
        int frame = n == 1 ? 0 : (int)((int64_t)asked * (count - 1) / (n - 1));
        ENDO_TRY(take_sample(s, frame, shown, take, self, &taken));
    }
    if (asked > 0 && taken == 0) s->readable = 0;
    return ENDO_OK;
}

/* ------------------------------------------------------------------------ range */

typedef struct range_job {
    grey_range range;
    size_t area;
} range_job;

static endo_status add_to_range(void *self, const void *pixels) {
    range_job *job = self;
    grey_range_add(&job->range, pixels, job->area);
    return ENDO_OK;
}

static endo_status find_range(search *s, field_of_view *field) {
    field->low = 0;
    field->high = 65535;
    if (sequence_type(s->sequence) != ENDO_GREY16) return ENDO_OK;
    range_job *job = endo_alloc_zeroed(1, sizeof *job);
    if (!job) return endo_fail(ENDO_ERR_MEMORY, "no memory for a histogram of grey values");
    job->area = area_of(field->size);
    endo_status status = sample(s, SAMPLES, 1, add_to_range, job);
    if (status == ENDO_OK) grey_range_ends(&job->range, &field->low, &field->high);
    endo_free(job);
    return status;
}

/* ------------------------------------------------------------------------- mask */

static endo_status allocate_mask(field_of_view *field) {
    field->mask = endo_alloc(area_of(field->size), 1);
    if (field->mask) return ENDO_OK;
    return endo_fail(ENDO_ERR_MEMORY, "no memory for the field of view of frames of %d x %d px", field->size.width,
                     field->size.height);
}

static void set_bounds(field_of_view *field) {
    endo_box box = endo_mask_bounds(field->mask, field->size.width, field->size.height);
    field->bounds = (mosaic_rect){.left = box.left, .top = box.top, .right = box.right + 1, .bottom = box.bottom + 1};
}

static void set_whole(field_of_view *field, const char *description) {
    endo_free(field->mask);
    field->mask = NULL;
    field->bounds = (mosaic_rect){.right = field->size.width, .bottom = field->size.height};
    snprintf(field->description, sizeof field->description, "%s", description);
}

static endo_status take_given(search *s, field_of_view *field) {
    if (!s->options->mask)
        return endo_fail(ENDO_ERR_ARGUMENT, "field 1 (mask): mask is NULL; give one, or take 0 (auto) or 2 (whole)");
    ENDO_TRY(allocate_mask(field));
    memcpy(field->mask, s->options->mask, area_of(field->size));
    set_bounds(field);
    snprintf(field->description, sizeof field->description, "selection");
    if (rect_width(field->bounds) > 0) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "field 1 (mask): the mask of %d x %d px holds no pixel", field->size.width,
                     field->size.height);
}

static void set_found(field_of_view *field, const endo_field_info *found) {
    char shape[100] = "bright region, ";
    if (found->radius > 0)
        snprintf(shape, sizeof shape, "circle of radius %.1f px about (%.1f, %.1f), ", found->radius, found->x, found->y);
    snprintf(field->description, sizeof field->description, "%scolumns %d-%d, rows %d-%d", shape, found->left, found->right,
             found->top, found->bottom);
    field->is_circle = found->radius > 0;
    field->bounds = (mosaic_rect){
        .left = found->left,
        .top = found->top,
        .right = found->right + 1,
        .bottom = found->bottom + 1,
    };
}

typedef struct finder_job {
    endo_field_finder *finder;
    int width;
} finder_job;

static endo_status add_to_finder(void *self, const void *pixels) {
    finder_job *job = self;
    return endo_field_finder_add(job->finder, pixels, job->width);
}

static endo_status detect(search *s, field_of_view *field) {
    finder_job job = {.width = field->size.width};
    endo_field_info found;
    ENDO_TRY(allocate_mask(field));
    ENDO_TRY(endo_field_finder_create(s->context, sequence_type(s->sequence), field->size.width, field->size.height, field->low,
                                      field->high, &job.finder));
    endo_status status = sample(s, SAMPLES, 1, add_to_finder, &job);
    if (status == ENDO_OK) status = endo_field_finder_find(job.finder, field->mask, &found);
    endo_field_finder_destroy(&job.finder);
    if (status != ENDO_OK) return status;
    if (found.shape == ENDO_FIELD_WHOLE)
        set_whole(field, "whole frame (no dark surround)");
    else
        set_found(field, &found);
    return ENDO_OK;
}

/* Finds the field in frames as the scope shows them: circles are round there, and bars straight. */
static endo_status find_shown(search *s, field_of_view *field) {
    ENDO_TRY(find_range(s, field));
    if (!s->readable) return ENDO_OK;
    switch (s->options->field) {
    case ENDO_MOSAIC_FIELD_AUTO: return detect(s, field);
    case ENDO_MOSAIC_FIELD_MASK: return take_given(s, field);
    case ENDO_MOSAIC_FIELD_WHOLE: break;
    }
    set_whole(field, "whole frame");
    return ENDO_OK;
}

/* Maps the field into frames without the distortion of their lens. */
static endo_status take_lens_out(search *s, field_of_view *field) {
    uint8_t *shown = field->mask;
    if (s->options->lens == 0) return ENDO_OK;
    endo_status status = allocate_mask(field);
    if (status == ENDO_OK) status = sequence_undistort_mask(s->sequence, shown, field->mask);
    endo_free(shown);
    if (status != ENDO_OK) return status;
    size_t said = strlen(field->description);
    snprintf(field->description + said, sizeof field->description - said, ", seen without the lens");
    set_bounds(field);
    return ENDO_OK;
}

/* The sum of the squares of twice the distances of the first n pixels of a row from its middle. */
static int64_t squares_before(int64_t n, int64_t width) {
    int64_t from = width - 1; /* (2 x - from)^2 = 4 x^2 - 4 x from + from^2, summed over x from 0 to before n */
    return 2 * (n - 1) * n * (2 * n - 1) / 3 - 2 * n * (n - 1) * from + n * from * from;
}

/* The pixels of a row of the mask that are not 0: how many, and that sum over them. */
typedef struct row_spread {
    int64_t inside;
    int64_t squares;
} row_spread;

static row_spread spread_of_row(const field_of_view *field, int y) {
    int width = field->size.width;
    const uint8_t *row = field->mask + (size_t)y * (size_t)width;
    row_spread sum = {0};
    for (int end = field->bounds.left; end < field->bounds.right;) {
        int from = endo_mask_run(row, end, field->bounds.right, 0);
        end = endo_mask_run(row, from, field->bounds.right, 1);
        sum.inside += end - from;
        sum.squares += squares_before(end, width) - squares_before(from, width);
    }
    return sum;
}

static double spread(const field_of_view *field) {
    int width = field->size.width;
    int height = field->size.height;
    double sum = 0;
    double n = 0;
    for (int y = field->bounds.top; y < field->bounds.bottom; y++) {
        row_spread row = {.inside = width, .squares = squares_before(width, width)};
        int64_t distance = 2 * y - (height - 1);
        if (field->mask) row = spread_of_row(field, y);
        sum += ((double)row.squares + (double)(row.inside * distance * distance)) / 4;
        n += (double)row.inside;
    }
    return sqrt(sum / n);
}

/* ---------------------------------------------------------------- fixed pattern */

typedef struct pattern_job {
    endo_pattern_finder *finder;
    interlacing *rows; /* NULL: rows are tested elsewhere */
    int width;
} pattern_job;

static endo_status add_to_pattern(void *self, const void *pixels) {
    pattern_job *job = self;
    ENDO_TRY(endo_pattern_finder_add(job->finder, pixels, job->width));
    if (job->rows) interlacing_add(job->rows, pixels);
    return ENDO_OK;
}

static endo_status add_rows(void *rows, const void *pixels) {
    interlacing_add(rows, pixels);
    return ENDO_OK;
}

static void warn_of_interlacing(search *s, const interlacing *rows) {
    char warning[400];
    interlacing_warning(rows, warning, sizeof warning);
    if (warning[0]) events_say(s->events, ENDO_EVENT_LOG, ENDO_EVENT_FIELD, -1, -1, "%s", warning);
}

/* Estimates into the allocated field->pattern. found->found = 0: no pattern is subtracted. */
static endo_status estimate_pattern(search *s, endo_pattern_finder *finder, field_of_view *field, endo_pattern_info *found) {
    interlacing rows = interlacing_of(sequence_type(s->sequence), field->size, endo_context_threads(s->context),
                                      s->options->context.cpu);
    int has_lens = s->options->lens != 0;
    /* Removing a lens distorts rows: interlacing is then tested in frames as shown. */
    pattern_job job = {.finder = finder, .rows = has_lens ? NULL : &rows, .width = field->size.width};
    ENDO_TRY(sample(s, SAMPLES, 0, add_to_pattern, &job));
    if (has_lens && s->readable) ENDO_TRY(sample(s, SAMPLES, 1, add_rows, &rows));
    if (!s->readable) return ENDO_OK;
    warn_of_interlacing(s, &rows);
    job.rows = NULL;
    ENDO_TRY(endo_pattern_finder_find(finder, field->pattern, found));
    if (!found->found || sequence_count(s->sequence) <= SAMPLES) return ENDO_OK;
    ENDO_TRY(sample(s, MORE_SAMPLES, 0, add_to_pattern, &job));
    return endo_pattern_finder_find(finder, field->pattern, found);
}

static endo_status find_pattern(search *s, field_of_view *field) {
    endo_pattern_finder *finder = NULL;
    endo_pattern_info found = {0};
    field->pattern = endo_alloc(area_of(field->size), sizeof *field->pattern);
    if (!field->pattern)
        return endo_fail(ENDO_ERR_MEMORY, "no memory for what stands still in frames of %d x %d px", field->size.width,
                         field->size.height);
    const endo_pattern_options options = {
        .width = field->size.width,
        .height = field->size.height,
        .type = sequence_type(s->sequence),
        .low = field->low,
        .high = field->high,
        .field = field->mask,
    };
    ENDO_TRY(endo_pattern_finder_create(s->context, &options, &finder));
    endo_context_set_cancel(s->context, s->events->hooks.cancelled, s->events->hooks.user);
    endo_status status = estimate_pattern(s, finder, field, &found);
    endo_context_set_cancel(s->context, NULL, NULL);
    endo_pattern_finder_destroy(&finder);
    if (status == ENDO_CANCELLED) { /* the run ends before it matches anything: it needs no pattern */
        found.found = 0;
        status = ENDO_OK;
    }
    if (status == ENDO_OK && found.found) {
        events_say(s->events, ENDO_EVENT_LOG, ENDO_EVENT_FIELD, -1, -1,
                   "fixed sensor pattern ignored in matching: %.1f grey levels RMS, %.0f %% of the details of %d frames",
                   found.rms, 100 * found.share, (int)found.frames);
        return ENDO_OK;
    }
    endo_free(field->pattern);
    field->pattern = NULL;
    return status;
}

/* ------------------------------------------------------------------------ field */

static endo_status find(search *s, int for_matching, field_of_view *field) {
    ENDO_TRY(find_shown(s, field));
    if (!s->readable) return ENDO_OK;
    ENDO_TRY(take_lens_out(s, field));
    field->spread = spread(field);
    return for_matching && s->options->pattern ? find_pattern(s, field) : ENDO_OK;
}

endo_status field_of_view_find(endo_context *context, mosaic_sequence *sequence, const endo_mosaic_options *options,
                               int for_matching, mosaic_events *events, field_of_view *out, int *readable) {
    search s = {.context = context, .sequence = sequence, .options = options, .events = events, .readable = 1};
    field_of_view field = {.size = sequence_size(sequence)};
    endo_status status = find(&s, for_matching, &field);
    if (status == ENDO_OK && s.readable)
        *out = field;
    else
        field_of_view_free(&field);
    if (status == ENDO_OK) *readable = s.readable;
    return status;
}

void field_of_view_free(field_of_view *field) {
    endo_free(field->mask);
    endo_free(field->pattern);
    *field = (field_of_view){0};
}

endo_frames_options field_of_view_options(const field_of_view *field, endo_pixel type, int capacity) {
    endo_frames_options options = endo_frames_options_default();
    options.width = field->size.width;
    options.height = field->size.height;
    options.type = type;
    options.capacity = capacity;
    options.field = field->mask;
    options.pattern = field->pattern;
    options.low = field->low;
    options.high = field->high;
    return options;
}

endo_status field_of_view_check_template(const field_of_view *field, int template_side) {
    int side = template_side == 0 ? endo_pairs_template_side(field->size.width) : template_side;
    int width = rect_width(field->bounds);
    int height = rect_height(field->bounds);
    if (side <= (width < height ? width : height)) return ENDO_OK;
    return endo_fail(ENDO_ERR_ARGUMENT, "template %d: larger than the field of view, %d x %d px of a frame of %d x %d", side,
                     width, height, field->size.width, field->size.height);
}
