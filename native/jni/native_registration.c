/* Natives of endorama.jni.Native that register pairs of frames and measure how well transforms fit. */
#include "endorama_jni_Native.h"

#include <stdlib.h>
#include <string.h>

#include "endorama/registration.h"
#include "staging.h"

/* Lengths of the flat arrays of a pair's result in registerPairs. */
enum { MEASURES = 17, COUNTS = 9 };

JNIEXPORT jint JNICALL Java_endorama_jni_Native_templateSide(JNIEnv *env, jclass class, jint width)
{
    (void)env, (void)class;
    return endo_pairs_template_side(width);
}

static endo_pairs_options pairs_options(const jint i[8], const double d[3])
{
    endo_pairs_options options = endo_pairs_options_default();
    options.initial = (endo_initial)i[0];
    options.template_side = i[1];
    options.cross = i[2];
    options.landmarks = i[3];
    options.transform = (endo_transform_class)i[4];
    options.subpixel = i[5];
    options.quality = i[6];
    options.method = (endo_pairs_method)i[7];
    options.cthresh = d[0];
    options.uthresh = d[1];
    options.guarantee = d[2];
    return options;
}

/* Copies one pair into the flat arrays. */
static void flatten(const endo_pair_result *pair, double m[MEASURES], jint c[COUNTS])
{
    memcpy(m, pair->transform.matrix, sizeof pair->transform.matrix);
    m[9] = pair->mean_coefficient;
    m[10] = pair->quality;
    m[11] = pair->deviation;
    m[12] = pair->perspective[0];
    m[13] = pair->perspective[1];
    m[14] = pair->perspective_deviation;
    m[15] = pair->lens;
    m[16] = pair->lens_deviation;
    c[0] = pair->status;
    c[1] = pair->landmarks;
    c[2] = pair->found;
    c[3] = pair->used;
    c[4] = pair->computed;
    c[5] = pair->reused;
    c[6] = pair->flow_pixels;
    c[7] = (jint)pair->transform.kind;
    c[8] = pair->rounds;
}

/* Memory of one call. */
typedef struct registration {
    double *measures;
    jint *counts;
    endo_pair *pairs;
    endo_pair_result *results;
} registration;

/* Allocates the longest array first: if n is too large for that, nothing else is allocated. */
static int take_memory(registration *r, jint n)
{
    if (!(r->measures = endo_jni_alloc((jlong)n * MEASURES, sizeof *r->measures)))
        return 0;
    r->counts = endo_jni_alloc((jlong)n * COUNTS, sizeof *r->counts);
    r->pairs = endo_jni_alloc((jlong)n * 2, sizeof(jint));
    r->results = endo_jni_alloc(n, sizeof *r->results);
    return r->counts && r->pairs && r->results;
}

static void free_memory(registration *r)
{
    free(r->measures);
    free(r->counts);
    free(r->pairs);
    free(r->results);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_registerPairs(JNIEnv *env, jclass class, jlong handle, jintArray pairs, jint n,
                                                              jintArray ints, jdoubleArray doubles, jdoubleArray measures,
                                                              jintArray counts)
{
    (void)class;
    jint i[8];
    double d[3];
    registration r = {NULL};
    endo_status status;
    if (!endo_jni_get_ints(env, ints, 8, i) || !endo_jni_get_doubles(env, doubles, 3, d))
        return endo_jni_failed(env);
    if (take_memory(&r, n) && endo_jni_get_ints(env, pairs, 2 * n, r.pairs)) {
        endo_pairs_options options = pairs_options(i, d);
        status = endo_pairs_register(endo_jni_pointer(handle), r.pairs, (size_t)n, &options, r.results);
        for (jsize k = 0; status == ENDO_OK && k < n; k++)
            flatten(&r.results[k], r.measures + (size_t)k * MEASURES, r.counts + (size_t)k * COUNTS);
        if (status == ENDO_OK && endo_jni_set_doubles(env, measures, n * MEASURES, r.measures))
            endo_jni_set_ints(env, counts, n * COUNTS, r.counts);
    } else {
        status = endo_jni_failed(env);
    }
    free_memory(&r);
    return status;
}

/* Pairs with their transforms, and memory for their measures. */
typedef struct comparison {
    endo_transform *transforms;
    endo_pair *pairs;
    void *out; /* n times `size` bytes */
} comparison;

static int take_comparison(JNIEnv *env, jintArray pairs, jdoubleArray matrices, jintArray kinds, jint n, size_t size,
                           comparison *c)
{
    c->transforms = endo_jni_get_transforms(env, matrices, kinds, n);
    c->pairs = c->transforms ? endo_jni_alloc((jlong)n * 2, sizeof(jint)) : NULL;
    c->out = c->pairs ? endo_jni_alloc(n, size) : NULL;
    return c->out && endo_jni_get_ints(env, pairs, 2 * n, c->pairs);
}

static void free_comparison(comparison *c)
{
    free(c->transforms);
    free(c->pairs);
    free(c->out);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_quality(JNIEnv *env, jclass class, jlong handle,
                                                        jintArray pairs, jdoubleArray matrices, jintArray kinds,
                                                        jint n, jdoubleArray out)
{
    (void)class;
    comparison c = {NULL, NULL, NULL};
    endo_status status;
    if (take_comparison(env, pairs, matrices, kinds, n, sizeof(double), &c)) {
        status = endo_quality_measure(endo_jni_pointer(handle), c.pairs, c.transforms, (size_t)n, c.out);
        if (status == ENDO_OK)
            endo_jni_set_doubles(env, out, n, c.out);
    } else {
        status = endo_jni_failed(env);
    }
    free_comparison(&c);
    return status;
}
