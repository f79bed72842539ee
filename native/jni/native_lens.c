/* Natives of endorama.jni.Native for the distortion of lenses. */
#include "endorama_jni_Native.h"

#include <stdlib.h>

#include "endorama/lens.h"
#include "staging.h"

JNIEXPORT jint JNICALL Java_endorama_jni_Native_lensCreate(JNIEnv *env, jclass class, jlong context, jint width, jint height,
                                                           jdouble percent, jlongArray out)
{
    (void)class;
    endo_lens *lens = NULL;
    endo_status status = endo_lens_create(endo_jni_pointer(context), width, height, percent, &lens);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, lens);
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_lensDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    endo_lens *lens = endo_jni_pointer(handle);
    endo_lens_destroy(&lens);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_lensUndistort(JNIEnv *env, jclass class, jlong handle, jobject pixels,
                                                              jint type, jint width, jint height, jobject out)
{
    (void)class;
    jsize n = width * height;
    size_t bytes = endo_pixel_size((endo_pixel)type);
    void *shown = endo_jni_alloc(n, bytes);
    void *made = shown ? endo_jni_alloc(n, bytes) : NULL;
    endo_status status;
    if (made && endo_jni_get_pixels(env, pixels, (endo_pixel)type, n, shown)) {
        status = endo_lens_undistort(endo_jni_pointer(handle), shown, (endo_pixel)type, width, made, width);
        if (status == ENDO_OK && !endo_jni_set_pixels(env, out, (endo_pixel)type, 0, n, made))
            status = endo_jni_failed(env);
    } else {
        status = endo_jni_failed(env);
    }
    free(shown);
    free(made);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_lensMask(JNIEnv *env, jclass class, jlong handle, jint n, jbyteArray shown,
                                                         jbyteArray mask)
{
    (void)class;
    uint8_t *from = shown ? endo_jni_alloc(n, 1) : NULL;
    uint8_t *made = endo_jni_alloc(n, 1);
    endo_status status;
    if (made && (!shown || (from && endo_jni_get_bytes(env, shown, n, from)))) {
        status = endo_lens_mask(endo_jni_pointer(handle), from, made);
        if (status == ENDO_OK && !endo_jni_set_bytes(env, mask, 0, n, made))
            status = endo_jni_failed(env);
    } else {
        status = endo_jni_failed(env);
    }
    free(from);
    free(made);
    return status;
}
