/* Natives of endorama.jni.Native for chains of frames: exposures, and registration by spectra. */
#include "endorama_jni_Native.h"

#include <stdlib.h>
#include <string.h>

#include "endorama/chain.h"
#include "mosaic_bridge.h"
#include "staging.h"

/* Declared in native/api/testing.h, too. */
void endo_chain_fail_after(endo_chain *chain, int calls);

/* Lengths of the flat arrays of options (the first CONTEXT_INTS are common to both kinds) and of a frame. */
enum {
    CONTEXT_INTS = 3,
    EXPOSURE_INTS = 10,
    FOURIER_INTS = 20,
    FRAME_REALS = 20,
    FRAME_INTS = 6
};

/* The Java handle of a chain. */
typedef struct chain_bridge {
    mosaic_bridge caller; /* without a mosaic */
    endo_chain *chain;
    endo_mosaic_source onto;
} chain_bridge;

/* ----------------------------------------------------------------- create */

static int get_context(JNIEnv *env, const jint i[CONTEXT_INTS], jlong memory, jintArray devices, endo_context_options *context)
{
    jint numbers[ENDO_MAX_DEVICES] = {0};
    jsize n = (*env)->GetArrayLength(env, devices);
    *context = endo_jni_context_options(i[0], i[1], 0, 0, memory);
    context->n_devices = n;
    if (!endo_jni_get_ints(env, devices, n < ENDO_MAX_DEVICES ? n : ENDO_MAX_DEVICES, numbers))
        return 0;
    for (int k = 0; k < ENDO_MAX_DEVICES; k++)
        context->devices[k] = numbers[k];
    return 1;
}

static void destroy(JNIEnv *env, chain_bridge *b)
{
    endo_chain_destroy(&b->chain);
    endo_jni_bridge_close(env, &b->caller);
    free(b);
}

static endo_status finish(JNIEnv *env, chain_bridge *b, endo_status status, jint fail_after, jlongArray out)
{
    if (status != ENDO_OK) {
        destroy(env, b);
        return status;
    }
    endo_chain_fail_after(b->chain, fail_after);
    endo_jni_set_handle(env, out, b);
    return ENDO_OK;
}

