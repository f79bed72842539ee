/* Panoramas that are being made, in memory and in a scratch file; the light of a run, and how sharp its frames are. */
#include "systems/mosaic/light_of_scope.h"
#include "systems/mosaic/panorama_store.h"
#include "systems/mosaic/sharpness.h"

#include "base/scratch_file.h"
#include "light_rig.h"
#include "memory_allocator.h"
#include "sequence_rig.h"

#include <dirent.h>

/* --------------------------------------------------------------------- the disk */

/* Bytes that are free in the scratch folder: as it is, or so many. */
static int room_is_faked;
static uint64_t faked_room;
static int writes_fail;

uint64_t __real_endo_scratch_free_bytes(const char *folder);
uint64_t __wrap_endo_scratch_free_bytes(const char *folder);
endo_status __real_endo_scratch_write(endo_scratch_file *file, uint64_t offset, const void *bytes, size_t n);
endo_status __wrap_endo_scratch_write(endo_scratch_file *file, uint64_t offset, const void *bytes, size_t n);

uint64_t __wrap_endo_scratch_free_bytes(const char *folder) {
    return room_is_faked ? faked_room : __real_endo_scratch_free_bytes(folder);
}

endo_status __wrap_endo_scratch_write(endo_scratch_file *file, uint64_t offset, const void *bytes, size_t n) {
    return writes_fail ? endo_fail(ENDO_ERR_MEMORY, "the disk is full") : __real_endo_scratch_write(file, offset, bytes, n);
}

static char folder[4096]; /* a new one, in TMPDIR if that is set, else in /tmp */

static int make_folder(void) {
    const char *within = getenv("TMPDIR");
    if (!within || !*within) within = "/tmp";
    int length = snprintf(folder, sizeof folder, "%s/endo_pictures_XXXXXX", within);
    return length < (int)sizeof folder && mkdtemp(folder) != NULL;
}

static int files_there(void) {
    int n = 0;
    DIR *all = opendir(folder);
    if (!all) return -1;
    while (readdir(all)) n++;
    closedir(all);
    return n - 2;
}

static int said(const char *words) {
    int is_said = strstr(endo_last_error(), words) != NULL;
    if (!is_said) printf("it says: %s\n", endo_last_error());
    return is_said;
}

/* ------------------------------------------------------------------- the store */

#define W 53
#define H 41
#define LEFT (-17)
#define TOP 9

static const mosaic_rect rect = {.left = LEFT, .top = TOP, .right = LEFT + W, .bottom = TOP + H};

static endo_mosaic_options options_of(int64_t memory, const char *scratch, int extras) {
    return (endo_mosaic_options){
        .memory = memory,
        .scratch = scratch,
        .extras = extras,
        .max_canvas = 1000000000,
    };
}

/* The pictures of a panorama, made up. */
typedef struct pictures {
    uint8_t pixels[4 * W * H];
    uint8_t painted[W * H];
    uint16_t coverage[W * H];
    uint16_t uncertainty[W * H];
} pictures;

static pictures made;

static void make_pictures(void) {
    uint32_t state = 7;
    for (int i = 0; i < 4 * W * H; i++) made.pixels[i] = (uint8_t)((state = state * 1664525u + 1013904223u) >> 24);
    for (int i = 0; i < W * H; i++) {
        made.painted[i] = (uint8_t)(i % 3 ? 255 : 0);
        made.coverage[i] = (uint16_t)(i + 1);
        made.uncertainty[i] = (uint16_t)(65535 - 2 * i);
    }
}

static void put_rows(panorama_store *s, endo_pixel type, int first, int n, int extras) {
    int at = first * W;
    CHECK(panorama_store_put(s, first, n, made.pixels + (size_t)at * endo_pixel_size(type), made.painted + at,
                             extras & ENDO_MOSAIC_COVERAGE ? made.coverage + at : NULL,
                             extras & ENDO_MOSAIC_UNCERTAINTY ? made.uncertainty + at : NULL) == ENDO_OK);
}

/* A rectangle of a picture is that of the one that was put. */
static int is_part(const void *got, const void *whole, size_t size, mosaic_rect r) {
    size_t row = (size_t)rect_width(r) * size;
    for (int y = r.top; y < r.bottom; y++) {
        const char *wanted = (const char *)whole + ((size_t)y * W + (size_t)r.left) * size;
        if (memcmp((const char *)got + (size_t)(y - r.top) * row, wanted, row)) return 0;
    }
    return 1;
}

static void check_reads(const panorama_store *s, endo_pixel type, mosaic_rect r) {
    static pictures got;
    memset(&got, 77, sizeof got);
    CHECK(panorama_store_read(s, &(endo_rectangle){r.left, r.top, rect_width(r), rect_height(r)},
                              &(endo_panorama_planes){got.pixels, got.painted, got.coverage, got.uncertainty}) == ENDO_OK);
    CHECK(is_part(got.pixels, made.pixels, endo_pixel_size(type), r));
    CHECK(is_part(got.painted, made.painted, 1, r));
    CHECK(is_part(got.coverage, made.coverage, 2, r));
    CHECK(is_part(got.uncertainty, made.uncertainty, 2, r));
}

