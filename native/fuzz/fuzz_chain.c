/* Calls about chains: short sequences of small frames, some of which cannot be read, as exposures or by their spectra, in parts
 * or onto another image, with options that fit or do not. */
#include "fuzz_stores.h"

#include <string.h>

enum { SIDE = 64, FRAMES = 5 };

typedef struct sequence {
    uint8_t frames[FRAMES][SIDE * SIDE * 4];
    int lent;
    int broken;
    int cancels; /* asked so often, it says yes; below 0: never */
    endo_mosaic_source source;
} sequence;

static const void *lend(void *user, int32_t frame, char *reason) {
    sequence *s = user;
    fuzz_require(frame >= 0 && frame < s->source.frames, "a frame that the sequence does not have was asked for");
    if (frame == s->broken) {
        strcpy(reason, "torn");
        return NULL;
    }
    s->lent++;
    return s->frames[frame];
}

static void give_back(void *user, int32_t frame, const void *pixels) {
    sequence *s = user;
    fuzz_require(pixels == s->frames[frame] && s->lent-- > 0, "a frame was given back that was not lent");
}

static void event(void *user, const endo_event *event) {
    (void)user;
    fuzz_require(event->text && *event->text, "an event without words");
}

static void progress(void *user, double share) {
    (void)user;
    fuzz_require(share >= 0 && share <= 1, "progress beyond 0..1");
}

static int cancelled(void *user) { return ((sequence *)user)->cancels-- == 0; }

/* Coarse blobs that move on. */
static void make_sequence(fuzz_input *in, sequence *s) {
    unsigned salt = fuzz_byte(in) * 2654435761u + 99;
    int step = fuzz_between(in, 0, 7);
    uint8_t cells[12][12];
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 144; i++) cells[i / 12][i % 12] = (uint8_t)((salt = salt * 1664525 + 1013904223) >> 24);
    endo_pixel type = (endo_pixel)fuzz_between(in, 0, 2);
    size_t size = endo_pixel_size(type);
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < SIDE * SIDE; i++)
            memset(&s->frames[f][(size_t)i * size], cells[i / SIDE / 6 % 12][(i % SIDE + f * step) / 6 % 12] >> f % 3, size);
    s->broken = fuzz_one_in(in, 3) ? fuzz_between(in, 0, FRAMES - 1) : -1;
    s->cancels = fuzz_one_in(in, 4) ? fuzz_between(in, 0, 30) : -1;
    s->source = (endo_mosaic_source){
        .frames = fuzz_one_in(in, 8) ? fuzz_wild(in, 0, 2) : FRAMES,
        .width = fuzz_one_in(in, 4) ? fuzz_between(in, 1, SIDE) : SIDE,
        .height = fuzz_one_in(in, 4) ? fuzz_between(in, 1, SIDE) : SIDE,
        .type = type,
        .lend = lend,
        .give_back = give_back,
        .user = s,
    };
    if (s->source.frames > FRAMES) s->source.frames = 1;
}

static endo_context_options context(void) {
    endo_context_options o = endo_context_options_default();
    o.backend = ENDO_BACKEND_CPU;
    o.threads = 1;
    return o;
}

static endo_chain_part part_of(fuzz_input *in) {
    if (fuzz_one_in(in, 2)) return (endo_chain_part){0};
    int left = fuzz_wild(in, 0, 20);
    int top = fuzz_wild(in, 0, 20);
    return (endo_chain_part){.left = left, .top = top, .right = fuzz_wild(in, 21, SIDE), .bottom = fuzz_wild(in, 21, SIDE)};
}

static endo_status create_exposures(fuzz_input *in, const endo_mosaic_hooks *hooks, int abi, endo_chain **chain) {
    endo_exposure_chain_options o = endo_exposure_chain_options_default();
    o.context = context();
    o.pairs.search = fuzz_wild(in, 1, 20);
    o.pairs.subpixel = fuzz_one_in(in, 2);
    o.reference = fuzz_wild(in, -1, FRAMES - 1);
    o.period = fuzz_wild(in, 0, 3);
    o.kalman = fuzz_one_in(in, 2);
    return endo_exposure_chain_create_abi(&o, hooks, abi, chain);
}

static endo_status create_fourier(fuzz_input *in, const endo_mosaic_hooks *hooks, const sequence *other, int abi,
                                  endo_chain **chain) {
    static uint8_t mask[SIDE * SIDE];
    endo_fourier_chain_options o = endo_fourier_chain_options_default();
    memset(mask, 255, sizeof mask);
    o.context = context();
    o.pairs.model = (endo_transform_class)fuzz_wild(in, 0, 2);
    o.pairs.candidates = fuzz_wild(in, 1, 3);
    o.reference = fuzz_wild(in, -1, FRAMES - 1);
    o.part = part_of(in);
    o.onto_part = part_of(in);
    if (fuzz_one_in(in, 3)) o.onto = &other->source;
    if (fuzz_one_in(in, 4)) o.mask = mask;
    return endo_fourier_chain_create_abi(&o, hooks, abi, chain);
}

static void read_all(const endo_chain *chain, int frames) {
    int32_t n;
    const endo_chain_frame *f = endo_chain_frames(chain, &n);
    fuzz_require(n >= 0 && n <= frames, "more rows than frames");
    for (int32_t i = 0; i < n; i++) {
        fuzz_require(endo_transform_check(&f[i].pose) == ENDO_OK, "a pose that is no transform");
        fuzz_require(f[i].reference >= -1 && f[i].reference < n + frames, "a reference that is no frame");
        fuzz_require(f[i].status >= ENDO_CHAIN_OK && f[i].status <= ENDO_CHAIN_SKIPPED, "an unknown status");
    }
    fuzz_require(endo_chain_backend(chain) && endo_chain_field_description(chain), "no words");
    const uint8_t *mask = endo_chain_field_mask(chain);
    if (mask) fuzz_require(mask[0] == 0 || mask[0] == 255, "a mask that is neither in nor out");
}

void fuzz_chain(fuzz_session *session) {
    fuzz_input *in = &session->in;
    static sequence s;
    static sequence other;
    endo_chain *chain = NULL;
    if (!fuzz_one_in(in, 4)) return;
    make_sequence(in, &s);
    make_sequence(in, &other);
    endo_mosaic_hooks hooks = {.event = event, .progress = progress, .cancelled = cancelled, .user = &s};
    const endo_mosaic_hooks *given = fuzz_one_in(in, 3) ? NULL : &hooks;
    int abi = fuzz_one_in(in, 30) ? fuzz_wild(in, 0, 20) : ENDO_ABI;
    endo_status status = fuzz_one_in(in, 2) ? create_exposures(in, given, abi, &chain)
                                            : create_fourier(in, given, &other, abi, &chain);
    if (fuzz_checked(status, &chain, 0, "endo_chain_create") != ENDO_OK) return;
    fuzz_allow_cancel(1);
    fuzz_checked(endo_chain_run(chain, &s.source), &status, 0, "endo_chain_run");
    fuzz_allow_cancel(0);
    fuzz_require(!s.lent && !other.lent, "a frame was never given back");
    read_all(chain, s.source.frames);
    endo_chain_destroy(&chain);
}
