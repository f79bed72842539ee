/* The bridge of a mosaic: threads of the library that call Java, and the callbacks by which frames, events and questions go to
 * one object of Java, whose methods never throw. */
#include "mosaic_bridge.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    (*env)->CallVoidMethod(env, b->object, b->event, (jint)event->level, (jint)event->kind, (jint)event->first,
                           (jint)event->last, text);
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

static int32_t number(void *user, int32_t frame)
{
    mosaic_bridge *b = user;
    JNIEnv *env = env_of(b);
    jint number = env ? (*env)->CallIntMethod(env, b->object, b->number, (jint)frame) : 0;
    return !env || settle(env, b) ? 0 : number;
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
        .number = number,
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
    source.number = NULL;
    return source;
}

/* ------------------------------------------------------- opening and closing */

static int find_methods(JNIEnv *env, mosaic_bridge *b)
{
    jclass class = (*env)->GetObjectClass(env, b->object);
    return (b->lend = (*env)->GetMethodID(env, class, "lend", "(I)Ljava/lang/Object;")) &&
           (b->reason = (*env)->GetMethodID(env, class, "reason", "()[B")) &&
           (b->give_back = (*env)->GetMethodID(env, class, "giveBack", "(ILjava/lang/Object;)V")) &&
           (b->name = (*env)->GetMethodID(env, class, "name", "(I)[B")) &&
           (b->number = (*env)->GetMethodID(env, class, "number", "(I)I")) &&
           (b->event = (*env)->GetMethodID(env, class, "event", "(IIII[B)V")) &&
           (b->progress = (*env)->GetMethodID(env, class, "progress", "(D)V")) &&
           (b->cancelled = (*env)->GetMethodID(env, class, "cancelled", "()Z")) &&
           (b->painted = (*env)->GetMethodID(env, class, "painted", "(I)V"));
}

void endo_jni_bridge_close(JNIEnv *env, mosaic_bridge *b)
{
    if (b->object)
        (*env)->DeleteGlobalRef(env, b->object);
    free(b->mask);
    free(b->scratch);
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
