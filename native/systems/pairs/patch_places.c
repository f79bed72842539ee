/* Each patch is followed from where the pair's transform takes it, level by level (patch_places.h): steps of Gauss and Newton
 * with gain, offset and slopes of the light free, as in the registration of the pair, but of each patch alone. */
#include "patch_places.h"

#include "patch_grid.h"

#include <math.h>

/* Patches along the longer side of a frame. */
#define ACROSS 16
#define MOST ENDO_PATCH_PLACES
/* The longer side of the level at which patches begin, px, at most: a few pixels of it are as far as patches lie apart. */
#define FIRST_SIDE 160
/* Steps in each level, and in the frames themselves. */
#define STEPS 2
#define LAST_STEPS 3
/* The longest step, and the largest deviation of one that is made, px of the level. */
#define LONGEST 1.5
#define VAGUE 0.5
/* What is believed: the least coefficient, and the longest last step and the largest deviation, px. */
#define LEAST_COEFFICIENT 0.6
#define SETTLED 0.2
#define SURE 0.25

_Static_assert(ACROSS * ACROSS <= MOST, "patches of a pair");

/* Pairs that are followed side by side: each step of all of them is one call of the back end. */
#define AT_ONCE 8

/* The patches of one pair on their way. */
typedef struct followed_pair {
    endo_pair pair;
    endo_transform map;       /* reference -> current */
    int is_followed;          /* 0: there is no map */
    double moved[2 * MOST];   /* from where the map takes them, px of the reference */
    double length[MOST];      /* of the last step, px */
    double deviation[MOST];   /* px; not below 0: it is known where the patch lies */
    double coefficient[MOST];
} followed_pair;

typedef struct follower {
    endo_frames *frames;
    endo_patch_grid whole;    /* patches of the frames themselves */
    endo_patch_grid at;       /* the same patches in a level */
    followed_pair pairs[AT_ONCE];
    size_t n;
    endo_patch_request requests[AT_ONCE * MOST];
    endo_patch_sums sums[AT_ONCE * MOST];
} follower;

/* The patches of the frames in a level, as near as whole pixels of it are. */
static void take_level(follower *f, const endo_patch_grid *in_level) {
    int width = f->whole.width >> in_level->level;
    int height = f->whole.height >> in_level->level;
    for (size_t i = 0; i < f->whole.n; i++) {
        double middle[2];
        endo_patch_grid_position(&f->whole, i, &middle[0], &middle[1]);
        for (int k = 0; k < 2; k++) {
            int last = (k == 0 ? width : height) - in_level->side;
            int first = (int)floor(endo_level_down(in_level->level, middle[k]) - (in_level->side - 1) / 2.0 + 0.5);
            f->at.positions[2 * i + (size_t)k] = first < 0 ? 0 : first > last ? last : first;
        }
    }
    f->at.level = in_level->level;
    f->at.side = in_level->side;
}

static void follow(const endo_patch_grid *at, followed_pair *f, size_t i, const endo_patch_sums *sums) {
    double scale = (double)(1 << at->level);
    endo_patch p;
    f->deviation[i] = -1;
    if (!endo_patch_measure(sums, at->side, &p)) return;
    double determinant = p.xx * p.yy - p.xy * p.xy;
    if (!(determinant > 0)) return;
    double deviation = sqrt((p.xx + p.yy) / (2 * determinant));
    double length = sqrt(p.dx * p.dx + p.dy * p.dy);
    if (!(deviation <= VAGUE)) return;
    double share = length > LONGEST ? LONGEST / length : 1;
    f->moved[2 * i] += share * p.dx * scale;
    f->moved[2 * i + 1] += share * p.dy * scale;
    f->length[i] = length * scale;
    f->deviation[i] = deviation * scale;
    f->coefficient[i] = p.coefficient;
}

/* One step of the patches of all pairs. */
static endo_status step(follower *f) {
    endo_patches_setup setup = {f->at.side};
    size_t each = f->at.n;
    size_t n = 0;
    for (size_t k = 0; k < f->n; k++) {
        const followed_pair *p = &f->pairs[k];
        if (p->is_followed) endo_patch_grid_ask_moved(&f->at, &p->pair, &p->map, p->moved, f->requests + each * n++);
    }
    if (n == 0) return ENDO_OK;
    ENDO_TRY(f->frames->context->kernels->batches->patches(f->frames->store, f->requests, each * n, &setup, f->sums));
    const endo_patch_sums *sums = f->sums;
    for (size_t k = 0; k < f->n; k++) {
        if (!f->pairs[k].is_followed) continue;
        for (size_t i = 0; i < each; i++) follow(&f->at, &f->pairs[k], i, &sums[i]);
        sums += each;
    }
    return ENDO_OK;
}