static panorama_store *open_panorama(const endo_mosaic_options *options, endo_pixel type, int with_extras) {
    panorama_store *s = NULL;
    CHECK(panorama_store_create(options, type, rect, 1.5, with_extras, &s) == ENDO_OK);
    return s;
}

static void test_memory_and_file_hold_the_same(void) {
    int both = ENDO_MOSAIC_COVERAGE + ENDO_MOSAIC_UNCERTAINTY;
    const int64_t memory[] = {1 << 20, 1};
    for (int k = 0; k < 2; k++)
        for (int type = ENDO_GREY8; type <= ENDO_RGB32; type++) {
            endo_mosaic_options options = options_of(memory[k], folder, both);
            panorama_store *s = open_panorama(&options, type, 1);
            mosaic_rect there = panorama_store_rect(s);
            CHECK(!memcmp(&there, &rect, sizeof rect) && panorama_store_scale(s) == 1.5);
            put_rows(s, type, 30, H - 30, both);
            put_rows(s, type, 0, 7, both);
            put_rows(s, type, 7, 23, both);
            check_reads(s, type, (mosaic_rect){.right = W, .bottom = H});
            check_reads(s, type, (mosaic_rect){.left = 5, .top = 6, .right = 6, .bottom = 31});
            check_reads(s, type, (mosaic_rect){.left = 0, .top = 40, .right = W, .bottom = 41});
            check_reads(s, type, (mosaic_rect){.left = 11, .top = 0, .right = W, .bottom = 9});
            CHECK(files_there() == 0);
            panorama_store_destroy(&s);
            CHECK(!s && files_there() == 0);
        }
}

/* Pixels that nobody put are 0; marks that are put alone leave the pixels. */
static void test_unpainted_is_zero(void) {
    static pictures got;
    const int64_t memory[] = {1 << 20, 1};
    for (int k = 0; k < 2; k++) {
        endo_mosaic_options options = options_of(memory[k], folder, ENDO_MOSAIC_COVERAGE);
        panorama_store *s = open_panorama(&options, ENDO_GREY16, 1);
        CHECK(panorama_store_put(s, 20, 2, NULL, made.painted, NULL, NULL) == ENDO_OK);
        memset(&got, 77, sizeof got);
        CHECK(panorama_store_read(s, &(endo_rectangle){0, 0, W, H},
                                  &(endo_panorama_planes){got.pixels, got.painted, got.coverage, NULL}) == ENDO_OK);
        for (int i = 0; i < 2 * W * H; i++) CHECK(got.pixels[i] == 0);
        for (int i = 0; i < W * H; i++) {
            CHECK(got.painted[i] == (i / W == 20 || i / W == 21 ? made.painted[i - 20 * W] : 0));
            CHECK(got.coverage[i] == 0 && got.uncertainty[i] == 77 * 257);
        }
        panorama_store_destroy(&s);
    }
}

/* An odd number of pixels: pictures of 16 bits that lay behind one of bytes would be at odd addresses. */
enum { WIDE = 1501, HIGH = 1101, LEFT_OUT = 37, STEP = 367 };

/* The pictures of a pixel of the large panorama, by its number. */
static uint32_t colour_of(uint32_t number) { return number * 2654435761u; }
static uint8_t mark_of(uint32_t number) { return (uint8_t)(number % 251); }
static uint16_t coverage_of(uint32_t number) { return (uint16_t)(number % 65521); }
static uint16_t uncertainty_of(uint32_t number) { return (uint16_t)(number % 65519); }

static int is_aligned(const void *numbers, size_t size) { return (uintptr_t)numbers % size == 0; }

static void write_in_place(panorama_store *s) {
    endo_panorama_planes rows = {0};
    for (int first = 0; first < HIGH; first += STEP) {
        CHECK(panorama_store_rows(s, first, &rows) && rows.pixels && rows.painted && rows.coverage && rows.uncertainty);
        CHECK(is_aligned(rows.pixels, 4) && is_aligned(rows.coverage, 2) && is_aligned(rows.uncertainty, 2));
        for (int i = 0; i < STEP * WIDE; i++) {
            uint32_t number = (uint32_t)(first * WIDE + i);
            ((uint32_t *)rows.pixels)[i] = colour_of(number);
            rows.painted[i] = mark_of(number);
            rows.coverage[i] = coverage_of(number);
            rows.uncertainty[i] = uncertainty_of(number);
        }
    }
}

static int wrong_of(const endo_panorama_planes *got, const endo_rectangle *r) {
    int wrong = 0;
    for (int i = 0; i < r->width * r->height; i++) {
        uint32_t number = (uint32_t)((r->y + i / r->width) * WIDE + r->x + i % r->width);
        wrong += ((const uint32_t *)got->pixels)[i] != colour_of(number);
        wrong += got->painted[i] != mark_of(number);
        wrong += got->coverage[i] != coverage_of(number);
        wrong += got->uncertainty[i] != uncertainty_of(number);
    }
    return wrong;
}

