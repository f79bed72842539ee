/* The caller's frames, one at a time (sequence.h). The first frames of the sequence are kept: they stay lent, or, where a lens
 * is taken out of them, in memory of the sequence. */
#include "sequence.h"

#include "base/memory.h"
#include "events.h"
#include "include/endorama/lens.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Buffers for undistorted frames that are kept for reuse. */
#define SPARE 4
#define LABEL_SIZE 320

struct mosaic_sequence {
    endo_mosaic_source source;
    /* guards the source: one thread at a time asks, and others give back what they have seen */
    pthread_mutex_t lock;
    int32_t *numbers; /* one a frame; NULL: 1, 2, 3 ... */
    endo_lens *lens; /* NULL: frames are as they are shown */
    void *spare[SPARE];
    int n_spare;
    const void **kept; /* the first n_kept frames; NULL: not read yet */
    int n_kept;
    char label[LABEL_SIZE];
    char name[LABEL_SIZE + 32];
    char reason[ENDO_REASON_SIZE + LABEL_SIZE + 64];
};

static size_t frame_bytes(const mosaic_sequence *s) {
    return (size_t)s->source.width * (size_t)s->source.height * endo_pixel_size(s->source.type);
}

/* -------------------------------------------------------------- create, destroy */

static endo_status keep(mosaic_sequence *s, int64_t bytes) {
    int is_cheap = s->source.at_hand && !s->lens;
    int64_t most = is_cheap ? 0 : bytes / (int64_t)frame_bytes(s);
    s->n_kept = (int)(most < s->source.frames ? most : s->source.frames);
    if (s->n_kept < 1) return ENDO_OK;
    s->kept = endo_alloc_zeroed((size_t)s->n_kept, sizeof *s->kept);
    return s->kept ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for a list of %d frames that are kept", s->n_kept);
}

static endo_status ask_numbers(mosaic_sequence *s) {
    int n = s->source.frames;
    if (!s->source.number) return ENDO_OK;
    s->numbers = endo_alloc((size_t)n, sizeof *s->numbers);
    if (!s->numbers) return endo_fail(ENDO_ERR_MEMORY, "no memory for the numbers of %d frames", n);
    for (int i = 0; i < n; i++) {
        int32_t least = i > 0 ? s->numbers[i - 1] + 1 : 0;
        s->numbers[i] = s->source.number(s->source.user, i);
        if (s->numbers[i] < least || s->numbers[i] == INT32_MAX)
            return endo_fail(ENDO_ERR_ARGUMENT, "frame %d of the source: number %d: must be %d..%d", i, s->numbers[i], least,
                             INT32_MAX - 1);
    }
    return ENDO_OK;
}

/* Creates the lens in a separate context, which it keeps: other threads than those that compute ask for frames. */
static endo_status take_lens_out(mosaic_sequence *s, double percent, const endo_context_options *cpu) {
    endo_context_options options = endo_context_options_default();
    endo_context *context = NULL;
    if (percent == 0) return ENDO_OK;
    options.backend = ENDO_BACKEND_CPU;
    if (cpu) {
        options.threads = cpu->threads;
        options.cpu = cpu->cpu;
    }
    ENDO_TRY(endo_context_create(&options, &context));
    endo_status status = endo_lens_create(context, s->source.width, s->source.height, percent, &s->lens);
    endo_context_destroy(&context);
    return status;
}

endo_status sequence_create(const endo_mosaic_source *source, double lens, int64_t keep_bytes, const endo_context_options *cpu,
                            mosaic_sequence **out) {
    mosaic_sequence *s = endo_alloc_zeroed(1, sizeof *s);
    if (!s) return endo_fail(ENDO_ERR_MEMORY, "no memory for a sequence of %d frames", source->frames);
    s->source = *source;
    pthread_mutex_init(&s->lock, NULL);
    endo_status status = ask_numbers(s);
    if (status == ENDO_OK) status = take_lens_out(s, lens, cpu);
    if (status == ENDO_OK) status = keep(s, keep_bytes);
    if (status == ENDO_OK)
        *out = s;
    else
        sequence_destroy(&s);
    return status;
}

static void give_back_shown(mosaic_sequence *s, int frame, const void *pixels) {
    if (s->source.give_back) s->source.give_back(s->source.user, frame, pixels);
}

static void give_up(mosaic_sequence *s, int frame, const void *pixels) {
    if (s->lens)
        endo_free((void *)pixels);
    else
        give_back_shown(s, frame, pixels);
}

void sequence_destroy(mosaic_sequence **sequence) {
    mosaic_sequence *s = *sequence;
    *sequence = NULL;
    if (!s) return;
    for (int i = 0; s->kept && i < s->n_kept; i++)
        if (s->kept[i]) give_up(s, i, s->kept[i]);
    for (int i = 0; i < s->n_spare; i++) endo_free(s->spare[i]);
    endo_lens_destroy(&s->lens);
    endo_free(s->kept);
    endo_free(s->numbers);
    pthread_mutex_destroy(&s->lock);
    endo_free(s);
}

int sequence_count(const mosaic_sequence *s) { return s->source.frames; }

const int32_t *sequence_numbers(const mosaic_sequence *s) { return s->numbers; }

mosaic_size sequence_size(const mosaic_sequence *s) {
    return (mosaic_size){.width = s->source.width, .height = s->source.height};
}

endo_pixel sequence_type(const mosaic_sequence *s) { return s->source.type; }

/* ----------------------------------------------------------------------- words */