static endo_status follow_in_level(follower *f, int level) {
    endo_patch_grid in_level;
    int steps = level == 0 ? LAST_STEPS : STEPS;
    endo_status status = endo_patch_grid_make(f->frames, level, 1, 1, &in_level);
    if (status == ENDO_OK) take_level(f, &in_level);
    endo_patch_grid_free(&in_level);
    for (int i = 0; i < steps && status == ENDO_OK; i++) status = step(f);
    return status;
}

static int first_level(const endo_frames *frames) {
    int width = frames->options.width;
    int height = frames->options.height;
    int level = 0;
    while (level + 1 < endo_patch_levels(width, height) && (width > height ? width : height) >> level > FIRST_SIDE) level++;
    return level;
}

/* Returns the number of patches of which it is known where they lie. */
static int32_t conclude(const endo_patch_grid *whole, const followed_pair *f, endo_patch_place *places) {
    int32_t n = 0;
    for (size_t i = 0; f->is_followed && i < whole->n; i++) {
        double at[2];
        double to[2];
        int is_known = f->deviation[i] >= 0 && f->deviation[i] <= SURE && f->length[i] <= SETTLED &&
                       f->coefficient[i] >= LEAST_COEFFICIENT;
        if (!is_known) continue;
        endo_patch_grid_position(whole, i, &at[0], &at[1]);
        endo_transform_point(&f->map, at[0] + f->moved[2 * i], at[1] + f->moved[2 * i + 1], &to[0], &to[1]);
        if (!isfinite(to[0]) || !isfinite(to[1])) continue;
        places[n++] = (endo_patch_place){
            .x = (float)at[0],
            .y = (float)at[1],
            .current_x = (float)to[0],
            .current_y = (float)to[1],
            .deviation = (float)f->deviation[i],
        };
    }
    return n;
}

static void begin(const endo_patch_grid *whole, const endo_pair *pair, const endo_transform *transform, followed_pair *f) {
    f->pair = *pair;
    f->is_followed = whole->n > 0 && endo_transform_inverse(transform, &f->map);
    for (size_t i = 0; i < whole->n; i++) {
        f->moved[2 * i] = f->moved[2 * i + 1] = 0;
        f->deviation[i] = -1;
    }
}

/* Pairs that are followed side by side, AT_ONCE at most. */
static endo_status locate(follower *f, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                          endo_patch_place *places, int32_t *counts) {
    f->n = n;
    for (size_t k = 0; k < n; k++) begin(&f->whole, &pairs[k], &transforms[k], &f->pairs[k]);
    for (int level = first_level(f->frames); level >= 0; level--) ENDO_TRY(follow_in_level(f, level));
    for (size_t k = 0; k < n; k++) counts[k] = conclude(&f->whole, &f->pairs[k], places + k * MOST);
    return ENDO_OK;
}

endo_status endo_patches_locate(endo_frames *frames, const endo_pair *pairs, const endo_transform *transforms, size_t n,
                                endo_patch_place *places, int32_t *counts) {
    follower *f = endo_alloc_zeroed(1, sizeof *f);
    if (!f) return endo_fail(ENDO_ERR_MEMORY, "no memory to follow patches");
    f->frames = frames;
    endo_status status = endo_patch_grid_make(frames, 0, ACROSS, 1, &f->whole);
    f->at = f->whole;
    f->at.positions = endo_alloc(2 * MOST, sizeof *f->at.positions);
    if (status == ENDO_OK && !f->at.positions) status = endo_fail(ENDO_ERR_MEMORY, "no memory to follow patches");
    for (size_t i = 0; i < n && status == ENDO_OK; i += AT_ONCE) {
        size_t count = n - i < AT_ONCE ? n - i : AT_ONCE;
        status = locate(f, pairs + i, transforms + i, count, places + i * MOST, counts + i);
    }
    endo_patch_grid_free(&f->whole);
    endo_patch_grid_free(&f->at);
    endo_free(f);
    return status;
}
