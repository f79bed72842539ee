/* Canvases that grow with what is painted: what they show, where they end, painted anew, and in another context. */
#include "canvases_rig.h"
#include "memory_allocator.h"
#include "sequence_rig.h"

/* Size of a frame, px. A frame k is of the grey 10 k all over. */
#define W 32
#define H 24
#define LONGEST (1 << 20)

static flat_frames flat;

static void prepare(canvases_rig *rig, endo_mosaic_painting painting) {
    *rig = (canvases_rig){.options = rig_options()};
    rig->options.painting = painting;
    rig->options.rim = 0;
}

static void begin(canvases_rig *rig) {
    flat.n_read = 0; /* what it remembers of earlier rigs */
    flat.n_back = 0;
    rig_open(rig, &flat.source);
}

static void start(canvases_rig *rig, endo_mosaic_painting painting) {
    prepare(rig, painting);
    begin(rig);
}

/* The grey value at a pixel of the plane; -1: nothing is painted there; -2: beyond the picture. */
static int at(const picture *p, int x, int y) {
    mosaic_rect r = p->rect;
    if (!p->pixels || x < r.left || x >= r.right || y < r.top || y >= r.bottom) return -2;
    size_t i = (size_t)(y - r.top) * (size_t)rect_width(r) + (size_t)(x - r.left);
    return p->painted[i] == 255 ? p->pixels[i] : p->painted[i] == 0 && p->pixels[i] == 0 ? -1 : -3;
}

/* -------------------------------------------------------------------- painting */

/* Frames at whole pixels, one over the other or one under the other: what every pixel shows is known. */
typedef struct spot {
    int frame, x, y;
} spot;

static int wanted(const spot *spots, int n, int over, int x, int y) {
    int found = -1;
    for (int i = 0; i < n; i++) {
        int inside = x >= spots[i].x && x < spots[i].x + W && y >= spots[i].y && y < spots[i].y + H;
        if (inside && (over || found < 0)) found = 10 * spots[i].frame;
    }
    return found;
}

static int shows(const picture *p, const spot *spots, int n, int over) {
    int differ = 0;
    if (!p->pixels) return 0;
    for (int y = p->rect.top; y < p->rect.bottom; y++)
        for (int x = p->rect.left; x < p->rect.right; x++) differ += at(p, x, y) != wanted(spots, n, over, x, y);
    return differ == 0;
}

static mosaic_rect reach_of(const spot *spots, int n) {
    mosaic_rect r = {.left = spots[0].x, .top = spots[0].y, .right = spots[0].x + W, .bottom = spots[0].y + H};
    for (int i = 1; i < n; i++) {
        mosaic_rect one = {.left = spots[i].x, .top = spots[i].y, .right = spots[i].x + W, .bottom = spots[i].y + H};
        r = rect_union(r, one);
    }
    return r;
}

static const spot path[] = {{1, 0, 0},    {2, 10, 5}, {3, -7, -9}, {4, 40, -30},
                            {5, -60, 11}, {6, 3, 4},  {7, 0, 70},  {8, -59, 12}};
#define PATH ((int)(sizeof path / sizeof *path))

static endo_status paint_spot(canvases_rig *rig, const spot *s, int canvas) {
    return rig_paint_at(rig, s->frame, s->x, s->y, canvas);
}

/* To all sides, and after every frame as much as the frames reach. */
static void test_growth(void) {
    for (int over = 0; over < 2; over++) {
        canvases_rig rig;
        start(&rig, over ? ENDO_MOSAIC_UNION : ENDO_MOSAIC_RING);
        for (int i = 0; i < PATH; i++) {
            CHECK(paint_spot(&rig, &path[i], 3) == ENDO_OK && !canvases_full(rig.canvases));
            picture p = rig_picture(&rig, 3, 0);
            CHECK(p.scale == 1 && same_rect(p.rect, reach_of(path, i + 1)) && shows(&p, path, i + 1, over));
            picture_free(&p);
        }
        rig_close(&rig);
    }
}

