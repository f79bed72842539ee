/* Natives of endorama.jni.Native that find static patterns. */
#include "endorama_jni_Native.h"

#include <stdlib.h>

#include "endorama/pattern.h"
#include "staging.h"

JNIEXPORT jint JNICALL Java_endorama_jni_Native_patternCreate(JNIEnv *env, jclass class, jlong context, jint type,
                                                              jint width, jint height, jint low, jint high,
                                                              jbyteArray field, jlongArray out)
{
    (void)class;
    endo_pattern_finder *finder = NULL;
    jlong n = (jlong)width * height;
    uint8_t *mask = field ? endo_jni_alloc(n, 1) : NULL;
    endo_status status;
    if (!field || (mask && endo_jni_get_bytes(env, field, (jsize)n, mask)))
        status = endo_pattern_finder_create(endo_jni_pointer(context), (endo_pixel)type, width, height, low, high, mask,
                                            &finder);
    else
        status = endo_jni_failed(env);
    free(mask);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, finder);
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_patternDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    endo_pattern_finder *finder = endo_jni_pointer(handle);
    endo_pattern_finder_destroy(&finder);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_patternAdd(JNIEnv *env, jclass class, jlong handle, jobject pixels,
                                                           jint type, jint width, jint height)
{
    (void)class, (void)type;
    const void *image = endo_jni_hold(env, pixels, (jlong)width * height);
    if (!image)
        return endo_jni_failed(env);
    endo_status status = endo_pattern_finder_add(endo_jni_pointer(handle), image, width);
    endo_jni_let_go(env, pixels, image);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_patternFind(JNIEnv *env, jclass class, jlong handle, jint n,
                                                            jshortArray pattern, jdoubleArray out)
{
    (void)class;
    int16_t *values = endo_jni_alloc(n, sizeof *values);
    endo_pattern_info info;
    if (!values)
        return endo_jni_failed(env);
    endo_status status = endo_pattern_finder_find(endo_jni_pointer(handle), values, &info);
    if (status == ENDO_OK) {
        double numbers[5] = {(double)info.found, (double)info.frames, info.independent, info.share, info.rms};
        if (endo_jni_set_pixels(env, pattern, ENDO_GREY16, 0, n, values))
            endo_jni_set_doubles(env, out, 5, numbers);
    }
    free(values);
    return status;
}
