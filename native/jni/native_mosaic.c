/* Natives of endorama.jni.Native for mosaics: frames, events and questions go to one object of Java, the bridge, whose methods
 * never throw; results come back as flat arrays. */
#include "endorama_jni_Native.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mosaic_bridge.h"
#include "staging.h"

/* Declared in native/api/testing.h, too. */
void endo_mosaic_fail_after(endo_mosaic *mosaic, int calls);

/* Lengths of the flat arrays of options, a frame, an edge, a panorama and the light. */
enum {
    OPTION_INTS = 22,
    OPTION_LONGS = 3,
    OPTION_REALS = 5,
    FRAME_REALS = 24,
    FRAME_INTS = 18,
    EDGE_REALS = 15,
    EDGE_INTS = 4,
    PANORAMA_REALS = 7,
    LIGHT_REALS = 8, /* followed by the curve */
    TIMES = 9
};

/* ------------------------------------------------------------------ threads */

static pthread_key_t attached;
static pthread_once_t attached_once = PTHREAD_ONCE_INIT;

static void detach(void *machine)
{
    JavaVM *vm = machine;
    (*vm)->DetachCurrentThread(vm);
}

static void make_key(void)
{
    pthread_key_create(&attached, detach);
}

/* The calling thread's environment; a thread of the library is attached to Java until it ends. NULL: it cannot be. */
static JNIEnv *env_of(const mosaic_bridge *b)
{
    JNIEnv *env = NULL;
    JavaVMAttachArgs as = {.version = JNI_VERSION_1_8, .name = "Endorama mosaic"};
    if ((*b->machine)->GetEnv(b->machine, (void **)&env, JNI_VERSION_1_8) == JNI_OK)
        return env;
    if ((*b->machine)->AttachCurrentThreadAsDaemon(b->machine, (void **)&env, &as) != JNI_OK)
        return NULL;
    pthread_once(&attached_once, make_key);
    pthread_setspecific(attached, b->machine);
    return env;
}

/* ------------------------------------------------------------------- texts */

/* UTF-8 as a byte[], since JNI's encoding of strings differs from UTF-8; NULL: no memory. */
jbyteArray endo_jni_utf8(JNIEnv *env, const char *text)
{
    jsize n = (jsize)strlen(text);
    jbyteArray bytes = (*env)->NewByteArray(env, n);
    if (bytes)
        (*env)->SetByteArrayRegion(env, bytes, 0, n, (const jbyte *)text);
    return bytes;
}

/* Copies a byte[] into a text of `size` bytes with the 0 at the end, and frees the array. */
static void take_text(JNIEnv *env, jbyteArray bytes, char *out, size_t size)
{
    jsize n = (*env)->GetArrayLength(env, bytes);
    if ((size_t)n >= size)
        n = (jsize)size - 1;
    (*env)->GetByteArrayRegion(env, bytes, 0, n, (jbyte *)out);
    out[n] = 0;
    (*env)->DeleteLocalRef(env, bytes);
}

/* Copies a byte[] into a text for free(); NULL for null, or without memory (*ok = 0). */
static char *text_of(JNIEnv *env, jbyteArray bytes, int *ok)
{
    if (!bytes)
        return NULL;
    jsize n = (*env)->GetArrayLength(env, bytes);
    char *text = endo_jni_alloc((jlong)n + 1, 1);
    *ok = text && endo_jni_get_bytes(env, bytes, n, text);
    if (*ok)
        text[n] = 0;
    return text;
}

/* ------------------------------------------------------------------- hooks */

/* Returns 1 if the last call of Java threw (a full stack, say), which ends the run. */
static int settle(JNIEnv *env, mosaic_bridge *b)
{
    if (!(*env)->ExceptionCheck(env))
        return 0;
    (*env)->ExceptionClear(env);
    b->has_failed = 1;
    return 1;
}

