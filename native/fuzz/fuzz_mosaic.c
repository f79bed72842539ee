/* Calls about whole mosaics: short sequences of small frames, some of which cannot be read, with options that fit or do not;
 * stages alone get frames and edges that may be wild. */
#include "fuzz_stores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 72, STRIP = 200, FRAMES = 6 };

typedef struct sequence {
    uint8_t scene[SIDE * STRIP];
    uint8_t frames[FRAMES][SIDE * SIDE * 4];
    int lent[FRAMES]; /* how often each is lent at the time */
    int width, height, step, broken;
    endo_mosaic_source source;
    endo_mosaic *mosaic;
    unsigned salt;
} sequence;

static const void *lend(void *user, int32_t frame, char *reason) {
    sequence *s = user;
    fuzz_require(frame >= 0 && frame < s->source.frames, "a frame that the sequence does not have was asked for");
    if (frame == s->broken) {
        strcpy(reason, "torn");
        return NULL;
    }
    size_t size = endo_pixel_size(s->source.type);
    uint8_t *to = s->frames[frame];
    s->lent[frame]++;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            uint8_t value = s->scene[y * STRIP + (x + frame * s->step) % STRIP];
            memset(&to[((size_t)y * (size_t)s->width + (size_t)x) * size], value, size);
        }
    return to;
}

static void give_back(void *user, int32_t frame, const void *pixels) {
    sequence *s = user;
    fuzz_require(s->lent[frame] > 0 && pixels == s->frames[frame], "a frame was given back that was not lent");
    memset(s->frames[frame], 0, --s->lent[frame] ? 0 : sizeof s->frames[frame]);
}

static const char *name(void *user, int32_t frame) {
    (void)user;
    return frame % 2 ? "odd" : NULL;
}

static void event(void *user, const endo_event *event) {
    (void)user;
    fuzz_require(event->text && *event->text, "an event without words");
}

static void progress(void *user, double share) {
    (void)user;
    fuzz_require(share >= 0 && share <= 1, "progress beyond 0..1");
}

static int32_t number(void *user, int32_t frame) {
    const sequence *s = user;
    return s->step > 7 ? 7 : 1 + s->step + 2 * frame;
}

static void painted(void *user, int32_t canvas) {
    sequence *s = user;
    endo_mosaic_panorama seen;
    if (s->salt % 2 && endo_mosaic_snapshot(s->mosaic, canvas) == ENDO_OK)
        fuzz_require(endo_mosaic_describe(s->mosaic, 0, &seen) == ENDO_OK && seen.width >= 0, "a snapshot without a size");
}

/* A scene with smooth blobs, along which the scope moves. */
static void make_sequence(fuzz_input *in, sequence *s) {
    memset(s, 0, sizeof *s);
    s->salt = fuzz_byte(in) * 2654435761u + 12345;
    for (int i = 0; i < SIDE * STRIP; i++) {
        s->salt = s->salt * 1664525 + 1013904223;
        s->scene[i] = (uint8_t)(s->salt >> 24);
    }
    for (int pass = 0; pass < 3; pass++)
        for (int i = STRIP + 1; i < SIDE * STRIP; i++)
            s->scene[i] = (uint8_t)((s->scene[i] + s->scene[i - 1] + s->scene[i - STRIP] + s->scene[i - STRIP - 1]) / 4);
    s->width = fuzz_one_in(in, 6) ? fuzz_between(in, 1, SIDE) : SIDE;
    s->height = fuzz_one_in(in, 6) ? fuzz_between(in, 1, SIDE) : SIDE;
    s->step = fuzz_between(in, 0, 9);
    s->broken = fuzz_one_in(in, 3) ? fuzz_between(in, 0, FRAMES - 1) : -1;
    s->source = (endo_mosaic_source){
        .frames = fuzz_one_in(in, 12) ? fuzz_wild(in, 0, 2) : fuzz_between(in, 2, FRAMES),
        .width = s->width,
        .height = s->height,
        .type = (endo_pixel)fuzz_between(in, 0, 2),
        .lend = lend,
        .give_back = fuzz_one_in(in, 2) ? NULL : give_back,
        .name = fuzz_one_in(in, 2) ? NULL : name,
        .number = fuzz_one_in(in, 2) ? NULL : number,
        .user = s,
    };
    if (s->source.frames > FRAMES) s->source.frames = 1;
}

