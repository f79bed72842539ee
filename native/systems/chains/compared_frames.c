/* Frames are lent as they are, or as copies of their compared parts (compared_frames.h). */
#include "compared_frames.h"

#include "base/memory.h"
#include "systems/mosaic/grey_range.h"

#include <stdio.h>
#include <string.h>

#define DEEP 65536

typedef struct compared_side {
    endo_mosaic_source source;
    mosaic_rect part;
    int is_lent_on; /* pixels are lent as they are */
} compared_side;

struct compared_frames {
    endo_mosaic_source source;
    compared_side frames;
    compared_side onto;
    int has_onto;
    int is_whole;
    grey_range *range;  /* of a 16-bit frame; NULL where there are none */
    uint8_t grey[DEEP]; /* grey level of each of its values */
};

static int is_given(mosaic_rect part) { return part.left || part.top || part.right || part.bottom; }

static compared_side side_of(const endo_mosaic_source *source, mosaic_rect part) {
    compared_side side = {.source = *source, .part = part};
    if (!is_given(part)) side.part = (mosaic_rect){.right = source->width, .bottom = source->height};
    return side;
}

static int is_all(const compared_side *side) {
    return rect_width(side->part) == side->source.width && rect_height(side->part) == side->source.height;
}

static endo_pixel shown_type(const compared_side *side) {
    return side->source.type == ENDO_GREY16 ? ENDO_GREY8 : side->source.type;
}

/* ------------------------------------------------------------------------ pixels */

/* Spreads 16-bit values over 0..255: 0 up to the low end of the frame's range, 255 from its high end on. */
static void spread(compared_frames *c, const uint16_t *deep, size_t n) {
    int low;
    int high;
    memset(c->range, 0, sizeof *c->range);
    grey_range_add(c->range, deep, n);
    grey_range_ends(c->range, &low, &high);
    int range = high - low;
    for (int value = 0; value < DEEP; value++) {
        int above = value - low;
        int within = above < 0 ? 0 : above < range ? above : range;
        c->grey[value] = (uint8_t)(within * 255 / range);
    }
}

static void copy_grey(const compared_frames *c, const uint8_t *grey, int n, void *to) {
    if (c->source.type == ENDO_GREY8) {
        memcpy(to, grey, (size_t)n);
        return;
    }
    for (int i = 0; i < n; i++) ((uint32_t *)to)[i] = 0xff000000u | grey[i] * 0x010101u;
}

/* Copies n pixels of a row, converted to `type`. */
static void copy_row(const compared_frames *c, endo_pixel type, const void *row, int n, void *to) {
    uint8_t grey[256];
    if (type == ENDO_RGB32) memcpy(to, row, (size_t)n * sizeof(uint32_t));
    if (type == ENDO_GREY8) copy_grey(c, row, n, to);
    for (int i = 0; type == ENDO_GREY16 && i < n; i += (int)sizeof grey) {
        int some = n - i < (int)sizeof grey ? n - i : (int)sizeof grey;
        for (int k = 0; k < some; k++) grey[k] = c->grey[((const uint16_t *)row)[i + k]];
        copy_grey(c, grey, some, (uint8_t *)to + (size_t)i * endo_pixel_size(c->source.type));
    }
}

static void copy_part(compared_frames *c, const compared_side *side, const void *pixels, uint8_t *to) {
    size_t width = (size_t)side->source.width;
    size_t size = endo_pixel_size(side->source.type);
    size_t pitch = (size_t)c->source.width * endo_pixel_size(c->source.type);
    if (side->source.type == ENDO_GREY16) spread(c, pixels, width * (size_t)side->source.height);
    for (int y = 0; y < rect_height(side->part); y++) {
        size_t from = ((size_t)(side->part.top + y) * width + (size_t)side->part.left) * size;
        copy_row(c, side->source.type, (const uint8_t *)pixels + from, rect_width(side->part), to + (size_t)y * pitch);
    }
}

/* ---------------------------------------------------------------------- a source */

static const compared_side *side_at(const compared_frames *c, int frame, int *number) {
    int is_onto = frame >= c->frames.source.frames;
    *number = is_onto ? 0 : frame;
    return is_onto ? &c->onto : &c->frames;
}

static void give_back_to(const compared_side *side, int number, const void *pixels) {
    if (side->source.give_back) side->source.give_back(side->source.user, number, pixels);
}

static const void *hold_of(const compared_side *side, const void *lent) {
    return side->source.hold ? side->source.hold(side->source.user, lent) : lent;
}

static void let_go_of(const compared_side *side, const void *lent, const void *pixels) {
    if (side->source.hold) side->source.let_go(side->source.user, lent, pixels);
}

/* NULL: no memory. */
static uint8_t *copy_lent(compared_frames *c, const compared_side *side, const void *lent) {
    size_t area = (size_t)c->source.width * (size_t)c->source.height;
    uint8_t *made = endo_alloc_zeroed(area, endo_pixel_size(c->source.type));
    const void *pixels = made ? hold_of(side, lent) : NULL;
    if (!pixels) {
        endo_free(made);
        return NULL;
    }
    copy_part(c, side, pixels, made);
    let_go_of(side, lent, pixels);
    return made;
}

