/* Natives of endorama.jni.Native for what a mosaic made: frames and edges, panoramas, light and field of view. */
#include "endorama_jni_Native.h"

#include <stdlib.h>
#include <string.h>

#include "mosaic_bridge.h"
#include "mosaic_records.h"
#include "staging.h"

/* Lengths of the flat arrays of a panorama, the light and the times. */
enum { PANORAMA_REALS = 7, LIGHT_REALS = 8 /* followed by the curve */, TIMES = 9 };

JNIEXPORT void JNICALL Java_endorama_jni_Native_mosaicCounts(JNIEnv *env, jclass class, jlong handle, jintArray counts)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    int32_t frames;
    int32_t edges;
    endo_mosaic_frames(b->mosaic, &frames);
    endo_mosaic_edges(b->mosaic, &edges);
    const jint numbers[] = {frames, edges, endo_mosaic_components(b->mosaic)};
    endo_jni_set_ints(env, counts, 3, numbers);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicFrames(JNIEnv *env, jclass class, jlong handle, jdoubleArray reals,
                                                             jintArray ints)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    int32_t n;
    const endo_mosaic_frame *frames = endo_mosaic_frames(b->mosaic, &n);
    return endo_jni_set_frames(env, frames, n, reals, ints) ? ENDO_OK : endo_jni_failed(env);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicEdges(JNIEnv *env, jclass class, jlong handle, jdoubleArray reals,
                                                            jintArray ints)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    int32_t n;
    const endo_mosaic_edge *edges = endo_mosaic_edges(b->mosaic, &n);
    return endo_jni_set_edges(env, edges, n, reals, ints) ? ENDO_OK : endo_jni_failed(env);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicDescribe(JNIEnv *env, jclass class, jlong handle, jint component,
                                                               jdoubleArray numbers)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_panorama p;
    endo_status status = endo_mosaic_describe(b->mosaic, component, &p);
    if (status != ENDO_OK)
        return status;
    const double made[PANORAMA_REALS] = {p.width, p.height, p.frames, p.origin_x, p.origin_y, p.scale, p.extras};
    return endo_jni_set_doubles(env, numbers, PANORAMA_REALS, made) ? ENDO_OK : endo_jni_failed(env);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicSnapshot(JNIEnv *env, jclass class, jlong handle, jint canvas)
{
    (void)env, (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    return endo_mosaic_snapshot(b->mosaic, canvas);
}

static void free_planes(endo_panorama_planes *p)
{
    free(p->pixels);
    free(p->painted);
    free(p->coverage);
    free(p->uncertainty);
}

static int set_shorts(JNIEnv *env, jshortArray array, jsize offset, jsize n, const uint16_t *memory)
{
    return !memory || endo_jni_set_pixels(env, array, ENDO_GREY16, offset, n, memory);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicRead(JNIEnv *env, jclass class, jlong handle, jint component, jint y,
                                                           jint width, jint height, jint type, jint offset, jobject pixels,
                                                           jbyteArray painted, jshortArray coverage, jshortArray uncertainty)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    jlong n = (jlong)width * height;
    endo_panorama_planes p = {0};
    int ok = (!pixels || (p.pixels = endo_jni_alloc(n, endo_pixel_size((endo_pixel)type)))) &&
             (!painted || (p.painted = endo_jni_alloc(n, 1))) &&
             (!coverage || (p.coverage = endo_jni_alloc(n, sizeof *p.coverage))) &&
             (!uncertainty || (p.uncertainty = endo_jni_alloc(n, sizeof *p.uncertainty)));
    const endo_rectangle rows = {.y = y, .width = width, .height = height};
    endo_status status = ok ? endo_mosaic_read(b->mosaic, component, &rows, &p) : endo_jni_failed(env);
    if (status == ENDO_OK &&
        !((!pixels || endo_jni_set_pixels(env, pixels, (endo_pixel)type, offset, (jsize)n, p.pixels)) &&
          (!painted || endo_jni_set_bytes(env, painted, offset, (jsize)n, p.painted)) &&
          set_shorts(env, coverage, offset, (jsize)n, p.coverage) &&
          set_shorts(env, uncertainty, offset, (jsize)n, p.uncertainty)))
        status = endo_jni_failed(env);
    free_planes(&p);
    return status;
}

JNIEXPORT jbyteArray JNICALL Java_endorama_jni_Native_mosaicText(JNIEnv *env, jclass class, jlong handle, jint which)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    const char *const texts[] = {
        endo_mosaic_backend(b->mosaic),
        endo_mosaic_field_description(b->mosaic),
        endo_mosaic_light_description(b->mosaic),
    };
    return endo_jni_utf8(env, texts[which]);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicJudge(JNIEnv *env, jclass class, jlong handle, jint warned,
                                                            jintArray grade, jobjectArray words)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_verdict v;
    endo_status status = endo_mosaic_judge(b->mosaic, warned, &v);
    if (status != ENDO_OK)
        return status;
    const char *const texts[] = {v.word, v.why, v.next, v.advice[0], v.advice[1], v.advice[2]};
    endo_jni_set_ints(env, grade, 1, (jint[]){v.grade});
    for (int i = 0; i < 3 + v.n_advice && !(*env)->ExceptionCheck(env); i++) {
        jbyteArray text = endo_jni_utf8(env, texts[i]);
        if (text)
            (*env)->SetObjectArrayElement(env, words, i, text);
    }
    return (*env)->ExceptionCheck(env) ? endo_jni_failed(env) : ENDO_OK;
}

JNIEXPORT jdouble JNICALL Java_endorama_jni_Native_mosaicLens(JNIEnv *env, jclass class, jlong handle)
{
    (void)env;
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    return endo_mosaic_lens(b->mosaic);
}

JNIEXPORT jboolean JNICALL Java_endorama_jni_Native_mosaicField(JNIEnv *env, jclass class, jlong handle, jint n,
                                                                jbyteArray mask, jdoubleArray spread)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    const uint8_t *field = endo_mosaic_field_mask(b->mosaic);
    const double wide = endo_mosaic_field_spread(b->mosaic);
    endo_jni_set_doubles(env, spread, 1, &wide);
    return field && endo_jni_set_bytes(env, mask, 0, n, field);
}

JNIEXPORT jboolean JNICALL Java_endorama_jni_Native_mosaicLight(JNIEnv *env, jclass class, jlong handle, jdoubleArray numbers)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    const endo_light_report *r = endo_mosaic_light(b->mosaic);
    if (!r)
        return JNI_FALSE;
    double made[LIGHT_REALS + ENDO_LIGHT_CURVE] = {(double)r->found, r->deviation, r->x,      r->y,
                                                   r->rim,           r->flicker,   r->colour, r->rest};
    memcpy(made + LIGHT_REALS, r->curve, sizeof r->curve);
    return (jboolean)endo_jni_set_doubles(env, numbers, LIGHT_REALS + ENDO_LIGHT_CURVE, made);
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_mosaicSpent(JNIEnv *env, jclass class, jlong handle, jdoubleArray seconds)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    const endo_mosaic_times t = endo_mosaic_spent(b->mosaic);
    const double made[TIMES] = {t.start, t.field, t.read, t.put, t.pairs, t.loops, t.light, t.paint, t.panorama};
    endo_jni_set_doubles(env, seconds, TIMES, made);
}