static void on_event(void *user, const endo_event *event)
{
    mosaic_bridge *b = user;
    JNIEnv *env = env_of(b);
    jbyteArray text = env ? endo_jni_utf8(env, event->text) : NULL;
    if (!text)
        return;
    (*env)->CallVoidMethod(env, b->object, b->event, (jint)event->level, (jint)event->kind, text);
    settle(env, b);
    (*env)->DeleteLocalRef(env, text);
}

static void on_progress(void *user, double share)
{
    mosaic_bridge *b = user;
    JNIEnv *env = env_of(b);
    if (!env)
        return;
    (*env)->CallVoidMethod(env, b->object, b->progress, (jdouble)share);
    settle(env, b);
}

static int on_cancelled(void *user)
{
    mosaic_bridge *b = user;
    JNIEnv *env = env_of(b);
    if (!env || b->has_failed)
        return 1;
    jboolean stop = (*env)->CallBooleanMethod(env, b->object, b->cancelled);
    return settle(env, b) || stop;
}

static void on_painted(void *user, int32_t canvas)
{
    mosaic_bridge *b = user;
    JNIEnv *env = env_of(b);
    if (!env)
        return;
    (*env)->CallVoidMethod(env, b->object, b->painted, (jint)canvas);
    settle(env, b);
}

/* ------------------------------------------------------------------ frames */

/* A name for pixels: a reference to Java's array, so that they are copied only once. */
static const void *lend(void *user, int32_t frame, char *reason)
{
    mosaic_bridge *b = user;
    JNIEnv *env = env_of(b);
    jobject array = env ? (*env)->CallObjectMethod(env, b->object, b->lend, (jint)frame) : NULL;
    if (!env || settle(env, b) || !array) {
        jbyteArray why = env ? (*env)->CallObjectMethod(env, b->object, b->reason) : NULL;
        if (env && !settle(env, b) && why)
            take_text(env, why, reason, ENDO_REASON_SIZE);
        else
            snprintf(reason, ENDO_REASON_SIZE, "Java takes no more threads, or failed");
        return NULL;
    }
    jobject lent = (*env)->NewGlobalRef(env, array);
    (*env)->DeleteLocalRef(env, array);
    if (!lent)
        snprintf(reason, ENDO_REASON_SIZE, "no memory for it");
    return lent;
}

static void give_back(void *user, int32_t frame, const void *lent)
{
    mosaic_bridge *b = user;
    JNIEnv *env = env_of(b);
    if (!env)
        return;
    (*env)->CallVoidMethod(env, b->object, b->give_back, (jint)frame, (jobject)lent);
    settle(env, b);
    (*env)->DeleteGlobalRef(env, (jobject)lent);
}

/* Holds the array itself; garbage collection waits meanwhile. */
static const void *hold(void *user, const void *lent)
{
    JNIEnv *env = env_of(user);
    return env ? (*env)->GetPrimitiveArrayCritical(env, (jarray)lent, NULL) : NULL;
}

static void let_go(void *user, const void *lent, const void *pixels)
{
    JNIEnv *env = env_of(user);
    if (env)
        (*env)->ReleasePrimitiveArrayCritical(env, (jarray)lent, (void *)pixels, JNI_ABORT);
}

static const char *name(void *user, int32_t frame)
{
    mosaic_bridge *b = user;
    JNIEnv *env = env_of(b);
    jbyteArray label = env ? (*env)->CallObjectMethod(env, b->object, b->name, (jint)frame) : NULL;
    if (!env || settle(env, b) || !label)
        return NULL;
    take_text(env, label, b->label, sizeof b->label);
    return b->label;
}

endo_mosaic_source endo_jni_source(mosaic_bridge *b, jint count, jint width, jint height, jint type, jboolean at_hand)
{
    return (endo_mosaic_source){
        .frames = count,
        .width = width,
        .height = height,
        .type = (endo_pixel)type,
        .lend = lend,
        .give_back = give_back,
        .hold = hold,
        .let_go = let_go,
        .name = name,
        .user = b,
        .at_hand = at_hand,
    };
}

static const void *lend_onto(void *user, int32_t frame, char *reason)
{
    (void)frame;
    return lend(user, ENDO_JNI_ONTO, reason);
}