/* Before it is blended, one frame lies over the other. */
static void test_what_will_be_blended_is_painted_over(void) {
    canvases_rig rig;
    start(&rig, ENDO_MOSAIC_BLEND);
    placed_frame items[PATH];
    for (int i = 0; i < PATH; i++) items[i] = rig_at(path[i].frame, path[i].x, path[i].y, 0);
    CHECK(canvases_uses(rig.canvases) == ENDO_USE_ANY && !canvases_is_blending(rig.canvases));
    CHECK(canvases_paint(rig.canvases, rig.frames, items, PATH) == ENDO_OK);
    picture p = rig_picture(&rig, 0, 0);
    CHECK(same_rect(p.rect, reach_of(path, PATH)) && shows(&p, path, PATH, 1));
    picture_free(&p);
    rig_close(&rig);
}

static void test_canvases_have_numbers(void) {
    canvases_rig rig;
    const placed_frame items[] = {rig_at(1, 0, 0, 9), rig_at(2, 5, 0, 9), rig_at(3, 0, 0, 2), rig_at(4, 9, 9, 9),
                                  rig_at(5, 0, 2, 5)};
    const spot nine[] = {{1, 0, 0}, {2, 5, 0}, {4, 9, 9}};
    const spot two[] = {{3, 0, 0}};
    const spot five[] = {{5, 0, 2}};
    start(&rig, ENDO_MOSAIC_UNION);
    CHECK(canvases_paint(rig.canvases, rig.frames, items, 5) == ENDO_OK);
    CHECK(canvases_paint(rig.canvases, rig.frames, items, 0) == ENDO_OK);
    picture a = rig_picture(&rig, 9, 0);
    picture b = rig_picture(&rig, 2, 0);
    picture c = rig_picture(&rig, 5, 0);
    picture none = rig_picture(&rig, 3, 0);
    picture beyond = rig_picture(&rig, 10, 0);
    CHECK(shows(&a, nine, 3, 1) && shows(&b, two, 1, 1) && shows(&c, five, 1, 1) && !none.pixels && !beyond.pixels);
    CHECK(same_rect(c.rect, reach_of(five, 1)));
    picture_free(&a);
    picture_free(&b);
    picture_free(&c);
    canvases_clear(rig.canvases);
    picture cleared = rig_picture(&rig, 9, 0);
    CHECK(!cleared.pixels);
    rig_close(&rig);
}

/* Rows that are moved in several pieces. */
static void test_a_wide_canvas(void) {
    canvases_rig rig;
    const spot spots[] = {{1, 0, 0}, {2, 400000, 13}, {3, 800000, 5}};
    start(&rig, ENDO_MOSAIC_UNION);
    for (int i = 0; i < 3; i++) CHECK(paint_spot(&rig, &spots[i], 0) == ENDO_OK);
    CHECK(rig_move(&rig));
    CHECK(paint_spot(&rig, &spots[1], 0) == ENDO_OK);
    picture p = rig_picture(&rig, 0, 0);
    CHECK(same_rect(p.rect, reach_of(spots, 3)) && shows(&p, spots, 3, 1));
    picture_free(&p);
    rig_close(&rig);
}

/* ----------------------------------------------------------------------- limits */

static int full_says(const canvases_rig *rig, const char *text) {
    const char *full = canvases_full(rig->canvases);
    int says = full && strstr(full, text);
    if (!says) printf("full: %s\n", full ? full : "no");
    return says;
}

/* A canvas with as many pixels as are allowed is painted, with one row more it is not. */
static void test_the_largest_area(void) {
    for (int more = 0; more < 2; more++) {
        canvases_rig rig;
        prepare(&rig, ENDO_MOSAIC_UNION);
        rig.options.max_canvas = 2 * W * (H + 10);
        begin(&rig);
        CHECK(rig_paint_at(&rig, 1, 0, 0, 0) == ENDO_OK);
        CHECK(rig_paint_at(&rig, 2, -W, 10 + more, 0) == ENDO_OK && !canvases_full(rig.canvases) == !more);
        if (more)
            CHECK(full_says(&rig, "frame 3: the panorama would be 64 x 35 px, it may have 0.002176 megapixels (max_canvas, or "
                                  "what the memory allows); painting stops here, what was painted is kept, registration goes "
                                  "on"));
        picture p = rig_picture(&rig, 0, 0);
        const spot both[] = {{1, 0, 0}, {2, -W, 10}};
        CHECK(same_rect(p.rect, reach_of(both, 2 - more)) && shows(&p, both, 2 - more, 1));
        picture_free(&p);
        rig_close(&rig);
    }
}

