/* Shared by the files of natives, one an area: copies of Java arrays, so that nothing of the Java heap is held while the
 * library computes; memory for them; and the message of what failed before the library was asked.
 *
 * A native copies the arrays in, calls the library, and copies the results out: no logic. The Java side has checked
 * types and lengths; an array that is too short still only raises a Java exception, because every copy goes through
 * Get/Set...ArrayRegion, but those that ask for the length themselves (endo_jni_hold, ahePut, aheGet). */
#ifndef ENDO_JNI_STAGING_H
#define ENDO_JNI_STAGING_H

#include <jni.h>

#include "endorama/context.h"
#include "endorama/transform.h"

/* ---------------------------------------------------------------- failures */

/* Records the calling thread's message (printf style) and returns status. */
endo_status endo_jni_fail(endo_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The status of a native whose arrays could not be had: a Java exception is pending, or endo_jni_fail has a message; else
 * memory ran out, and the message says so. */
endo_status endo_jni_failed(JNIEnv *env);

/* Message of the calling thread's last failure: that of endo_jni_fail, which is read once, else the library's. */
const char *endo_jni_last_error(void);

/* ------------------------------------------------------------------ memory */

/* Memory for n elements of `size` bytes, for free(), to be copied to or from a Java array. NULL, with a message, if no array
 * can have so many, or without memory. n is a product made in 64 bits. */
void *endo_jni_alloc(jlong n, size_t size);

/* ------------------------------------------------------------------ copies */

/* Copies n elements of a Java array (byte[], short[] or int[] by type) to or from memory. 0, with a pending exception, if
 * the array is shorter. */
int endo_jni_get_pixels(JNIEnv *env, jobject array, endo_pixel type, jsize n, void *memory);
int endo_jni_set_pixels(JNIEnv *env, jobject array, endo_pixel type, jsize offset, jsize n,
                        const void *memory);

/* Holds a Java array of at least n pixels itself, read only, until endo_jni_let_go. Meanwhile JNI must not be called or
 * waited for, and garbage collection waits: for short calls that a copy would slow down. NULL: it failed, with a message or
 * a pending exception. */
const void *endo_jni_hold(JNIEnv *env, jobject array, jlong n);
void endo_jni_let_go(JNIEnv *env, jobject array, const void *memory);

int endo_jni_get_bytes(JNIEnv *env, jbyteArray array, jsize n, void *memory);
int endo_jni_set_bytes(JNIEnv *env, jbyteArray array, jsize offset, jsize n, const void *memory);
int endo_jni_get_ints(JNIEnv *env, jintArray array, jsize n, void *memory);
int endo_jni_set_ints(JNIEnv *env, jintArray array, jsize n, const jint *memory);
int endo_jni_get_doubles(JNIEnv *env, jdoubleArray array, jsize n, double *memory);
int endo_jni_set_doubles(JNIEnv *env, jdoubleArray array, jsize n, const double *memory);

/* Stores a pointer in a long[1]. */
void endo_jni_set_handle(JNIEnv *env, jlongArray out, const void *pointer);

/* ----------------------------------------------------------------- objects */

/* The default options, except these. */
endo_context_options endo_jni_context_options(jint backend, jint threads, jint cpu, jint device,
                                              jlong memory_limit);

static inline void *endo_jni_pointer(jlong handle)
{
    return (void *)(intptr_t)handle;
}

#endif
