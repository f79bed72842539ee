/* Natives of endorama.jni.Native for a sequence and for poses, except its panorama. */
#include "endorama_jni_Native.h"

#include <stdlib.h>

#include "endorama/mosaic_tools.h"
#include "mosaic_bridge.h"
#include "mosaic_records.h"
#include "staging.h"

/* Lengths of the flat arrays of a row of qualities, a row of a sweep, and the size of aligned frames. */
enum { QUALITY_INTS = 2, SWEEP_LONGS = 5, SWEEP_REALS = 2, SIZE_INTS = 4, REFINE_INTS = 3, REFINE_REALS = 3, MATRIX = 9 };

/* ----------------------------------------------------------- quality of poses */

static int set_qualities(JNIEnv *env, const endo_pose_quality *rows, jint n, jintArray frames, jdoubleArray values)
{
    jint *numbers = endo_jni_alloc((jlong)n * QUALITY_INTS, sizeof *numbers);
    double *qualities = numbers ? endo_jni_alloc(n, sizeof *qualities) : NULL;
    for (jint i = 0; qualities && i < n; i++) {
        numbers[QUALITY_INTS * i] = rows[i].frame;
        numbers[QUALITY_INTS * i + 1] = rows[i].reference;
        qualities[i] = rows[i].quality;
    }
    int ok = qualities && endo_jni_set_ints(env, frames, n * QUALITY_INTS, numbers) &&
             endo_jni_set_doubles(env, values, n, qualities);
    free(numbers);
    free(qualities);
    return ok;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicQuality(JNIEnv *env, jclass class, jlong handle, jint count, jint width,
                                                              jint height, jint type, jboolean at_hand, jdoubleArray reals,
                                                              jintArray ints, jint distance, jintArray frames,
                                                              jdoubleArray values, jintArray n)
{
    (void)class;
    mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_source source = endo_jni_source(b, count, width, height, type, at_hand);
    endo_mosaic_frame *poses = endo_jni_get_frames(env, reals, ints, count);
    endo_pose_quality *rows = poses ? endo_jni_alloc(count, sizeof *rows) : NULL;
    jint made = 0;
    endo_status status = rows ? endo_mosaic_quality(b->mosaic, &source, poses, count, distance, rows, &made)
                              : endo_jni_failed(env);
    if (rows && !(set_qualities(env, rows, made, frames, values) && endo_jni_set_ints(env, n, 1, &made)))
        status = endo_jni_failed(env);
    free(poses);
    free(rows);
    return status;
}

/* ---------------------------------------------------------- refinement of a pair */

static int set_refined(JNIEnv *env, const endo_refined_pair *r, jdoubleArray reals, jintArray ints, jdoubleArray numbers,
                       jobjectArray why)
{
    const double n[REFINE_REALS] = {r->quality, r->moved, r->refined};
    jbyteArray text = r->refined ? NULL : endo_jni_utf8(env, r->why);
    if (!r->refined && !text)
        return 0;
    (*env)->SetObjectArrayElement(env, why, 0, text);
    return !(*env)->ExceptionCheck(env) && endo_jni_set_edges(env, &r->edge, 1, reals, ints) &&
           endo_jni_set_doubles(env, numbers, REFINE_REALS, n);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicRefine(JNIEnv *env, jclass class, jlong handle, jint count, jint width,
                                                             jint height, jint type, jboolean at_hand, jintArray pair,
                                                             jdoubleArray start, jdoubleArray reals, jintArray ints,
                                                             jdoubleArray numbers, jobjectArray why)
{
    (void)class;
    mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_source source = endo_jni_source(b, count, width, height, type, at_hand);
    jint asked[REFINE_INTS];
    endo_transform from;
    endo_refined_pair refined = {.refined = 0};
    if (!endo_jni_get_ints(env, pair, REFINE_INTS, asked) || !endo_jni_get_doubles(env, start, MATRIX, from.matrix))
        return endo_jni_failed(env);
    from.kind = asked[2];
    const endo_pair frames = {.reference = asked[0], .current = asked[1]};
    endo_status status = endo_mosaic_refine(b->mosaic, &source, &frames, &from, &refined);
    if (status == ENDO_OK && !set_refined(env, &refined, reals, ints, numbers, why))
        status = endo_jni_failed(env);
    return status;
}

/* ----------------------------------------------------------- sweep over options */

static endo_pairs_options *get_combinations(JNIEnv *env, jintArray ints, jdoubleArray reals, jint n)
{
    jint *i = endo_jni_alloc((jlong)n * PAIR_INTS, sizeof *i);
    jdouble *d = i ? endo_jni_alloc((jlong)n * PAIR_REALS, sizeof *d) : NULL;
    int ok = d && endo_jni_get_ints(env, ints, n * PAIR_INTS, i) && endo_jni_get_doubles(env, reals, n * PAIR_REALS, d);
    endo_pairs_options *all = ok ? endo_jni_alloc(n, sizeof *all) : NULL;
    for (jint k = 0; all && k < n; k++)
        endo_jni_set_pairs(i + (size_t)k * PAIR_INTS, d + (size_t)k * PAIR_REALS, &all[k]);
    free(i);
    free(d);
    return all;
}

static int set_results(JNIEnv *env, const endo_sweep_result *results, jint n, jlongArray longs, jdoubleArray reals)
{
    for (jint k = 0; k < n; k++) {
        const endo_sweep_result *r = &results[k];
        const jlong l[SWEEP_LONGS] = {r->pairs, r->ok, r->computed, r->reused, r->qualities};
        const jdouble d[SWEEP_REALS] = {r->quality_sum, r->milliseconds};
        (*env)->SetLongArrayRegion(env, longs, k * SWEEP_LONGS, SWEEP_LONGS, l);
        if ((*env)->ExceptionCheck(env))
            return 0;
        (*env)->SetDoubleArrayRegion(env, reals, k * SWEEP_REALS, SWEEP_REALS, d);
        if ((*env)->ExceptionCheck(env))
            return 0;
    }
    return 1;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicSweep(JNIEnv *env, jclass class, jlong handle, jint count, jint width,
                                                            jint height, jint type, jboolean at_hand, jint n,
                                                            jintArray pair_ints, jdoubleArray pair_reals, jlongArray longs,
                                                            jdoubleArray reals)
{
    (void)class;
    mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_source source = endo_jni_source(b, count, width, height, type, at_hand);
    endo_pairs_options *all = get_combinations(env, pair_ints, pair_reals, n);
    endo_sweep_result *results = all ? calloc((size_t)n + 1, sizeof *results) : NULL;
    endo_status status = results ? endo_mosaic_sweep(b->mosaic, &source, all, n, results) : endo_jni_failed(env);
    if (results && !set_results(env, results, n, longs, reals))
        status = endo_jni_failed(env);
    free(all);
    free(results);
    return status;
}

/* ---------------------------------------------------------------- aligned frames */

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicAlign(JNIEnv *env, jclass class, jlong handle, jint count, jint width,
                                                            jint height, jint type, jboolean at_hand, jdoubleArray reals,
                                                            jintArray ints, jint component, jint extent, jintArray size)
{
    (void)class;
    mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_source source = endo_jni_source(b, count, width, height, type, at_hand);
    endo_mosaic_frame *poses = endo_jni_get_frames(env, reals, ints, count);
    endo_aligned_size s = {0};
    endo_status status =
        poses ? endo_mosaic_align(b->mosaic, &source, poses, count, component, (endo_aligned_extent)extent, &s)
              : endo_jni_failed(env);
    const jint made[SIZE_INTS] = {s.width, s.height, s.origin_x, s.origin_y};
    if (status == ENDO_OK && !endo_jni_set_ints(env, size, SIZE_INTS, made))
        status = endo_jni_failed(env);
    free(poses);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicReadAligned(JNIEnv *env, jclass class, jlong handle, jint frame,
                                                                  jint type, jint n, jobject pixels, jintArray readable)
{
    (void)class;
    mosaic_bridge *b = endo_jni_pointer(handle);
    void *made = endo_jni_alloc(n, endo_pixel_size((endo_pixel)type));
    jint is_readable = 0;
    endo_status status = made ? endo_mosaic_read_aligned(b->mosaic, frame, made, &is_readable) : endo_jni_failed(env);
    if (status == ENDO_OK && !(endo_jni_set_pixels(env, pixels, (endo_pixel)type, 0, n, made) &&
                               endo_jni_set_ints(env, readable, 1, &is_readable)))
        status = endo_jni_failed(env);
    free(made);
    return status;
}

/* -------------------------------------------------- poses that cannot be shown */

static int set_words(JNIEnv *env, const endo_wild_pose *wild, jint n, jobjectArray words)
{
    for (jint i = 0; i < n; i++) {
        jbyteArray why = endo_jni_utf8(env, wild[i].why);
        if (!why)
            return 0;
        (*env)->SetObjectArrayElement(env, words, wild[i].frame, why);
        (*env)->DeleteLocalRef(env, why);
        if ((*env)->ExceptionCheck(env))
            return 0;
    }
    return 1;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicWildPoses(JNIEnv *env, jclass class, jint n, jdoubleArray reals,
                                                                jintArray ints, jint width, jint height, jlong max_canvas,
                                                                jobjectArray words)
{
    (void)class;
    endo_mosaic_frame *frames = endo_jni_get_frames(env, reals, ints, n);
    endo_wild_pose *wild = frames ? endo_jni_alloc(n, sizeof *wild) : NULL;
    int32_t made = 0;
    endo_status status = wild ? endo_mosaic_wild_poses(frames, n, width, height, max_canvas, wild, &made)
                              : endo_jni_failed(env);
    if (status == ENDO_OK && !set_words(env, wild, made, words))
        status = endo_jni_failed(env);
    free(frames);
    free(wild);
    return status;
}

/* ------------------------------------------------------------- fits of points */

JNIEXPORT jint JNICALL Java_endorama_jni_Native_transformFit(JNIEnv *env, jclass class, jint n, jdoubleArray places, jint kind,
                                                             jdoubleArray matrix)
{
    (void)class;
    double *from = endo_jni_alloc(4 * (jlong)n, sizeof *from);
    endo_transform fitted;
    int solved = 0;
    endo_status status = from && endo_jni_get_doubles(env, places, 4 * n, from)
                             ? endo_transform_fit(from, from + 2 * n, NULL, (size_t)n, kind, &fitted, &solved)
                             : endo_jni_failed(env);
    free(from);
    if (status == ENDO_OK && solved && !endo_jni_set_doubles(env, matrix, MATRIX, fitted.matrix))
        status = endo_jni_failed(env);
    return status;
}