/* Frames behind the first one that a canvas cannot take are not painted, wherever they lie; other canvases go on. */
static void test_painting_stops(void) {
    canvases_rig rig;
    prepare(&rig, ENDO_MOSAIC_UNION);
    const placed_frame items[] = {rig_at(1, 0, 0, 4), rig_at(2, 90, 0, 4), rig_at(3, 1, 1, 4)};
    const spot one[] = {{1, 0, 0}};
    rig.options.max_canvas = 2 * W * H;
    begin(&rig);
    CHECK(canvases_paint(rig.canvases, rig.frames, items, 3) == ENDO_OK && full_says(&rig, "frame 3: "));
    CHECK(rig_paint_at(&rig, 4, 0, 0, 4) == ENDO_OK && rig_paint_at(&rig, 5, 500, 0, 6) == ENDO_OK);
    CHECK(full_says(&rig, "frame 3: "));
    CHECK(rig_paint_at(&rig, 6, 600, 0, 6) == ENDO_OK && rig_paint_at(&rig, 7, 0, 0, 1) == ENDO_OK);
    CHECK(rig_paint_at(&rig, 8, 70, 0, 1) == ENDO_OK && full_says(&rig, "frame 9: "));
    picture p = rig_picture(&rig, 4, 0);
    picture other = rig_picture(&rig, 6, 0);
    CHECK(same_rect(p.rect, reach_of(one, 1)) && shows(&p, one, 1, 1) && at(&other, 500, 0) == 50);
    picture_free(&p);
    picture_free(&other);
    rig_close(&rig);
}

static void test_the_longest_side(void) {
    for (int more = 0; more < 2; more++) {
        canvases_rig rig;
        start(&rig, ENDO_MOSAIC_UNION);
        CHECK(rig_paint_at(&rig, 1, 0, 0, 0) == ENDO_OK);
        CHECK(rig_paint_at(&rig, 2, LONGEST - W + more, 0, 0) == ENDO_OK && !canvases_full(rig.canvases) == !more);
        if (more) CHECK(full_says(&rig, "frame 3: the panorama would be 1048577 x 24 px, it may have 1000 megapixels"));
        CHECK(rig_paint_at(&rig, 1, 0, 0, 1) == ENDO_OK);
        CHECK(rig_paint_at(&rig, 4, 0, H - LONGEST - more, 1) == ENDO_OK && !canvases_full(rig.canvases) == !more);
        if (!more) CHECK(rig_paint_at(&rig, 5, 0, 1, 1) == ENDO_OK && full_says(&rig, "frame 6: the panorama would be 32 x "));
        rig_close(&rig);
    }
}

static void test_beyond_reach(void) {
    canvases_rig rig;
    start(&rig, ENDO_MOSAIC_UNION);
    CHECK(rig_paint_at(&rig, 1, 1 << 29, 0, 0) == ENDO_OK);
    CHECK(full_says(&rig, "frame 2: the panorama would be endlessly large, it may have "));
    picture none = rig_picture(&rig, 0, 0);
    CHECK(!none.pixels);
    rig_close(&rig);
}

/* The memory that is left to a panorama limits it, where there is no scratch folder. */
static void test_memory_is_a_limit(void) {
    canvases_rig rig;
    prepare(&rig, ENDO_MOSAIC_UNION);
    rig.options.memory = 1 << 20;
    begin(&rig);
    int64_t most = panorama_store_limit(&rig.options, ENDO_GREY8);
    int x = (int)(most / H) - W;
    CHECK(rig_paint_at(&rig, 1, 0, 0, 0) == ENDO_OK);
    CHECK(rig_paint_at(&rig, 2, x, 0, 0) == ENDO_OK && !canvases_full(rig.canvases));
    CHECK(rig_paint_at(&rig, 3, x + 1, 0, 0) == ENDO_OK && full_says(&rig, "frame 4: "));
    picture p = rig_picture(&rig, 0, 0);
    CHECK(at(&p, x, 0) == 20 && at(&p, 1, 0) == 10);
    picture_free(&p);
    rig_close(&rig);
}

/* --------------------------------------------------------------------- failures */