/* Copies UTF-8 text; a character that does not fit is left out whole. */
static void copy_text(char *to, size_t size, const char *from) {
    size_t n = strlen(from);
    if (n >= size) {
        n = size - 1;
        while (n && ((unsigned char)from[n] & 0xc0) == 0x80) n--;
    }
    memcpy(to, from, n);
    to[n] = 0;
}

/* Called while no other thread asks the source. */
static void write_name(mosaic_sequence *s, int frame, char *out, size_t size) {
    const char *label = s->source.name ? s->source.name(s->source.user, frame) : NULL;
    if (label && label[0]) {
        copy_text(s->label, sizeof s->label, label);
        snprintf(out, size, "frame %d (%s)", frame_number(s->numbers, frame), s->label);
    } else {
        snprintf(out, size, "frame %d", frame_number(s->numbers, frame));
    }
}

const char *sequence_name(mosaic_sequence *s, int frame) {
    pthread_mutex_lock(&s->lock);
    write_name(s, frame, s->name, sizeof s->name);
    pthread_mutex_unlock(&s->lock);
    return s->name;
}

const char *sequence_reason(const mosaic_sequence *s) { return s->reason; }

static const void *unreadable(mosaic_sequence *s, int frame, const char *why) {
    char name[sizeof s->name];
    write_name(s, frame, name, sizeof name);
    snprintf(s->reason, sizeof s->reason, "%s: %s", name, why[0] ? why : "cannot be read");
    return NULL;
}

/* ---------------------------------------------------------------------- frames */

static const void *lend_shown(mosaic_sequence *s, int frame) {
    char why[ENDO_REASON_SIZE] = "";
    const void *pixels = s->source.lend(s->source.user, frame, why);
    why[sizeof why - 1] = 0;
    return pixels ? pixels : unreadable(s, frame, why);
}

/* Returns whether lent memory only stands for the caller's pixels, which `hold` gives. */
static int is_name(const mosaic_sequence *s, int shown) { return s->source.hold && (shown || !s->lens); }

const void *sequence_hold(const mosaic_sequence *s, const void *lent, int shown) {
    if (!is_name(s, shown)) return lent;
    const void *pixels = s->source.hold(s->source.user, lent);
    if (!pixels) (void)endo_fail(ENDO_ERR_MEMORY, "the source has no memory to hold a frame in its place");
    return pixels;
}

void sequence_let_go(const mosaic_sequence *s, const void *lent, const void *pixels, int shown) {
    if (is_name(s, shown)) s->source.let_go(s->source.user, lent, pixels);
}

static endo_status undistort_held(const mosaic_sequence *s, const void *lent, void *made) {
    ptrdiff_t width = s->source.width;
    const void *shown = sequence_hold(s, lent, 1);
    if (!shown) return ENDO_ERR_MEMORY;
    endo_status status = endo_lens_undistort(s->lens, shown, s->source.type, width, made, width);
    sequence_let_go(s, lent, shown, 1);
    return status;
}

/* Undistorts a frame into `made`; NULL, with the reason, on failure. */
static const void *undistort(mosaic_sequence *s, int frame, void *made) {
    const void *shown = lend_shown(s, frame);
    if (!shown) return NULL;
    endo_status status = undistort_held(s, shown, made);
    if (status != ENDO_OK) unreadable(s, frame, endo_last_error());
    give_back_shown(s, frame, shown);
    return status == ENDO_OK ? made : NULL;
}

static const void *lend_undistorted(mosaic_sequence *s, int frame) {
    void *made = s->n_spare ? s->spare[--s->n_spare] : endo_alloc(frame_bytes(s), 1);
    if (!made) return unreadable(s, frame, "no memory for it without the distortion of its lens");
    const void *pixels = undistort(s, frame, made);
    if (!pixels) s->spare[s->n_spare++] = made;
    return pixels;
}

static const void *lend(mosaic_sequence *s, int frame, int shown) {
    if (shown && s->lens) return lend_shown(s, frame);
    int may_stay = frame < s->n_kept;
    if (may_stay && s->kept[frame]) return s->kept[frame];
    const void *pixels = s->lens ? lend_undistorted(s, frame) : lend_shown(s, frame);
    if (may_stay) s->kept[frame] = pixels;
    return pixels;
}

const void *sequence_lend(mosaic_sequence *s, int frame, int shown) {
    pthread_mutex_lock(&s->lock);
    const void *pixels = lend(s, frame, shown);
    pthread_mutex_unlock(&s->lock);
    return pixels;
}

static void give_back(mosaic_sequence *s, int frame, const void *pixels, int shown) {
    if (shown && s->lens)
        give_back_shown(s, frame, pixels);
    else if (frame < s->n_kept)
        return;
    else if (s->lens && s->n_spare < SPARE)
        s->spare[s->n_spare++] = (void *)pixels;
    else
        give_up(s, frame, pixels);
}

void sequence_give_back(mosaic_sequence *s, int frame, const void *pixels, int shown) {
    pthread_mutex_lock(&s->lock);
    give_back(s, frame, pixels, shown);
    pthread_mutex_unlock(&s->lock);
}

endo_status sequence_undistort_mask(const mosaic_sequence *s, const uint8_t *shown, uint8_t *mask) {
    return endo_lens_mask(s->lens, shown, mask);
}

int sequence_is_at_hand(const mosaic_sequence *s, int frame) {
    mosaic_sequence *locked = (mosaic_sequence *)s;
    if (s->source.at_hand && !s->lens) return 1;
    pthread_mutex_lock(&locked->lock);
    int there = frame < s->n_kept && s->kept[frame];
    pthread_mutex_unlock(&locked->lock);
    return there;
}