static endo_mosaic_options make_options(fuzz_input *in, const uint8_t *mask) {
    endo_mosaic_options o = endo_mosaic_options_default();
    o.context.backend = ENDO_BACKEND_CPU;
    o.context.threads = 1;
    o.pairs.transform = (endo_transform_class)fuzz_between(in, -1, 4);
    o.pairs.method = fuzz_one_in(in, 3) ? ENDO_METHOD_PAPER : ENDO_METHOD_BEST;
    o.field = (endo_mosaic_field)fuzz_wild(in, 0, 2);
    o.mask = fuzz_one_in(in, 8) ? NULL : mask;
    o.pattern = fuzz_one_in(in, 2);
    o.highlights = fuzz_one_in(in, 3);
    o.enhance = fuzz_one_in(in, 4);
    o.solve = !fuzz_one_in(in, 4);
    o.lens = fuzz_one_in(in, 3) ? fuzz_real(in, -40, 40) : 0;
    o.painting = (endo_mosaic_painting)fuzz_wild(in, 0, 2);
    o.picture = !fuzz_one_in(in, 6);
    o.light = !fuzz_one_in(in, 3);
    o.scale = fuzz_one_in(in, 3) ? fuzz_real(in, 0.25, 4) : 1;
    o.extras = fuzz_wild(in, 0, 3);
    o.rim = fuzz_wild(in, 0, 12);
    o.max_canvas = fuzz_one_in(in, 6) ? fuzz_between(in, 0, 20000) : 4000000;
    o.memory = fuzz_one_in(in, 4) ? 1 << 20 : 1 << 26;
    return o;
}

/* ------------------------------------------------------------------------ results */

static void read_component(fuzz_input *in, const endo_mosaic *mosaic, int32_t component) {
    endo_mosaic_panorama p;
    if (fuzz_checked(endo_mosaic_describe(mosaic, component, &p), &p, 0, "endo_mosaic_describe") != ENDO_OK) return;
    fuzz_require(p.width >= 0 && p.height >= 0 && (int64_t)p.width * p.height <= 4000000, "a panorama beyond its limit");
    if (p.width == 0) return;
    const endo_rectangle rectangle = {
        .x = fuzz_wild(in, 0, p.width - 1),
        .y = fuzz_wild(in, 0, p.height - 1),
        .width = fuzz_between(in, 1, p.width),
        .height = fuzz_between(in, 1, p.height),
    };
    size_t area = (size_t)rectangle.width * (size_t)rectangle.height;
    void *pixels = fuzz_guarded(area * endo_pixel_size((endo_pixel)p.type));
    uint8_t *shown = fuzz_guarded(area);
    uint16_t *extra = fuzz_guarded(2 * area);
    const endo_panorama_planes planes = {
        .pixels = pixels,
        .painted = shown,
        .uncertainty = fuzz_one_in(in, 4) ? extra : NULL,
    };
    endo_status status = endo_mosaic_read(mosaic, component, fuzz_one_in(in, 60) ? NULL : &rectangle, &planes);
    fuzz_checked(status, shown, area, "endo_mosaic_read");
    for (size_t i = 0; status == ENDO_OK && i < area; i++)
        fuzz_require(shown[i] == 0 || shown[i] == 255, "a pixel that is neither painted nor not");
    fuzz_release(extra, 2 * area);
    fuzz_release(shown, area);
    fuzz_release(pixels, area * endo_pixel_size((endo_pixel)p.type));
}

static void read_all(fuzz_input *in, const sequence *s) {
    int32_t n;
    int32_t n_edges;
    const endo_mosaic *mosaic = s->mosaic;
    const endo_mosaic_frame *frames = endo_mosaic_frames(mosaic, &n);
    const endo_mosaic_edge *edges = endo_mosaic_edges(mosaic, &n_edges);
    int32_t components = endo_mosaic_components(mosaic);
    for (int32_t i = 0; i < n; i++)
        fuzz_require(frames[i].component >= 0 && frames[i].component <= components, "a component that there is not");
    for (int32_t i = 0; i < n_edges; i++)
        fuzz_require(edges[i].reference >= 0 && edges[i].reference < n && edges[i].current < n, "an edge of no frames");
    fuzz_require(fabs(endo_mosaic_lens(mosaic)) <= 40, "a lens out of range");
    fuzz_require(endo_mosaic_backend(mosaic) && endo_mosaic_field_description(mosaic) && endo_mosaic_light_description(mosaic),
                 "no words");
    endo_mosaic_times spent = endo_mosaic_spent(mosaic);
    fuzz_require(spent.read >= 0 && spent.pairs >= 0 && spent.panorama >= 0, "time that runs backwards");
    const endo_light_report *light = endo_mosaic_light(mosaic);
    fuzz_require(!light || (light->frames >= 0 && light->frames <= n), "light of frames that there are not");
    if (endo_mosaic_field_mask(mosaic)) fuzz_require(endo_mosaic_field_spread(mosaic) >= 0, "a field's spread");
    read_component(in, mosaic, fuzz_one_in(in, 4) ? fuzz_wild(in, 0, 3) : 1);
}