/* A frame that is refused takes no place, and the canvas goes elsewhere when both would be too long. */
static void test_a_refused_frame(void) {
    canvases_rig rig;
    const spot spots[] = {{1, 0, 0}, {2, -100, 3}};
    placed_frame refused = rig_at(5, LONGEST - W, 0, 0);
    start(&rig, ENDO_MOSAIC_UNION);
    refused.slot = FLAT_FRAMES;
    CHECK(canvases_paint(rig.canvases, rig.frames, &refused, 1) == ENDO_ERR_ARGUMENT);
    picture none = rig_picture(&rig, 0, 0);
    CHECK(!none.pixels && !canvases_full(rig.canvases));
    CHECK(paint_spot(&rig, &spots[0], 0) == ENDO_OK);
    CHECK(canvases_paint(rig.canvases, rig.frames, &refused, 1) == ENDO_ERR_ARGUMENT);
    picture one = rig_picture(&rig, 0, 0);
    CHECK(same_rect(one.rect, reach_of(spots, 1)) && shows(&one, spots, 1, 1));
    CHECK(paint_spot(&rig, &spots[1], 0) == ENDO_OK);
    picture two = rig_picture(&rig, 0, 0);
    CHECK(same_rect(two.rect, reach_of(spots, 2)) && shows(&two, spots, 2, 1));
    picture_free(&one);
    picture_free(&two);
    rig_close(&rig);
}

static endo_status paint_path(canvases_rig *rig, int canvas) {
    placed_frame items[PATH];
    for (int i = 0; i < PATH; i++) items[i] = rig_at(path[i].frame, path[i].x, path[i].y, canvas);
    return canvases_paint(rig->canvases, rig->frames, items, PATH);
}

/* Where memory ends is an error, and the same can be asked again. */
static int paints_after_failure(int call) {
    canvases_rig rig;
    int before = memory_alive;
    start(&rig, ENDO_MOSAIC_UNION);
    memory_arm(call, 0);
    endo_status status = paint_path(&rig, 0);
    int fired = memory_failures;
    memory_arm(0, 0);
    CHECK(status == (fired ? ENDO_ERR_MEMORY : ENDO_OK) && !canvases_full(rig.canvases));
    if (fired) CHECK(strstr(endo_last_error(), "memory") && paint_path(&rig, 0) == ENDO_OK);
    picture p = rig_picture(&rig, 0, 0);
    CHECK(same_rect(p.rect, reach_of(path, PATH)) && shows(&p, path, PATH, 1));
    picture_free(&p);
    rig_close(&rig);
    CHECK(memory_alive == before);
    return fired;
}

/* Where it is a reason to paint no more, it is said of which frame, and those before it are there. */
static int stops_at_failure(int call) {
    canvases_rig rig;
    start(&rig, ENDO_MOSAIC_UNION);
    CHECK(paint_spot(&rig, &path[0], 0) == ENDO_OK && paint_spot(&rig, &path[0], 1) == ENDO_OK);
    CHECK(canvases_stop_where_memory_ends(rig.canvases) == 1 && canvases_stop_where_memory_ends(rig.canvases) == 0);
    memory_arm(call, 1);
    endo_status status = paint_path(&rig, 1);
    int fired = memory_failures;
    memory_arm(0, 0);
    CHECK(status == ENDO_OK && !canvases_full(rig.canvases) == !fired);
    picture p = rig_picture(&rig, 1, 0);
    int n = PATH;
    while (fired && n > 0 && !(same_rect(p.rect, reach_of(path, n)) && shows(&p, path, n, 1))) n--;
    CHECK(n > 0);
    if (fired) CHECK(full_says(&rig, "memory") && full_says(&rig, "; painting stops here, what was painted is kept"));
    picture_free(&p);
    rig_close(&rig);
    return fired;
}

/* The limit of memory holds for a canvas that is made later, too. */
static void test_later_canvases_stop(void) {
    canvases_rig rig;
    start(&rig, ENDO_MOSAIC_UNION);
    CHECK(rig_paint_at(&rig, 1, 0, 0, 7) == ENDO_OK);
    CHECK(canvases_stop_where_memory_ends(rig.canvases));
    CHECK(rig_paint_at(&rig, 1, 0, 0, 3) == ENDO_OK);
    for (int canvas = 3; canvas <= 7; canvas += 4) {
        memory_arm(1, 1);
        CHECK(rig_paint_at(&rig, 2, 900, 0, canvas) == ENDO_OK);
        memory_arm(0, 0);
        CHECK(full_says(&rig, "frame 3: the panorama would be 932 x 24 px, no memory"));
        CHECK(rig_paint_at(&rig, 3, 0, 0, canvas) == ENDO_OK);
        picture p = rig_picture(&rig, canvas, 0);
        CHECK(at(&p, 0, 0) == 10);
        picture_free(&p);
    }
    rig_close(&rig);
}

