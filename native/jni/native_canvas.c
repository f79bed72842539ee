/* Natives of endorama.jni.Native for canvases. */
#include "endorama_jni_Native.h"

#include <stdlib.h>

#include "endorama/canvas.h"
#include "staging.h"

JNIEXPORT jint JNICALL Java_endorama_jni_Native_canvasCreate(JNIEnv *env, jclass class, jlong context,
                                                             jint type, jint width, jint height,
                                                             jlongArray out)
{
    (void)class;
    endo_canvas *canvas = NULL;
    endo_status status =
        endo_canvas_create(endo_jni_pointer(context), (endo_pixel)type, width, height, &canvas);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, canvas);
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_canvasDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    endo_canvas *canvas = endo_jni_pointer(handle);
    endo_canvas_destroy(&canvas);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_canvasClear(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    return endo_canvas_clear(endo_jni_pointer(handle));
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_canvasPaint(JNIEnv *env, jclass class, jlong handle,
                                                            jlong frames, jintArray slots,
                                                            jdoubleArray matrices, jintArray kinds, jint n,
                                                            jint origin_x, jint origin_y, jint painting)
{
    (void)class;
    endo_transform *transforms = endo_jni_get_transforms(env, matrices, kinds, n);
    int32_t *list = transforms ? endo_jni_alloc(n, sizeof *list) : NULL;
    endo_status status;
    if (list && endo_jni_get_ints(env, slots, n, list))
        status = endo_canvas_paint(endo_jni_pointer(handle), endo_jni_pointer(frames), list, transforms, (size_t)n,
                                   origin_x, origin_y, (endo_painting)painting);
    else
        status = endo_jni_failed(env);
    free(transforms);
    free(list);
    return status;
}

/* Copies into the arrays from `offset` on; Java reads large panoramas in bands. */
JNIEXPORT jint JNICALL Java_endorama_jni_Native_canvasRead(JNIEnv *env, jclass class, jlong handle, jint x,
                                                           jint y, jint width, jint height, jint type,
                                                           jint offset, jobject pixels, jbyteArray painted)
{
    (void)class;
    jlong n = (jlong)width * height;
    void *image = endo_jni_alloc(n, endo_pixel_size((endo_pixel)type));
    uint8_t *marks = painted && image ? endo_jni_alloc(n, 1) : NULL;
    endo_status status;
    if (image && (marks || !painted)) {
        status = endo_canvas_read(endo_jni_pointer(handle), x, y, width, height, image, marks);
        if (status == ENDO_OK && endo_jni_set_pixels(env, pixels, (endo_pixel)type, offset, (jsize)n, image) && marks)
            endo_jni_set_bytes(env, painted, offset, (jsize)n, marks);
    } else {
        status = endo_jni_failed(env);
    }
    free(image);
    free(marks);
    return status;
}
