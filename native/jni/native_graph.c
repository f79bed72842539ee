/* Natives of endorama.jni.Native for pose graphs. */
#include "endorama_jni_Native.h"

#include <stdlib.h>
#include <string.h>

#include "endorama/graph.h"
#include "staging.h"

/* Numbers of `ints`, and of `report`. */
enum { INTS = 7, REPORT = 7 };

static endo_graph_options graph_options(const jint i[INTS], jdouble robust)
{
    endo_graph_options options = endo_graph_options_default();
    options.transform = (endo_transform_class)i[2];
    options.fixed = i[3];
    options.iterations = i[4];
    options.robust = robust;
    return options;
}

/* n pairs from Java arrays; NULL, and a pending exception or a message, if they cannot be had. */
static endo_graph_pair *get_pairs(JNIEnv *env, jintArray frames, jdoubleArray matrices, jintArray kinds,
                                  jdoubleArray deviations, jsize n)
{
    jint *f = endo_jni_alloc((jlong)n * 2, sizeof *f);
    double *d = f ? endo_jni_alloc(n, sizeof *d) : NULL;
    endo_transform *t = d ? endo_jni_get_transforms(env, matrices, kinds, n) : NULL;
    endo_graph_pair *pairs = t ? endo_jni_alloc(n, sizeof *pairs) : NULL;
    int filled = pairs && endo_jni_get_ints(env, frames, 2 * n, f) && endo_jni_get_doubles(env, deviations, n, d);
    for (jsize i = 0; filled && i < n; i++)
        pairs[i] = (endo_graph_pair){
            .reference = f[2 * i], .current = f[2 * i + 1], .transform = t[i], .deviation = d[i]};
    free(f);
    free(d);
    free(t);
    if (filled)
        return pairs;
    free(pairs);
    return NULL;
}

static int set_report(JNIEnv *env, jdoubleArray out, const endo_graph_report *r)
{
    const double report[REPORT] = {r->before, r->after, r->iterations, r->settled, r->parts, r->doubtful, r->cut};
    return endo_jni_set_doubles(env, out, REPORT, report);
}

static int set_poses(JNIEnv *env, jdoubleArray matrices, jintArray kinds, const endo_transform *poses, jsize n)
{
    double *m = endo_jni_alloc((jlong)n * 9, sizeof *m);
    jint *k = m ? endo_jni_alloc(n, sizeof *k) : NULL;
    for (jsize i = 0; k && i < n; i++) {
        memcpy(m + (size_t)i * 9, poses[i].matrix, sizeof poses[i].matrix);
        k[i] = (jint)poses[i].kind;
    }
    int set = k && endo_jni_set_doubles(env, matrices, 9 * n, m) && endo_jni_set_ints(env, kinds, n, k);
    free(m);
    free(k);
    return set;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_graphSolve(JNIEnv *env, jclass class, jlong context, jintArray ints,
                                                           jdouble robust, jintArray frames, jdoubleArray matrices,
                                                           jintArray kinds, jdoubleArray deviations,
                                                           jdoubleArray poses, jintArray pose_kinds,
                                                           jdoubleArray pose_deviations, jdoubleArray weights,
                                                           jdoubleArray report)
{
    (void)class;
    jint i[INTS];
    if (!endo_jni_get_ints(env, ints, INTS, i))
        return endo_jni_failed(env);
    jsize n_pairs = i[5], n = i[6];
    endo_graph_pair *pairs = get_pairs(env, frames, matrices, kinds, deviations, n_pairs);
    endo_transform *p = pairs ? endo_jni_get_transforms(env, poses, pose_kinds, n) : NULL;
    double *d = p ? endo_jni_alloc(n, sizeof *d) : NULL;
    double *w = d ? endo_jni_alloc(n_pairs, sizeof *w) : NULL;
    endo_status status;
    if (w) {
        endo_graph_options options = graph_options(i, robust);
        endo_graph_report r;
        status = endo_graph_solve(endo_jni_pointer(context), &(endo_graph){.width = i[0], .height = i[1], .pairs = pairs,
                                  .n_pairs = (size_t)n_pairs, .poses = p, .n = (size_t)n, .deviations = d, .weights = w},
                                  &options, &r);
        if (status == ENDO_OK &&
            !(set_poses(env, poses, pose_kinds, p, n) && endo_jni_set_doubles(env, pose_deviations, n, d) &&
              endo_jni_set_doubles(env, weights, n_pairs, w) && set_report(env, report, &r)))
            status = endo_jni_failed(env);
    } else {
        status = endo_jni_failed(env);
    }
    free(pairs);
    free(p);
    free(d);
    free(w);
    return status;
}
