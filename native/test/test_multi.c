/* Several devices behind one context: who works on what, who gets which frames, the same bytes as from one, and what a
 * device that fails leaves behind. The devices are fakes. */
#include "api/testing.h"
#include "multi/share.h"
#include "backend/objects.h"
#include "check.h"
#include "fake_devices.h"
#include "posed.h"
#include "scene.h"

#include <string.h>

#define WIDTH 240
#define HEIGHT 180
#define AREA (WIDTH * HEIGHT)
#define FRAMES 14
#define PAIRS (FRAMES - 1)

/* ------------------------------------------------------------------ sharing */

static void test_homes(void) {
    static const int homes[2][10] = {{0, 1, 1, 1, 1, 0, 0, 0, 0, 1}, {0, 1, 1, 1, 1, 2, 2, 2, 2, 0}};
    for (int slot = 0; slot < 10; slot++)
        CHECK(endo_share_home(slot, 2) == homes[0][slot] && endo_share_home(slot, 3) == homes[1][slot]);
}

/* Side by side, in turns, all of them, and pairs of equal numbers but for one. */
static int is_whole(const endo_share_run *shares, int devices, size_t n) {
    int first = 0;
    size_t at = 0, least = n, most = 0;
    while (first < devices - 1 && (shares[first].first != 0 || shares[first].n == 0)) first++;
    for (int i = 0; i < devices; i++) {
        const endo_share_run *share = &shares[(first + i) % devices];
        if (share->n && share->first != at) return 0;
        at += share->n;
        least = share->n < least ? share->n : least, most = share->n > most ? share->n : most;
    }
    return at == n && most <= least + 1;
}

static void test_neighbours(void) {
    endo_pair pairs[40];
    endo_share_run shares[ENDO_MAX_DEVICES];
    for (int i = 0; i < 40; i++) pairs[i].reference = i, pairs[i].current = i + 1;
    for (int devices = 1; devices <= ENDO_MAX_DEVICES; devices++)
        for (size_t n = 0; n <= 40; n++) {
            endo_share_out(pairs, n, sizeof *pairs, devices, shares);
            CHECK(is_whole(shares, devices, n));
        }
}

/* Runs begin with the device that has most of the frames at home. */
static void test_turns(void) {
    endo_share_run shares[ENDO_MAX_DEVICES];
    endo_pair pairs[8];
    for (int i = 0; i < 8; i++) pairs[i].reference = 0, pairs[i].current = 1 + i; /* homes: 4 x 1, 4 x 0 or 4 x 2 */
    endo_share_out(pairs, 8, sizeof *pairs, 2, shares);
    CHECK(shares[1].first == 0 && shares[1].n == 4 && shares[0].first == 4 && shares[0].n == 4);
    endo_share_out(pairs, 8, sizeof *pairs, 3, shares);
    CHECK(shares[0].first == 0 && shares[0].n == 2 && shares[1].first == 2 && shares[1].n == 3 && shares[2].n == 3);
    for (int i = 0; i < 8; i++) pairs[i].current = 5 + i; /* 4 x 0, 4 x 1 */
    endo_share_out(pairs, 8, sizeof *pairs, 2, shares);
    CHECK(shares[0].first == 0 && shares[1].first == 4);
    endo_share_out(pairs, 1, sizeof *pairs, 4, shares); /* slot 5 of four devices */
    CHECK(shares[2].n == 1 && shares[0].n + shares[1].n + shares[3].n == 0);
}

/* Places in one pair stay together. */
static void test_places(void) {
    endo_search_request requests[30];
    endo_share_run shares[ENDO_MAX_DEVICES];
    memset(requests, 0, sizeof requests);
    for (int i = 0; i < 30; i++) requests[i].current = 5 + i / 10, requests[i].x = i;
    endo_share_out(requests, 30, sizeof *requests, 2, shares);
    CHECK(shares[0].n + shares[1].n == 30 && (shares[0].n == 10 || shares[0].n == 20));
    for (int i = 0; i < 30; i++) requests[i].current = 5;
    endo_share_out(requests, 30, sizeof *requests, 2, shares);
    CHECK(shares[0].n == 30 && shares[1].n == 0);
    for (int i = 0; i < 30; i++) requests[i].reference = i / 15;
    endo_share_out(requests, 30, sizeof *requests, 2, shares);
    CHECK(shares[0].n == 15 && shares[1].n == 15);
}

