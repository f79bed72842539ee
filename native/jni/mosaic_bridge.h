/* The Java side of a mosaic: frames, events and questions of a run go to one object, the bridge. */
#ifndef ENDO_JNI_MOSAIC_BRIDGE_H
#define ENDO_JNI_MOSAIC_BRIDGE_H

#include <jni.h>

#include "endorama/mosaic.h"

/* Lengths of the flat arrays of registration options. */
enum { PAIR_INTS = 8, PAIR_REALS = 3 };

/* The Java handle of a mosaic. */
typedef struct mosaic_bridge {
    endo_mosaic *mosaic;
    JavaVM *machine;
    jobject object; /* endorama.jni.MosaicBridge */
    jmethodID lend, reason, give_back, name, number, event, progress, cancelled, painted;
    uint8_t *mask; /* the given field of view; NULL: none */
    char *scratch; /* the folder for what exceeds the memory; NULL: none */
    int has_failed; /* Java threw an exception in a callback: the run ends */
    char label[ENDO_REASON_SIZE];
} mosaic_bridge;

/* The sequence of a run, whose frames Java provides. */
endo_mosaic_source endo_jni_source(mosaic_bridge *b, jint count, jint width, jint height, jint type, jboolean at_hand);

/* The source of the other image, which Java knows by this number; called before endo_jni_source. */
#define ENDO_JNI_ONTO (-1)
endo_mosaic_source endo_jni_onto(mosaic_bridge *b, jint width, jint height, jint type);

/* Sends events, progress and questions to the object from here on; 0: it failed, with a message or a pending exception. */
int endo_jni_bridge_open(JNIEnv *env, mosaic_bridge *b, jobject object);
void endo_jni_bridge_close(JNIEnv *env, mosaic_bridge *b); /* also if it was not opened */

/* watched: the panorama is shown as it grows. */
endo_mosaic_hooks endo_jni_hooks(mosaic_bridge *b, jboolean watched);

/* The arrays of MosaicOptions; mask and scratch may be NULL. */
typedef struct option_arrays {
    jintArray ints;
    jlongArray longs;
    jdoubleArray reals;
    jintArray devices;
    jbyteArray mask, scratch;
} option_arrays;

/* Reads the options of a mosaic, whose mask and folder belong to the bridge; 0: it failed, with a message or an exception. */
int endo_jni_get_options(JNIEnv *env, mosaic_bridge *b, const option_arrays *arrays, endo_mosaic_options *out);

/* Reads the arrays of RegisterOptions. */
void endo_jni_set_pairs(const jint i[PAIR_INTS], const jdouble d[PAIR_REALS], endo_pairs_options *pairs);

/* UTF-8 as a byte[], since JNI's encoding of strings differs from UTF-8; NULL: no memory. */
jbyteArray endo_jni_utf8(JNIEnv *env, const char *text);

#endif