/* Rows in memory are written in place; those of a file are not. A large rectangle is copied by several threads. */
static void test_large_ones_are_written_in_place(void) {
    const mosaic_rect large = {.left = -7, .top = 5, .right = WIDE - 7, .bottom = HIGH + 5};
    const endo_rectangle parts[] = {{0, 0, WIDE, HIGH}, {LEFT_OUT, 11, WIDE - 2 * LEFT_OUT, HIGH - 11}, {3, HIGH - 2, 9, 2}};
    endo_mosaic_options options = options_of(1 << 26, folder, ENDO_MOSAIC_COVERAGE + ENDO_MOSAIC_UNCERTAINTY);
    endo_panorama_planes got = {
        .pixels = malloc(sizeof(uint32_t) * WIDE * HIGH),
        .painted = malloc((size_t)WIDE * HIGH),
        .coverage = malloc(sizeof(uint16_t) * WIDE * HIGH),
        .uncertainty = malloc(sizeof(uint16_t) * WIDE * HIGH),
    };
    endo_panorama_planes rows = {0};
    panorama_store *s = NULL;
    CHECK(panorama_store_create(&options, ENDO_RGB32, large, 1, 1, &s) == ENDO_OK);
    write_in_place(s);
    for (int k = 0; k < 3; k++) {
        CHECK(panorama_store_read(s, &parts[k], &got) == ENDO_OK);
        CHECK(wrong_of(&got, &parts[k]) == 0);
    }
    panorama_store_destroy(&s);
    options.memory = 1;
    CHECK(panorama_store_create(&options, ENDO_RGB32, large, 1, 1, &s) == ENDO_OK && !panorama_store_rows(s, 0, &rows));
    panorama_store_destroy(&s);
    free(got.pixels);
    free(got.painted);
    free(got.coverage);
    free(got.uncertainty);
}

static void check_extras(int asked, int with_extras, int there) {
    static uint16_t numbers[W * H];
    endo_mosaic_options options = options_of(1 << 20, NULL, asked);
    panorama_store *s = open_panorama(&options, ENDO_GREY8, with_extras);
    endo_status first = there & ENDO_MOSAIC_COVERAGE ? ENDO_OK : ENDO_ERR_ARGUMENT;
    endo_status second = there & ENDO_MOSAIC_UNCERTAINTY ? ENDO_OK : ENDO_ERR_ARGUMENT;
    CHECK(panorama_store_read(s, &(endo_rectangle){0, 0, W, H}, &(endo_panorama_planes){.coverage = numbers}) == first);
    if (first != ENDO_OK) CHECK(said("coverage"));
    CHECK(panorama_store_read(s, &(endo_rectangle){0, 0, W, H}, &(endo_panorama_planes){.uncertainty = numbers}) == second);
    if (second != ENDO_OK) CHECK(said("uncertainty"));
    CHECK(panorama_store_put(s, 0, 1, NULL, NULL, numbers, NULL) == first);
    panorama_store_destroy(&s);
}

static void test_extras_are_those_that_were_asked_for(void) {
    for (int asked = 0; asked <= ENDO_MOSAIC_COVERAGE + ENDO_MOSAIC_UNCERTAINTY; asked++) {
        check_extras(asked, 1, asked);
        check_extras(asked, 0, 0);
    }
}

/* ------------------------------------------------------------- limits of a store */

/* Three quarters of the memory, over the bytes of a pixel with all that goes with it; in a folder as large as it may be. */
static void test_limit_is_that_of_the_memory(void) {
    endo_mosaic_options options = options_of(1 << 20, NULL, 0);
    CHECK(panorama_store_limit(&options, ENDO_GREY8) == 786432 / 2);
    CHECK(panorama_store_limit(&options, ENDO_GREY16) == 786432 / 3);
    CHECK(panorama_store_limit(&options, ENDO_RGB32) == 786432 / 5);
    options.extras = ENDO_MOSAIC_UNCERTAINTY;
    CHECK(panorama_store_limit(&options, ENDO_RGB32) == 786432 / 7);
    options.extras += ENDO_MOSAIC_COVERAGE;
    CHECK(panorama_store_limit(&options, ENDO_RGB32) == 786432 / 9);
    options.max_canvas = 786432 / 9;
    CHECK(panorama_store_limit(&options, ENDO_RGB32) == 786432 / 9);
    options.max_canvas--;
    CHECK(panorama_store_limit(&options, ENDO_RGB32) == 786432 / 9 - 1);
    options.max_canvas = 1000000000;
    options.scratch = folder;
    CHECK(panorama_store_limit(&options, ENDO_RGB32) == 1000000000);
    options = options_of(4, NULL, 0);
    CHECK(panorama_store_limit(&options, ENDO_RGB32) == 1);
}

