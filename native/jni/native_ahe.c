/* Natives of endorama.jni.Native for adaptive equalization. An image is copied in once, equalized in bands of
 * rows, and copied out once: the array in Java may be the same, and stays as it was until the last band is done.
 *
 * The copies hold the array for their own time (Get...Critical): several threads copy large images, which the
 * copying functions of JNI cannot. Nothing is computed and nothing of Java is called while an array is held. */
#include "endorama_jni_Native.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "endorama/ahe.h"
#include "staging.h"

/* Least size, bytes, of a copy that two threads make faster than one. */
enum { BYTES_A_THREAD = 1 << 20 };

typedef struct ahe_stage {
    int filled;           /* 0: there is no image, and the other fields are not set */
    endo_pixel type;
    int width, top, rows; /* rows top..top+rows-1 of an image of this width are here */
    endo_region region;   /* what is equalized, in pixels of the image */
    void *pixels, *out;   /* rows x width, and the region, dense */
    size_t pixels_size, out_size;
} ahe_stage;

/* Memory for an image, which free() releases. Windows walk images by columns of rows, where every row is on another page:
 * large pages, where the system has them, keep the processor's table of pages from running over (16 bit: a twentieth of
 * the time). */
static void *image_memory(size_t bytes)
{
#ifdef _WIN32
    return malloc(bytes);
#else
    const size_t large = (size_t)1 << 21;
    if (bytes < large || bytes > SIZE_MAX - large)
        return malloc(bytes);
    bytes = (bytes + large - 1) & ~(large - 1);
    void *memory = aligned_alloc(large, bytes);
#ifdef MADV_HUGEPAGE
    if (memory)
        madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
#endif
}

/* Memory of at least this size, kept from call to call: a stack has many images of one size. */
static int reserve(void **memory, size_t *size, size_t wanted)
{
    if (*size >= wanted)
        return 1;
    free(*memory);
    *memory = image_memory(wanted);
    *size = *memory ? wanted : 0;
    return *memory != NULL;
}

/* Returns 0, with a message, where an array has fewer rows of an image. */
static int has_rows(JNIEnv *env, jobject pixels, jlong rows, jlong width)
{
    jlong length = (*env)->GetArrayLength(env, pixels);
    if (rows >= 0 && width >= 0 && rows * width <= length)
        return 1;
    endo_jni_fail(ENDO_ERR_ARGUMENT, "pixels: %lld elements, needed %lld rows of %lld", (long long)length,
                  (long long)rows, (long long)width);
    return 0;
}

