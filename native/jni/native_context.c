/* Natives of endorama.jni.Native for the library itself and its contexts. */
#include "endorama_jni_Native.h"

#include <stdlib.h>

#include "endorama/context.h"
#include "staging.h"

JNIEXPORT jint JNICALL Java_endorama_jni_Native_abi(JNIEnv *env, jclass class)
{
    (void)env, (void)class;
    return endo_abi();
}

JNIEXPORT jstring JNICALL Java_endorama_jni_Native_version(JNIEnv *env, jclass class)
{
    (void)class;
    return (*env)->NewStringUTF(env, endo_version());
}

JNIEXPORT jstring JNICALL Java_endorama_jni_Native_lastError(JNIEnv *env, jclass class)
{
    (void)class;
    return (*env)->NewStringUTF(env, endo_jni_last_error());
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_contextCreate(JNIEnv *env, jclass class, jint backend,
                                                              jint threads, jint cpu, jintArray devices,
                                                              jlong memory_limit, jlongArray out)
{
    (void)class;
    endo_context_options options = endo_jni_context_options(backend, threads, cpu, 0, memory_limit);
    jint numbers[ENDO_MAX_DEVICES];
    options.n_devices = (*env)->GetArrayLength(env, devices);
    if (options.n_devices > ENDO_MAX_DEVICES) /* the library says what is allowed */
        return endo_context_create(&options, &(endo_context *){NULL});
    if (!endo_jni_get_ints(env, devices, options.n_devices, numbers))
        return endo_jni_failed(env);
    for (int i = 0; i < options.n_devices; i++)
        options.devices[i] = numbers[i];
    endo_context *context = NULL;
    endo_status status = endo_context_create(&options, &context);
    if (status == ENDO_OK)
        endo_jni_set_handle(env, out, context);
    return status;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_contextDestroy(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    endo_context *context = endo_jni_pointer(handle);
    endo_context_destroy(&context);
}

JNIEXPORT jstring JNICALL Java_endorama_jni_Native_contextDescription(JNIEnv *env, jclass class, jlong handle)
{
    (void)class;
    return (*env)->NewStringUTF(env, endo_context_description(endo_jni_pointer(handle)));
}

JNIEXPORT jstring JNICALL Java_endorama_jni_Native_contextNote(JNIEnv *env, jclass class, jlong handle)
{
    (void)class;
    return (*env)->NewStringUTF(env, endo_context_note(endo_jni_pointer(handle)));
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_contextThreads(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    return endo_context_threads(endo_jni_pointer(handle));
}

/* ------------------------------------------------------------------ cancel */

/* A BooleanSupplier that long calls ask whether to stop. */
typedef struct cancel_hook {
    JavaVM *machine;
    jobject supplier;
    jmethodID ask;
} cancel_hook;

/* Called by the thread that called the library from Java. An exception of the supplier ends the call, too. */
static int ask(void *user)
{
    const cancel_hook *hook = user;
    JNIEnv *env = NULL;
    if ((*hook->machine)->GetEnv(hook->machine, (void **)&env, JNI_VERSION_1_8) != JNI_OK)
        return 0;
    if ((*env)->ExceptionCheck(env))
        return 1;
    jboolean stop = (*env)->CallBooleanMethod(env, hook->supplier, hook->ask);
    return (*env)->ExceptionCheck(env) || stop;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_contextSetCancel(JNIEnv *env, jclass class, jlong context,
                                                                 jobject supplier, jlongArray out)
{
    (void)class;
    cancel_hook *hook = endo_jni_alloc(1, sizeof *hook);
    if (!hook)
        return endo_jni_failed(env);
    hook->ask = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, supplier), "getAsBoolean", "()Z");
    hook->supplier = hook->ask ? (*env)->NewGlobalRef(env, supplier) : NULL;
    if (!hook->supplier || (*env)->GetJavaVM(env, &hook->machine) != JNI_OK) {
        free(hook);
        return endo_jni_failed(env);
    }
    endo_context_set_cancel(endo_jni_pointer(context), ask, hook);
    endo_jni_set_handle(env, out, hook);
    return ENDO_OK;
}

JNIEXPORT void JNICALL Java_endorama_jni_Native_contextClearCancel(JNIEnv *env, jclass class, jlong context,
                                                                   jlong handle)
{
    (void)class;
    cancel_hook *hook = endo_jni_pointer(handle);
    endo_context_set_cancel(endo_jni_pointer(context), NULL, NULL);
    (*env)->DeleteGlobalRef(env, hook->supplier);
    free(hook);
}
