/* Dark parts of the scene that lie at the border of the field: they belong to it, what stands still with the rim does not. */
#include "include/endorama.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 400, HEIGHT = 320, AREA = WIDTH * HEIGHT, FRAMES = 16 };

/* A field of which some is dark. */
typedef struct scope {
    int is_circle;    /* or a rectangle */
    double pit;       /* radius of the dark part, px; its middle lies on the border of the field, at the top */
    double fade;      /* px over which it becomes dark */
    int moves;        /* px by which the scene moves either way, and the dark part with it */
    int stands_still; /* the dark part belongs to the scope */
    int shakes;       /* px by which the field moves either way */
} scope;

static uint8_t image[AREA], mask[AREA];
static endo_context *context;

static uint8_t tissue(int x, int y) { return (uint8_t)(80 + abs(x % 90 - 45) + abs(y % 70 - 35)); }

static int is_in(const scope *s, int x, int y) {
    return s->is_circle ? hypot(x - 200, y - 160) <= 140 : x >= 40 && x < 360 && y >= 20 && y < 300;
}

/* Distance from the dark part. */
static double beyond_pit(const scope *s, int x, int y) { return hypot(x - 190, y - 20) - s->pit; }

static void draw(const scope *s, int frame) {
    int sway = (frame * 5) % FRAMES - FRAMES / 2;
    int dx = sway * s->moves * 2 / FRAMES, dy = (frame - FRAMES / 2) * s->moves * 2 / FRAMES;
    int across = sway * s->shakes * 2 / FRAMES, down = ((frame * 3) % FRAMES - FRAMES / 2) * s->shakes * 2 / FRAMES;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int u = x + (s->stands_still ? across : dx), v = y + (s->stands_still ? down : dy);
            double light = beyond_pit(s, u, v) / s->fade;
            light = light < 0 ? 0 : light > 1 ? 1 : light;
            int noise = (int)((uint32_t)(x * 7919 + y * 104729 + frame * 1299709) * 2654435761u >> 8) % 5;
            int lit = is_in(s, x + across, y + down) ? (int)(light * tissue(x + dx + 1000, y + dy + 1000)) : 0;
            image[y * WIDTH + x] = (uint8_t)(lit + noise);
        }
}

static void find(const scope *s) {
    endo_field_finder *finder = NULL;
    endo_field_info info;
    CHECK(endo_field_finder_create(context, ENDO_GREY8, WIDTH, HEIGHT, 0, 255, &finder) == ENDO_OK);
    for (int i = 0; i < FRAMES; i++) {
        draw(s, i);
        CHECK(endo_field_finder_add(finder, image, WIDTH) == ENDO_OK);
    }
    CHECK(endo_field_finder_find(finder, mask, &info) == ENDO_OK);
    endo_field_finder_destroy(&finder);
}

/* Share of the dark part, but for three pixels along the field's border, that the mask holds. */
static double held(const scope *s) {
    double n = 0, in = 0;
    for (int y = 4; y < HEIGHT - 4; y++)
        for (int x = 4; x < WIDTH - 4; x++) {
            if (beyond_pit(s, x, y) > 0 || !is_in(s, x - 3, y) || !is_in(s, x + 3, y) || !is_in(s, x, y - 3)) continue;
            n++;
            in += mask[y * WIDTH + x] != 0;
        }
    return in / n;
}

static int beyond_field(const scope *s) {
    int n = 0;
    for (int i = 0; i < AREA; i++) n += mask[i] && !is_in(s, i % WIDTH, i / WIDTH);
    return n;
}

static double held_of(scope s) {
    find(&s);
    if (!s.shakes) CHECK(beyond_field(&s) == 0);
    return held(&s);
}

/* One that fades is told by that, also where the scene hardly moves; a sharp one by its motion. */
static void test_dark_parts_of_the_scene_are_inside(void) {
    for (int circle = 0; circle < 2; circle++) {
        CHECK(held_of((scope){.is_circle = circle, .pit = 40, .fade = 30, .moves = 2}) > 0.99);
        CHECK(held_of((scope){.is_circle = circle, .pit = 55, .fade = 2, .moves = 14}) > 0.99);
        CHECK(held_of((scope){.is_circle = circle, .pit = 20, .fade = 20, .moves = 2}) > 0.9);
    }
}

static void test_what_stands_still_with_the_rim_is_outside(void) {
    for (int circle = 0; circle < 2; circle++) {
        CHECK(held_of((scope){.is_circle = circle, .pit = 40, .fade = 2, .moves = 14, .stands_still = 1}) < 0.01);
        CHECK(held_of((scope){.is_circle = circle, .pit = 15, .fade = 2, .moves = 14, .stands_still = 1}) < 0.01);
        CHECK(held_of((scope){.is_circle = circle, .pit = 40, .fade = 2, .moves = 14, .stands_still = 1, .shakes = 5}) < 0.03);
    }
}

int main(void) {
    endo_context_options options = endo_context_options_default();
    options.backend = ENDO_BACKEND_CPU;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    test_dark_parts_of_the_scene_are_inside();
    test_what_stands_still_with_the_rim_is_outside();
    endo_context_destroy(&context);
    return check_summary("test_field_pits");
}