/* One that is just as large as the limit is held; one row more is not, and says what is missing. */
static void test_more_than_the_memory_is_refused(void) {
    endo_mosaic_options options = options_of(1 << 20, NULL, 0);
    mosaic_rect most = {.right = 1024, .bottom = 384};
    mosaic_rect more = {.right = 1024, .bottom = 385};
    panorama_store *s = NULL;
    int alive = memory_alive;
    CHECK(rect_area(most) == panorama_store_limit(&options, ENDO_GREY8));
    CHECK(panorama_store_create(&options, ENDO_GREY8, most, 1, 0, &s) == ENDO_OK);
    panorama_store_destroy(&s);
    CHECK(panorama_store_create(&options, ENDO_GREY8, more, 1, 0, &s) == ENDO_ERR_MEMORY && !s);
    CHECK(said("no room for the panorama of 1024 x 385 px: 0.00 GB are needed, option memory leaves 0.00 to it; allow more"));
    CHECK(said("scratch folder"));
    mosaic_rect large = {.right = 60000, .bottom = 50000};
    options.memory = (int64_t)1 << 30;
    CHECK(panorama_store_create(&options, ENDO_RGB32, large, 1, 0, &s) == ENDO_ERR_MEMORY);
    CHECK(said("60000 x 50000 px: 15.00 GB are needed, option memory leaves 0.81 to it"));
    options.extras = ENDO_MOSAIC_COVERAGE;
    CHECK(panorama_store_create(&options, ENDO_RGB32, large, 1, 1, &s) == ENDO_ERR_MEMORY && said("21.00 GB are needed"));
    CHECK(memory_alive == alive);
}

/* In memory all rows are at hand; in a file 2^22 pixels are moved at once, or a row. */
static int band_of(int64_t memory, int width, int height) {
    endo_mosaic_options options = options_of(memory, folder, 0);
    panorama_store *s = NULL;
    mosaic_rect r = {.right = width, .bottom = height};
    CHECK(panorama_store_create(&options, ENDO_GREY8, r, 1, 0, &s) == ENDO_OK);
    int band = panorama_store_band(s);
    panorama_store_destroy(&s);
    return band;
}

static void test_what_does_not_fit_goes_to_the_folder(void) {
    int64_t bytes = 2 * 4194304;
    int64_t memory = bytes / 3 * 4 + 4;
    CHECK(band_of(2 * memory, 1 << 20, 8) == 8);
    CHECK(band_of(memory, 1 << 20, 8) == 4);
    CHECK(band_of(memory, 1 << 19, 8) == 8);
    CHECK(band_of(1, 1 << 19, 9) == 8);
    CHECK(band_of(1, 1 << 21, 5) == 2);
    CHECK(band_of(1, (1 << 22) + 1, 3) == 1);
    CHECK(band_of(1, 3, 5) == 5);
    /* A band of that size, just above and just below the share of the memory. */
    CHECK(band_of(2 * bytes / 3 * 4 + 4, 1 << 20, 8) == 8);
    CHECK(band_of(2 * bytes / 3 * 4 - 4, 1 << 20, 8) == 4);
}

static void test_memory_that_is_not_had_goes_to_the_folder(void) {
    endo_mosaic_options options = options_of(1 << 20, NULL, 0);
    panorama_store *s = NULL;
    int alive = memory_alive;
    memory_arm(2, 0);
    CHECK(panorama_store_create(&options, ENDO_GREY8, rect, 1, 0, &s) == ENDO_ERR_MEMORY && !s);
    CHECK(memory_failures == 1 && said("53 x 41 px: 0.00 GB are needed, and the system has not as many"));
    memory_arm(1, 0);
    CHECK(panorama_store_create(&options, ENDO_GREY8, rect, 1, 0, &s) == ENDO_ERR_MEMORY && !s);
    options.scratch = folder;
    memory_arm(2, 0);
    CHECK(panorama_store_create(&options, ENDO_GREY8, rect, 1, 0, &s) == ENDO_OK);
    CHECK(memory_failures == 1);
    memory_arm(0, 0);
    put_rows(s, ENDO_GREY8, 0, H, 0);
    panorama_store_destroy(&s);
    CHECK(memory_alive == alive);
}

/* --------------------------------------------------------------- a folder that is full */

static void test_the_room_of_a_folder(void) {
    endo_mosaic_options options = options_of(1, folder, 0);
    panorama_store *s = NULL;
    mosaic_rect large = {.right = 40000, .bottom = 25000};
    room_is_faked = 1;
    faked_room = 2 * W * H;
    CHECK(panorama_store_create(&options, ENDO_GREY8, rect, 1, 0, &s) == ENDO_OK);
    panorama_store_destroy(&s);
    faked_room--;
    CHECK(panorama_store_create(&options, ENDO_GREY8, rect, 1, 0, &s) == ENDO_ERR_MEMORY && !s);
    faked_room = 1230000000;
    CHECK(panorama_store_create(&options, ENDO_RGB32, large, 1, 0, &s) == ENDO_ERR_MEMORY);
    CHECK(said("no room for the panorama of 40000 x 25000 px: 5.00 GB are needed, 1.23 are free in the scratch folder"));
    CHECK(said(folder));
    faked_room = UINT64_MAX; /* nobody knows */
    CHECK(panorama_store_create(&options, ENDO_GREY8, rect, 1, 0, &s) == ENDO_OK);
    room_is_faked = 0;
    panorama_store_destroy(&s);
}

static void test_a_missing_folder_is_named(void) {
    endo_mosaic_options options = options_of(1, "/tmp/endo_pictures_gone", 0);
    panorama_store *s = NULL;
    int alive = memory_alive;
    CHECK(panorama_store_create(&options, ENDO_GREY8, rect, 1, 0, &s) == ENDO_ERR_MEMORY && !s);
    CHECK(said("no room for the panorama of 53 x 41 px: ") && said("/tmp/endo_pictures_gone"));
    CHECK(memory_alive == alive);
}