static const char *name_onto(void *user, int32_t frame)
{
    (void)frame;
    return name(user, ENDO_JNI_ONTO);
}

static void give_back_onto(void *user, int32_t frame, const void *lent)
{
    (void)frame;
    give_back(user, ENDO_JNI_ONTO, lent);
}

endo_mosaic_source endo_jni_onto(mosaic_bridge *b, jint width, jint height, jint type)
{
    endo_mosaic_source source = endo_jni_source(b, 1, width, height, type, JNI_FALSE);
    source.lend = lend_onto;
    source.give_back = give_back_onto;
    source.name = name_onto;
    return source;
}

/* ----------------------------------------------------------------- create */

void endo_jni_set_pairs(const jint i[PAIR_INTS], const jdouble d[PAIR_REALS], endo_pairs_options *pairs)
{
    pairs->initial = (endo_initial)i[0];
    pairs->template_side = i[1];
    pairs->cross = i[2];
    pairs->landmarks = i[3];
    pairs->transform = (endo_transform_class)i[4];
    pairs->subpixel = i[5];
    pairs->quality = i[6];
    pairs->method = (endo_pairs_method)i[7];
    pairs->cthresh = d[0];
    pairs->uthresh = d[1];
    pairs->guarantee = d[2];
}

static endo_mosaic_options mosaic_options(const jint i[OPTION_INTS], const jlong l[OPTION_LONGS],
                                          const jdouble d[OPTION_REALS])
{
    endo_mosaic_options options = endo_mosaic_options_default();
    options.context = endo_jni_context_options(i[0], i[1], 0, 0, l[0]);
    endo_jni_set_pairs(i + 2, d, &options.pairs);
    options.field = (endo_mosaic_field)i[10];
    options.pattern = i[11];
    options.iir = i[12];
    options.highlights = i[13];
    options.enhance = i[14];
    options.solve = i[15];
    options.painting = (endo_mosaic_painting)i[16];
    options.picture = i[17];
    options.light = i[18];
    options.interpolation = (endo_interpolation)i[19];
    options.extras = i[20];
    options.rim = i[21];
    options.max_canvas = l[1];
    options.memory = l[2];
    options.lens = d[3];
    options.scale = d[4];
    return options;
}

static int find_methods(JNIEnv *env, mosaic_bridge *b)
{
    jclass class = (*env)->GetObjectClass(env, b->object);
    return (b->lend = (*env)->GetMethodID(env, class, "lend", "(I)Ljava/lang/Object;")) &&
           (b->reason = (*env)->GetMethodID(env, class, "reason", "()[B")) &&
           (b->give_back = (*env)->GetMethodID(env, class, "giveBack", "(ILjava/lang/Object;)V")) &&
           (b->name = (*env)->GetMethodID(env, class, "name", "(I)[B")) &&
           (b->event = (*env)->GetMethodID(env, class, "event", "(II[B)V")) &&
           (b->progress = (*env)->GetMethodID(env, class, "progress", "(D)V")) &&
           (b->cancelled = (*env)->GetMethodID(env, class, "cancelled", "()Z")) &&
           (b->painted = (*env)->GetMethodID(env, class, "painted", "(I)V"));
}

void endo_jni_bridge_close(JNIEnv *env, mosaic_bridge *b)
{
    if (b->object)
        (*env)->DeleteGlobalRef(env, b->object);
    free(b->mask);
}

static void destroy(JNIEnv *env, mosaic_bridge *b)
{
    endo_mosaic_destroy(&b->mosaic);
    endo_jni_bridge_close(env, b);
    free(b);
}

endo_mosaic_hooks endo_jni_hooks(mosaic_bridge *b, jboolean watched)
{
    return (endo_mosaic_hooks){
        .event = on_event,
        .progress = on_progress,
        .cancelled = on_cancelled,
        .painted = watched ? on_painted : NULL,
        .user = b,
    };
}