static void test_want_of_memory(void) {
    int n = 1;
    while (paints_after_failure(n)) n++;
    CHECK(n > 6);
    for (n = 1; stops_at_failure(n);) n++;
    CHECK(n > 6);
    test_later_canvases_stop();
}

/* ------------------------------------------------------------------ painted anew */

static void test_painted_anew(void) {
    const spot others[] = {{9, 3, 3}, {10, -20, 8}};
    for (int back = 0; back < 2; back++) {
        const int kept[] = {7, 2};
        canvases_rig rig;
        int before = memory_alive;
        start(&rig, ENDO_MOSAIC_UNION);
        CHECK(paint_path(&rig, 1) == ENDO_OK && paint_path(&rig, 2) == ENDO_OK && paint_path(&rig, 3) == ENDO_OK);
        CHECK(canvases_start_over(rig.canvases, kept, 2) == ENDO_OK);
        picture kept_there = rig_picture(&rig, 2, 0);
        picture empty = rig_picture(&rig, 1, 0);
        CHECK(shows(&kept_there, path, PATH, 1) && !empty.pixels);
        for (int i = 0; i < 2; i++)
            CHECK(paint_spot(&rig, &others[i], 1) == ENDO_OK && paint_spot(&rig, &others[i], 8) == ENDO_OK);
        if (back)
            canvases_take_back(rig.canvases);
        else
            canvases_keep_new(rig.canvases);
        picture one = rig_picture(&rig, 1, 0);
        picture two = rig_picture(&rig, 2, 0);
        picture three = rig_picture(&rig, 3, 0);
        picture eight = rig_picture(&rig, 8, 0);
        CHECK(back ? shows(&one, path, PATH, 1) : shows(&one, others, 2, 1));
        CHECK(shows(&two, path, PATH, 1));
        CHECK(back ? shows(&three, path, PATH, 1) : !three.pixels);
        CHECK(back ? !eight.pixels : shows(&eight, others, 2, 1));
        picture_free(&kept_there);
        picture_free(&one);
        picture_free(&two);
        picture_free(&three);
        picture_free(&eight);
        rig_close(&rig);
        CHECK(memory_alive == before);
    }
}

/* Canvases that are closed while others are set aside. */
static void test_anew_and_closed(void) {
    canvases_rig rig;
    const int kept[] = {2};
    int before = memory_alive;
    start(&rig, ENDO_MOSAIC_UNION);
    CHECK(paint_path(&rig, 1) == ENDO_OK && paint_path(&rig, 2) == ENDO_OK);
    CHECK(canvases_start_over(rig.canvases, kept, 1) == ENDO_OK && paint_path(&rig, 1) == ENDO_OK);
    rig_close(&rig);
    CHECK(memory_alive == before);
}

/* --------------------------------------------------------------- another context */

/* Wherever it is moved, once and again, the picture is as if it had stayed. */
static void test_moved(void) {
    for (int over = 0; over < 2; over++)
        for (int first = 0; first <= PATH; first++) {
            canvases_rig rig;
            start(&rig, over ? ENDO_MOSAIC_UNION : ENDO_MOSAIC_RING);
            for (int i = 0; i < PATH; i++) {
                if (i == first || i == first + 3) CHECK(rig_move(&rig));
                CHECK(paint_spot(&rig, &path[i], 0) == ENDO_OK);
            }
            picture p = rig_picture(&rig, 0, 0);
            CHECK(same_rect(p.rect, reach_of(path, PATH)) && shows(&p, path, PATH, over));
            CHECK(rig_move(&rig));
            picture again = rig_picture(&rig, 0, 0);
            CHECK(picture_is(&p, &again));
            picture_free(&p);
            picture_free(&again);
            rig_close(&rig);
        }
}

