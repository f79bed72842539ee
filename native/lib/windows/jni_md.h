/* What jni.h leaves to the system: Windows, 64 bits. */
#ifndef ENDO_JNI_MD_H
#define ENDO_JNI_MD_H

#define JNIEXPORT __declspec(dllexport)
#define JNIIMPORT __declspec(dllimport)
#define JNICALL __stdcall

typedef int jint;
typedef long long jlong;
typedef signed char jbyte;

#endif
