/* Natives of endorama.jni.Native for pixels of files. */
#include "endorama_jni_Native.h"

#include "endorama/frames.h"
#include "staging.h"

JNIEXPORT jint JNICALL Java_endorama_jni_Native_coloursFromBytes(JNIEnv *env, jclass class, jbyteArray bytes, jint samples,
                                                                 jint n, jintArray pixels, jint first)
{
    /* Both arrays are held while the loop runs: it is itself the copy, of a few rows. */
    (void)class;
    const uint8_t *from = endo_jni_hold(env, bytes, (jlong)n * samples);
    uint32_t *to = from ? (*env)->GetPrimitiveArrayCritical(env, pixels, NULL) : NULL;
    endo_status status = to ? endo_colours_from_bytes(from, samples, (size_t)n, to + first) : ENDO_OK;
    if (to)
        (*env)->ReleasePrimitiveArrayCritical(env, pixels, to, 0);
    if (from)
        endo_jni_let_go(env, bytes, from);
    return to ? status : endo_jni_failed(env);
}