/* ------------------------------------------------------------------- frames */

static uint32_t images[FRAMES][AREA];

static void make_images(void) {
    static uint8_t grey[AREA];
    test_scene scene;
    test_scene_init(&scene, 11);
    for (int i = 0; i < FRAMES; i++) {
        double map[6] = {1, 0.002 * i, 2.3 * i, -0.002 * i, 1, 1.1 * i};
        test_scene_render(&scene, map, WIDTH, HEIGHT, grey);
        for (int k = 0; k < AREA; k++) images[i][k] = (uint32_t)grey[k] << 16 | (uint32_t)(grey[k] / 2) << 8 | grey[k];
    }
}

typedef struct rig {
    endo_context *context;
    endo_frames *frames;
} rig;

static endo_status put_all(endo_frames *frames) {
    endo_status status = ENDO_OK;
    for (int i = 0; i < FRAMES && status == ENDO_OK; i++) status = endo_frames_put(frames, i, images[i], WIDTH);
    return status;
}

static endo_frames_options frames_options(void) {
    endo_frames_options o = endo_frames_options_default();
    o.width = WIDTH, o.height = HEIGHT, o.type = ENDO_RGB32, o.capacity = FRAMES, o.highlights = 1;
    return o;
}

/* Opens frames over so many fake devices; 0: on the CPU. */
static endo_status open_rig(int devices, rig *r) {
    endo_context_options o = endo_context_options_default();
    endo_frames_options f = frames_options();
    r->context = NULL, r->frames = NULL;
    o.threads = 1, o.n_devices = devices;
    for (int i = 0; i < devices; i++) o.devices[i] = i;
    endo_status status = endo_context_create_with(devices ? &endo_kernels_fakes : &endo_kernels_cpu, &o, &r->context);
    if (status == ENDO_OK) status = endo_frames_create(r->context, &f, &r->frames);
    return status == ENDO_OK ? put_all(r->frames) : status;
}

static void close_rig(rig *r) {
    endo_frames_destroy(&r->frames);
    endo_context_destroy(&r->context);
}

/* Everything that several devices have a part in. */
typedef struct answers {
    endo_pair_result paper[PAIRS], best[PAIRS];
    endo_exposure_result exposures[PAIRS];
    uint8_t grey[FRAMES][AREA];
    uint32_t painted[AREA], blended[AREA];
} answers;

static endo_status register_all(endo_frames *frames, endo_pairs_method method, endo_pair_result *results) {
    endo_pairs_options o = endo_pairs_options_default();
    endo_pair pairs[PAIRS];
    o.method = method;
    for (int i = 0; i < PAIRS; i++) pairs[i].reference = i, pairs[i].current = i + 1;
    return endo_pairs_register(frames, pairs, PAIRS, &o, results);
}

static endo_status align_all(endo_frames *frames, endo_exposure_result *results) {
    endo_exposure_options o = endo_exposure_options_default();
    endo_pair pairs[PAIRS];
    for (int i = 0; i < PAIRS; i++) pairs[i].reference = i, pairs[i].current = i + 1;
    return endo_exposures_register(frames, pairs, PAIRS, &o, results);
}

static void make_poses(int32_t *slots, endo_transform *poses) {
    for (int i = 0; i < FRAMES; i++) {
        double m[6] = {1, 0, 2.0 * i, 0, 1, 1.0 * i};
        slots[i] = i, poses[i] = endo_transform_of_affine(m);
    }
}