static void test_a_disk_that_fills_up(void) {
    endo_mosaic_options options = options_of(1, folder, 0);
    panorama_store *s = open_panorama(&options, ENDO_GREY8, 0);
    writes_fail = 1;
    CHECK(panorama_store_put(s, 0, H, made.pixels, made.painted, NULL, NULL) == ENDO_ERR_MEMORY);
    CHECK(said("no room for the panorama of 53 x 41 px: the disk is full"));
    writes_fail = 0;
    put_rows(s, ENDO_GREY8, 0, H, 0);
    panorama_store_destroy(&s);
}

/* -------------------------------------------------------------------- sharpness */

#define BARS_WIDTH 360
#define BARS_HEIGHT 288
#define BARS_AREA (BARS_WIDTH * BARS_HEIGHT)

/* Sharpness of frames of one size and type; nobody asks for their pixels. */
static sharpness *open_sharpness(endo_pixel type, int width, int height, int frames) {
    flat_frames flat;
    mosaic_sequence *sequence = NULL;
    sharpness *s = NULL;
    flat_init(&flat, width, height);
    flat.source.frames = frames;
    flat.source.type = type;
    CHECK(sequence_create(&flat.source, 0, 0, NULL, &sequence) == ENDO_OK);
    CHECK(sharpness_create(sequence, &s) == ENDO_OK);
    sequence_destroy(&sequence);
    return s;
}

static void observe(sharpness *s, int frame, const void *pixels) {
    mosaic_observer observer = sharpness_observer(s);
    CHECK(observer.see(observer.self, frame, pixels) == ENDO_OK);
    CHECK(!observer.is_new(observer.self, frame));
}

/* Bars of this amplitude about the same brightness, for all kinds of pixels. */
static const void *bars(endo_pixel type, double amplitude) {
    static uint32_t pixels[BARS_AREA];
    for (int i = 0; i < BARS_AREA; i++) {
        uint32_t v = (uint32_t)(100 + (int)floor(amplitude * (i % BARS_WIDTH / 4 % 2 == 0 ? 1 : -1) + 0.5));
        if (type == ENDO_GREY8) ((uint8_t *)pixels)[i] = (uint8_t)v;
        if (type == ENDO_GREY16) ((uint16_t *)pixels)[i] = (uint16_t)(200 * v);
        if (type == ENDO_RGB32) pixels[i] = 0xff000000u | v << 8;
    }
    return pixels;
}

#define MOST_BARS 100
static double weights[MOST_BARS];

static void weigh(const sharpness *s, int n) {
    int all[MOST_BARS];
    for (int i = 0; i < n; i++) all[i] = i;
    CHECK(sharpness_weights(s, all, n, weights) == ENDO_OK);
}

/* Weighs frames of bars whose details have these amplitudes. */
static void weigh_bars(endo_pixel type, const double *amplitudes, int n) {
    sharpness *s = open_sharpness(type, BARS_WIDTH, BARS_HEIGHT, n);
    for (int i = 0; i < n; i++) observe(s, i, bars(type, amplitudes[i]));
    weigh(s, n);
    sharpness_destroy(&s);
    CHECK(!s);
}

static void test_less_than_usual_counts_less(void) {
    const double amplitudes[] = {40, 40, 34, 40, 40, 28, 40, 16, 40, 40};
    for (int type = ENDO_GREY8; type <= ENDO_RGB32; type++) {
        weigh_bars(type, amplitudes, 10);
        CHECK(weights[0] == 1);
        CHECK(weights[2] == 1); /* 15 % less is no blur */
        CHECK_NEAR(weights[5], pow(28 / 40.0 / 0.8, 4), 0.01);
        CHECK_NEAR(weights[7], pow(16 / 40.0 / 0.8, 4), 0.01);
    }
}

/* From 0.8 of what is usual on a frame counts in full. */
static void test_where_blur_begins(void) {
    const double amplitudes[] = {50, 50, 40, 50, 39, 50, 50};
    weigh_bars(ENDO_GREY8, amplitudes, 7);
    CHECK_NEAR(weights[2], 1, 1e-12);
    CHECK_NEAR(weights[4], pow(39 / 50.0 / 0.8, 4), 1e-3);
    CHECK(weights[4] < 0.95);
}

/* Pairs of pixels of these two values in turn, in rows whose sums no int holds. */
static void test_long_rows_of_the_strongest_contrast(void) {
    static uint16_t pixels[2 * 24000];
    static const int low[] = {0, 16384, 0};
    static const int high[] = {65535, 49151, 65535};
    sharpness *s = open_sharpness(ENDO_GREY16, 24000, 2, 3);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2 * 24000; i++) pixels[i] = (uint16_t)(i / 2 % 2 == 0 ? low[k] : high[k]);
        observe(s, k, pixels);
    }
    weigh(s, 3);
    CHECK(weights[0] == 1);
    CHECK_NEAR(weights[1], pow(0.5 / 0.8, 4), 0.001);
    sharpness_destroy(&s);
}

