/* What jni.h leaves to the system: macOS, 64 bits. */
#ifndef ENDO_JNI_MD_H
#define ENDO_JNI_MD_H

#define JNIEXPORT __attribute__((visibility("default")))
#define JNIIMPORT __attribute__((visibility("default")))
#define JNICALL

typedef int jint;
typedef long jlong;
typedef signed char jbyte;

#endif