static endo_status paint_all(rig *r, uint32_t *painted) {
    endo_canvas *canvas = NULL;
    int32_t slots[FRAMES];
    endo_transform poses[FRAMES];
    make_poses(slots, poses);
    endo_status status = endo_canvas_create(r->context, ENDO_RGB32, WIDTH + 40, HEIGHT + 40, &canvas);
    if (status == ENDO_OK)
        status = endo_canvas_paint(canvas, r->frames, POSED(slots, poses, .n = FRAMES), ENDO_PAINT_UNION);
    if (status == ENDO_OK) status = endo_canvas_read(canvas, 0, 0, WIDTH, HEIGHT, painted, NULL);
    endo_canvas_destroy(&canvas);
    return status;
}

static endo_status blend_all(rig *r, uint32_t *blended) {
    endo_blend_options o = endo_blend_options_default();
    const endo_rectangle whole = {.width = WIDTH, .height = HEIGHT};
    endo_blend *blend = NULL;
    int32_t slots[FRAMES];
    endo_transform poses[FRAMES];
    make_poses(slots, poses);
    endo_status status = endo_blend_create(r->context, ENDO_RGB32, WIDTH + 40, HEIGHT + 40, &o, &blend);
    if (status == ENDO_OK) status = endo_blend_add(blend, r->frames, POSED(slots, poses, .n = FRAMES));
    if (status == ENDO_OK) status = endo_blend_next_pass(blend);
    if (status == ENDO_OK) status = endo_blend_add(blend, r->frames, POSED(slots, poses, .n = FRAMES));
    if (status == ENDO_OK) status = endo_blend_read(blend, &whole, &(endo_panorama_planes){.pixels = blended});
    endo_blend_destroy(&blend);
    return status;
}

static endo_status ask(rig *r, answers *a) {
    memset(a, 0, sizeof *a);
    endo_status status = register_all(r->frames, ENDO_METHOD_PAPER, a->paper);
    if (status == ENDO_OK) status = register_all(r->frames, ENDO_METHOD_BEST, a->best);
    if (status == ENDO_OK) status = align_all(r->frames, a->exposures);
    for (int i = 0; i < FRAMES && status == ENDO_OK; i++) status = endo_frames_get_grey(r->frames, i, a->grey[i]);
    if (status == ENDO_OK) status = blend_all(r, a->blended);
    return status == ENDO_OK ? paint_all(r, a->painted) : status;
}

static answers alone, together;

static void test_same_bytes(void) {
    rig r;
    fake_devices_reset();
    CHECK(open_rig(0, &r) == ENDO_OK && ask(&r, &alone) == ENDO_OK);
    close_rig(&r);
    CHECK(alone.paper[3].status == ENDO_PAIR_OK && alone.best[PAIRS - 1].status == ENDO_PAIR_OK);
    for (int devices = 1; devices <= ENDO_MAX_DEVICES; devices += devices < 4 ? 1 : 4) {
        CHECK(open_rig(devices, &r) == ENDO_OK && ask(&r, &together) == ENDO_OK);
        CHECK(memcmp(&alone, &together, sizeof alone) == 0);
        close_rig(&r);
    }
}

/* Each frame goes up once; a device gets of the others' frames those of its pairs, once. Homes of the slots: 0, 1 1 1 1,
 * 0 0 0 0, 1 1 1 1, 0; shares: pairs 0 to 5 and 6 to 12, of which 6 are at home where the first run goes to device 0,
 * 7 the other way round. */
