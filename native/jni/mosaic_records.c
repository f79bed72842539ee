#include "mosaic_records.h"

#include <stdlib.h>
#include <string.h>

#include "staging.h"

/* Lengths of the flat arrays of a frame and of an edge. */
/* The last 17 of a frame: hidden cells, two bits each, and its number. */
enum { FRAME_REALS = 24, FRAME_INTS = 35, EDGE_REALS = 15, EDGE_INTS = 5 };

static void flatten_frame(const endo_mosaic_frame *f, jdouble d[FRAME_REALS], jint i[FRAME_INTS])
{
    memcpy(d, f->pose.matrix, sizeof f->pose.matrix);
    memcpy(d + 9, f->chained.matrix, sizeof f->chained.matrix);
    d[18] = f->deviation;
    d[19] = f->dx;
    d[20] = f->dy;
    d[21] = f->coefficient;
    d[22] = f->quality;
    d[23] = f->milliseconds;
    i[0] = (jint)f->pose.kind;
    i[1] = (jint)f->chained.kind;
    i[2] = f->reference;
    i[3] = f->status;
    i[4] = f->registered;
    i[5] = f->component;
    i[6] = f->doubtful;
    i[7] = f->key_frame;
    i[8] = f->chain;
    i[9] = f->order;
    i[10] = f->landmarks;
    i[11] = f->found;
    i[12] = f->used;
    i[13] = f->computed;
    i[14] = f->reused;
    i[15] = f->backend;
    i[16] = f->solved;
    i[17] = f->hidden_columns * 1024 + f->hidden_rows;
    memset(i + 18, 0, sizeof(jint[16]));
    for (int c = 0; c < ENDO_MOST_HIDDEN; c++)
        i[18 + c / 16] |= (jint)((uint32_t)f->hidden[c] << 2 * (c % 16));
    i[34] = f->number;
}

static endo_mosaic_frame frame_of(const jdouble d[FRAME_REALS], const jint i[FRAME_INTS])
{
    endo_mosaic_frame f = {
        .pose.kind = (endo_transform_class)i[0],
        .chained.kind = (endo_transform_class)i[1],
        .deviation = d[18],
        .dx = d[19],
        .dy = d[20],
        .coefficient = d[21],
        .quality = d[22],
        .milliseconds = d[23],
        .reference = i[2],
        .status = i[3],
        .registered = i[4],
        .component = i[5],
        .doubtful = i[6],
        .key_frame = i[7],
        .chain = i[8],
        .order = i[9],
        .landmarks = i[10],
        .found = i[11],
        .used = i[12],
        .computed = i[13],
        .reused = i[14],
        .backend = i[15],
        .solved = i[16],
        .number = i[34],
        .hidden_columns = i[17] / 1024,
        .hidden_rows = i[17] % 1024,
    };
    memcpy(f.pose.matrix, d, sizeof f.pose.matrix);
    memcpy(f.chained.matrix, d + 9, sizeof f.chained.matrix);
    for (int c = 0; c < ENDO_MOST_HIDDEN; c++)
        f.hidden[c] = (uint32_t)i[18 + c / 16] >> 2 * (c % 16) & 3;
    return f;
}

static void flatten_edge(const endo_mosaic_edge *e, jdouble d[EDGE_REALS], jint i[EDGE_INTS])
{
    memcpy(d, e->transform.matrix, sizeof e->transform.matrix);
    d[9] = e->deviation;
    d[10] = e->perspective[0];
    d[11] = e->perspective[1];
    d[12] = e->perspective_deviation;
    d[13] = e->lens;
    d[14] = e->lens_deviation;
    i[0] = (jint)e->transform.kind;
    i[1] = e->reference;
    i[2] = e->current;
    i[3] = e->doubtful;
    i[4] = e->by_hand;
}