/* Copies rows of row_size bytes, pitches apart. */
static void copy_rows(uint8_t *to, size_t to_pitch, const uint8_t *from, size_t from_pitch, int rows,
                      size_t row_size, int threads)
{
    size_t worth = (size_t)rows * row_size / BYTES_A_THREAD;
    int n = worth < 1 ? 1 : worth < (size_t)threads ? (int)worth : threads;
#pragma omp parallel for num_threads(n) schedule(static)
    for (int y = 0; y < rows; y++)
        memcpy(to + (size_t)y * to_pitch, from + (size_t)y * from_pitch, row_size);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_aheCreate(JNIEnv *env, jclass class, jlongArray out)
{
    (void)class;
    ahe_stage *stage = calloc(1, sizeof *stage);
    if (!stage)
        return endo_jni_failed(env);
    endo_jni_set_handle(env, out, stage);
    return ENDO_OK;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_aheDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    ahe_stage *stage = endo_jni_pointer(handle);
    free(stage->pixels);
    free(stage->out);
    free(stage);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_ahePut(JNIEnv *env, jclass class, jlong handle, jobject pixels,
                                                       jintArray numbers, jint threads)
{
    (void)class;
    ahe_stage *stage = endo_jni_pointer(handle);
    jint v[8];
    if (!endo_jni_get_ints(env, numbers, 8, v))
        return endo_jni_failed(env);
    stage->filled = 0;
    stage->type = (endo_pixel)v[0];
    stage->width = v[1], stage->top = v[2], stage->rows = v[3];
    stage->region = (endo_region){v[4], v[5], v[6], v[7]};
    size_t element = endo_pixel_size(stage->type), row = (size_t)stage->width * element;
    if (!has_rows(env, pixels, (jlong)stage->top + stage->rows, stage->width))
        return endo_jni_failed(env);
    if (!reserve(&stage->pixels, &stage->pixels_size, (size_t)stage->rows * row) ||
        !reserve(&stage->out, &stage->out_size, (size_t)stage->region.width * stage->region.height * element))
        return endo_jni_failed(env);
    uint8_t *image = (*env)->GetPrimitiveArrayCritical(env, pixels, NULL);
    if (!image)
        return endo_jni_failed(env);
    copy_rows(stage->pixels, row, image + (size_t)stage->top * row, row, stage->rows, row, threads);
    (*env)->ReleasePrimitiveArrayCritical(env, pixels, image, JNI_ABORT);
    stage->filled = 1;
    return ENDO_OK;
}

/* Returns whether rows from..to-1, and those that their windows see, are in memory. */
static int has_band(const ahe_stage *stage, int from, int to, int seen_from, int seen_to)
{
    const endo_region *r = &stage->region;
    if (stage->filled && r->y <= from && from < to && to - r->y <= r->height && stage->top <= seen_from &&
        seen_from <= from && to <= seen_to && seen_to - stage->top <= stage->rows)
        return 1;
    endo_jni_fail(ENDO_ERR_ARGUMENT, "rows %d..%d, seen %d..%d: must lie in the image that was put in", from, to,
                  seen_from, seen_to);
    return 0;
}

static endo_ahe_options ahe_options(const jint v[8], jdouble limit)
{
    endo_ahe_options options = endo_ahe_options_default();
    options.method = (endo_ahe_method)v[0];
    options.window = v[1];
    options.limit = limit;
    options.low = v[2];
    options.high = v[3];
    return options;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_aheRun(JNIEnv *env, jclass class, jlong handle, jlong context,
                                                       jintArray numbers, jdouble limit)
{
    (void)class;
    ahe_stage *stage = endo_jni_pointer(handle);
    jint v[8];
    if (!endo_jni_get_ints(env, numbers, 8, v))
        return endo_jni_failed(env);
    endo_ahe_options options = ahe_options(v, limit);
    int from = v[4], to = v[5], seen_from = v[6], seen_to = v[7];
    if (!has_band(stage, from, to, seen_from, seen_to))
        return endo_jni_failed(env);
    endo_region band = {stage->region.x, from - seen_from, stage->region.width, to - from};
    size_t element = endo_pixel_size(stage->type);
    const uint8_t *pixels =
        (const uint8_t *)stage->pixels + (size_t)(seen_from - stage->top) * stage->width * element;
    uint8_t *out = (uint8_t *)stage->out + (size_t)(from - stage->region.y) * stage->region.width * element;
    return endo_ahe_apply(endo_jni_pointer(context), &(endo_image){pixels, stage->type, stage->width, seen_to - seen_from,
                          stage->width}, &band, &options, out, stage->region.width);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_aheGet(JNIEnv *env, jclass class, jlong handle, jobject pixels,
                                                       jint threads)
{
    (void)class;
    ahe_stage *stage = endo_jni_pointer(handle);
    endo_region r = stage->region;
    if (!stage->filled)
        return endo_jni_fail(ENDO_ERR_ARGUMENT, "there is no image: none was put in, or that failed");
    size_t element = endo_pixel_size(stage->type), row = (size_t)stage->width * element;
    if (!has_rows(env, pixels, (jlong)r.y + r.height, stage->width))
        return endo_jni_failed(env);
    uint8_t *image = (*env)->GetPrimitiveArrayCritical(env, pixels, NULL);
    if (!image)
        return endo_jni_failed(env);
    copy_rows(image + (size_t)r.y * row + (size_t)r.x * element, row, stage->out, (size_t)r.width * element, r.height,
              (size_t)r.width * element, threads);
    (*env)->ReleasePrimitiveArrayCritical(env, pixels, image, 0);
    return ENDO_OK;
}