static void test_who_has_what(void) {
    rig r;
    const fake_device *d = fakes.each;
    fake_devices_reset();
    CHECK(open_rig(2, &r) == ENDO_OK);
    CHECK(d[0].puts == 6 && d[1].puts == 8 && d[0].fetched + d[1].fetched == 0);
    CHECK(register_all(r.frames, ENDO_METHOD_PAPER, together.paper) == ENDO_OK);
    CHECK(d[1].fetched == 3 && d[0].fetched == 4); /* slots 0, 5, 6; slots 9 to 12 */
    CHECK(d[0].lent == 3 && d[1].lent == 4);
    CHECK(d[0].calls == d[1].calls && d[0].calls >= 3);
    CHECK(register_all(r.frames, ENDO_METHOD_PAPER, together.paper) == ENDO_OK);
    CHECK(d[1].fetched == 3 && d[0].fetched == 4);
    CHECK(paint_all(&r, together.painted) == ENDO_OK && paint_all(&r, together.painted) == ENDO_OK);
    CHECK(d[0].fetched == 4 + 8 && d[1].fetched == 3 && d[0].puts + d[1].puts == FRAMES);
    close_rig(&r);
}

/* Copies that devices fetched of a frame are stale when another one is put into its slot. */
static void test_put_again(void) {
    rig r, fresh;
    endo_pair pair = {3, 2};
    endo_pairs_options o = endo_pairs_options_default();
    endo_pair_result before, after, wanted;
    CHECK(open_rig(2, &r) == ENDO_OK && open_rig(0, &fresh) == ENDO_OK);
    CHECK(endo_pairs_register(r.frames, &pair, 1, &o, &before) == ENDO_OK);
    CHECK(endo_frames_put(r.frames, 3, images[9], WIDTH) == ENDO_OK);
    CHECK(endo_frames_put(fresh.frames, 3, images[9], WIDTH) == ENDO_OK);
    CHECK(endo_pairs_register(r.frames, &pair, 1, &o, &after) == ENDO_OK);
    CHECK(endo_pairs_register(fresh.frames, &pair, 1, &o, &wanted) == ENDO_OK);
    CHECK(memcmp(&after, &wanted, sizeof after) == 0 && memcmp(&after, &before, sizeof after) != 0);
    close_rig(&r);
    close_rig(&fresh);
}

/* ----------------------------------------------------------------- failures */

static int says(const char *words) { return strstr(endo_last_error(), words) != NULL; }

static void test_start_fails(void) {
    rig r;
    fake_devices_reset();
    fakes.fails_to_open = 2;
    CHECK(open_rig(3, &r) == ENDO_ERR_DEVICE && says("device 2: cannot open") && !r.context);
    fake_devices_reset();
    fakes.fails_to_create = 1;
    CHECK(open_rig(3, &r) == ENDO_ERR_DEVICE && says("device 1: cannot create") && !r.frames);
    close_rig(&r);
}

/* The call says which device it was and leaves its results alone; afterwards the same call gives the same bytes. */
static void test_work_fails(void) {
    rig r;
    endo_pair_result kept[PAIRS];
    fake_devices_reset();
    CHECK(open_rig(3, &r) == ENDO_OK);
    memset(kept, 77, sizeof kept);
    memcpy(together.paper, kept, sizeof kept);
    fakes.fails_to_fetch = 1;
    CHECK(register_all(r.frames, ENDO_METHOD_PAPER, together.paper) == ENDO_ERR_DEVICE && says("device 1: cannot fetch"));
    CHECK(memcmp(together.paper, kept, sizeof kept) == 0);
    fakes.fails_to_fetch = -1, fakes.fails_to_compute = 2;
    CHECK(register_all(r.frames, ENDO_METHOD_PAPER, together.paper) == ENDO_ERR_DEVICE && says("device 2: cannot flow"));
    CHECK(memcmp(together.paper, kept, sizeof kept) == 0);
    fake_devices_reset();
    CHECK(ask(&r, &together) == ENDO_OK && memcmp(&alone, &together, sizeof alone) == 0);
    close_rig(&r);
}