static endo_mosaic_edge edge_of(const jdouble d[EDGE_REALS], const jint i[EDGE_INTS])
{
    endo_mosaic_edge e = {
        .transform.kind = (endo_transform_class)i[0],
        .deviation = d[9],
        .perspective = {d[10], d[11]},
        .perspective_deviation = d[12],
        .lens = d[13],
        .lens_deviation = d[14],
        .reference = i[1],
        .current = i[2],
        .doubtful = i[3],
        .by_hand = i[4],
    };
    memcpy(e.transform.matrix, d, sizeof e.transform.matrix);
    return e;
}

/* Numbers of records, as the two Java arrays hold them. */
typedef struct flat {
    jdouble *reals;
    jint *ints;
} flat;

static void free_flat(flat *f)
{
    free(f->reals);
    free(f->ints);
}

/* Returns 0, with a message, without memory. */
static int take_flat(jint n, jint reals, jint ints, flat *f)
{
    f->reals = endo_jni_alloc((jlong)n * reals, sizeof *f->reals);
    f->ints = f->reals ? endo_jni_alloc((jlong)n * ints, sizeof *f->ints) : NULL;
    return f->ints != NULL;
}

static int get_flat(JNIEnv *env, jdoubleArray reals, jintArray ints, jint n, jint reals_each, jint ints_each, flat *f)
{
    return take_flat(n, reals_each, ints_each, f) && endo_jni_get_doubles(env, reals, n * reals_each, f->reals) &&
           endo_jni_get_ints(env, ints, n * ints_each, f->ints);
}

endo_mosaic_frame *endo_jni_get_frames(JNIEnv *env, jdoubleArray reals, jintArray ints, jint n)
{
    flat f = {0};
    int ok = get_flat(env, reals, ints, n, FRAME_REALS, FRAME_INTS, &f);
    endo_mosaic_frame *frames = ok ? endo_jni_alloc(n, sizeof *frames) : NULL;
    for (jint k = 0; frames && k < n; k++)
        frames[k] = frame_of(f.reals + (size_t)k * FRAME_REALS, f.ints + (size_t)k * FRAME_INTS);
    free_flat(&f);
    return frames;
}

endo_mosaic_edge *endo_jni_get_edges(JNIEnv *env, jdoubleArray reals, jintArray ints, jint n)
{
    flat f = {0};
    int ok = get_flat(env, reals, ints, n, EDGE_REALS, EDGE_INTS, &f);
    endo_mosaic_edge *edges = ok ? endo_jni_alloc(n, sizeof *edges) : NULL;
    for (jint k = 0; edges && k < n; k++)
        edges[k] = edge_of(f.reals + (size_t)k * EDGE_REALS, f.ints + (size_t)k * EDGE_INTS);
    free_flat(&f);
    return edges;
}

int endo_jni_set_frames(JNIEnv *env, const endo_mosaic_frame *frames, jint n, jdoubleArray reals, jintArray ints)
{
    flat f = {0};
    int ok = take_flat(n, FRAME_REALS, FRAME_INTS, &f);
    for (jint k = 0; ok && k < n; k++)
        flatten_frame(&frames[k], f.reals + (size_t)k * FRAME_REALS, f.ints + (size_t)k * FRAME_INTS);
    ok = ok && endo_jni_set_doubles(env, reals, n * FRAME_REALS, f.reals) &&
         endo_jni_set_ints(env, ints, n * FRAME_INTS, f.ints);
    free_flat(&f);
    return ok;
}

int endo_jni_set_edges(JNIEnv *env, const endo_mosaic_edge *edges, jint n, jdoubleArray reals, jintArray ints)
{
    flat f = {0};
    int ok = take_flat(n, EDGE_REALS, EDGE_INTS, &f);
    for (jint k = 0; ok && k < n; k++)
        flatten_edge(&edges[k], f.reals + (size_t)k * EDGE_REALS, f.ints + (size_t)k * EDGE_INTS);
    ok = ok && endo_jni_set_doubles(env, reals, n * EDGE_REALS, f.reals) &&
         endo_jni_set_ints(env, ints, n * EDGE_INTS, f.ints);
    free_flat(&f);
    return ok;
}
