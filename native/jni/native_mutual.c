/* Natives of endorama.jni.Native for registration by mutual information. A volume is copied in slice by slice and stays
 * in memory of its own, which belongs to no context: after a device failed another one can go on with it. */
#include "endorama_jni_Native.h"

#include <stdlib.h>
#include <string.h>

#include "endorama/mutual.h"
#include "staging.h"

/* Lengths of the flat arrays of a volume, a registration, its result and each level. */
enum { SIZES = 4, PLACE = 16, INTS = 9, DOUBLES = 20, MEASURES = 38, CODES = 5, LEVEL_INTS = 5, LEVEL_DOUBLES = 2 };

typedef struct volume_stage {
    endo_volume volume; /* dense; owns pixels and mask */
    void *pixels;
    uint8_t *mask; /* NULL: none was put */
} volume_stage;

static size_t slice_size(const endo_volume *v)
{
    return (size_t)v->width * (size_t)v->height;
}

/* Checks the sizes of a volume as the library would, before memory is taken for them; 0: refused, with a message. */
static int has_sizes(const jint s[SIZES])
{
    jlong voxels = (jlong)s[1] * s[2];
    if (endo_pixel_size((endo_pixel)s[0]) && s[1] > 0 && s[2] > 0 && s[3] > 0 && voxels <= INT32_MAX &&
        voxels * s[3] <= (jlong)1 << 30)
        return 1;
    endo_jni_fail(ENDO_ERR_ARGUMENT, "volume of %d x %d x %d, type %d: sides must be 1 or more, together at most 2^30"
                  " voxels, the type 0..2", (int)s[1], (int)s[2], (int)s[3], (int)s[0]);
    return 0;
}

static void free_stage(volume_stage *stage)
{
    if (!stage)
        return;
    free(stage->pixels);
    free(stage->mask);
    free(stage);
}