static const void *lend(void *user, int32_t frame, char *reason) {
    compared_frames *c = user;
    int number;
    const compared_side *side = side_at(c, frame, &number);
    const void *lent = side->source.lend(side->source.user, number, reason);
    if (!lent || side->is_lent_on) return lent;
    uint8_t *made = copy_lent(c, side, lent);
    if (!made) snprintf(reason, ENDO_REASON_SIZE, "no memory for what is compared of it");
    give_back_to(side, number, lent);
    return made;
}

/* Called for frames that are lent as they are, all with the same `hold`. */
static const void *hold(void *user, const void *lent) {
    const compared_frames *c = user;
    return hold_of(&c->frames, lent);
}

static void let_go(void *user, const void *lent, const void *pixels) {
    const compared_frames *c = user;
    let_go_of(&c->frames, lent, pixels);
}

static void give_back(void *user, int32_t frame, const void *pixels) {
    compared_frames *c = user;
    int number;
    const compared_side *side = side_at(c, frame, &number);
    if (side->is_lent_on)
        give_back_to(side, number, pixels);
    else
        endo_free((void *)pixels);
}

static const char *name(void *user, int32_t frame) {
    int number;
    const compared_side *side = side_at(user, frame, &number);
    return side->source.name ? side->source.name(side->source.user, number) : NULL;
}

/* The other image comes after the frames. */
static int32_t number(void *user, int32_t frame) {
    const endo_mosaic_source *frames = &((compared_frames *)user)->frames.source;
    return frame < frames->frames ? frames->number(frames->user, frame) : frames->number(frames->user, frames->frames - 1) + 1;
}

/* ----------------------------------------------------------------- create, destroy */

static int larger(int a, int b) { return a > b ? a : b; }

static endo_mosaic_source source_of(compared_frames *c) {
    endo_mosaic_source source = {
        .frames = c->frames.source.frames + c->has_onto,
        .width = rect_width(c->frames.part),
        .height = rect_height(c->frames.part),
        .type = shown_type(&c->frames),
        .lend = lend,
        .give_back = give_back,
        .name = name,
        .number = c->frames.source.number ? number : NULL,
        .user = c,
    };
    if (!c->has_onto) return source;
    source.width = larger(source.width, rect_width(c->onto.part));
    source.height = larger(source.height, rect_height(c->onto.part));
    if (shown_type(&c->onto) != source.type) source.type = ENDO_RGB32;
    return source;
}

static int fills(const compared_frames *c, const compared_side *side) {
    return rect_width(side->part) == c->source.width && rect_height(side->part) == c->source.height;
}

static int is_lent_on(const compared_frames *c, const compared_side *side) {
    return is_all(side) && fills(c, side) && side->source.type == c->source.type;
}

/* Returns whether both sources hold frames in the same way. */
static int hold_alike(const endo_mosaic_source *one, const endo_mosaic_source *other) {
    return one->hold == other->hold && one->let_go == other->let_go && one->user == other->user;
}

/* Chooses which sources are lent as they are; if their memory only stands for pixels (`hold`), either all or none. */
static void choose_lent_on(compared_frames *c) {
    c->frames.is_lent_on = is_lent_on(c, &c->frames);
    c->onto.is_lent_on = c->has_onto && is_lent_on(c, &c->onto);
    int are_names = c->frames.source.hold || c->onto.source.hold;
    int alike = !c->has_onto || (c->onto.is_lent_on && hold_alike(&c->frames.source, &c->onto.source));
    if (!are_names) return;
    if (c->frames.is_lent_on && alike) {
        c->source.hold = hold;
        c->source.let_go = let_go;
        return;
    }
    c->frames.is_lent_on = 0;
    c->onto.is_lent_on = 0;
}

endo_status compared_frames_create(const compared_setup *setup, compared_frames **out) {
    compared_frames *c = endo_alloc_zeroed(1, sizeof *c);
    if (!c) return endo_fail(ENDO_ERR_MEMORY, "no memory for the frames that are compared");
    c->has_onto = setup->onto != NULL;
    c->frames = side_of(setup->frames, setup->part);
    if (c->has_onto) c->onto = side_of(setup->onto, setup->onto_part);
    c->source = source_of(c);
    c->is_whole = !is_given(setup->part) && !is_given(setup->onto_part) && fills(c, &c->frames) &&
                  (!c->has_onto || fills(c, &c->onto));
    choose_lent_on(c);
    int is_deep = setup->frames->type == ENDO_GREY16 || (c->has_onto && setup->onto->type == ENDO_GREY16);
    if (is_deep) c->range = endo_alloc(1, sizeof *c->range);
    if (is_deep && !c->range) {
        compared_frames_destroy(&c);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for a histogram of grey values");
    }
    *out = c;
    return ENDO_OK;
}

void compared_frames_destroy(compared_frames **compared) {
    compared_frames *c = *compared;
    *compared = NULL;
    if (!c) return;
    endo_free(c->range);
    endo_free(c);
}

const endo_mosaic_source *compared_frames_source(const compared_frames *c) { return &c->source; }

mosaic_rect compared_frames_part(const compared_frames *c, int frame) {
    int number;
    return side_at(c, frame, &number)->part;
}

int compared_frames_are_whole(const compared_frames *c) { return c->is_whole; }