/* A frame that did not arrive is not taken for the one before it; put once more, it is there. */
static void test_put_fails(void) {
    rig r;
    fake_devices_reset();
    CHECK(open_rig(2, &r) == ENDO_OK);
    fakes.fails_to_put = 1;
    CHECK(endo_frames_put(r.frames, 2, images[0], WIDTH) == ENDO_ERR_DEVICE && says("device 1: cannot put"));
    fake_devices_reset();
    CHECK(register_all(r.frames, ENDO_METHOD_PAPER, together.paper) == ENDO_ERR_DEVICE && says("slot 2: its frame was lost"));
    CHECK(endo_frames_put(r.frames, 2, images[2], WIDTH) == ENDO_OK);
    CHECK(ask(&r, &together) == ENDO_OK && memcmp(&alone, &together, sizeof alone) == 0);
    close_rig(&r);
}

/* The frames from last to first. */
static endo_status put_list_reversed(rig *r) {
    int32_t slots[FRAMES];
    const void *pixels[FRAMES];
    for (int i = 0; i < FRAMES; i++) slots[i] = i, pixels[i] = images[FRAMES - 1 - i];
    return endo_frames_put_list(r->frames, slots, FRAMES, pixels, WIDTH);
}

/* A list goes to all homes at once; where one of them fails the others have their frames. */
static void test_put_list(void) {
    rig one, r;
    const fake_device *d = fakes.each;
    CHECK(open_rig(0, &one) == ENDO_OK && put_list_reversed(&one) == ENDO_OK && ask(&one, &alone) == ENDO_OK);
    close_rig(&one);
    CHECK(open_rig(2, &r) == ENDO_OK);
    fake_devices_reset();
    CHECK(put_list_reversed(&r) == ENDO_OK && d[0].puts == 6 && d[1].puts == 8);
    CHECK(ask(&r, &together) == ENDO_OK && memcmp(&alone, &together, sizeof alone) == 0);
    fakes.fails_to_put = 1;
    CHECK(put_list_reversed(&r) == ENDO_ERR_DEVICE && says("device 1: cannot put"));
    fake_devices_reset();
    CHECK(endo_frames_put(r.frames, 2, images[0], WIDTH) == ENDO_OK);
    CHECK(register_all(r.frames, ENDO_METHOD_PAPER, together.paper) == ENDO_ERR_DEVICE);
    CHECK(says("its frame was lost when it was put"));
    close_rig(&r);
}

/* Every frame of a list longer than what is handed to a device at once arrives, each in its own slot. */
static void test_put_long_list(void) {
    enum { MANY = 300, SIDE = 32 };
    static uint8_t grey[MANY][SIDE * SIDE];
    static const void *pixels[MANY];
    static int32_t slots[MANY];
    uint8_t back[SIDE * SIDE];
    endo_context_options o = endo_context_options_default();
    endo_frames_options f = endo_frames_options_default();
    rig r = {NULL, NULL};
    o.threads = 1, o.n_devices = 2, o.devices[1] = 1;
    f.width = f.height = SIDE, f.capacity = MANY;
    for (int i = 0; i < MANY; i++) memset(grey[i], i % 256, sizeof grey[i]), pixels[i] = grey[i], slots[i] = i;
    fake_devices_reset();
    CHECK(endo_context_create_with(&endo_kernels_fakes, &o, &r.context) == ENDO_OK);
    CHECK(endo_frames_create(r.context, &f, &r.frames) == ENDO_OK);
    CHECK(endo_frames_put_list(r.frames, slots, MANY, pixels, SIDE) == ENDO_OK);
    CHECK(fakes.each[0].puts + fakes.each[1].puts == MANY && fakes.each[0].puts > 64 && fakes.each[1].puts > 64);
    for (int i = 0; i < MANY; i++)
        CHECK(endo_frames_get_grey(r.frames, i, back) == ENDO_OK && back[0] == i % 256 && back[SIDE * SIDE - 1] == i % 256);
    close_rig(&r);
}

int main(void) {
    make_images();
    test_homes();
    test_neighbours();
    test_turns();
    test_places();
    test_same_bytes();
    test_who_has_what();
    test_put_again();
    test_start_fails();
    test_work_fails();
    test_put_fails();
    test_put_list();
    test_put_long_list();
    return check_summary("test_multi");
}
