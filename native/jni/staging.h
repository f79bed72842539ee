/* Java arrays in and out by copy: nothing of the Java heap is held while the library computes. What the
 * natives of several files need. */
#ifndef ENDO_JNI_STAGING_H
#define ENDO_JNI_STAGING_H

#include <jni.h>

#include "endorama.h"

/* n elements of a Java array (byte[], short[] or int[] by type) to or from memory. 0, and a pending
 * Java exception, if the array is shorter. */
int endo_jni_get_pixels(JNIEnv *env, jobject array, endo_pixel type, jsize n, void *memory);
int endo_jni_set_pixels(JNIEnv *env, jobject array, endo_pixel type, jsize offset, jsize n,
                        const void *memory);
int endo_jni_get_bytes(JNIEnv *env, jbyteArray array, jsize n, void *memory);
int endo_jni_set_bytes(JNIEnv *env, jbyteArray array, jsize offset, jsize n, const void *memory);
int endo_jni_get_ints(JNIEnv *env, jintArray array, jsize n, void *memory);
int endo_jni_get_doubles(JNIEnv *env, jdoubleArray array, jsize n, double *memory);
int endo_jni_set_doubles(JNIEnv *env, jdoubleArray array, jsize n, const double *memory);

/* Stores a pointer in a long[1]. */
void endo_jni_set_handle(JNIEnv *env, jlongArray out, const void *pointer);

/* What a native returns when its arrays could not be read: a Java exception is pending, or memory ran
 * out, which it then says. */
endo_status endo_jni_failed(JNIEnv *env);

/* The default options but for these. */
endo_context_options endo_jni_context_options(jint backend, jint threads, jint cpu, jint device,
                                              jlong memory_limit);

static inline void *endo_jni_pointer(jlong handle)
{
    return (void *)(intptr_t)handle;
}

#endif
