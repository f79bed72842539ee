/* Natives of endorama.jni.Native that find the field of view. */
#include "endorama_jni_Native.h"

#include <stdlib.h>

#include "endorama/field.h"
#include "staging.h"

JNIEXPORT jint JNICALL Java_endorama_jni_Native_fieldCreate(JNIEnv *env, jclass class, jlong context, jint type,
                                                            jint width, jint height, jint low, jint high,
                                                            jlongArray out)
{
    (void)class;
    endo_field_finder *finder = NULL;
    endo_status status =
        endo_field_finder_create(endo_jni_pointer(context), (endo_pixel)type, width, height, low, high, &finder);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, finder);
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_fieldDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    endo_field_finder *finder = endo_jni_pointer(handle);
    endo_field_finder_destroy(&finder);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_fieldAdd(JNIEnv *env, jclass class, jlong handle, jobject pixels,
                                                         jint type, jint width, jint height)
{
    (void)class, (void)type;
    const void *image = endo_jni_hold(env, pixels, (jlong)width * height);
    if (!image)
        return endo_jni_failed(env);
    endo_status status = endo_field_finder_add(endo_jni_pointer(handle), image, width);
    endo_jni_let_go(env, pixels, image);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_fieldFind(JNIEnv *env, jclass class, jlong handle, jint n,
                                                          jbyteArray mask, jdoubleArray out)
{
    (void)class;
    uint8_t *inside = endo_jni_alloc(n, 1);
    endo_field_info info;
    if (!inside)
        return endo_jni_failed(env);
    endo_status status = endo_field_finder_find(endo_jni_pointer(handle), inside, &info);
    if (status == ENDO_OK) {
        double numbers[8] = {info.shape, info.x, info.y, info.radius, info.left, info.top, info.right, info.bottom};
        if (endo_jni_set_bytes(env, mask, 0, n, inside))
            endo_jni_set_doubles(env, out, 8, numbers);
    }
    free(inside);
    return status;
}
