/* Natives of endorama.jni.Native that align exposures: copy the arrays in, call the library, copy the results
 * out. No logic. */
#include "endorama_jni_Native.h"

#include "objects.h"
#include "staging.h"

/* Numbers a pair has in `measures`. */
enum { MEASURES = 8 };

static endo_exposure_options exposure_params(const jint i[5])
{
    endo_exposure_options options = endo_exposure_options_default();
    options.search = i[0];
    options.tolerance = i[1];
    options.bins = i[2];
    options.percentile = (endo_percentile)i[3];
    options.subpixel = i[4];
    return options;
}

static int set_result(JNIEnv *env, jsize i, const endo_exposure_result *r, jdoubleArray measures, jintArray status)
{
    double m[MEASURES] = {r->dx,          r->dy,          r->peak,     r->certainty,
                          r->deviation_x, r->deviation_y, r->mismatch, r->usable};
    (*env)->SetDoubleArrayRegion(env, measures, i * MEASURES, MEASURES, m);
    if ((*env)->ExceptionCheck(env))
        return 0;
    jint code = r->status;
    (*env)->SetIntArrayRegion(env, status, i, 1, &code);
    return !(*env)->ExceptionCheck(env);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_exposures(JNIEnv *env, jclass class, jlong handle, jintArray pairs,
                                                          jint n, jintArray options, jdoubleArray measures,
                                                          jintArray statuses)
{
    (void)class;
    jint i[5];
    endo_pair *list = endo_alloc((size_t)n, sizeof *list);
    endo_exposure_result *results = endo_alloc((size_t)n, sizeof *results);
    endo_status status;
    if (list && results && endo_jni_get_ints(env, pairs, 2 * n, list) && endo_jni_get_ints(env, options, 5, i)) {
        endo_exposure_options options = exposure_params(i);
        status = endo_exposures_register(endo_jni_pointer(handle), list, (size_t)n, &options, results);
        for (jsize k = 0; status == ENDO_OK && k < n && set_result(env, k, &results[k], measures, statuses); k++)
            ;
    } else {
        status = endo_jni_failed(env);
    }
    endo_free(list);
    endo_free(results);
    return status;
}

/* ------------------------------------------------------- path through a video */

JNIEXPORT jint JNICALL Java_endorama_jni_Native_exposureFilterCreate(JNIEnv *env, jclass class, jint period,
                                                                     jlongArray out)
{
    (void)class;
    endo_exposure_filter *filter = endo_alloc_zeroed(1, sizeof *filter);
    if (!filter)
        return endo_jni_failed(env);
    endo_status status = endo_exposure_filter_begin(filter, period);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, filter);
    else
        endo_free(filter);
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_exposureFilterDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    endo_free(endo_jni_pointer(handle));
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_exposureFilterStart(JNIEnv *env, jclass class, jlong handle,
                                                                    jlong frame, jdouble x, jdouble y)
{
    (void)env, (void)class;
    return endo_exposure_filter_start(endo_jni_pointer(handle), frame, x, y);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_exposureFilterStep(JNIEnv *env, jclass class, jlong handle,
                                                                   jlong frame, jdouble x, jdouble y,
                                                                   jdoubleArray shift, jdoubleArray out)
{
    (void)class;
    double s[5];
    if (shift && !endo_jni_get_doubles(env, shift, 5, s))
        return endo_jni_failed(env);
    endo_exposure_result found = {.status = ENDO_EXPOSURE_OK};
    if (shift) {
        found.dx = s[0];
        found.dy = s[1];
        found.certainty = s[2];
        found.deviation_x = s[3];
        found.deviation_y = s[4];
    }
    endo_exposure_place place;
    endo_status status =
        endo_exposure_filter_step(endo_jni_pointer(handle), frame, x, y, shift ? &found : NULL, &place);
    if (status == ENDO_OK) {
        double numbers[4] = {place.x, place.y, place.known, place.predicted};
        endo_jni_set_doubles(env, out, 4, numbers);
    }
    return status;
}