/* Compared with its neighbours alone: elsewhere the scene may be plainer. */
static void test_scenes_differ(void) {
    double amplitudes[100];
    for (int i = 0; i < 100; i++) amplitudes[i] = i < 50 ? 60 : 20;
    amplitudes[80] = 10;
    weigh_bars(ENDO_GREY8, amplitudes, 100);
    CHECK(weights[90] == 1);
    CHECK_NEAR(weights[80], pow(0.5 / 0.8, 4), 0.01);
    for (int i = 50; i < 80; i++) CHECK(weights[i] == 1);
}

/* Usual is the median of a frame and fifteen on either side: fifteen that are blurred are few, sixteen are usual. */
static void test_usual_is_what_most_around_show(void) {
    double amplitudes[80];
    for (int run = 15; run <= 16; run++) {
        for (int i = 0; i < 80; i++) amplitudes[i] = i >= 40 && i < 40 + run ? 20 : 60;
        weigh_bars(ENDO_GREY8, amplitudes, 80);
        CHECK_NEAR(weights[47], run == 15 ? pow(1 / 2.4, 4) : 1, 0.01);
    }
}

/* Frames that were not seen count as ever; brightness is no sharpness; the first look counts. */
static void test_what_is_not_known_counts(void) {
    static uint8_t black[BARS_AREA];
    sharpness *s = open_sharpness(ENDO_GREY8, BARS_WIDTH, BARS_HEIGHT, 5);
    mosaic_observer observer = sharpness_observer(s);
    observe(s, 0, bars(ENDO_GREY8, 40));
    observe(s, 1, bars(ENDO_GREY8, 40));
    observe(s, 1, bars(ENDO_GREY8, 4));
    observe(s, 2, black);
    observe(s, 4, bars(ENDO_GREY8, 40));
    CHECK(observer.is_new(observer.self, 3));
    weigh(s, 5);
    CHECK(weights[0] == 1 && weights[1] == 1 && weights[3] == 1 && weights[4] == 1);
    CHECK(weights[2] < 0.01);
    sharpness_destroy(&s);
}

/* Frames are compared within their component only, by their numbers. */
static void test_frames_of_a_component(void) {
    const int some[] = {1, 3, 4};
    const double amplitudes[] = {80, 40, 80, 20, 40};
    sharpness *s = open_sharpness(ENDO_GREY8, BARS_WIDTH, BARS_HEIGHT, 5);
    for (int i = 0; i < 5; i++) observe(s, i, bars(ENDO_GREY8, amplitudes[i]));
    CHECK(sharpness_weights(s, some, 3, weights) == ENDO_OK);
    CHECK(weights[0] == 1 && weights[2] == 1);
    CHECK_NEAR(weights[1], pow(0.5 / 0.8, 4), 0.01);
    sharpness_destroy(&s);
}

/* ------------------------------------------------------------------------ light */

static mosaic_events events;
static char last_line[300];
static endo_event last_event;
static int stops;

static void take_event(void *user, const endo_event *event) {
    (void)user;
    last_event = *event;
    snprintf(last_line, sizeof last_line, "%s", event->text);
}

static int is_stopped(void *user) {
    (void)user;
    return stops;
}

static field_of_view whole_field(void) {
    return (field_of_view){.size = {.width = WIDTH, .height = HEIGHT}, .low = 0, .high = 65535};
}

static light_of_scope *open_light(const field_of_view *field, endo_pixel type, int frames) {
    light_of_scope *l = NULL;
    CHECK(light_of_scope_create(field, type, frames, 3, &l) == ENDO_OK);
    CHECK(!light_of_scope_is_solved(l) && !light_of_scope_report(l) && !light_of_scope_description(l)[0]);
    return l;
}

static void show(light_of_scope *l, int frame, const void *pixels) {
    mosaic_observer observer = light_of_scope_observer(l);
    CHECK(observer.see(observer.self, frame, pixels) == ENDO_OK);
    CHECK(!observer.is_new(observer.self, frame));
}

static placed_frames placed_of(int n) {
    placed_frames list = {0};
    for (int i = 0; i < n; i++) {
        placed_frame item = {
            .frame = views[i].frame, .slot = -1, .pose = views[i].transform, .canvas = 5 - 3 * views[i].component};
        CHECK(placed_add(&list, &item) == ENDO_OK);
    }
    return list;
}

static int same_gains(const light_of_scope *l, int n) {
    for (int i = 0; i < n; i++)
        if (memcmp(light_of_scope_gains(l, views[i].frame), gains + 3 * i, 3 * sizeof *gains)) return 0;
    return 1;
}

/* The last frames first, of two canvases that come as 5 and 2; the first frame and the sixth are in none. What it gives is what
 * endo_light gives for parts 0 and 1. */
