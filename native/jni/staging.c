/* Copies between Java arrays and memory, and failure messages (staging.h). */
#include "staging.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- failures */

/* Message of the natives' last failure; valid, and newer than the library's, while `failure` is not ENDO_OK. */
static _Thread_local char message[256];
static _Thread_local endo_status failure;

endo_status endo_jni_fail(endo_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return failure = status;
}

endo_status endo_jni_failed(JNIEnv *env)
{
    if ((*env)->ExceptionCheck(env)) {
        failure = ENDO_OK;
        return ENDO_ERR_ARGUMENT;
    }
    return failure ? failure : endo_jni_fail(ENDO_ERR_MEMORY, "out of memory while copying an array to the library");
}

const char *endo_jni_last_error(void)
{
    const char *last = failure ? message : endo_last_error();
    failure = ENDO_OK;
    return last;
}

/* ------------------------------------------------------------------ memory */

void *endo_jni_alloc(jlong n, size_t size)
{
    if (n < 0 || n > INT32_MAX) {
        endo_jni_fail(ENDO_ERR_ARGUMENT, "%" PRId64 " elements: an array of Java has 0..%" PRId32, (int64_t)n, INT32_MAX);
        return NULL;
    }
    void *memory = malloc(n && size ? (size_t)n * size : 1);
    if (!memory)
        endo_jni_fail(ENDO_ERR_MEMORY, "out of memory: no room for %" PRId64 " elements of %zu bytes", (int64_t)n, size);
    return memory;
}

/* ------------------------------------------------------------------ copies */


int endo_jni_get_pixels(JNIEnv *env, jobject array, endo_pixel type, jsize n, void *memory)
{
    switch (type) {
    case ENDO_GREY8:
        (*env)->GetByteArrayRegion(env, array, 0, n, memory);
        break;
    case ENDO_GREY16:
        (*env)->GetShortArrayRegion(env, array, 0, n, memory);
        break;
    default:
        (*env)->GetIntArrayRegion(env, array, 0, n, memory);
    }
    return !(*env)->ExceptionCheck(env);
}

int endo_jni_set_pixels(JNIEnv *env, jobject array, endo_pixel type, jsize offset, jsize n,
                        const void *memory)
{
    switch (type) {
    case ENDO_GREY8:
        (*env)->SetByteArrayRegion(env, array, offset, n, memory);
        break;
    case ENDO_GREY16:
        (*env)->SetShortArrayRegion(env, array, offset, n, memory);
        break;
    default:
        (*env)->SetIntArrayRegion(env, array, offset, n, memory);
    }
    return !(*env)->ExceptionCheck(env);
}

const void *endo_jni_hold(JNIEnv *env, jobject array, jlong n)
{
    jlong length = (*env)->GetArrayLength(env, array);
    if (n >= 0 && length >= n)
        return (*env)->GetPrimitiveArrayCritical(env, array, NULL);
    endo_jni_fail(ENDO_ERR_ARGUMENT, "pixels: %lld elements, needed %lld", (long long)length, (long long)n);
    return NULL;
}

void endo_jni_let_go(JNIEnv *env, jobject array, const void *memory)
{
    (*env)->ReleasePrimitiveArrayCritical(env, array, (void *)memory, JNI_ABORT);
}

int endo_jni_get_bytes(JNIEnv *env, jbyteArray array, jsize n, void *memory)
{
    (*env)->GetByteArrayRegion(env, array, 0, n, memory);
    return !(*env)->ExceptionCheck(env);
}

int endo_jni_set_bytes(JNIEnv *env, jbyteArray array, jsize offset, jsize n, const void *memory)
{
    (*env)->SetByteArrayRegion(env, array, offset, n, memory);
    return !(*env)->ExceptionCheck(env);
}

int endo_jni_get_ints(JNIEnv *env, jintArray array, jsize n, void *memory)
{
    (*env)->GetIntArrayRegion(env, array, 0, n, memory);
    return !(*env)->ExceptionCheck(env);
}

int endo_jni_set_ints(JNIEnv *env, jintArray array, jsize n, const jint *memory)
{
    (*env)->SetIntArrayRegion(env, array, 0, n, memory);
    return !(*env)->ExceptionCheck(env);
}

int endo_jni_get_doubles(JNIEnv *env, jdoubleArray array, jsize n, double *memory)
{
    (*env)->GetDoubleArrayRegion(env, array, 0, n, memory);
    return !(*env)->ExceptionCheck(env);
}

int endo_jni_set_doubles(JNIEnv *env, jdoubleArray array, jsize n, const double *memory)
{
    (*env)->SetDoubleArrayRegion(env, array, 0, n, memory);
    return !(*env)->ExceptionCheck(env);
}

void endo_jni_set_handle(JNIEnv *env, jlongArray out, const void *pointer)
{
    jlong handle = (jlong)(intptr_t)pointer;
    (*env)->SetLongArrayRegion(env, out, 0, 1, &handle);
}

/* ----------------------------------------------------------------- objects */

endo_context_options endo_jni_context_options(jint backend, jint threads, jint cpu, jint device,
                                              jlong memory_limit)
{
    endo_context_options options = endo_context_options_default();
    options.backend = (endo_backend)backend;
    options.threads = threads;
    options.cpu = (endo_cpu)cpu;
    options.device = device;
    options.memory_limit = memory_limit > 0 ? (size_t)memory_limit : 0;
    return options;
}
