/* Natives of endorama.jni.Native that register pairs of frames and measure how well transforms fit. */
#include "endorama_jni_Native.h"

#include <stdlib.h>
#include <string.h>

#include "endorama/registration.h"
#include "staging.h"

/* Numbers a pair has in the flat result arrays of registerPairs. */
enum { MEASURES = 8, COUNTS = 7 };

JNIEXPORT jint JNICALL Java_endorama_jni_Native_templateSide(JNIEnv *env, jclass class, jint width)
{
    (void)env, (void)class;
    return endo_pairs_template_side(width);
}

static endo_pairs_options pairs_options(const jint i[7], const double d[3])
{
    endo_pairs_options options = endo_pairs_options_default();
    options.initial = (endo_initial)i[0];
    options.template_side = i[1];
    options.cross = i[2];
    options.landmarks = i[3];
    options.transform = i[4] ? ENDO_TRANSFORM_AFFINE : ENDO_TRANSFORM_TRANSLATION;
    options.subpixel = i[5];
    options.quality = i[6];
    options.cthresh = d[0];
    options.uthresh = d[1];
    options.guarantee = d[2];
    return options;
}

/* One pair in the flat arrays. */
static void flatten(const endo_pair_result *pair, double m[MEASURES], jint c[COUNTS])
{
    memcpy(m, pair->transform.matrix, 6 * sizeof *m);
    m[6] = pair->mean_coefficient;
    m[7] = pair->quality;
    c[0] = pair->status;
    c[1] = pair->landmarks;
    c[2] = pair->found;
    c[3] = pair->used;
    c[4] = pair->computed;
    c[5] = pair->reused;
    c[6] = pair->flow_pixels;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_registerPairs(JNIEnv *env, jclass class, jlong handle,
                                                              jintArray pairs, jint n, jintArray ints,
                                                              jdoubleArray doubles, jdoubleArray measures,
                                                              jintArray counts)
{
    (void)class;
    jint i[7];
    double d[3];
    /* The longest array first: if n is too large for one, nothing is taken before that is said. */
    double *m = endo_jni_alloc((jlong)n * MEASURES, sizeof *m);
    jint *c = m ? endo_jni_alloc((jlong)n * COUNTS, sizeof *c) : NULL;
    endo_pair *list = c ? endo_jni_alloc((jlong)n * 2, sizeof(jint)) : NULL;
    endo_pair_result *results = list ? endo_jni_alloc(n, sizeof *results) : NULL;
    endo_status status;
    if (results && endo_jni_get_ints(env, pairs, 2 * n, list) && endo_jni_get_ints(env, ints, 7, i) &&
        endo_jni_get_doubles(env, doubles, 3, d)) {
        endo_pairs_options options = pairs_options(i, d);
        status = endo_pairs_register(endo_jni_pointer(handle), list, (size_t)n, &options, results);
        for (jsize k = 0; status == ENDO_OK && k < n; k++)
            flatten(&results[k], m + (size_t)k * MEASURES, c + (size_t)k * COUNTS);
        if (status == ENDO_OK && endo_jni_set_doubles(env, measures, n * MEASURES, m))
            endo_jni_set_ints(env, counts, n * COUNTS, c);
    } else {
        status = endo_jni_failed(env);
    }
    free(list);
    free(results);
    free(m);
    free(c);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_quality(JNIEnv *env, jclass class, jlong handle,
                                                        jintArray pairs, jdoubleArray matrices, jint n,
                                                        jdoubleArray out)
{
    (void)class;
    endo_frames *frames = endo_jni_pointer(handle);
    double *numbers = endo_jni_alloc((jlong)n * 6, sizeof *numbers);
    endo_pair *list = numbers ? endo_jni_alloc((jlong)n * 2, sizeof(jint)) : NULL;
    endo_transform *transforms = list ? endo_jni_alloc(n, sizeof *transforms) : NULL;
    double *quality = transforms ? endo_jni_alloc(n, sizeof *quality) : NULL;
    endo_status status;
    if (quality && endo_jni_get_ints(env, pairs, 2 * n, list) &&
        endo_jni_get_doubles(env, matrices, 6 * n, numbers)) {
        for (jsize k = 0; k < n; k++)
            transforms[k] = endo_transform_of_affine(numbers + 6 * (size_t)k);
        status = endo_quality_measure(frames, list, transforms, (size_t)n, quality);
        if (status == ENDO_OK)
            endo_jni_set_doubles(env, out, n, quality);
    } else {
        status = endo_jni_failed(env);
    }
    free(list);
    free(numbers);
    free(transforms);
    free(quality);
    return status;
}
