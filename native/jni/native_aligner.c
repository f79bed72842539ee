/* Natives of endorama.jni.Native that draw frames as transforms move them, each alone. */
#include "endorama_jni_Native.h"

#include <stdlib.h>

#include "endorama/canvas.h"
#include "endorama/frames.h"
#include "staging.h"

/* A store of one frame, the canvas that it is painted on, and memory for the canvas's pixels on their way to Java. */
typedef struct aligner {
    endo_frames *frames;
    endo_canvas *canvas;
    void *pixels;
    endo_pixel type;
    int width, height;               /* of the frame, px */
    int canvas_width, canvas_height; /* px */
} aligner;

static void aligner_destroy(aligner *a)
{
    endo_canvas_destroy(&a->canvas);
    endo_frames_destroy(&a->frames);
    free(a->pixels);
    free(a);
}

/* All of a frame is painted: there is no rim. */
static endo_status make_store(endo_context *context, aligner *a)
{
    endo_frames_options options = endo_frames_options_default();
    options.width = a->width;
    options.height = a->height;
    options.type = a->type;
    options.capacity = 1;
    options.rim = 0;
    options.flow = 0;
    return endo_frames_create(context, &options, &a->frames);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_alignerCreate(JNIEnv *env, jclass class, jlong handle, jintArray sizes,
                                                              jlongArray out)
{
    (void)class;
    jint n[5];
    endo_context *context = endo_jni_pointer(handle);
    aligner *a = endo_jni_get_ints(env, sizes, 5, n) ? endo_jni_alloc(1, sizeof *a) : NULL;
    if (!a)
        return endo_jni_failed(env);
    *a = (aligner){
        .type = (endo_pixel)n[0],
        .width = n[1],
        .height = n[2],
        .canvas_width = n[3],
        .canvas_height = n[4],
    };
    endo_status status = make_store(context, a);
    if (status == ENDO_OK)
        status = endo_canvas_create(context, a->type, a->canvas_width, a->canvas_height, &a->canvas);
    if (status != ENDO_OK)
        return aligner_destroy(a), status;
    a->pixels = endo_jni_alloc((jlong)a->canvas_width * a->canvas_height, endo_pixel_size(a->type));
    if (!a->pixels)
        return aligner_destroy(a), endo_jni_failed(env);
    endo_jni_set_handle(env, out, a);
    return ENDO_OK;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_alignerDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    aligner_destroy(endo_jni_pointer(handle));
}

static endo_status paint(aligner *a, const endo_transform *transform, int origin_x, int origin_y)
{
    const int32_t slot = 0;
    const endo_posed_frames posed = {
        .slots = &slot,
        .transforms = transform,
        .n = 1,
        .origin_x = origin_x,
        .origin_y = origin_y,
    };
    endo_status status = endo_canvas_clear(a->canvas);
    if (status == ENDO_OK)
        status = endo_canvas_paint(a->canvas, a->frames, &posed, ENDO_PAINT_UNION);
    if (status == ENDO_OK)
        status = endo_canvas_read(a->canvas, 0, 0, a->canvas_width, a->canvas_height, a->pixels, NULL);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_alignerDraw(JNIEnv *env, jclass class, jlong handle, jobject frame,
                                                            jint kind, jdoubleArray matrix, jint origin_x, jint origin_y,
                                                            jobject canvas)
{
    (void)class;
    aligner *a = endo_jni_pointer(handle);
    endo_transform transform = {.kind = (endo_transform_class)kind};
    if (!endo_jni_get_doubles(env, matrix, 9, transform.matrix))
        return endo_jni_failed(env);
    const void *image = endo_jni_hold(env, frame, (jlong)a->width * a->height);
    if (!image)
        return endo_jni_failed(env);
    endo_status status = endo_frames_put(a->frames, 0, image, a->width);
    endo_jni_let_go(env, frame, image);
    if (status == ENDO_OK)
        status = paint(a, &transform, origin_x, origin_y);
    if (status == ENDO_OK)
        endo_jni_set_pixels(env, canvas, a->type, 0, a->canvas_width * a->canvas_height, a->pixels);
    return status;
}