int endo_jni_bridge_open(JNIEnv *env, mosaic_bridge *b, jobject object)
{
    b->object = (*env)->NewGlobalRef(env, object);
    return b->object && (*env)->GetJavaVM(env, &b->machine) == JNI_OK && find_methods(env, b);
}

static endo_status create(JNIEnv *env, mosaic_bridge *b, const endo_mosaic_options *options, jobject object, jboolean watched)
{
    endo_mosaic_hooks hooks = endo_jni_hooks(b, watched);
    if (!endo_jni_bridge_open(env, b, object))
        return endo_jni_failed(env);
    return endo_mosaic_create(options, &hooks, &b->mosaic);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicCreate(JNIEnv *env, jclass class, jintArray ints, jlongArray longs,
                                                             jdoubleArray reals, jintArray devices, jbyteArray mask,
                                                             jbyteArray scratch, jobject object, jboolean watched,
                                                             jint fail_after, jlongArray out)
{
    (void)class;
    jint i[OPTION_INTS];
    jlong l[OPTION_LONGS];
    jdouble d[OPTION_REALS];
    jint numbers[ENDO_MAX_DEVICES] = {0};
    jsize n = (*env)->GetArrayLength(env, devices);
    int ok = 1;
    if (!endo_jni_get_ints(env, ints, OPTION_INTS, i) || !endo_jni_get_doubles(env, reals, OPTION_REALS, d) ||
        !endo_jni_get_ints(env, devices, n < ENDO_MAX_DEVICES ? n : ENDO_MAX_DEVICES, numbers))
        return endo_jni_failed(env);
    (*env)->GetLongArrayRegion(env, longs, 0, OPTION_LONGS, l);
    mosaic_bridge *b = (*env)->ExceptionCheck(env) ? NULL : calloc(1, sizeof *b);
    if (!b)
        return endo_jni_failed(env);
    endo_mosaic_options options = mosaic_options(i, l, d);
    options.context.n_devices = n;
    for (int k = 0; k < ENDO_MAX_DEVICES; k++)
        options.context.devices[k] = numbers[k];
    char *folder = text_of(env, scratch, &ok);
    b->mask = ok ? (uint8_t *)text_of(env, mask, &ok) : NULL;
    options.scratch = folder;
    options.mask = b->mask;
    endo_status status = ok ? create(env, b, &options, object, watched) : endo_jni_failed(env);
    free(folder);
    if (status != ENDO_OK) {
        destroy(env, b);
        return status;
    }
    if (fail_after > 0)
        endo_mosaic_fail_after(b->mosaic, fail_after);
    endo_jni_set_handle(env, out, b);
    return ENDO_OK;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_mosaicDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)class;
    destroy(env, endo_jni_pointer(handle));
}

/* --------------------------------------------------- frames and edges, flat */

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
    i[17] = 0;
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
    };
    memcpy(f.pose.matrix, d, sizeof f.pose.matrix);
    memcpy(f.chained.matrix, d + 9, sizeof f.chained.matrix);
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
    };
    memcpy(e.transform.matrix, d, sizeof e.transform.matrix);
    return e;
}

/* Copies the numbers of n records from or into two Java arrays. */
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

/* Reads n records, for free(). NULL: it failed, with a message or a pending exception. */
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

static endo_mosaic_edge *get_edges(JNIEnv *env, jdoubleArray reals, jintArray ints, jint n)
{
    flat f = {0};
    int ok = get_flat(env, reals, ints, n, EDGE_REALS, EDGE_INTS, &f);
    endo_mosaic_edge *edges = ok ? endo_jni_alloc(n, sizeof *edges) : NULL;
    for (jint k = 0; edges && k < n; k++)
        edges[k] = edge_of(f.reals + (size_t)k * EDGE_REALS, f.ints + (size_t)k * EDGE_INTS);
    free_flat(&f);
    return edges;
}

static int set_frames(JNIEnv *env, const endo_mosaic_frame *frames, jint n, jdoubleArray reals, jintArray ints)
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

static int set_edges(JNIEnv *env, const endo_mosaic_edge *edges, jint n, jdoubleArray reals, jintArray ints)
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

