/* What a mosaic is to Java, for the natives about it: frames, events and questions go to one object, the bridge. */
#ifndef ENDO_JNI_MOSAIC_BRIDGE_H
#define ENDO_JNI_MOSAIC_BRIDGE_H

#include <jni.h>

#include "endorama/mosaic.h"

/* Numbers of the flat arrays: of how pairs are registered. */
enum { PAIR_INTS = 8, PAIR_REALS = 3 };

/* What a mosaic is to Java: its handle. */
typedef struct mosaic_bridge {
    endo_mosaic *mosaic;
    JavaVM *machine;
    jobject object; /* endorama.jni.MosaicBridge */
    jmethodID lend, reason, give_back, name, event, progress, cancelled, painted;
    uint8_t *mask; /* the field of view that was given; NULL: none */
    int has_failed; /* Java threw where it must not: the run ends */
    char label[ENDO_REASON_SIZE];
} mosaic_bridge;

/* The sequence that Java has, for one run. */
endo_mosaic_source endo_jni_source(mosaic_bridge *b, jint count, jint width, jint height, jint type, jboolean at_hand);

/* The other image, which Java knows by this number; before endo_jni_source. */
#define ENDO_JNI_ONTO (-1)
endo_mosaic_source endo_jni_onto(mosaic_bridge *b, jint width, jint height, jint type);

/* Events, progress and questions go to the object from here on; 0, and a message or a pending exception, if that cannot be. */
int endo_jni_bridge_open(JNIEnv *env, mosaic_bridge *b, jobject object);
void endo_jni_bridge_close(JNIEnv *env, mosaic_bridge *b); /* also what was not opened */

/* watched: somebody sees the panorama grow. */
endo_mosaic_hooks endo_jni_hooks(mosaic_bridge *b, jboolean watched);

/* As RegisterOptions has them. */
void endo_jni_set_pairs(const jint i[PAIR_INTS], const jdouble d[PAIR_REALS], endo_pairs_options *pairs);

/* n frames of NativeMosaic.Records. NULL, and a message or a pending exception, if they cannot be had; for free(). */
endo_mosaic_frame *endo_jni_get_frames(JNIEnv *env, jdoubleArray reals, jintArray ints, jint n);

/* UTF-8 as Java's bytes, which its own encoding in JNI is not; NULL without memory. */
jbyteArray endo_jni_utf8(JNIEnv *env, const char *text);

#endif
