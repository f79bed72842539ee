/* Natives of endorama.jni.Native for stores of frames. */
#include "endorama_jni_Native.h"

#include <stdlib.h>

#include "endorama/frames.h"
#include "staging.h"

static endo_frames_options frames_options(const jint v[12], jdouble enhance_limit)
{
    endo_frames_options options = endo_frames_options_default();
    options.width = v[0];
    options.height = v[1];
    options.type = (endo_pixel)v[2];
    options.capacity = v[3];
    options.rim = v[4];
    options.iir = v[5];
    options.highlights = v[6];
    options.flow = v[7];
    options.keep_pixels = v[8];
    options.low = v[9];
    options.high = v[10];
    options.enhance = v[11];
    options.enhance_limit = enhance_limit;
    return options;
}

/* Copies an array, byte[] or short[] by type, for free(); NULL of null. 0: it failed. */
static int copy_plane(JNIEnv *env, jarray array, endo_pixel type, void **out)
{
    if (!array)
        return 1;
    jsize n = (*env)->GetArrayLength(env, array);
    *out = endo_jni_alloc(n, endo_pixel_size(type));
    if (*out && endo_jni_get_pixels(env, array, type, n, *out))
        return 1;
    free(*out);
    *out = NULL;
    return 0;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_framesCreate(JNIEnv *env, jclass class, jlong context,
                                                             jintArray numbers, jdouble enhance_limit,
                                                             jbyteArray field, jshortArray pattern,
                                                             jlongArray out)
{
    (void)class;
    jint values[12];
    if (!endo_jni_get_ints(env, numbers, 12, values))
        return endo_jni_failed(env);
    endo_frames_options options = frames_options(values, enhance_limit);
    void *mask = NULL, *less = NULL;
    if (!copy_plane(env, field, ENDO_GREY8, &mask) || !copy_plane(env, pattern, ENDO_GREY16, &less))
        return free(mask), endo_jni_failed(env);
    options.field = mask;
    options.pattern = less;
    endo_frames *frames = NULL;
    endo_status status = endo_frames_create(endo_jni_pointer(context), &options, &frames);
    free(mask);
    free(less);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, frames);
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_framesDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    endo_frames *frames = endo_jni_pointer(handle);
    endo_frames_destroy(&frames);
}

/* The array is held, not copied, for this one call: endo_frames_put copies the pixels itself, calls nothing
 * of Java and waits for nothing that Java does (on CUDA it copies into a pinned buffer, starts the upload and
 * returns). A collection of garbage waits for a copy's time at most, and a copy is saved. */
JNIEXPORT jint JNICALL Java_endorama_jni_Native_framesPut(JNIEnv *env, jclass class, jlong handle, jint slot,
                                                          jobject pixels)
{
    (void)class;
    endo_frames *frames = endo_jni_pointer(handle);
    int width, height;
    endo_frames_get_size(frames, &width, &height);
    const void *image = endo_jni_hold(env, pixels, (jlong)width * height);
    if (!image)
        return endo_jni_failed(env);
    endo_status status = endo_frames_put(frames, slot, image, width);
    endo_jni_let_go(env, pixels, image);
    return status;
}

/* Arrays that are held (Get...Critical) at once. */
enum { HELD = 16 };
typedef struct holding {
    jobject arrays[HELD];
    const void *images[HELD];
    jint n;
} holding;

/* Holds arrays; no JNI function is called between the first and the last of them. 0: not all could be had. */
static int hold_all(JNIEnv *env, holding *h, jobjectArray images, jint n, jlong area)
{
    for (jint i = 0; i < n; i++) {
        h->arrays[i] = (*env)->GetObjectArrayElement(env, images, i);
        if (!h->arrays[i] || (*env)->GetArrayLength(env, h->arrays[i]) < area) {
            endo_jni_fail(ENDO_ERR_ARGUMENT, "image %d: %s", (int)i, h->arrays[i] ? "too few pixels" : "null");
            return 0;
        }
    }
    while (h->n < n && (h->images[h->n] = (*env)->GetPrimitiveArrayCritical(env, h->arrays[h->n], NULL)))
        h->n++;
    return h->n == n;
}

static void let_all_go(JNIEnv *env, const holding *h)
{
    for (jint i = h->n - 1; i >= 0; i--)
        endo_jni_let_go(env, h->arrays[i], h->images[i]);
}

/* Holds the arrays only while they are copied. */
JNIEXPORT jint JNICALL Java_endorama_jni_Native_framesPutList(JNIEnv *env, jclass class, jlong handle, jintArray slots,
                                                              jint n, jobjectArray images)
{
    (void)class;
    endo_frames *frames = endo_jni_pointer(handle);
    int32_t list[HELD];
    holding held = {.n = 0};
    int width, height;
    endo_frames_get_size(frames, &width, &height);
    if (n < 0 || n > HELD)
        return endo_jni_fail(ENDO_ERR_ARGUMENT, "%d images: must be 0..%d", (int)n, HELD);
    if ((*env)->EnsureLocalCapacity(env, n + 4) || !endo_jni_get_ints(env, slots, n, list))
        return endo_jni_failed(env);
    endo_status status = hold_all(env, &held, images, n, (jlong)width * height)
                             ? endo_frames_put_list(frames, list, (size_t)n, held.images, width)
                             : ENDO_ERR_ARGUMENT;
    int all = held.n == n;
    let_all_go(env, &held);
    return all ? status : endo_jni_failed(env);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_framesGetGrey(JNIEnv *env, jclass class, jlong handle,
                                                              jint slot, jbyteArray grey)
{
    (void)class;
    endo_frames *frames = endo_jni_pointer(handle);
    int width, height;
    endo_frames_get_size(frames, &width, &height);
    jlong n = (jlong)width * height;
    uint8_t *image = endo_jni_alloc(n, 1);
    if (!image)
        return endo_jni_failed(env);
    endo_status status = endo_frames_get_grey(frames, slot, image);
    if (status == ENDO_OK)
        endo_jni_set_bytes(env, grey, 0, (jsize)n, image);
    free(image);
    return status;
}
