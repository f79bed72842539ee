/* Natives of endorama.jni.Native for live panoramas. The mosaic at the end belongs to the live panorama; Java asks it for
 * results by the bridge, which is the first member here. */
#include "endorama_jni_Native.h"

#include <stdlib.h>
#include <string.h>

#include "endorama/live.h"
#include "mosaic_bridge.h"
#include "staging.h"

typedef struct live_bridge {
    mosaic_bridge bridge; /* its mosaic is borrowed; NULL before the end */
    endo_live *live;
    void *pixels; /* of the last frame, a copy */
    size_t room;  /* bytes there */
} live_bridge;

static void destroy(JNIEnv *env, live_bridge *b)
{
    endo_live_destroy(&b->live);
    endo_jni_bridge_close(env, &b->bridge);
    free(b->pixels);
    free(b);
}

static endo_status create(JNIEnv *env, live_bridge *b, const endo_live_options *options, jobject object)
{
    endo_mosaic_hooks hooks = endo_jni_hooks(&b->bridge, JNI_FALSE);
    if (!endo_jni_bridge_open(env, &b->bridge, object))
        return endo_jni_failed(env);
    return endo_live_create(options, &hooks, &b->live);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_liveCreate(JNIEnv *env, jclass class, jintArray ints, jlongArray longs,
                                                           jdoubleArray reals, jintArray devices, jbyteArray mask,
                                                           jbyteArray scratch, jobject object, jdouble step, jint preview,
                                                           jboolean loops, jlongArray out)
{
    (void)class;
    live_bridge *b = calloc(1, sizeof *b);
    if (!b)
        return endo_jni_failed(env);
    endo_live_options options = endo_live_options_default();
    const option_arrays arrays = {ints, longs, reals, devices, mask, scratch};
    options.step = step;
    options.preview = preview;
    options.loops = loops;
    endo_status status = endo_jni_get_options(env, &b->bridge, &arrays, &options.mosaic) ? create(env, b, &options, object)
                                                                                         : endo_jni_failed(env);
    if (status != ENDO_OK) {
        destroy(env, b);
        return status;
    }
    endo_jni_set_handle(env, out, b);
    return ENDO_OK;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_liveDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)class;
    destroy(env, endo_jni_pointer(handle));
}

/* Makes room for the pixels of a frame. */
static int hold_room(live_bridge *b, size_t bytes)
{
    if (b->room >= bytes)
        return 1;
    free(b->pixels);
    b->pixels = endo_jni_alloc((jlong)bytes, 1);
    b->room = b->pixels ? bytes : 0;
    return b->pixels != NULL;
}

static size_t pixel_bytes(jint type)
{
    return type == ENDO_GREY8 ? 1 : type == ENDO_GREY16 ? 2 : 4;
}

static int set_frame(JNIEnv *env, const endo_live_frame *frame, jdoubleArray reals, jlongArray numbers)
{
    double r[11];
    jlong n[6] = {frame->number, frame->state, frame->kept, frame->component, frame->found_again, (jlong)frame->pose.kind};
    memcpy(r, frame->pose.matrix, 9 * sizeof *r);
    r[9] = frame->quality;
    r[10] = frame->milliseconds;
    (*env)->SetLongArrayRegion(env, numbers, 0, 6, n);
    return !(*env)->ExceptionCheck(env) && endo_jni_set_doubles(env, reals, 11, r);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_livePut(JNIEnv *env, jclass class, jlong handle, jint width, jint height,
                                                        jint type, jobject pixels, jdoubleArray reals, jlongArray numbers)
{
    (void)class;
    live_bridge *b = endo_jni_pointer(handle);
    endo_live_frame frame;
    if (!hold_room(b, (size_t)width * (size_t)height * pixel_bytes(type)) ||
        !endo_jni_get_pixels(env, pixels, (endo_pixel)type, width * height, b->pixels))
        return endo_jni_failed(env);
    endo_status status = endo_live_put(b->live, b->pixels, (endo_pixel)type, width, height, width, &frame);
    if (status == ENDO_OK && !set_frame(env, &frame, reals, numbers))
        return endo_jni_failed(env);
    return status;
}

static int set_view(JNIEnv *env, const endo_live_view *view, jdoubleArray reals, jlongArray numbers)
{
    const double r[3] = {view->origin_x, view->origin_y, view->scale};
    const jlong n[5] = {view->width, view->height, view->component, view->type, view->changes};
    (*env)->SetLongArrayRegion(env, numbers, 0, 5, n);
    return !(*env)->ExceptionCheck(env) && endo_jni_set_doubles(env, reals, 3, r);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_liveDescribe(JNIEnv *env, jclass class, jlong handle, jdoubleArray reals,
                                                             jlongArray numbers, jlongArray counts)
{
    (void)class;
    const live_bridge *b = endo_jni_pointer(handle);
    endo_live_view view;
    endo_live_counts c;
    endo_status status = endo_live_describe(b->live, &view, &c);
    if (status != ENDO_OK)
        return status;
    const jlong n[6] = {c.put, c.kept, c.lost, c.bytes, c.components, c.loops};
    (*env)->SetLongArrayRegion(env, counts, 0, 6, n);
    return !(*env)->ExceptionCheck(env) && set_view(env, &view, reals, numbers) ? ENDO_OK : endo_jni_failed(env);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_liveRead(JNIEnv *env, jclass class, jlong handle, jint type, jint room,
                                                         jobject pixels, jdoubleArray reals, jlongArray numbers)
{
    (void)class;
    const live_bridge *b = endo_jni_pointer(handle);
    endo_live_view view;
    void *memory = endo_jni_alloc(room, pixel_bytes(type));
    endo_status status = memory ? endo_live_read(b->live, memory, (size_t)room, &view) : endo_jni_failed(env);
    if (status == ENDO_OK && view.width > 0 && view.type == type &&
        !endo_jni_set_pixels(env, pixels, (endo_pixel)type, 0, view.width * view.height, memory))
        status = endo_jni_failed(env);
    free(memory);
    return status != ENDO_OK || set_view(env, &view, reals, numbers) ? status : endo_jni_failed(env);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_liveFinish(JNIEnv *env, jclass class, jlong handle, jbooleanArray made)
{
    (void)class;
    live_bridge *b = endo_jni_pointer(handle);
    endo_status status = endo_live_finish(b->live, &b->bridge.mosaic);
    jboolean is = b->bridge.mosaic != NULL;
    (*env)->SetBooleanArrayRegion(env, made, 0, 1, &is);
    return status;
}