/* ------------------------------------------------------------------- runs */

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicRun(JNIEnv *env, jclass class, jlong handle, jint count, jint width,
                                                          jint height, jint type, jboolean at_hand, jboolean pairs_alone)
{
    (void)env, (void)class;
    mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_source source = endo_jni_source(b, count, width, height, type, at_hand);
    return pairs_alone ? endo_mosaic_register(b->mosaic, &source) : endo_mosaic_run(b->mosaic, &source);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicPaint(JNIEnv *env, jclass class, jlong handle, jint count, jint width,
                                                            jint height, jint type, jboolean at_hand, jdoubleArray reals,
                                                            jintArray ints)
{
    (void)class;
    mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_source source = endo_jni_source(b, count, width, height, type, at_hand);
    endo_mosaic_frame *frames = endo_jni_get_frames(env, reals, ints, count);
    endo_status status = frames ? endo_mosaic_paint(b->mosaic, &source, frames, count) : endo_jni_failed(env);
    free(frames);
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicSolve(JNIEnv *env, jclass class, jlong handle, jint width, jint height,
                                                            jdouble spread, jint n, jdoubleArray frame_reals,
                                                            jintArray frame_ints, jint n_edges, jdoubleArray edge_reals,
                                                            jintArray edge_ints)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_frame *frames = endo_jni_get_frames(env, frame_reals, frame_ints, n);
    endo_mosaic_edge *edges = frames ? get_edges(env, edge_reals, edge_ints, n_edges) : NULL;
    endo_status status = edges ? endo_mosaic_solve(b->mosaic, width, height, spread, frames, n, edges, n_edges)
                               : endo_jni_failed(env);
    if (status == ENDO_OK && !set_frames(env, frames, n, frame_reals, frame_ints))
        status = endo_jni_failed(env);
    free(frames);
    free(edges);
    return status;
}

/* ---------------------------------------------------------------- results */

JNIEXPORT void JNICALL Java_endorama_jni_Native_mosaicCounts(JNIEnv *env, jclass class, jlong handle, jintArray counts)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    int32_t frames;
    int32_t edges;
    endo_mosaic_frames(b->mosaic, &frames);
    endo_mosaic_edges(b->mosaic, &edges);
    const jint numbers[] = {frames, edges, endo_mosaic_components(b->mosaic)};
    endo_jni_set_ints(env, counts, 3, numbers);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicFrames(JNIEnv *env, jclass class, jlong handle, jdoubleArray reals,
                                                             jintArray ints)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    int32_t n;
    const endo_mosaic_frame *frames = endo_mosaic_frames(b->mosaic, &n);
    return set_frames(env, frames, n, reals, ints) ? ENDO_OK : endo_jni_failed(env);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicEdges(JNIEnv *env, jclass class, jlong handle, jdoubleArray reals,
                                                            jintArray ints)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    int32_t n;
    const endo_mosaic_edge *edges = endo_mosaic_edges(b->mosaic, &n);
    return set_edges(env, edges, n, reals, ints) ? ENDO_OK : endo_jni_failed(env);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicDescribe(JNIEnv *env, jclass class, jlong handle, jint component,
                                                               jdoubleArray numbers)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    endo_mosaic_panorama p;
    endo_status status = endo_mosaic_describe(b->mosaic, component, &p);
    if (status != ENDO_OK)
        return status;
    const double made[PANORAMA_REALS] = {p.width, p.height, p.frames, p.origin_x, p.origin_y, p.scale, p.extras};
    return endo_jni_set_doubles(env, numbers, PANORAMA_REALS, made) ? ENDO_OK : endo_jni_failed(env);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicSnapshot(JNIEnv *env, jclass class, jlong handle, jint canvas)
{
    (void)env, (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    return endo_mosaic_snapshot(b->mosaic, canvas);
}

/* Memory for the requested parts of a panorama; the others are NULL. */
typedef struct pictures {
    void *pixels;
    uint8_t *painted;
    uint16_t *coverage;
    uint16_t *uncertainty;
} pictures;

static void free_pictures(pictures *p)
{
    free(p->pixels);
    free(p->painted);
    free(p->coverage);
    free(p->uncertainty);
}

static int set_shorts(JNIEnv *env, jshortArray array, jsize offset, jsize n, const uint16_t *memory)
{
    return !memory || endo_jni_set_pixels(env, array, ENDO_GREY16, offset, n, memory);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_mosaicRead(JNIEnv *env, jclass class, jlong handle, jint component, jint y,
                                                           jint width, jint height, jint type, jint offset, jobject pixels,
                                                           jbyteArray painted, jshortArray coverage, jshortArray uncertainty)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    jlong n = (jlong)width * height;
    pictures p = {0};
    int ok = (!pixels || (p.pixels = endo_jni_alloc(n, endo_pixel_size((endo_pixel)type)))) &&
             (!painted || (p.painted = endo_jni_alloc(n, 1))) &&
             (!coverage || (p.coverage = endo_jni_alloc(n, sizeof *p.coverage))) &&
             (!uncertainty || (p.uncertainty = endo_jni_alloc(n, sizeof *p.uncertainty)));
    endo_status status = ok ? endo_mosaic_read(b->mosaic, component, 0, y, width, height, p.pixels, p.painted, p.coverage,
                                               p.uncertainty)
                            : endo_jni_failed(env);
    if (status == ENDO_OK &&
        !((!pixels || endo_jni_set_pixels(env, pixels, (endo_pixel)type, offset, (jsize)n, p.pixels)) &&
          (!painted || endo_jni_set_bytes(env, painted, offset, (jsize)n, p.painted)) &&
          set_shorts(env, coverage, offset, (jsize)n, p.coverage) &&
          set_shorts(env, uncertainty, offset, (jsize)n, p.uncertainty)))
        status = endo_jni_failed(env);
    free_pictures(&p);
    return status;
}

JNIEXPORT jbyteArray JNICALL Java_endorama_jni_Native_mosaicText(JNIEnv *env, jclass class, jlong handle, jint which)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    const char *const texts[] = {
        endo_mosaic_backend(b->mosaic),
        endo_mosaic_field_description(b->mosaic),
        endo_mosaic_light_description(b->mosaic),
    };
    return endo_jni_utf8(env, texts[which]);
}

JNIEXPORT jboolean JNICALL Java_endorama_jni_Native_mosaicField(JNIEnv *env, jclass class, jlong handle, jint n,
                                                                jbyteArray mask, jdoubleArray spread)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    const uint8_t *field = endo_mosaic_field_mask(b->mosaic);
    const double wide = endo_mosaic_field_spread(b->mosaic);
    endo_jni_set_doubles(env, spread, 1, &wide);
    return field && endo_jni_set_bytes(env, mask, 0, n, field);
}

JNIEXPORT jboolean JNICALL Java_endorama_jni_Native_mosaicLight(JNIEnv *env, jclass class, jlong handle, jdoubleArray numbers)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    const endo_light_report *r = endo_mosaic_light(b->mosaic);
    if (!r)
        return JNI_FALSE;
    double made[LIGHT_REALS + ENDO_LIGHT_CURVE] = {(double)r->found, r->deviation, r->x,      r->y,
                                                   r->rim,           r->flicker,   r->colour, r->rest};
    memcpy(made + LIGHT_REALS, r->curve, sizeof r->curve);
    return (jboolean)endo_jni_set_doubles(env, numbers, LIGHT_REALS + ENDO_LIGHT_CURVE, made);
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_mosaicSpent(JNIEnv *env, jclass class, jlong handle, jdoubleArray seconds)
{
    (void)class;
    const mosaic_bridge *b = endo_jni_pointer(handle);
    const endo_mosaic_times t = endo_mosaic_spent(b->mosaic);
    const double made[TIMES] = {t.start, t.field, t.read, t.put, t.pairs, t.loops, t.light, t.paint, t.panorama};
    endo_jni_set_doubles(env, seconds, TIMES, made);
}
