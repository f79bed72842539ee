/* The natives of Native.java that have to do with what a sequence shows: the field of view, and the synthetic
 * sequence. */
#include "endorama_jni_Native.h"
#include "objects.h"
#include "staging.h"

/* ----------------------------------------------------------- field of view */

JNIEXPORT jint JNICALL Java_endorama_jni_Native_fieldCreate(JNIEnv *env, jclass class, jint type, jint width,
                                                            jint height, jint low, jint high, jlongArray out)
{
    (void)class;
    endo_field_finder *finder = NULL;
    endo_status status = endo_field_finder_create((endo_pixel)type, width, height, low, high, &finder);
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
    (void)class;
    jsize n = width * height;
    void *image = endo_alloc((size_t)n, endo_pixel_size((endo_pixel)type));
    endo_status status;
    if (image && endo_jni_get_pixels(env, pixels, (endo_pixel)type, n, image))
        status = endo_field_finder_add(endo_jni_pointer(handle), image, width);
    else
        status = endo_jni_failed(env);
    endo_free(image);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_fieldFind(JNIEnv *env, jclass class, jlong handle, jint n,
                                                          jbyteArray mask, jdoubleArray out)
{
    (void)class;
    uint8_t *inside = endo_alloc((size_t)n, 1);
    endo_field_info info;
    if (!inside)
        return endo_jni_failed(env);
    endo_status status = endo_field_finder_find(endo_jni_pointer(handle), inside, &info);
    if (status == ENDO_OK) {
        double numbers[8] = {info.shape, info.x, info.y, info.radius, info.left, info.top, info.right, info.bottom};
        if (endo_jni_set_bytes(env, mask, 0, n, inside))
            endo_jni_set_doubles(env, out, 8, numbers);
    }
    endo_free(inside);
    return status;
}

/* ----------------------------------------------------------- demo sequence */

static endo_demo_options demo_params(const jint i[5], const double d[5], jlong seed)
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
    endo_demo_options options = demo_params(i, d, seed);
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
    uint32_t *image = endo_alloc((size_t)n, sizeof *image);
    if (!image)
        return endo_jni_failed(env);
    endo_status status = endo_demo_render(endo_jni_pointer(handle), index, image);
    if (status == ENDO_OK)
        endo_jni_set_pixels(env, pixels, ENDO_RGB32, 0, n, image);
    endo_free(image);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_demoTruth(JNIEnv *env, jclass class, jlong handle, jint index,
                                                          jdoubleArray out)
{
    (void)class;
    double matrix[6];
    endo_status status = endo_demo_truth(endo_jni_pointer(handle), index, matrix);
    if (status == ENDO_OK)
        endo_jni_set_doubles(env, out, 6, matrix);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_demoField(JNIEnv *env, jclass class, jlong handle, jint n,
                                                          jbyteArray out)
{
    (void)class;
    uint8_t *mask = endo_alloc((size_t)n, 1);
    if (!mask)
        return endo_jni_failed(env);
    endo_status status = endo_demo_field(endo_jni_pointer(handle), mask);
    if (status == ENDO_OK)
        endo_jni_set_bytes(env, out, 0, n, mask);
    endo_free(mask);
    return status;
}
