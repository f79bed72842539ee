/* Calls about the library itself: what it is, which devices there are, options of every size, and calls that are
 * cancelled on their way. */
#include "fuzz_stores.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- devices */

static int is_text(const char *text, size_t size) { return size == 0 || memchr(text, 0, size) != NULL; }

static void devices(fuzz_input *in) {
    size_t size = (size_t)fuzz_between(in, 0, 90);
    char *reason = fuzz_guarded(size);
    endo_device_info *info = fuzz_guarded(sizeof *info);
    int n = endo_device_count(fuzz_one_in(in, 4) ? NULL : reason, size), index = fuzz_wild(in, 0, 2);
    fuzz_require(n >= 0, "a number of devices");
    fuzz_require(is_text(reason, size) || fuzz_is_untouched(reason, size), "a reason without an end");
    endo_status status = fuzz_checked(endo_device_describe(index, info), info, sizeof *info, "endo_device_describe");
    fuzz_require((status == ENDO_OK) == (index >= 0 && index < n), "a device and its description disagree");
    fuzz_release(reason, size);
    fuzz_release(info, sizeof *info);
}

static void choice(fuzz_input *in) {
    size_t size = (size_t)fuzz_between(in, 0, 120);
    char *reason = fuzz_guarded(size);
    endo_backend backend = (endo_backend)77;
    const endo_backend_job job = {
        .width = fuzz_wild(in, 1, 32767),
        .height = fuzz_wild(in, 1, 32767),
        .type = (endo_pixel)fuzz_wild(in, 0, 2),
        .frames = fuzz_wild(in, 0, 100000),
        .threads = fuzz_wild(in, 0, 256),
    };
    const endo_backend_mutual_job mutual = {
        .width = job.width,
        .height = job.height,
        .depth = fuzz_wild(in, 1, 32767),
        .registrations = job.frames,
        .threads = job.threads,
    };
    endo_backend_choose(fuzz_one_in(in, 20) ? NULL : &job, &backend, reason, size);
    if (fuzz_between(in, 0, 1))
        endo_backend_choose_mutual(fuzz_one_in(in, 20) ? NULL : &mutual, &backend, reason, size);
    fuzz_require(backend == ENDO_BACKEND_CPU || backend == ENDO_BACKEND_CUDA, "a back end that was not chosen");
    fuzz_require(is_text(reason, size), "a reason without an end");
    fuzz_release(reason, size);
}

/* Seldom: it takes a tenth of a second. */
static void self_test(fuzz_input *in) {
    endo_context_options o = endo_context_options_default();
    int agrees = -1;
    double seconds = -1;
    o.backend = ENDO_BACKEND_CPU, o.threads = fuzz_between(in, 1, 2), o.cpu = (endo_cpu)fuzz_wild(in, 0, 3);
    endo_status status = fuzz_checked(endo_self_test(&o, &agrees, &seconds), NULL, 0, "endo_self_test");
    fuzz_require(status == ENDO_OK ? agrees == 1 && seconds >= 0 : agrees == -1 && seconds == -1, "a self test");
}

static void words(const fuzz_session *s) {
    int width = -1, height = -1;
    endo_frames_get_size(s->frames, &width, &height);
    fuzz_require(s->frames ? width == s->options.width && height == s->options.height : width == 0 && height == 0,
                 "a size that is not the frames'");
    fuzz_require(!strcmp(endo_version(), ENDO_VERSION) && endo_abi() == ENDO_ABI, "another version");
    fuzz_require(endo_cuda_version() >= 0 && endo_cuda_driver_version() >= 0, "a version of CUDA");
    char library[100] = "";
    endo_cuda_fourier_library(library, sizeof library);
    fuzz_require(library[0] != 0 && memchr(library, 0, sizeof library), "a library without a name or a reason");
    fuzz_require(endo_context_description(s->context)[0] != 0 && endo_context_note(s->context) != NULL &&
                     endo_context_threads(s->context) >= 1,
                 "a context without a description");
    endo_transform still = endo_transform_identity();
    fuzz_require(endo_transform_check(&still) == ENDO_OK, "an identity that is no transform");
}