static void test_full_moves_along(void) {
    canvases_rig rig;
    prepare(&rig, ENDO_MOSAIC_UNION);
    const spot one[] = {{1, 0, 0}};
    rig.options.max_canvas = 2 * W * H;
    begin(&rig);
    CHECK(paint_spot(&rig, &one[0], 0) == ENDO_OK && rig_paint_at(&rig, 2, 900, 0, 0) == ENDO_OK);
    CHECK(rig_move(&rig) && full_says(&rig, "frame 3: "));
    CHECK(rig_paint_at(&rig, 3, 0, 0, 0) == ENDO_OK);
    picture p = rig_picture(&rig, 0, 0);
    CHECK(shows(&p, one, 1, 1));
    picture_free(&p);
    rig_close(&rig);
}

/* Canvases that are set aside, and those that are kept, move along. */
static void test_moved_while_anew(void) {
    const int kept[] = {2};
    const spot others[] = {{9, 3, 3}};
    canvases_rig rig;
    start(&rig, ENDO_MOSAIC_UNION);
    CHECK(paint_path(&rig, 1) == ENDO_OK && paint_path(&rig, 2) == ENDO_OK);
    CHECK(canvases_start_over(rig.canvases, kept, 1) == ENDO_OK && paint_spot(&rig, &others[0], 1) == ENDO_OK);
    CHECK(rig_move(&rig));
    picture now = rig_picture(&rig, 1, 0);
    picture two = rig_picture(&rig, 2, 0);
    CHECK(shows(&now, others, 1, 1) && shows(&two, path, PATH, 1));
    canvases_take_back(rig.canvases);
    picture one = rig_picture(&rig, 1, 0);
    picture kept_there = rig_picture(&rig, 2, 0);
    CHECK(shows(&one, path, PATH, 1) && shows(&kept_there, path, PATH, 1));
    CHECK(paint_spot(&rig, &path[PATH - 1], 1) == ENDO_OK && paint_spot(&rig, &path[PATH - 1], 2) == ENDO_OK);
    picture_free(&now);
    picture_free(&one);
    picture_free(&two);
    picture_free(&kept_there);
    rig_close(&rig);
}

/* Memory ends while they leave, or while they enter: that is said, and everything can be painted again. */
static int moves_without_memory(int call, int entering) {
    canvases_rig rig;
    int alive = memory_alive;
    start(&rig, ENDO_MOSAIC_UNION);
    CHECK(paint_path(&rig, 1) == ENDO_OK && paint_path(&rig, 2) == ENDO_OK);
    endo_context *before = rig.context;
    if (!entering) memory_arm(call, 0);
    int left = canvases_leave(rig.canvases);
    int fired = memory_failures;
    memory_arm(0, 0);
    endo_frames_destroy(&rig.frames);
    rig_start_context(&rig);
    if (entering) memory_arm(call, 0);
    int entered = left && canvases_enter(rig.canvases);
    if (entering) fired = memory_failures;
    memory_arm(0, 0);
    CHECK(left == (entering || !fired) && entered == !fired);
    if (!entered) canvases_clear(rig.canvases);
    endo_context_destroy(&before);
    if (!entered) CHECK(paint_path(&rig, 1) == ENDO_OK && paint_path(&rig, 2) == ENDO_OK);
    picture one = rig_picture(&rig, 1, 0);
    picture two = rig_picture(&rig, 2, 0);
    CHECK(shows(&one, path, PATH, 1) && shows(&two, path, PATH, 1));
    picture_free(&one);
    picture_free(&two);
    rig_close(&rig);
    CHECK(memory_alive == alive);
    return fired;
}

static void test_moves_without_memory(void) {
    for (int entering = 0; entering < 2; entering++) {
        int n = 1;
        while (moves_without_memory(n, entering)) n++;
        CHECK(n > 2);
    }
}

int main(void) {
    flat_init(&flat, W, H);
    test_growth();
    test_what_will_be_blended_is_painted_over();
    test_canvases_have_numbers();
    test_a_wide_canvas();
    test_the_largest_area();
    test_painting_stops();
    test_the_longest_side();
    test_beyond_reach();
    test_memory_is_a_limit();
    test_a_refused_frame();
    test_want_of_memory();
    test_painted_anew();
    test_anew_and_closed();
    test_moved();
    test_full_moves_along();
    test_moved_while_anew();
    test_moves_without_memory();
    return check_summary("test_mosaic_canvases");
}