/* Sets all voxels to 0. */
static volume_stage *make_stage(const jint s[SIZES], const double world[PLACE])
{
    volume_stage *stage = calloc(1, sizeof *stage);
    if (!stage)
        return NULL;
    stage->volume = endo_volume_default();
    stage->volume.type = (endo_pixel)s[0];
    stage->volume.width = s[1], stage->volume.height = s[2], stage->volume.depth = s[3];
    memcpy(stage->volume.world, world, sizeof stage->volume.world);
    stage->pixels = calloc(slice_size(&stage->volume) * (size_t)s[3], endo_pixel_size(stage->volume.type));
    stage->volume.pixels = stage->pixels;
    if (stage->pixels)
        return stage;
    free_stage(stage);
    endo_jni_fail(ENDO_ERR_MEMORY, "out of memory: no room for a volume of %d x %d x %d", (int)s[1], (int)s[2],
                  (int)s[3]);
    return NULL;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_volumeCreate(JNIEnv *env, jclass class, jintArray sizes,
                                                             jdoubleArray world, jlongArray out)
{
    (void)class;
    jint s[SIZES];
    double w[PLACE];
    if (!endo_jni_get_ints(env, sizes, SIZES, s) || !endo_jni_get_doubles(env, world, PLACE, w) || !has_sizes(s))
        return endo_jni_failed(env);
    volume_stage *stage = make_stage(s, w);
    if (!stage)
        return endo_jni_failed(env);
    endo_jni_set_handle(env, out, stage);
    return ENDO_OK;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_volumeDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    free_stage(endo_jni_pointer(handle));
}

/* Returns where a slice begins; NULL, with a message, if there is no such slice. */
static void *slice_at(const volume_stage *stage, jint slice)
{
    const endo_volume *v = &stage->volume;
    if (slice >= 0 && slice < v->depth)
        return (uint8_t *)stage->pixels + (size_t)slice * slice_size(v) * endo_pixel_size(v->type);
    endo_jni_fail(ENDO_ERR_ARGUMENT, "slice %d: must be 0..%d", (int)slice, v->depth - 1);
    return NULL;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_volumePut(JNIEnv *env, jclass class, jlong handle, jint slice,
                                                          jobject pixels)
{
    (void)class;
    volume_stage *stage = endo_jni_pointer(handle);
    void *to = slice_at(stage, slice);
    if (!to || !endo_jni_get_pixels(env, pixels, stage->volume.type, (jsize)slice_size(&stage->volume), to))
        return endo_jni_failed(env);
    return ENDO_OK;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_volumeGet(JNIEnv *env, jclass class, jlong handle, jint slice,
                                                          jobject pixels)
{
    (void)class;
    const volume_stage *stage = endo_jni_pointer(handle);
    const void *from = slice_at(stage, slice);
    if (!from || !endo_jni_set_pixels(env, pixels, stage->volume.type, 0, (jsize)slice_size(&stage->volume), from))
        return endo_jni_failed(env);
    return ENDO_OK;
}

/* Allocates the whole mask with its first slice. */
JNIEXPORT jint JNICALL Java_endorama_jni_Native_volumeMask(JNIEnv *env, jclass class, jlong handle, jint slice,
                                                           jbyteArray mask)
{
    (void)class;
    volume_stage *stage = endo_jni_pointer(handle);
    size_t size = slice_size(&stage->volume);
    if (!slice_at(stage, slice))
        return endo_jni_failed(env);
    if (!stage->mask)
        stage->mask = calloc(size, (size_t)stage->volume.depth);
    if (!stage->mask || !endo_jni_get_bytes(env, mask, (jsize)size, stage->mask + (size_t)slice * size))
        return endo_jni_failed(env);
    stage->volume.mask = stage->mask;
    return ENDO_OK;
}

/* ------------------------------------------------------------ registration */

static endo_mutual_options mutual_options(const jint i[INTS], const double d[DOUBLES])
{
    endo_mutual_options options = endo_mutual_options_default();
    options.model = (endo_transform_class)i[0];
    options.bins = i[1];
    options.measure = (endo_mutual_measure)i[2];
    options.interpolation = (endo_mutual_interpolation)i[3];
    options.optimizer = (endo_mutual_optimizer)i[4];
    options.levels = i[5];
    options.starts = i[6];
    options.initial = (endo_mutual_initial)i[7];
    options.max_evaluations = i[8];
    options.turn_range = d[0];
    options.shift_range = d[1];
    options.overlap = d[2];
    options.tolerance = d[3];
    memcpy(options.initial_map, d + 4, sizeof options.initial_map);
    return options;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mutualCreate(JNIEnv *env, jclass class, jlong context, jlong fixed,
                                                             jlong moving, jintArray ints, jdoubleArray doubles,
                                                             jlongArray out)
{
    (void)class;
    const volume_stage *from = endo_jni_pointer(fixed), *to = endo_jni_pointer(moving);
    jint i[INTS];
    double d[DOUBLES];
    endo_mutual *mutual = NULL;
    if (!endo_jni_get_ints(env, ints, INTS, i) || !endo_jni_get_doubles(env, doubles, DOUBLES, d))
        return endo_jni_failed(env);
    endo_mutual_options options = mutual_options(i, d);
    endo_status status = endo_mutual_create(endo_jni_pointer(context), &from->volume, &to->volume, &options, &mutual);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, mutual);
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_mutualDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    endo_mutual *mutual = endo_jni_pointer(handle);
    endo_mutual_destroy(&mutual);
}

/* The Java object that is asked whether to stop, by the calling thread. */
typedef struct stop_question {
    JNIEnv *env;
    jobject asked; /* a BooleanSupplier */
    jmethodID method;
} stop_question;

/* An exception of Java ends the search, too, and is thrown when the native returns. */
static int should_stop(void *user)
{
    const stop_question *q = user;
    if ((*q->env)->ExceptionCheck(q->env))
        return 1;
    jboolean stop = (*q->env)->CallBooleanMethod(q->env, q->asked, q->method);
    return stop || (*q->env)->ExceptionCheck(q->env);
}

static int make_question(JNIEnv *env, jobject asked, stop_question *q)
{
    jclass type = (*env)->GetObjectClass(env, asked);
    *q = (stop_question){env, asked, (*env)->GetMethodID(env, type, "getAsBoolean", "()Z")};
    (*env)->DeleteLocalRef(env, type);
    return q->method != NULL;
}

static void flatten(const endo_mutual_result *r, double m[MEASURES], jint c[CODES])
{
    memcpy(m, r->voxels, sizeof r->voxels);
    memcpy(m + PLACE, r->world, sizeof r->world);
    m[32] = r->before;
    m[33] = r->after;
    m[34] = r->overlap;
    m[35] = r->certainty;
    m[36] = r->rim[0];
    m[37] = r->rim[1];
    c[0] = r->status;
    c[1] = r->stop;
    c[2] = r->starts;
    c[3] = r->levels;
    c[4] = (jint)r->evaluations; /* at most little more than 1000000 */
}

static int set_levels(JNIEnv *env, const endo_mutual_result *r, jintArray ints, jdoubleArray doubles)
{
    jint i[LEVEL_INTS * ENDO_MUTUAL_MAX_LEVELS] = {0};
    double d[LEVEL_DOUBLES * ENDO_MUTUAL_MAX_LEVELS] = {0};
    for (int k = 0; k < r->levels; k++) {
        const endo_mutual_level *level = &r->level[k];
        const jint numbers[LEVEL_INTS] = {level->width, level->height, level->depth, level->bins,
                                          (jint)level->evaluations};
        memcpy(i + LEVEL_INTS * k, numbers, sizeof numbers);
        d[LEVEL_DOUBLES * k] = level->measure;
        d[LEVEL_DOUBLES * k + 1] = level->seconds;
    }
    return endo_jni_set_ints(env, ints, LEVEL_INTS * ENDO_MUTUAL_MAX_LEVELS, i) &&
           endo_jni_set_doubles(env, doubles, LEVEL_DOUBLES * ENDO_MUTUAL_MAX_LEVELS, d);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mutualRegister(JNIEnv *env, jclass class, jlong context, jlong handle,
                                                               jobject stop, jdoubleArray measures, jintArray codes,
                                                               jintArray level_ints, jdoubleArray level_doubles)
{
    (void)class;
    stop_question question;
    endo_mutual_result result;
    double m[MEASURES];
    jint c[CODES];
    if (!make_question(env, stop, &question))
        return endo_jni_failed(env);
    endo_context_set_cancel(endo_jni_pointer(context), should_stop, &question);
    endo_status status = endo_mutual_register(endo_jni_pointer(handle), &result);
    endo_context_set_cancel(endo_jni_pointer(context), NULL, NULL);
    if ((*env)->ExceptionCheck(env))
        return endo_jni_failed(env);
    if (status != ENDO_OK)
        return status;
    flatten(&result, m, c);
    if (!endo_jni_set_doubles(env, measures, MEASURES, m) || !endo_jni_set_ints(env, codes, CODES, c) ||
        !set_levels(env, &result, level_ints, level_doubles))
        return endo_jni_failed(env);
    return ENDO_OK;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_volumeResample(JNIEnv *env, jclass class, jlong context, jlong fixed,
                                                               jlong moving, jdoubleArray world, jint interpolation,
                                                               jlongArray out)
{
    (void)class;
    const volume_stage *grid = endo_jni_pointer(fixed), *from = endo_jni_pointer(moving);
    double w[PLACE];
    if (!endo_jni_get_doubles(env, world, PLACE, w))
        return endo_jni_failed(env);
    const jint sizes[SIZES] = {(jint)from->volume.type, grid->volume.width, grid->volume.height, grid->volume.depth};
    volume_stage *made = make_stage(sizes, grid->volume.world);
    if (!made)
        return endo_jni_failed(env);
    const endo_volume_output to = {.pixels = made->pixels};
    endo_status status = endo_mutual_resample(endo_jni_pointer(context), &grid->volume, &from->volume, w,
                                              (endo_mutual_interpolation)interpolation, &to);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, made);
    else
        free_stage(made);
    return status;
}
