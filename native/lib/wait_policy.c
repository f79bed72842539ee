/*
 * libendorama-wait.so: lets the threads of GCC's OpenMP runtime (libgomp) sleep while they wait for work. By default they
 * spin for some milliseconds, which on a busy machine takes the processors from those that have work.
 *
 * libgomp reads OMP_WAIT_POLICY once, when it is loaded, and has no call for it. Java loads this library first, which
 * needs no libgomp, and with enter and leave puts the variable into the environment for as long as libendorama.so, and
 * with it libgomp, is being loaded. What the user has set, and a libgomp that is there already, stay as they are.
 *
 * setenv may free the environment that another thread of Java is reading. So the whole of it is copied, the copy put into
 * its place with one store, and taken away in the same way; it is never freed, so that whoever reads either one reads
 * whole strings. What another thread sets meanwhile by setenv wins; only what it changes within these milliseconds by
 * changing an entry that is there could be lost.
 */
#include <jni.h>
#include <stdlib.h>
#include <string.h>

#include "endorama_jni_WaitPolicy.h"

extern char **environ;

static char passive[] = "OMP_WAIT_POLICY=passive";
static char **before;
static char **copy;

static int is_decided(void) {
    return getenv("OMP_WAIT_POLICY") != NULL || getenv("GOMP_SPINCOUNT") != NULL;
}

/* The environment with one more entry; NULL without memory. */
static char **with_passive(char **from) {
    size_t n = 0;
    while (from != NULL && from[n] != NULL) n++;
    char **to = malloc((n + 2) * sizeof *to);
    if (to == NULL) return NULL;
    if (n > 0) memcpy(to, from, n * sizeof *to);
    to[n] = passive;
    to[n + 1] = NULL;
    return to;
}

JNIEXPORT jboolean JNICALL Java_endorama_jni_WaitPolicy_enter(JNIEnv *env, jclass type) {
    (void)env;
    (void)type;
    if (is_decided()) return JNI_FALSE;
    before = __atomic_load_n(&environ, __ATOMIC_ACQUIRE);
    copy = with_passive(before);
    if (copy == NULL) return JNI_FALSE;
    char **expected = before;
    return __atomic_compare_exchange_n(&environ, &expected, copy, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

JNIEXPORT void JNICALL Java_endorama_jni_WaitPolicy_leave(JNIEnv *env, jclass type) {
    (void)env;
    (void)type;
    char **expected = copy;
    __atomic_compare_exchange_n(&environ, &expected, before, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
