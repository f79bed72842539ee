/* Natives of endorama.jni.Native that align exposures. */
#include "endorama_jni_Native.h"

#include <stdlib.h>
#include <string.h>

#include "endorama/exposures.h"
#include "staging.h"

/* Numbers a pair has in `measures`. */
enum { MEASURES = 8 };

static endo_exposure_options exposure_options(const jint i[5])
{
    endo_exposure_options options = endo_exposure_options_default();
    options.search = i[0];
    options.tolerance = i[1];
    options.bins = i[2];
    options.percentile = (endo_percentile)i[3];
    options.subpixel = i[4];
    return options;
}

static void flatten(const endo_exposure_result *r, double m[MEASURES])
{
    double numbers[MEASURES] = {r->dx,          r->dy,          r->peak,     r->certainty,
                                r->deviation_x, r->deviation_y, r->mismatch, r->usable};
    memcpy(m, numbers, sizeof numbers);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_exposures(JNIEnv *env, jclass class, jlong handle, jintArray pairs,
                                                          jint n, jintArray numbers, jdoubleArray measures,
                                                          jintArray statuses)
{
    (void)class;
    jint i[5];
    /* The longest array first: if n is too large for one, nothing is taken before that is said. */
    double *m = endo_jni_alloc((jlong)n * MEASURES, sizeof *m);
    jint *codes = m ? endo_jni_alloc(n, sizeof *codes) : NULL;
    endo_pair *list = codes ? endo_jni_alloc((jlong)n * 2, sizeof(jint)) : NULL;
    endo_exposure_result *results = list ? endo_jni_alloc(n, sizeof *results) : NULL;
    endo_status status;
    if (results && endo_jni_get_ints(env, pairs, 2 * n, list) && endo_jni_get_ints(env, numbers, 5, i)) {
        endo_exposure_options options = exposure_options(i);
        status = endo_exposures_register(endo_jni_pointer(handle), list, (size_t)n, &options, results);
        for (jsize k = 0; status == ENDO_OK && k < n; k++) {
            flatten(&results[k], m + (size_t)k * MEASURES);
            codes[k] = results[k].status;
        }
        if (status == ENDO_OK && endo_jni_set_doubles(env, measures, n * MEASURES, m))
            endo_jni_set_ints(env, statuses, n, codes);
    } else {
        status = endo_jni_failed(env);
    }
    free(list);
    free(results);
    free(m);
    free(codes);
    return status;
}

/* ------------------------------------------------------- path through a video */

JNIEXPORT jint JNICALL Java_endorama_jni_Native_exposureFilterCreate(JNIEnv *env, jclass class, jint period,
                                                                     jlongArray out)
{
    (void)class;
    endo_exposure_filter *filter = calloc(1, sizeof *filter);
    if (!filter)
        return endo_jni_failed(env);
    endo_status status = endo_exposure_filter_begin(filter, period);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, filter);
    else
        free(filter);
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_exposureFilterDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    free(endo_jni_pointer(handle));
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
