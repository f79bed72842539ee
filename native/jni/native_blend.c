/* Natives of endorama.jni.Native for blends. */
#include "endorama_jni_Native.h"

#include <stdlib.h>

#include "endorama/blend.h"
#include "staging.h"

JNIEXPORT jint JNICALL Java_endorama_jni_Native_blendCreate(JNIEnv *env, jclass class, jlong context, jint type,
                                                            jint width, jint height, jint interpolation, jint votes,
                                                            jint shrink, jlongArray out)
{
    (void)class;
    endo_blend *blend = NULL;
    endo_blend_options options = endo_blend_options_default();
    options.interpolation = (endo_interpolation)interpolation;
    options.votes = votes;
    options.shrink = shrink;
    endo_status status =
        endo_blend_create(endo_jni_pointer(context), (endo_pixel)type, width, height, &options, &blend);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, blend);
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_blendDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    endo_blend *blend = endo_jni_pointer(handle);
    endo_blend_destroy(&blend);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_blendSetCorrection(JNIEnv *env, jclass class, jlong handle,
                                                                   jshortArray correction, jint width, jint height)
{
    (void)class;
    if (!correction)
        return endo_blend_set_correction(endo_jni_pointer(handle), NULL, 0, 0);
    jlong n = (jlong)width * height;
    uint16_t *factors = endo_jni_alloc(n, sizeof *factors);
    endo_status status;
    if (factors && endo_jni_get_pixels(env, correction, ENDO_GREY16, (jsize)n, factors))
        status = endo_blend_set_correction(endo_jni_pointer(handle), factors, width, height);
    else
        status = endo_jni_failed(env);
    free(factors);
    return status;
}

/* n numbers of an array that may be null: *out is NULL then. 0: they cannot be had. */
static int get_optional(JNIEnv *env, jintArray array, jlong n, int32_t **out)
{
    *out = array ? endo_jni_alloc(n, sizeof **out) : NULL;
    return !array || (*out && endo_jni_get_ints(env, array, (jsize)n, *out));
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_blendAdd(JNIEnv *env, jclass class, jlong handle, jlong frames,
                                                         jintArray slots, jdoubleArray matrices, jintArray kinds,
                                                         jintArray weights, jintArray gains, jint n, jint origin_x,
                                                         jint origin_y)
{
    (void)class;
    endo_transform *transforms = endo_jni_get_transforms(env, matrices, kinds, n);
    int32_t *list = transforms ? endo_jni_alloc(n, sizeof *list) : NULL, *parts = NULL, *factors = NULL;
    endo_status status;
    if (list && endo_jni_get_ints(env, slots, n, list) && get_optional(env, weights, n, &parts) &&
        get_optional(env, gains, 3 * (jlong)n, &factors))
        status = endo_blend_add(endo_jni_pointer(handle), endo_jni_pointer(frames), list, transforms, parts, factors,
                                (size_t)n, origin_x, origin_y);
    else
        status = endo_jni_failed(env);
    free(transforms);
    free(list);
    free(parts);
    free(factors);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_blendNextPass(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    return endo_blend_next_pass(endo_jni_pointer(handle));
}

/* Into the arrays from `offset` on; large panoramas are read in bands, by Java. */
JNIEXPORT jint JNICALL Java_endorama_jni_Native_blendRead(JNIEnv *env, jclass class, jlong handle, jint x, jint y,
                                                          jint width, jint height, jint type, jint offset,
                                                          jobject pixels, jbyteArray painted, jshortArray coverage)
{
    (void)class;
    jlong n = (jlong)width * height;
    void *image = endo_jni_alloc(n, endo_pixel_size((endo_pixel)type));
    uint8_t *marks = painted && image ? endo_jni_alloc(n, 1) : NULL;
    uint16_t *counts = coverage && image ? endo_jni_alloc(n, sizeof *counts) : NULL;
    endo_status status;
    if (image && (marks || !painted) && (counts || !coverage)) {
        status = endo_blend_read(endo_jni_pointer(handle), x, y, width, height, image, marks, counts);
        int set = status == ENDO_OK && endo_jni_set_pixels(env, pixels, (endo_pixel)type, offset, (jsize)n, image);
        if (set && marks)
            set = endo_jni_set_bytes(env, painted, offset, (jsize)n, marks);
        if (set && counts)
            endo_jni_set_pixels(env, coverage, ENDO_GREY16, offset, (jsize)n, counts);
    } else {
        status = endo_jni_failed(env);
    }
    free(image);
    free(marks);
    free(counts);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_blendDetails(JNIEnv *env, jclass class, jobject pixels, jint type,
                                                             jint width, jint height, jdoubleArray out)
{
    (void)class;
    double details = 0;
    const void *image = endo_jni_hold(env, pixels, (jlong)width * height);
    if (!image)
        return endo_jni_failed(env);
    endo_status status = endo_blend_details((endo_pixel)type, width, height, image, width, &details);
    endo_jni_let_go(env, pixels, image);
    if (status == ENDO_OK && !endo_jni_set_doubles(env, out, 1, &details))
        return endo_jni_failed(env);
    return status;
}