/* -------------------------------------------------------------------------- calls */

static endo_status put_and_finish(fuzz_input *in, sequence *s) {
    endo_status status = ENDO_OK;
    for (int i = 0; status == ENDO_OK && i < s->source.frames; i++) {
        char reason[ENDO_REASON_SIZE] = "";
        const void *pixels = lend(s, i, reason);
        ptrdiff_t stride = s->width - fuzz_one_in(in, 40);
        status = endo_mosaic_put(s->mosaic, pixels, s->source.type, s->width, s->height, stride);
        fuzz_checked(status, &s, 0, "endo_mosaic_put");
        s->lent[i] = 0;
    }
    return endo_mosaic_finish(s->mosaic);
}

static endo_mosaic *make_another(fuzz_input *in) {
    endo_mosaic *other = NULL;
    endo_mosaic_options options = endo_mosaic_options_default();
    options.context.backend = ENDO_BACKEND_CPU;
    options.context.threads = 1;
    options.lens = fuzz_one_in(in, 4) ? fuzz_real(in, -40, 40) : 0;
    options.max_canvas = 1000000;
    fuzz_checked(endo_mosaic_create(&options, NULL, &other), &other, 0, "endo_mosaic_create");
    return other;
}

static void measure(fuzz_input *in, sequence *s, endo_mosaic *other, const endo_mosaic_frame *frames, int32_t n) {
    endo_pose_quality rows[FRAMES];
    int32_t made = 0;
    endo_status status = endo_mosaic_quality(other, &s->source, frames, n, fuzz_wild(in, 1, FRAMES), rows, &made);
    fuzz_checked(status, &status, 0, "endo_mosaic_quality");
    for (int32_t i = 0; i < made; i++)
        fuzz_require(rows[i].reference >= 0 && rows[i].frame < n && !(fabs(rows[i].quality) > 1), "a quality of no frames");
}

static void sweep(fuzz_input *in, sequence *s, endo_mosaic *other) {
    endo_pairs_options all[3];
    endo_sweep_result sums[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        all[i] = endo_pairs_options_default();
        all[i].template_side = fuzz_one_in(in, 8) ? fuzz_wild(in, 0, 100) : 15;
        all[i].landmarks = fuzz_between(in, 2, 5);
    }
    endo_status status = endo_mosaic_sweep(other, &s->source, all, fuzz_one_in(in, 8) ? fuzz_wild(in, 1, 3) % 4 : 3, sums);
    fuzz_checked(status, &status, 0, "endo_mosaic_sweep");
    for (int i = 0; i < 3; i++)
        fuzz_require(sums[i].ok <= sums[i].pairs && sums[i].pairs < FRAMES && sums[i].qualities <= sums[i].pairs,
                     "sums of pairs");
}

static void refine(fuzz_input *in, sequence *s, endo_mosaic *other, int32_t n) {
    endo_refined_pair refined = {.refined = 0};
    const endo_pair pair = {.reference = fuzz_wild(in, 0, n - 1), .current = fuzz_wild(in, 0, n - 1)};
    const endo_transform start = fuzz_transform(in, SIDE);
    endo_status status = endo_mosaic_refine(other, &s->source, &pair, &start, &refined);
    fuzz_checked(status, &status, 0, "endo_mosaic_refine");
    if (status != ENDO_OK) return;
    fuzz_require(refined.refined ? refined.edge.deviation > 0 : refined.why[0] != 0, "a pair without a deviation or a reason");
}

static void align(fuzz_input *in, sequence *s, endo_mosaic *other, const endo_mosaic_frame *frames, int32_t n) {
    endo_aligned_size size = {0};
    int32_t readable = 0;
    endo_aligned_extent extent = (endo_aligned_extent)fuzz_wild(in, 0, 1);
    endo_status status = endo_mosaic_align(other, &s->source, frames, n, fuzz_wild(in, 1, 2), extent, &size);
    fuzz_checked(status, &status, 0, "endo_mosaic_align");
    size_t bytes = (size_t)size.width * (size_t)size.height * endo_pixel_size(s->source.type);
    void *pixels = fuzz_guarded(bytes + 1);
    for (int i = 0; i < 3; i++) {
        status = endo_mosaic_read_aligned(other, fuzz_wild(in, 0, n - 1), pixels, &readable);
        fuzz_checked(status, &status, 0, "endo_mosaic_read_aligned");
    }
    fuzz_release(pixels, bytes + 1);
}