void fuzz_library(fuzz_session *s) {
    fuzz_input *in = &s->in;
    words(s);
    int side = endo_pairs_template_side(fuzz_wild(in, 1, 32767));
    fuzz_require(side >= 3 && side <= 255 && side % 2, "a template's side");
    if (fuzz_one_in(in, 2)) devices(in);
    if (fuzz_one_in(in, 2)) choice(in);
    if (fuzz_one_in(in, 50)) self_test(in);
    endo_context *none = NULL;
    int abi = fuzz_one_in(in, 2) ? ENDO_ABI - 1 : fuzz_wild(in, ENDO_ABI + 1, 1000);
    fuzz_checked(endo_context_create_abi(NULL, abi, &none), NULL, 0, "endo_context_create_abi");
    fuzz_require(abi == ENDO_ABI || none == NULL, "a program of another version got a context");
    endo_context_destroy(&none);
}

/* ----------------------------------------------------------------- options */

/* Options are made within their struct, with the same defaults each time: of these the first number is compared, as padding may
 * follow it. */
#define TRY_OPTIONS(type)                                                                              \
    do {                                                                                               \
        type defaults;                                                                                 \
        memset(&defaults, 0, sizeof defaults);                                                         \
        type##_init(&defaults);                                                                        \
        type *made = fuzz_guarded(sizeof *made);                                                       \
        memset(made, 0, sizeof *made);                                                                 \
        type##_init(made);                                                                             \
        fuzz_require(!memcmp(made, &defaults, sizeof(int)), "options that are not the defaults");      \
        fuzz_release(made, sizeof *made);                                                              \
    } while (0)

void fuzz_options(fuzz_session *s) {
    fuzz_input *in = &s->in;
    switch (fuzz_between(in, 0, 17)) {
    case 0: TRY_OPTIONS(endo_context_options); return;
    case 1: TRY_OPTIONS(endo_frames_options); return;
    case 2: TRY_OPTIONS(endo_search_options); return;
    case 3: TRY_OPTIONS(endo_pairs_options); return;
    case 4: TRY_OPTIONS(endo_exposure_options); return;
    case 5: TRY_OPTIONS(endo_ahe_options); return;
    case 6: TRY_OPTIONS(endo_fourier_options); return;
    case 7: TRY_OPTIONS(endo_mutual_options); return;
    case 8: TRY_OPTIONS(endo_volume); return;
    case 9: TRY_OPTIONS(endo_graph_options); return;
    case 10: TRY_OPTIONS(endo_blend_options); return;
    case 11: TRY_OPTIONS(endo_light_options); return;
    case 12: TRY_OPTIONS(endo_mosaic_options); return;
    case 13: TRY_OPTIONS(endo_exposure_chain_options); return;
    case 14: TRY_OPTIONS(endo_fourier_chain_options); return;
    case 15: TRY_OPTIONS(endo_pattern_options); return;
    case 16: TRY_OPTIONS(endo_live_options); return;
    default: TRY_OPTIONS(endo_demo_options);
    }
}

/* --------------------------------------------------------- cancelled calls */

static int asked(void *user) {
    int *left = user;
    return (*left)-- <= 0;
}

/* One of the long calls, whose hook says stop at once or later. */
void fuzz_cancelled(fuzz_session *s) {
    int left = fuzz_between(&s->in, 0, 5);
    endo_context_set_cancel(s->context, asked, &left);
    fuzz_allow_cancel(1);
    switch (fuzz_between(&s->in, 0, 5)) {
    case 0: fuzz_register(s); break;
    case 1: fuzz_exposures(s); break;
    case 2: fuzz_quality(s); break;
    case 3: fuzz_agreement(s); break;
    case 4: fuzz_pattern(s); break;
    default: fuzz_paint(s);
    }
    fuzz_allow_cancel(0);
    endo_context_set_cancel(s->context, NULL, NULL);
}
