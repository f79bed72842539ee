/* Natives of endorama.jni.Native for the synthetic sequence. */
#include "endorama_jni_Native.h"

#include <stdlib.h>

#include "endorama/demo.h"
#include "staging.h"

static endo_demo_options demo_options(const jint i[5], const double d[5], jlong seed)
{
    endo_demo_options options = endo_demo_options_default();
    options.width = i[0];
    options.height = i[1];
    options.frames = i[2];
    options.path = (endo_demo_path)i[3];
    options.highlights = i[4];
    options.step = d[0];
    options.rotation = d[1];
    options.zoom = d[2];
    options.noise = d[3];
    options.flicker = d[4];
    options.seed = (uint64_t)seed;
    return options;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_demoCreate(JNIEnv *env, jclass class, jlong context,
                                                           jintArray ints, jdoubleArray doubles, jlong seed,
                                                           jlongArray out)
{
    (void)class;
    jint i[5];
    double d[5];
    if (!endo_jni_get_ints(env, ints, 5, i) || !endo_jni_get_doubles(env, doubles, 5, d))
        return endo_jni_failed(env);
    endo_demo_options options = demo_options(i, d, seed);
    endo_demo *demo = NULL;
    endo_status status = endo_demo_create(endo_jni_pointer(context), &options, &demo);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, demo);
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_demoDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    endo_demo *demo = endo_jni_pointer(handle);
    endo_demo_destroy(&demo);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_demoRender(JNIEnv *env, jclass class, jlong handle,
                                                           jint index, jint n, jintArray pixels)
{
    (void)class;
    uint32_t *image = endo_jni_alloc(n, sizeof *image);
    if (!image)
        return endo_jni_failed(env);
    endo_status status = endo_demo_render(endo_jni_pointer(handle), index, image);
    if (status == ENDO_OK)
        endo_jni_set_pixels(env, pixels, ENDO_RGB32, 0, n, image);
    free(image);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_demoTruth(JNIEnv *env, jclass class, jlong handle, jint index,
                                                          jdoubleArray matrix, jintArray kind)
{
    (void)class;
    endo_transform truth;
    endo_status status = endo_demo_truth(endo_jni_pointer(handle), index, &truth);
    jint number = status == ENDO_OK ? (jint)truth.kind : 0;
    if (status == ENDO_OK && endo_jni_set_doubles(env, matrix, 9, truth.matrix))
        endo_jni_set_ints(env, kind, 1, &number);
    return status;
}