static void test_light_of_two_canvases(void) {
    endo_light *plain = make(ENDO_RGB32, NULL);
    field_of_view field = whole_field();
    light_of_scope *l = open_light(&field, ENDO_RGB32, FRAMES + 3);
    int n = 0;
    for (int i = FRAMES - 1; i > 0; i--) {
        draw(&ORDINARY, i);
        CHECK(endo_light_put(plain, i, image, WIDTH) == ENDO_OK);
        show(l, i, image);
        if (i != 5) views[n++] = (endo_light_view){.frame = i, .component = i < 20, .transform = pose(&ORDINARY, i)};
    }
    memset(image, 0, sizeof image);
    show(l, 7, image); /* the first look counts */
    placed_frames items = placed_of(n);
    CHECK(light_of_scope_solve(l, &items, &events) == ENDO_OK);
    solve(&plain, n);
    CHECK(light_of_scope_is_solved(l) && same_gains(l, n));
    CHECK(!memcmp(light_of_scope_correction(l), correction, sizeof correction));
    CHECK(!memcmp(light_of_scope_report(l), &report, sizeof report) && report.found);
    for (int c = 0; c < 3; c++) {
        CHECK(light_of_scope_gains(l, 0)[c] == ENDO_LIGHT_ONE && light_of_scope_gains(l, 5)[c] == ENDO_LIGHT_ONE);
        CHECK(light_of_scope_gains(l, FRAMES + 2)[c] == ENDO_LIGHT_ONE);
    }
    placed_free(&items);
    light_of_scope_destroy(&l);
    CHECK(!l);
}

static void test_light_is_said(void) {
    char wanted[240];
    field_of_view field = whole_field();
    light_of_scope *l = open_light(&field, ENDO_RGB32, FRAMES);
    endo_light *plain = put_all(&ORDINARY, FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        draw(&ORDINARY, i);
        show(l, i, image);
    }
    placed_frames items = placed_of(FRAMES);
    CHECK(light_of_scope_solve(l, &items, &events) == ENDO_OK);
    solve(&plain, FRAMES);
    CHECK(report.rim > 0.3 && report.rim < 0.95 && report.flicker > 0.05);
    snprintf(wanted, sizeof wanted,
             "falls off to %.0f %% at the rim, sure to %.0f %%, taken out; brightness of frames varies by %.1f %%, their colour by "
             "%.1f %%, taken out",
             100 * report.rim, 100 * report.deviation, 100 * report.flicker, 100 * report.colour);
    CHECK(!strcmp(light_of_scope_description(l), wanted));
    CHECK(!strncmp(last_line, "light ", 6) && !strcmp(last_line + 6, wanted));
    CHECK(last_event.level == ENDO_EVENT_NOTE && last_event.kind == ENDO_EVENT_LIGHT);
    CHECK_NEAR(light_of_scope_report(l)->curve[0], 1, 0.02);
    placed_free(&items);
    light_of_scope_destroy(&l);
}

/* A scope that hardly moves: little of the fall-off is taken out, and that is said. */
static void test_little_light_is_said(void) {
    char wanted[240];
    field_of_view field = whole_field();
    lit hardly = ORDINARY;
    hardly.step = 0.8, hardly.turn = 0;
    light_of_scope *l = open_light(&field, ENDO_RGB32, FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        draw(&hardly, i);
        show(l, i, image);
        views[i] = (endo_light_view){.frame = i, .component = 0, .transform = pose(&hardly, i)};
    }
    placed_frames items = placed_of(FRAMES);
    CHECK(light_of_scope_solve(l, &items, &events) == ENDO_OK);
    const endo_light_report *r = light_of_scope_report(l);
    CHECK(!r->found && r->deviation > 0.25 && r->rim < 1 && r->rim > 0.7);
    snprintf(wanted, sizeof wanted,
             "fall-off known within a factor of %.1f alone, for the scene has shades, too: a part is taken out, to %.0f %% at the "
             "rim; brightness",
             exp(r->deviation), 100 * r->rim);
    CHECK(!strncmp(light_of_scope_description(l), wanted, strlen(wanted)));
    placed_free(&items);
    light_of_scope_destroy(&l);
}

/* Even light, seen by a scope that moves far: that it is even is known, and said. */
static void test_even_light_is_said(void) {
    const char *wanted = "is even, sure to ";
    field_of_view field = whole_field();
    lit even = ORDINARY;
    even.fall = 0;
    light_of_scope *l = open_light(&field, ENDO_RGB32, FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        draw(&even, i);
        show(l, i, image);
        views[i] = (endo_light_view){.frame = i, .component = 0, .transform = pose(&even, i)};
    }
    placed_frames items = placed_of(FRAMES);
    CHECK(light_of_scope_solve(l, &items, &events) == ENDO_OK);
    CHECK(light_of_scope_report(l)->found && light_of_scope_report(l)->rim > 0.995);
    CHECK(!strncmp(light_of_scope_description(l), wanted, strlen(wanted)));
    placed_free(&items);
    light_of_scope_destroy(&l);
}

/* A frozen scope: the fall-off is not made up. */
static void test_unknown_light_is_said(void) {
    field_of_view field = whole_field();
    light_of_scope *l = open_light(&field, ENDO_RGB32, 5);
    draw(&ORDINARY, 0);
    for (int i = 0; i < 5; i++) {
        if (i == 3)
            for (int k = 0; k < AREA; k++) image[k] = (image[k] & 0xfefefe) / 2;
        show(l, i, image);
        if (i == 3) draw(&ORDINARY, 0);
        views[i] = (endo_light_view){.frame = i, .component = 0, .transform = pose_identity};
    }
    placed_frames items = placed_of(5);
    CHECK(light_of_scope_solve(l, &items, &events) == ENDO_OK);
    CHECK(!light_of_scope_report(l)->found && light_of_scope_report(l)->rim == 1);
    CHECK(!strncmp(light_of_scope_description(l), "vignetting not corrected: frames move too little", 48));
    CHECK(light_of_scope_report(l)->flicker > 0.05);
    placed_free(&items);
    light_of_scope_destroy(&l);
}

