/* Native of endorama.jni.Native that finds the field of view. */
#include "endorama_jni_Native.h"

#include <stdlib.h>

#include "endorama/field.h"
#include "staging.h"

JNIEXPORT jint JNICALL Java_endorama_jni_Native_fieldCircle(JNIEnv *env, jclass class, jlong context, jint type, jint width,
                                                            jint height, jobject pixels, jint low, jint high,
                                                            jbyteArray mask, jbooleanArray found)
{
    (void)class;
    endo_field_finder *finder = NULL;
    endo_field_info info = {0};
    jlong n = (jlong)width * height;
    uint8_t *inside = endo_jni_alloc(n, 1);
    const void *image = inside ? endo_jni_hold(env, pixels, n) : NULL;
    if (!image)
        return free(inside), endo_jni_failed(env);
    endo_status status =
        endo_field_finder_create(endo_jni_pointer(context), (endo_pixel)type, width, height, low, high, &finder);
    if (status == ENDO_OK)
        status = endo_field_finder_add(finder, image, width);
    endo_jni_let_go(env, pixels, image);
    if (status == ENDO_OK)
        status = endo_field_finder_find(finder, inside, &info);
    endo_field_finder_destroy(&finder);
    jboolean circle = info.radius > 0;
    if (status == ENDO_OK && endo_jni_set_bytes(env, mask, 0, (jsize)n, inside))
        (*env)->SetBooleanArrayRegion(env, found, 0, 1, &circle);
    free(inside);
    return status;
}
