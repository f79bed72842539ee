/* Natives of endorama.jni.Native: copy the arrays in, call the library, copy the results out. No logic.
 * The Java side has checked types and lengths; an array that is too short still only raises a Java
 * exception, because every copy but that of framesPut, which asks for the length itself, goes through
 * Get/Set...ArrayRegion. Prototypes are generated. */
#include "endorama_jni_Native.h"

#include "objects.h"
#include "api/testing.h"
#include "staging.h"

/* Numbers a pair has in the flat result arrays of registerPairs. */
enum { MEASURES = 8, COUNTS = 7 };

JNIEXPORT jint JNICALL Java_endorama_jni_Native_abi(JNIEnv *env, jclass class)
{
    (void)env, (void)class;
    return endo_abi();
}

JNIEXPORT jstring JNICALL Java_endorama_jni_Native_version(JNIEnv *env, jclass class)
{
    (void)class;
    return (*env)->NewStringUTF(env, endo_version());
}

JNIEXPORT jstring JNICALL Java_endorama_jni_Native_lastError(JNIEnv *env, jclass class)
{
    (void)class;
    return (*env)->NewStringUTF(env, endo_last_error());
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_registerAutoSide(JNIEnv *env, jclass class, jint width)
{
    (void)env, (void)class;
    return endo_pairs_template_side(width);
}

/* ----------------------------------------------------------------- context */

JNIEXPORT jint JNICALL Java_endorama_jni_Native_contextCreate(JNIEnv *env, jclass class, jint backend,
                                                              jint threads, jint cpu, jintArray devices,
                                                              jlong memory_limit, jint fail_after, jlongArray out)
{
    (void)class;
    endo_context_options options = endo_jni_context_options(backend, threads, cpu, 0, memory_limit);
    jint numbers[ENDO_MAX_DEVICES];
    options.n_devices = (*env)->GetArrayLength(env, devices);
    if (options.n_devices > ENDO_MAX_DEVICES) /* the library says what is allowed */
        return endo_context_create(&options, &(endo_context *){NULL});
    if (!endo_jni_get_ints(env, devices, options.n_devices, numbers))
        return endo_jni_failed(env);
    for (int i = 0; i < options.n_devices; i++)
        options.devices[i] = numbers[i];
    endo_context *context = NULL;
    endo_status status = endo_context_create(&options, &context);
    if (status == ENDO_OK) {
        endo_context_fail_after(context, fail_after);
        endo_jni_set_handle(env, out, context);
    }
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_contextDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    endo_context *context = endo_jni_pointer(handle);
    endo_context_destroy(&context);
}

JNIEXPORT jstring JNICALL Java_endorama_jni_Native_contextDescription(JNIEnv *env, jclass class, jlong handle)
{
    (void)class;
    return (*env)->NewStringUTF(env, endo_context_description(endo_jni_pointer(handle)));
}

/* ------------------------------------------------------------------ frames */

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

JNIEXPORT jint JNICALL Java_endorama_jni_Native_framesCreate(JNIEnv *env, jclass class, jlong context,
                                                             jintArray numbers, jdouble enhance_limit,
                                                             jbyteArray field, jlongArray out)
{
    (void)class;
    jint values[12];
    if (!endo_jni_get_ints(env, numbers, 12, values))
        return endo_jni_failed(env);
    endo_frames_options options = frames_options(values, enhance_limit);
    uint8_t *mask = NULL;
    if (field) {
        jsize n = (*env)->GetArrayLength(env, field);
        mask = endo_alloc((size_t)n, 1);
        if (!mask || !endo_jni_get_bytes(env, field, n, mask))
            return endo_free(mask), endo_jni_failed(env);
    }
    options.field = mask;
    endo_frames *frames = NULL;
    endo_status status = endo_frames_create(endo_jni_pointer(context), &options, &frames);
    endo_free(mask);
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

static jsize frame_pixels(const endo_frames *frames)
{
    return frames->options.width * frames->options.height;
}

/* The array is held, not copied, for this one call: endo_frames_put copies the pixels itself, calls nothing
 * of Java and waits for nothing that Java does (on CUDA it copies into a pinned buffer, starts the upload and
 * returns). A collection of garbage waits for a copy's time at most, and a copy is saved. */
JNIEXPORT jint JNICALL Java_endorama_jni_Native_framesPut(JNIEnv *env, jclass class, jlong handle, jint slot,
                                                          jobject pixels)
{
    (void)class;
    endo_frames *frames = endo_jni_pointer(handle);
    jsize length = (*env)->GetArrayLength(env, pixels);
    if (length < frame_pixels(frames))
        return endo_fail(ENDO_ERR_ARGUMENT, "pixels: %d elements, needed %d", length, frame_pixels(frames));
    void *image = (*env)->GetPrimitiveArrayCritical(env, pixels, NULL);
    if (!image)
        return endo_jni_failed(env);
    endo_status status = endo_frames_put(frames, slot, image, frames->options.width);
    (*env)->ReleasePrimitiveArrayCritical(env, pixels, image, JNI_ABORT);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_framesGetGrey(JNIEnv *env, jclass class, jlong handle,
                                                              jint slot, jbyteArray grey)
{
    (void)class;
    endo_frames *frames = endo_jni_pointer(handle);
    uint8_t *image = endo_alloc((size_t)frame_pixels(frames), 1);
    if (!image)
        return endo_jni_failed(env);
    endo_status status = endo_frames_get_grey(frames, slot, image);
    if (status == ENDO_OK)
        endo_jni_set_bytes(env, grey, 0, frame_pixels(frames), image);
    endo_free(image);
    return status;
}

static endo_pairs_options register_params(const jint i[7], const double d[3])
{
    endo_pairs_options options = endo_pairs_options_default();
    options.initial = (endo_initial)i[0];
    options.template_side = i[1];
    options.cross = i[2];
    options.landmarks = i[3];
    options.warp = (endo_warp)i[4];
    options.subpixel = i[5];
    options.quality = i[6];
    options.cthresh = d[0];
    options.uthresh = d[1];
    options.guarantee = d[2];
    return options;
}

static int set_pair(JNIEnv *env, jsize i, const endo_pair_result *pair, jdoubleArray measures,
                    jintArray counts)
{
    jint c[COUNTS] = {pair->status,   pair->landmarks, pair->found,      pair->used,
                      pair->computed, pair->reused,    pair->flow_pixels};
    (*env)->SetIntArrayRegion(env, counts, i * COUNTS, COUNTS, c);
    if ((*env)->ExceptionCheck(env))
        return 0;
    double m[MEASURES] = {pair->matrix[0], pair->matrix[1], pair->matrix[2],        pair->matrix[3],
                          pair->matrix[4], pair->matrix[5], pair->mean_coefficient, pair->quality};
    (*env)->SetDoubleArrayRegion(env, measures, i * MEASURES, MEASURES, m);
    return !(*env)->ExceptionCheck(env);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_registerPairs(JNIEnv *env, jclass class, jlong handle,
                                                              jintArray pairs, jint n, jintArray ints,
                                                              jdoubleArray doubles, jdoubleArray measures,
                                                              jintArray counts)
{
    (void)class;
    endo_frames *frames = endo_jni_pointer(handle);
    jint i[7];
    double d[3];
    endo_pair *list = endo_alloc((size_t)n, sizeof *list);
    endo_pair_result *results = endo_alloc((size_t)n, sizeof *results);
    endo_status status;
    if (list && results && endo_jni_get_ints(env, pairs, 2 * n, list) && endo_jni_get_ints(env, ints, 7, i) &&
        endo_jni_get_doubles(env, doubles, 3, d)) {
        endo_pairs_options options = register_params(i, d);
        status = endo_pairs_register(frames, list, (size_t)n, &options, results);
        for (jsize k = 0; status == ENDO_OK && k < n && set_pair(env, k, &results[k], measures, counts); k++)
            ;
    } else {
        status = endo_jni_failed(env);
    }
    endo_free(list);
    endo_free(results);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_quality(JNIEnv *env, jclass class, jlong handle,
                                                        jintArray pairs, jdoubleArray matrices, jint n,
                                                        jdoubleArray out)
{
    (void)class;
    endo_frames *frames = endo_jni_pointer(handle);
    endo_pair *list = endo_alloc((size_t)n, sizeof *list);
    double *numbers = endo_alloc((size_t)n * 6, sizeof *numbers);
    double *quality = endo_alloc((size_t)n, sizeof *quality);
    endo_status status;
    if (list && numbers && quality && endo_jni_get_ints(env, pairs, 2 * n, list) &&
        endo_jni_get_doubles(env, matrices, 6 * n, numbers)) {
        status = endo_quality_measure(frames, list, numbers, (size_t)n, quality);
        if (status == ENDO_OK)
            endo_jni_set_doubles(env, out, n, quality);
    } else {
        status = endo_jni_failed(env);
    }
    endo_free(list);
    endo_free(numbers);
    endo_free(quality);
    return status;
}

/* ------------------------------------------------------------------ canvas */

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

JNIEXPORT jint JNICALL Java_endorama_jni_Native_canvasResize(JNIEnv *env, jclass class, jlong handle,
                                                             jint width, jint height, jint dx, jint dy)
{
    (void)env, (void)class;
    return endo_canvas_resize(endo_jni_pointer(handle), width, height, dx, dy);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_canvasClear(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    return endo_canvas_clear(endo_jni_pointer(handle));
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_canvasPaint(JNIEnv *env, jclass class, jlong handle,
                                                            jlong frames, jintArray slots,
                                                            jdoubleArray matrices, jint n, jint origin_x,
                                                            jint origin_y, jint painting)
{
    (void)class;
    int32_t *list = endo_alloc((size_t)n, sizeof *list);
    double *numbers = endo_alloc((size_t)n * 6, sizeof *numbers);
    endo_status status;
    if (list && numbers && endo_jni_get_ints(env, slots, n, list) &&
        endo_jni_get_doubles(env, matrices, 6 * n, numbers))
        status = endo_canvas_paint(endo_jni_pointer(handle), endo_jni_pointer(frames), list, numbers, (size_t)n,
                                   origin_x, origin_y, (endo_painting)painting);
    else
        status = endo_jni_failed(env);
    endo_free(list);
    endo_free(numbers);
    return status;
}

/* Into the arrays from `offset` on; large panoramas are read in bands, by Java. */
JNIEXPORT jint JNICALL Java_endorama_jni_Native_canvasRead(JNIEnv *env, jclass class, jlong handle, jint x,
                                                           jint y, jint width, jint height, jint type,
                                                           jint offset, jobject pixels, jbyteArray painted)
{
    (void)class;
    jsize n = width * height;
    void *image = endo_alloc((size_t)n, endo_pixel_size((endo_pixel)type));
    uint8_t *marks = painted ? endo_alloc((size_t)n, 1) : NULL;
    endo_status status;
    if (image && (marks || !painted)) {
        status = endo_canvas_read(endo_jni_pointer(handle), x, y, width, height, image, marks);
        if (status == ENDO_OK && endo_jni_set_pixels(env, pixels, (endo_pixel)type, offset, n, image) && marks)
            endo_jni_set_bytes(env, painted, offset, n, marks);
    } else {
        status = endo_jni_failed(env);
    }
    endo_free(image);
    endo_free(marks);
    return status;
}