/* Of 16 bit with a field: what lies outside, and above the grey values that span the scene, has no say. */
static void test_field_and_range_of_the_light(void) {
    static uint8_t mask[AREA];
    static uint16_t grey[AREA];
    field_of_view field = whole_field();
    field.mask = mask;
    field.high = 11000;
    for (int i = 0; i < AREA; i++) mask[i] = i % WIDTH > 40;
    light_of_scope *l = open_light(&field, ENDO_GREY16, FRAMES);
    endo_light *plain = NULL;
    CHECK(endo_light_create(context, ENDO_GREY16, WIDTH, HEIGHT, 11000, mask, &plain) == ENDO_OK);
    for (int i = 0; i < FRAMES; i++) {
        draw(&ORDINARY, i);
        for (int k = 0; k < AREA; k++) grey[k] = k % WIDTH > 40 ? (uint16_t)(100 * (image[k] >> 8 & 255)) : (uint16_t)(9 * k);
        show(l, i, grey);
        CHECK(endo_light_put(plain, i, grey, WIDTH) == ENDO_OK);
        views[i] = (endo_light_view){.frame = i, .component = 0, .transform = pose(&ORDINARY, i)};
    }
    placed_frames items = placed_of(FRAMES);
    CHECK(light_of_scope_solve(l, &items, &events) == ENDO_OK);
    solve(&plain, FRAMES);
    CHECK(same_gains(l, FRAMES) && !memcmp(light_of_scope_correction(l), correction, sizeof correction));
    placed_free(&items);
    light_of_scope_destroy(&l);
}

/* A cancel, or want of memory anywhere: not solved, nothing is said, and it can be asked again. */
static void test_light_can_be_asked_again(void) {
    field_of_view field = whole_field();
    light_of_scope *l = open_light(&field, ENDO_RGB32, 12);
    for (int i = 0; i < 12; i++) {
        draw(&ORDINARY, i);
        show(l, i, image);
        views[i] = (endo_light_view){.frame = i, .component = 0, .transform = pose(&ORDINARY, i)};
    }
    placed_frames items = placed_of(12);
    last_line[0] = 0;
    stops = 1;
    CHECK(light_of_scope_solve(l, &items, &events) == ENDO_CANCELLED);
    stops = 0;
    CHECK(!light_of_scope_is_solved(l) && !last_line[0]);
    int alive = memory_alive;
    int failed = 0;
    for (int at = 1; at <= 4; at++) {
        memory_arm(at, 0);
        endo_status status = light_of_scope_solve(l, &items, &events);
        CHECK(status == (memory_failures ? ENDO_ERR_MEMORY : ENDO_OK));
        failed += memory_failures;
        memory_arm(0, 0);
    }
    CHECK(failed == 4 && memory_alive == alive && !light_of_scope_is_solved(l));
    CHECK(light_of_scope_solve(l, &items, &events) == ENDO_OK && light_of_scope_is_solved(l));
    placed_free(&items);
    light_of_scope_destroy(&l);
}

static void test_nothing_is_left_without_memory(void) {
    field_of_view field = whole_field();
    light_of_scope *l = NULL;
    int alive = memory_alive;
    int at = 0;
    endo_status status;
    do {
        memory_arm(++at, 0);
        status = light_of_scope_create(&field, ENDO_RGB32, 10, 1, &l);
        CHECK(status == (memory_failures ? ENDO_ERR_MEMORY : ENDO_OK));
        CHECK(status == ENDO_OK || (!l && memory_alive == alive));
    } while (memory_failures);
    memory_arm(0, 0);
    CHECK(at > 5);
    light_of_scope_destroy(&l);
    CHECK(memory_alive == alive);
}

int main(void) {
    endo_mosaic_hooks hooks = {.event = take_event, .cancelled = is_stopped};
    if (!make_folder()) return 1;
    make_pictures();
    events_init(&events, &hooks);
    open_light_world();

    test_memory_and_file_hold_the_same();
    test_unpainted_is_zero();
    test_large_ones_are_written_in_place();
    test_extras_are_those_that_were_asked_for();
    test_limit_is_that_of_the_memory();
    test_more_than_the_memory_is_refused();
    test_what_does_not_fit_goes_to_the_folder();
    test_memory_that_is_not_had_goes_to_the_folder();
    test_the_room_of_a_folder();
    test_a_missing_folder_is_named();
    test_a_disk_that_fills_up();

    test_less_than_usual_counts_less();
    test_where_blur_begins();
    test_long_rows_of_the_strongest_contrast();
    test_scenes_differ();
    test_usual_is_what_most_around_show();
    test_what_is_not_known_counts();
    test_frames_of_a_component();

    test_light_of_two_canvases();
    test_light_is_said();
    test_little_light_is_said();
    test_even_light_is_said();
    test_unknown_light_is_said();
    test_field_and_range_of_the_light();
    test_light_can_be_asked_again();
    test_nothing_is_left_without_memory();

    endo_context_destroy(&context);
    events_free(&events);
    CHECK(rmdir(folder) == 0);
    return check_summary("test_mosaic_pictures");
}
