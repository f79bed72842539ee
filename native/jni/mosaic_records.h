/* Records of frames and edges as two flat arrays of Java each: real numbers and integers, in the order of NativeMosaic.Records. */
#ifndef ENDO_JNI_MOSAIC_RECORDS_H
#define ENDO_JNI_MOSAIC_RECORDS_H

#include <jni.h>

#include "endorama/mosaic.h"

/* Reads n records, for free(). NULL: it failed, with a message or a pending exception. */
endo_mosaic_frame *endo_jni_get_frames(JNIEnv *env, jdoubleArray reals, jintArray ints, jint n);
endo_mosaic_edge *endo_jni_get_edges(JNIEnv *env, jdoubleArray reals, jintArray ints, jint n);

/* Writes n records. 0: it failed, with a message or a pending exception. */
int endo_jni_set_frames(JNIEnv *env, const endo_mosaic_frame *frames, jint n, jdoubleArray reals, jintArray ints);
int endo_jni_set_edges(JNIEnv *env, const endo_mosaic_edge *edges, jint n, jdoubleArray reals, jintArray ints);

#endif
