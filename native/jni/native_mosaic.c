/* Natives of endorama.jni.Native for mosaics: making one from options, its runs, and its end. */
#include "endorama_jni_Native.h"

#include <stdlib.h>

#include "mosaic_bridge.h"
#include "mosaic_records.h"
#include "staging.h"

/* Declared in native/api/testing.h, too. */
void endo_mosaic_fail_after(endo_mosaic *mosaic, int calls);

/* Lengths of the flat arrays of options. */
enum { OPTION_INTS = 24, OPTION_LONGS = 3, OPTION_REALS = 5 };

/* ---------------------------------------------------------------- options */

void endo_jni_set_pairs(const jint i[PAIR_INTS], const jdouble d[PAIR_REALS], endo_pairs_options *pairs)
{
    pairs->initial = (endo_initial)i[0];
    pairs->template_side = i[1];
    pairs->cross = i[2];
    pairs->landmarks = i[3];
    pairs->transform = (endo_transform_class)i[4];
    pairs->subpixel = i[5];
    pairs->quality = i[6];
    pairs->method = (endo_pairs_method)i[7];
    pairs->cthresh = d[0];
    pairs->uthresh = d[1];
    pairs->guarantee = d[2];
}

static endo_mosaic_options mosaic_options(const jint i[OPTION_INTS], const jlong l[OPTION_LONGS],
                                          const jdouble d[OPTION_REALS])
{
    endo_mosaic_options options = endo_mosaic_options_default();
    options.context = endo_jni_context_options(i[0], i[1], 0, 0, l[0]);
    endo_jni_set_pairs(i + 2, d, &options.pairs);
    options.field = (endo_mosaic_field)i[10];
    options.pattern = i[11];
    options.iir = i[12];
    options.highlights = i[13];
    options.enhance = i[14];
    options.solve = i[15];
    options.painting = (endo_mosaic_painting)i[16];
    options.picture = i[17];
    options.light = i[18];
    options.interpolation = (endo_interpolation)i[19];
    options.extras = i[20];
    options.rim = i[21];
    options.instruments = (endo_mosaic_instruments)i[22];
    options.relief = (endo_mosaic_relief)i[23];
    options.max_canvas = l[1];
    options.memory = l[2];
    options.lens = d[3];
    options.scale = d[4];
    return options;
}

/* Copies a byte[] into a text for free(); NULL for null, or without memory (*ok = 0). */
static char *text_of(JNIEnv *env, jbyteArray bytes, int *ok)
{
    if (!bytes)
        return NULL;
    jsize n = (*env)->GetArrayLength(env, bytes);
    char *text = endo_jni_alloc((jlong)n + 1, 1);
    *ok = text && endo_jni_get_bytes(env, bytes, n, text);
    if (*ok)
        text[n] = 0;
    return text;
}

int endo_jni_get_options(JNIEnv *env, mosaic_bridge *b, const option_arrays *arrays, endo_mosaic_options *out)
{
    jint i[OPTION_INTS];
    jlong l[OPTION_LONGS];
    jdouble d[OPTION_REALS];
    jint numbers[ENDO_MAX_DEVICES] = {0};
    jsize n = (*env)->GetArrayLength(env, arrays->devices);
    int ok = 1;
    if (!endo_jni_get_ints(env, arrays->ints, OPTION_INTS, i) ||
        !endo_jni_get_doubles(env, arrays->reals, OPTION_REALS, d) ||
        !endo_jni_get_ints(env, arrays->devices, n < ENDO_MAX_DEVICES ? n : ENDO_MAX_DEVICES, numbers))
        return 0;
    (*env)->GetLongArrayRegion(env, arrays->longs, 0, OPTION_LONGS, l);
    if ((*env)->ExceptionCheck(env))
        return 0;
    *out = mosaic_options(i, l, d);
    out->context.n_devices = n;
    for (int k = 0; k < ENDO_MAX_DEVICES; k++)
        out->context.devices[k] = numbers[k];
    b->scratch = text_of(env, arrays->scratch, &ok);
    b->mask = ok ? (uint8_t *)text_of(env, arrays->mask, &ok) : NULL;
    out->scratch = b->scratch;
    out->mask = b->mask;
    return ok;
}

