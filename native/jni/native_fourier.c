/* Natives of endorama.jni.Native that register pairs by their spectra. */
#include "endorama_jni_Native.h"

#include <stdlib.h>
#include <string.h>

#include "endorama/fourier.h"
#include "staging.h"

/* Numbers a pair has: of what is asked for, in `measures`, and in `codes`. */
enum { PAIR = 6, MEASURES = 17, CODES = 2 };

static endo_fourier_options fourier_options(const jint i[6], const jdouble d[2])
{
    endo_fourier_options options = endo_fourier_options_default();
    options.model = (endo_transform_class)i[0];
    options.window = (endo_fourier_window)i[1];
    options.gradient = (endo_fourier_gradient)i[2];
    options.refine = i[3];
    options.candidates = i[4];
    options.paper = i[5];
    options.max_scale = d[0];
    options.max_angle = d[1];
    return options;
}

static void flatten(const endo_fourier_result *r, double m[MEASURES], jint c[CODES])
{
    memcpy(m, r->transform.matrix, sizeof r->transform.matrix);
    m[9] = r->angle;
    m[10] = r->scale;
    m[11] = r->dx;
    m[12] = r->dy;
    m[13] = r->peak;
    m[14] = r->ratio;
    m[15] = r->overlap;
    m[16] = r->ncc;
    c[0] = (jint)r->transform.kind;
    c[1] = (jint)r->status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_fourier(JNIEnv *env, jclass class, jlong handle, jintArray pairs,
                                                        jint n, jintArray ints, jdoubleArray doubles,
                                                        jdoubleArray measures, jintArray codes)
{
    (void)class;
    jint i[6];
    jdouble d[2];
    /* The longest array first: if n is too large for one, nothing is taken before that is said. */
    double *m = endo_jni_alloc((jlong)n * MEASURES, sizeof *m);
    endo_fourier_pair *list = m ? endo_jni_alloc((jlong)n * PAIR, sizeof(jint)) : NULL;
    jint *c = list ? endo_jni_alloc((jlong)n * CODES, sizeof *c) : NULL;
    endo_fourier_result *results = c ? endo_jni_alloc(n, sizeof *results) : NULL;
    endo_status status;
    if (results && endo_jni_get_ints(env, pairs, PAIR * n, list) && endo_jni_get_ints(env, ints, 6, i) &&
        endo_jni_get_doubles(env, doubles, 2, d)) {
        endo_fourier_options options = fourier_options(i, d);
        status = endo_fourier_register(endo_jni_pointer(handle), list, (size_t)n, &options, results);
        for (jsize k = 0; status == ENDO_OK && k < n; k++)
            flatten(&results[k], m + (size_t)k * MEASURES, c + (size_t)k * CODES);
        if (status == ENDO_OK && endo_jni_set_doubles(env, measures, n * MEASURES, m))
            endo_jni_set_ints(env, codes, n * CODES, c);
    } else {
        status = endo_jni_failed(env);
    }
    free(list);
    free(results);
    free(m);
    free(c);
    return status;
}
