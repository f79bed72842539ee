/* Natives of endorama.jni.Native for devices: a list of them, the back end that suits a job, and a check of results. */
#include "endorama_jni_Native.h"

#include "endorama/devices.h"
#include "staging.h"

/* Stores a text in a String[1]. */
static void set_text(JNIEnv *env, jobjectArray out, const char *text)
{
    jstring string = (*env)->NewStringUTF(env, text);
    if (string)
        (*env)->SetObjectArrayElement(env, out, 0, string);
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_deviceCount(JNIEnv *env, jclass class, jobjectArray out)
{
    (void)class;
    char reason[256] = "";
    int n = endo_device_count(reason, sizeof reason);
    set_text(env, out, reason);
    return n;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_deviceDescribe(JNIEnv *env, jclass class, jint device,
                                                               jobjectArray name, jlongArray numbers)
{
    (void)class;
    endo_device_info info;
    endo_status status = endo_device_describe(device, &info);
    if (status == ENDO_OK) {
        jlong values[6] = {info.major,         info.minor,
                           info.multiprocessors, (jlong)info.memory,
                           (jlong)info.free_memory, info.usable};
        (*env)->SetLongArrayRegion(env, numbers, 0, 6, values);
        if (!(*env)->ExceptionCheck(env))
            set_text(env, name, info.name);
    }
    return status;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_cudaVersion(JNIEnv *env, jclass class)
{
    (void)env, (void)class;
    return endo_cuda_version();
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_cudaDriverVersion(JNIEnv *env, jclass class)
{
    (void)env, (void)class;
    return endo_cuda_driver_version();
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_backendChoose(JNIEnv *env, jclass class, jint width, jint height,
                                                              jint type, jlong frames, jint threads,
                                                              jobjectArray out)
{
    (void)class;
    char reason[256] = "";
    endo_backend choice = ENDO_BACKEND_CPU;
    const endo_backend_job job = {
        .width = width,
        .height = height,
        .type = (endo_pixel)type,
        .frames = frames,
        .threads = threads,
    };
    endo_backend_choose(&job, &choice, reason, sizeof reason);
    set_text(env, out, reason);
    return choice;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_backendChooseMutual(JNIEnv *env, jclass class, jint width, jint height,
                                                                    jint depth, jlong registrations, jint threads,
                                                                    jobjectArray out)
{
    (void)class;
    char reason[256] = "";
    endo_backend choice = ENDO_BACKEND_CPU;
    const endo_backend_mutual_job job = {
        .width = width,
        .height = height,
        .depth = depth,
        .registrations = registrations,
        .threads = threads,
    };
    endo_backend_choose_mutual(&job, &choice, reason, sizeof reason);
    set_text(env, out, reason);
    return choice;
}

JNIEXPORT jint JNICALL Java_endorama_jni_Native_selfTest(JNIEnv *env, jclass class, jint backend, jint threads,
                                                         jint cpu, jint device, jlong memory_limit,
                                                         jdoubleArray out)
{
    (void)class;
    endo_context_options options = endo_jni_context_options(backend, threads, cpu, device, memory_limit);
    int agrees;
    double seconds;
    endo_status status = endo_self_test(&options, &agrees, &seconds);
    if (status == ENDO_OK) {
        double numbers[2] = {agrees, seconds};
        endo_jni_set_doubles(env, out, 2, numbers);
    }
    return status;
}

JNIEXPORT jstring JNICALL Java_endorama_jni_Native_fourierLibrary(JNIEnv *env, jclass class, jobjectArray error)
{
    (void)class;
    char text[256] = "";
    if (endo_cuda_fourier_library(text, sizeof text))
        return (*env)->NewStringUTF(env, text);
    set_text(env, error, text);
    return NULL;
}