/* ------------------------------------------------------- create and destroy */

static void destroy(JNIEnv *env, mosaic_bridge *b)
{
    endo_mosaic_destroy(&b->mosaic);
    endo_jni_bridge_close(env, b);
    free(b);
}

static endo_status create(JNIEnv *env, mosaic_bridge *b, const endo_mosaic_options *options, jobject object, jboolean watched)
{
    endo_mosaic_hooks hooks = endo_jni_hooks(b, watched);
    if (!endo_jni_bridge_open(env, b, object))
        return endo_jni_failed(env);
    return endo_mosaic_create(options, &hooks, &b->mosaic);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicCreate(JNIEnv *env, jclass class, jintArray ints, jlongArray longs,
                                                             jdoubleArray reals, jintArray devices, jbyteArray mask,
                                                             jbyteArray scratch, jobject object, jboolean watched,
                                                             jint fail_after, jlongArray out)
{
    (void)class;
    mosaic_bridge *b = calloc(1, sizeof *b);
    if (!b)
        return endo_jni_failed(env);
    endo_mosaic_options options;
    const option_arrays arrays = {ints, longs, reals, devices, mask, scratch};
    endo_status status = endo_jni_get_options(env, b, &arrays, &options) ? create(env, b, &options, object, watched)
                                                                         : endo_jni_failed(env);
    if (status != ENDO_OK) {
        destroy(env, b);
        return status;
    }
    if (fail_after > 0)
        endo_mosaic_fail_after(b->mosaic, fail_after);
    endo_jni_set_handle(env, out, b);
    return ENDO_OK;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_mosaicDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)class;
    destroy(env, endo_jni_pointer(handle));
}

/* ------------------------------------------------------------------- runs */

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicRun(JNIEnv *env, jclass class, jlong handle, jint count, jint width,
                                                          jint height, jint type, jboolean at_hand, jboolean pairs_alone)
{
    (void)env, (void)class;
    mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_source source = endo_jni_source(b, count, width, height, type, at_hand);
    return pairs_alone ? endo_mosaic_register(b->mosaic, &source) : endo_mosaic_run(b->mosaic, &source);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicPaint(JNIEnv *env, jclass class, jlong handle, jint count, jint width,
                                                            jint height, jint type, jboolean at_hand, jdoubleArray reals,
                                                            jintArray ints)
{
    (void)class;
    mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_source source = endo_jni_source(b, count, width, height, type, at_hand);
    endo_mosaic_frame *frames = endo_jni_get_frames(env, reals, ints, count);
    endo_status status = frames ? endo_mosaic_paint(b->mosaic, &source, frames, count) : endo_jni_failed(env);
    free(frames);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicSolve(JNIEnv *env, jclass class, jlong handle, jint width, jint height,
                                                            jdouble spread, jint n, jdoubleArray frame_reals,
                                                            jintArray frame_ints, jint n_edges, jdoubleArray edge_reals,
                                                            jintArray edge_ints)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_frame *frames = endo_jni_get_frames(env, frame_reals, frame_ints, n);
    endo_mosaic_edge *edges = frames ? endo_jni_get_edges(env, edge_reals, edge_ints, n_edges) : NULL;
    const endo_mosaic_records records = {
        .width = width,
        .height = height,
        .field_spread = spread,
        .frames = frames,
        .n_frames = n,
        .edges = edges,
        .n_edges = n_edges,
    };
    endo_status status = edges ? endo_mosaic_solve(b->mosaic, &records) : endo_jni_failed(env);
    if (status == ENDO_OK && !endo_jni_set_frames(env, frames, n, frame_reals, frame_ints))
        status = endo_jni_failed(env);
    free(frames);
    free(edges);
    return status;
}
