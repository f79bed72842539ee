/* The last two stages of a mosaic from wild records: frames and edges that no run has left, most of them whole. */
#include "fuzz_stores.h"

#include <math.h>

enum { FRAMES = 12, EDGES = 24, SIDE = 40 };

static const void *lend(void *user, int32_t frame, char *reason) {
    static const uint8_t pixels[SIDE * SIDE];
    (void)reason;
    fuzz_require(frame >= 0 && frame < *(int *)user, "a frame that the sequence does not have was asked for");
    return pixels;
}

static endo_transform pose_of(fuzz_input *in) {
    endo_transform pose = endo_transform_identity();
    if (fuzz_one_in(in, 12)) return fuzz_transform(in, 4 * SIDE);
    pose.matrix[2] = fuzz_between(in, -60, 60);
    pose.matrix[5] = fuzz_between(in, -60, 60);
    return pose;
}

/* Now and then a value that none can have. */
static endo_mosaic_frame wild_frame(fuzz_input *in, int n) {
    endo_mosaic_frame frame = {
        .pose = pose_of(in),
        .chained = pose_of(in),
        .deviation = fuzz_one_in(in, 90) ? -1 : fuzz_between(in, 0, 9) / 3.0,
        .quality = fuzz_one_in(in, 4) ? NAN : 0.9,
        .reference = fuzz_between(in, -1, n - 1),
        .status = fuzz_between(in, 0, 8),
        .registered = !fuzz_one_in(in, 8),
        .component = fuzz_between(in, 0, n < 3 ? n : 3),
        .doubtful = fuzz_one_in(in, 4),
        .key_frame = fuzz_one_in(in, 4),
        .chain = fuzz_between(in, 0, n < 3 ? n : 3),
        .order = fuzz_between(in, -1, n),
        .solved = fuzz_one_in(in, 2),
        .number = fuzz_one_in(in, 2) ? fuzz_wild(in, 1, n) : 0,
    };
    if (fuzz_one_in(in, 120)) frame.reference = fuzz_wild(in, -3, n + 2);
    if (fuzz_one_in(in, 120)) frame.component = fuzz_wild(in, -3, n + 2);
    if (fuzz_one_in(in, 120)) frame.chain = fuzz_wild(in, -3, n + 2);
    if (fuzz_one_in(in, 60)) frame.deviation = fuzz_real(in, 0, 1e9);
    return frame;
}

/* Of two frames that are registered, where there are such; now and then of any. */
static endo_mosaic_edge wild_edge(fuzz_input *in, const endo_mosaic_frame *frames, int n) {
    endo_mosaic_edge edge = {
        .transform = pose_of(in),
        .deviation = fuzz_one_in(in, 60) ? fuzz_real(in, -1, 1e9) : fuzz_between(in, 1, 20) / 10.0,
        .perspective = {fuzz_real(in, -0.01, 0.01), fuzz_real(in, -0.01, 0.01)},
        .perspective_deviation = fuzz_one_in(in, 2) ? fuzz_real(in, -1e-6, 1e-3) : 0,
        .lens = fuzz_real(in, -1, 1),
        .lens_deviation = fuzz_one_in(in, 2) ? fuzz_real(in, -1e-3, 1) : 0,
        .reference = fuzz_between(in, 0, n - 1),
        .current = fuzz_between(in, 0, n - 1),
        .doubtful = fuzz_one_in(in, 4),
        .by_hand = fuzz_one_in(in, 4),
    };
    int is_any = fuzz_one_in(in, 60);
    for (int i = 0; i < n && !is_any && !frames[edge.reference].registered; i++) edge.reference = (edge.reference + 1) % n;
    for (int i = 0; i < n && !is_any && (!frames[edge.current].registered || edge.current == edge.reference); i++)
        edge.current = (edge.current + 1) % n;
    return edge;
}

static endo_mosaic_options options_of(fuzz_input *in) {
    endo_mosaic_options options = endo_mosaic_options_default();
    options.context.backend = ENDO_BACKEND_CPU;
    options.context.threads = 1;
    options.field = fuzz_one_in(in, 3) ? ENDO_MOSAIC_FIELD_AUTO : ENDO_MOSAIC_FIELD_WHOLE;
    options.solve = !fuzz_one_in(in, 5);
    options.painting = (endo_mosaic_painting)fuzz_between(in, 0, 2);
    options.lens = fuzz_one_in(in, 4) ? 12 : 0;
    options.light = fuzz_one_in(in, 2);
    options.extras = fuzz_one_in(in, 3) ? 3 : 0;
    options.max_canvas = 300000;
    return options;
}

static void paint(fuzz_input *in, endo_mosaic *mosaic, const endo_mosaic_frame *frames, int n) {
    const endo_mosaic_source source = {
        .frames = n,
        .width = SIDE,
        .height = SIDE,
        .type = ENDO_GREY8,
        .lend = lend,
        .user = &n,
        .at_hand = fuzz_one_in(in, 2),
    };
    endo_status status = endo_mosaic_paint(mosaic, &source, frames, n);
    fuzz_checked(status, &status, 0, "endo_mosaic_paint");
    for (int32_t c = 1; c <= endo_mosaic_components(mosaic); c++) {
        endo_mosaic_panorama p;
        fuzz_require(endo_mosaic_describe(mosaic, c, &p) == ENDO_OK, "a component without a description");
        fuzz_require(p.width >= 0 && p.height >= 0 && (int64_t)p.width * p.height <= 300000, "a panorama beyond its limit");
    }
}

void fuzz_records(fuzz_session *session) {
    fuzz_input *in = &session->in;
    endo_mosaic_frame frames[FRAMES];
    endo_mosaic_edge edges[EDGES];
    endo_mosaic *mosaic = NULL;
    int n = fuzz_between(in, 1, FRAMES);
    int n_edges = n > 1 ? fuzz_between(in, 0, EDGES) : 0;
    endo_mosaic_options options = options_of(in);
    for (int i = 0; i < n; i++) frames[i] = wild_frame(in, n);
    for (int i = 0; i < n_edges; i++) edges[i] = wild_edge(in, frames, n);
    fuzz_checked(endo_mosaic_create(&options, NULL, &mosaic), &mosaic, 0, "endo_mosaic_create");
    const endo_mosaic_records records = {
        .width = fuzz_one_in(in, 60) ? fuzz_wild(in, 1, SIDE) : SIDE,
        .height = SIDE,
        .field_spread = fuzz_real(in, 0, 30),
        .frames = frames,
        .n_frames = n,
        .edges = edges,
        .n_edges = n_edges,
    };
    endo_status status = endo_mosaic_solve(mosaic, fuzz_one_in(in, 60) ? NULL : &records);
    fuzz_checked(status, &status, 0, "endo_mosaic_solve");
    for (int i = 0; i < n && status == ENDO_OK; i++)
        fuzz_require(frames[i].component >= 0 && frames[i].component <= n, "a component that there is not");
    paint(in, mosaic, frames, n);
    endo_mosaic_destroy(&mosaic);
}
