/* Natives of endorama.jni.Native for the light of a moving scope. */
#include "endorama_jni_Native.h"

#include <stdlib.h>
#include <string.h>

#include "endorama/light.h"
#include "staging.h"

/* Numbers of `report` before the curve. */
enum { NUMBERS = 9 };

JNIEXPORT jint JNICALL Java_endorama_jni_Native_lightCreate(JNIEnv *env, jclass class, jlong context, jint type,
                                                            jint width, jint height, jint high, jbyteArray field,
                                                            jlongArray out)
{
    (void)class;
    endo_light *light = NULL;
    jlong n = (jlong)width * height;
    uint8_t *mask = field ? endo_jni_alloc(n, 1) : NULL;
    endo_status status;
    if (!field || (mask && endo_jni_get_bytes(env, field, (jsize)n, mask)))
        status = endo_light_create(endo_jni_pointer(context), (endo_pixel)type, width, height, high, mask, &light);
    else
        status = endo_jni_failed(env);
    free(mask);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, light);
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_lightDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    endo_light *light = endo_jni_pointer(handle);
    endo_light_destroy(&light);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_lightPut(JNIEnv *env, jclass class, jlong handle, jint frame,
                                                         jobject pixels, jint type, jint width, jint height)
{
    (void)class, (void)type;
    const void *image = endo_jni_hold(env, pixels, (jlong)width * height);
    if (!image)
        return endo_jni_failed(env);
    endo_status status = endo_light_put(endo_jni_pointer(handle), frame, image, width);
    endo_jni_let_go(env, pixels, image);
    return status;
}

/* n views from Java arrays; NULL, and a pending exception or a message, if they cannot be had. */
static endo_light_view *get_views(JNIEnv *env, jintArray numbers, jdoubleArray matrices, jintArray kinds, jsize n)
{
    jint *v = endo_jni_alloc((jlong)n * 2, sizeof *v);
    endo_transform *t = v ? endo_jni_get_transforms(env, matrices, kinds, n) : NULL;
    endo_light_view *views = t ? endo_jni_alloc(n, sizeof *views) : NULL;
    int filled = views && endo_jni_get_ints(env, numbers, 2 * n, v);
    for (jsize i = 0; filled && i < n; i++)
        views[i] = (endo_light_view){.frame = v[2 * i], .part = v[2 * i + 1], .transform = t[i]};
    free(v);
    free(t);
    if (filled)
        return views;
    free(views);
    return NULL;
}

static int set_report(JNIEnv *env, jdoubleArray out, const endo_light_report *r)
{
    double report[NUMBERS + ENDO_LIGHT_CURVE] = {(double)r->found, r->deviation, r->x,    r->y,             r->rim,
                                                 r->flicker,       r->colour,    r->rest, (double)r->frames};
    memcpy(report + NUMBERS, r->curve, sizeof r->curve);
    return endo_jni_set_doubles(env, out, NUMBERS + ENDO_LIGHT_CURVE, report);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_lightSolve(JNIEnv *env, jclass class, jlong handle, jboolean colour,
                                                           jint n, jintArray numbers, jdoubleArray matrices,
                                                           jintArray kinds, jint area, jshortArray correction,
                                                           jintArray gains, jdoubleArray report)
{
    (void)class;
    endo_light_view *views = get_views(env, numbers, matrices, kinds, n);
    uint16_t *factors = views ? endo_jni_alloc(area, sizeof *factors) : NULL;
    jint *g = factors ? endo_jni_alloc((jlong)n * 3, sizeof *g) : NULL;
    endo_status status;
    if (g) {
        endo_light_options options = endo_light_options_default();
        endo_light_report r;
        options.colour = colour ? 1 : 0;
        status = endo_light_solve(endo_jni_pointer(handle), views, (size_t)n, &options, factors, g, &r);
        if (status == ENDO_OK && !(endo_jni_set_pixels(env, correction, ENDO_GREY16, 0, area, factors) &&
                                   endo_jni_set_ints(env, gains, 3 * n, g) && set_report(env, report, &r)))
            status = endo_jni_failed(env);
    } else {
        status = endo_jni_failed(env);
    }
    free(views);
    free(factors);
    free(g);
    return status;
}