static void find_wild(fuzz_input *in, const endo_mosaic_frame *frames, int32_t n) {
    endo_wild_pose wild[FRAMES];
    int32_t made = 0;
    int width = fuzz_wild(in, 1, SIDE);
    int height = fuzz_wild(in, 1, SIDE);
    endo_status status = endo_mosaic_wild_poses(frames, n, width, height, fuzz_wild(in, 1, 20000), wild, &made);
    fuzz_checked(status, &status, 0, "endo_mosaic_wild_poses");
    fuzz_require(made >= 0 && made <= n, "more wild poses than poses");
    for (int32_t i = 0; i < made; i++) fuzz_require(wild[i].why[0] && wild[i].frame < n, "a wild pose without a reason");
}

static void solve_and_paint(fuzz_input *in, sequence *s) {
    int32_t n;
    int32_t n_edges;
    const endo_mosaic_frame *known = endo_mosaic_frames(s->mosaic, &n);
    const endo_mosaic_edge *edges = endo_mosaic_edges(s->mosaic, &n_edges);
    if (n < 1) return;
    endo_mosaic_frame *frames = fuzz_output((size_t)n * sizeof *frames);
    memcpy(frames, known, (size_t)n * sizeof *frames);
    for (int32_t i = 0; i < n && fuzz_one_in(in, 2); i++) {
        frames[i].pose = fuzz_transform(in, SIDE);
        frames[i].reference = fuzz_wild(in, -1, n - 1);
        frames[i].component = fuzz_wild(in, 0, 2);
        frames[i].order = fuzz_wild(in, 0, n);
    }
    endo_mosaic *other = NULL;
    const endo_mosaic_records records = {
        .width = s->width,
        .height = s->height,
        .field_spread = fuzz_real(in, 1, 60),
        .frames = frames,
        .n_frames = n,
        .edges = edges,
        .n_edges = n_edges,
    };
    endo_status status = endo_mosaic_solve(s->mosaic, &records);
    fuzz_checked(status, &status, 0, "endo_mosaic_solve");
    other = make_another(in);
    int what = fuzz_between(in, 0, 5);
    if (what == 0) fuzz_checked(endo_mosaic_paint(other, &s->source, frames, n), &other, 0, "endo_mosaic_paint");
    if (what == 1) measure(in, s, other, frames, n);
    if (what == 2) sweep(in, s, other);
    if (what == 3) align(in, s, other, frames, n);
    if (what == 4) find_wild(in, frames, n);
    if (what == 5) refine(in, s, other, n);
    endo_mosaic_destroy(&other);
    for (int i = 0; s->source.give_back && i < FRAMES; i++) fuzz_require(!s->lent[i], "a frame was never given back");
    free(frames);
}

void fuzz_mosaic(fuzz_session *session) {
    fuzz_input *in = &session->in;
    static sequence s;
    static uint8_t mask[SIDE * SIDE];
    if (!fuzz_one_in(in, 4)) return;
    make_sequence(in, &s);
    memset(mask, 255, sizeof mask);
    mask[fuzz_between(in, 0, (int)sizeof mask - 1)] = 0;
    endo_mosaic_options options = make_options(in, mask);
    endo_mosaic_hooks hooks = {.event = event, .progress = progress, .painted = painted, .user = &s};
    int abi = fuzz_one_in(in, 30) ? fuzz_wild(in, 0, 20) : ENDO_ABI;
    endo_status status = endo_mosaic_create_abi(&options, fuzz_one_in(in, 3) ? NULL : &hooks, abi, &s.mosaic);
    if (fuzz_checked(status, &s.mosaic, 0, "endo_mosaic_create_abi") != ENDO_OK) return;
    int way = fuzz_between(in, 0, 3);
    if (way == 0) status = put_and_finish(in, &s);
    else if (way == 1) status = endo_mosaic_register(s.mosaic, &s.source);
    else status = endo_mosaic_run(s.mosaic, &s.source);
    fuzz_checked(status, &status, 0, "a run of a mosaic");
    for (int i = 0; s.source.give_back && i < FRAMES; i++) fuzz_require(!s.lent[i], "a frame was never given back");
    read_all(in, &s);
    if (way == 1 && status == ENDO_OK) solve_and_paint(in, &s);
    endo_mosaic_destroy(&s.mosaic);
}