static endo_exposure_chain_options exposure_options(const jint i[EXPOSURE_INTS])
{
    endo_exposure_chain_options options = endo_exposure_chain_options_default();
    options.reference = i[2];
    options.pairs.search = i[3];
    options.pairs.tolerance = i[4];
    options.pairs.bins = i[5];
    options.pairs.percentile = (endo_percentile)i[6];
    options.pairs.subpixel = i[7];
    options.period = i[8];
    options.kalman = i[9];
    return options;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_exposureChainCreate(JNIEnv *env, jclass class, jintArray ints, jlong memory,
                                                                    jintArray devices, jobject object, jint fail_after,
                                                                    jlongArray out)
{
    (void)class;
    jint i[EXPOSURE_INTS];
    if (!endo_jni_get_ints(env, ints, EXPOSURE_INTS, i))
        return endo_jni_failed(env);
    endo_exposure_chain_options options = exposure_options(i);
    chain_bridge *b = get_context(env, i, memory, devices, &options.context) ? calloc(1, sizeof *b) : NULL;
    if (!b)
        return endo_jni_failed(env);
    endo_mosaic_hooks hooks = endo_jni_hooks(&b->caller, JNI_FALSE);
    endo_status status = endo_jni_bridge_open(env, &b->caller, object) ? endo_exposure_chain_create(&options, &hooks, &b->chain)
                                                                       : endo_jni_failed(env);
    return finish(env, b, status, fail_after, out);
}

static endo_chain_part part_of(const jint i[4])
{
    return (endo_chain_part){.left = i[0], .top = i[1], .right = i[2], .bottom = i[3]};
}

static endo_fourier_chain_options fourier_options(const jint i[FOURIER_INTS], const jdouble limits[2])
{
    endo_fourier_chain_options options = endo_fourier_chain_options_default();
    options.reference = i[2];
    options.pairs.model = (endo_transform_class)i[3];
    options.pairs.window = (endo_fourier_window)i[4];
    options.pairs.gradient = (endo_fourier_gradient)i[5];
    options.pairs.refine = i[6];
    options.pairs.candidates = i[7];
    options.pairs.paper = i[8];
    options.pairs.max_scale = limits[0];
    options.pairs.max_angle = limits[1];
    options.part = part_of(i + 9);
    options.onto_part = part_of(i + 13);
    return options;
}

/* Sets mask and other image, which live as long as the bridge. 0: it failed, with a message or a pending exception. */
static int lend_images(JNIEnv *env, chain_bridge *b, jbyteArray mask, const jint onto[3], endo_fourier_chain_options *options)
{
    if (onto[0] > 0) {
        b->onto = endo_jni_onto(&b->caller, onto[0], onto[1], onto[2]);
        options->onto = &b->onto;
    }
    if (!mask)
        return 1;
    jsize n = (*env)->GetArrayLength(env, mask);
    b->caller.mask = endo_jni_alloc(n, 1);
    options->mask = b->caller.mask;
    return b->caller.mask && endo_jni_get_bytes(env, mask, n, b->caller.mask);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_fourierChainCreate(JNIEnv *env, jclass class, jintArray ints,
                                                                   jdoubleArray reals, jlong memory, jintArray devices,
                                                                   jbyteArray mask, jobject object, jint fail_after,
                                                                   jlongArray out)
{
    (void)class;
    jint i[FOURIER_INTS];
    jdouble limits[2];
    if (!endo_jni_get_ints(env, ints, FOURIER_INTS, i) || !endo_jni_get_doubles(env, reals, 2, limits))
        return endo_jni_failed(env);
    endo_fourier_chain_options options = fourier_options(i, limits);
    chain_bridge *b = get_context(env, i, memory, devices, &options.context) ? calloc(1, sizeof *b) : NULL;
    if (!b)
        return endo_jni_failed(env);
    endo_mosaic_hooks hooks = endo_jni_hooks(&b->caller, JNI_FALSE);
    int ok = endo_jni_bridge_open(env, &b->caller, object) && lend_images(env, b, mask, i + 17, &options);
    endo_status status = ok ? endo_fourier_chain_create(&options, &hooks, &b->chain) : endo_jni_failed(env);
    return finish(env, b, status, fail_after, out);
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_chainDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)class;
    destroy(env, endo_jni_pointer(handle));
}

/* ------------------------------------------------------------------- runs */

JNIEXPORT jint JNICALL Java_endorama_jni_Native_chainRun(JNIEnv *env, jclass class, jlong handle, jint count, jint width,
                                                         jint height, jint type)
{
    (void)env, (void)class;
    chain_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_source source = endo_jni_source(&b->caller, count, width, height, type, JNI_FALSE);
    return endo_chain_run(b->chain, &source);
}

/* ---------------------------------------------------------------- results */

static void flatten(const endo_chain_frame *f, jdouble d[FRAME_REALS], jint i[FRAME_INTS])
{
    const jdouble numbers[] = {f->dx,
                               f->dy,
                               f->scores.peak,
                               f->scores.certainty,
                               f->scores.mismatch,
                               f->scores.usable,
                               f->scores.angle,
                               f->scores.scale,
                               f->scores.ratio,
                               f->scores.overlap,
                               f->scores.ncc};
    memcpy(d, f->pose.matrix, sizeof f->pose.matrix);
    memcpy(d + 9, numbers, sizeof numbers);
    i[0] = (jint)f->pose.kind;
    i[1] = f->reference;
    i[2] = f->status;
    i[3] = f->registered;
    i[4] = f->predicted;
    i[5] = f->backend;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_chainCount(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    const chain_bridge *b = endo_jni_pointer(handle);
    int32_t n;
    endo_chain_frames(b->chain, &n);
    return n;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_chainFrames(JNIEnv *env, jclass class, jlong handle, jdoubleArray reals,
                                                            jintArray ints)
{
    (void)class;
    const chain_bridge *b = endo_jni_pointer(handle);
    int32_t count;
    const endo_chain_frame *frames = endo_chain_frames(b->chain, &count);
    jdouble *d = endo_jni_alloc((jlong)count * FRAME_REALS, sizeof *d);
    jint *i = d ? endo_jni_alloc((jlong)count * FRAME_INTS, sizeof *i) : NULL;
    int ok = i != NULL;
    for (jint k = 0; ok && k < count; k++)
        flatten(&frames[k], d + (size_t)k * FRAME_REALS, i + (size_t)k * FRAME_INTS);
    ok = ok && endo_jni_set_doubles(env, reals, count * FRAME_REALS, d) && endo_jni_set_ints(env, ints, count * FRAME_INTS, i);
    free(d);
    free(i);
    return ok ? ENDO_OK : endo_jni_failed(env);
}

JNIEXPORT jbyteArray JNICALL Java_endorama_jni_Native_chainText(JNIEnv *env, jclass class, jlong handle, jboolean field)
{
    (void)class;
    const chain_bridge *b = endo_jni_pointer(handle);
    return endo_jni_utf8(env, field ? endo_chain_field_description(b->chain) : endo_chain_backend(b->chain));
}
