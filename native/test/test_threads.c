/* A context never asks for more threads than the system has: where address space does for a few stacks only, it gets
 * few, says so, and computes the same. (OpenMP would end the process.) */
#include "base/threads.h"
#include "include/endorama.h"
#include "check.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 1024 };

static uint8_t image[SIZE * SIZE], once[SIZE * SIZE], again[SIZE * SIZE];

static long long pages_in_use(void) {
    long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lld", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return pages;
}

/* Room for so much more than what is in use. */
static int allow(long long more) {
    long long bytes = pages_in_use() * sysconf(_SC_PAGESIZE) + more;
    struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
    return setrlimit(RLIMIT_AS, &limit) == 0;
}

static int equalize(int threads, uint8_t *out, int *team, char *note, size_t size) {
    endo_context_options options = endo_context_options_default();
    endo_ahe_options ahe = endo_ahe_options_default();
    endo_context *context = NULL;
    options.backend = ENDO_BACKEND_CPU;
    options.threads = threads;
    if (endo_context_create(&options, &context) != ENDO_OK) return 0;
    endo_status status = endo_ahe_apply(context, &(endo_image){image, ENDO_GREY8, SIZE, SIZE, SIZE}, NULL, &ahe, out, SIZE);
    *team = endo_context_threads(context);
    snprintf(note, size, "%s", endo_context_note(context));
    endo_context_destroy(&context);
    return status == ENDO_OK;
}

static void test_enough(void) {
    int team = 0;
    char note[400];
    CHECK(equalize(2, once, &team, note, sizeof note));
    CHECK(team == 2 && note[0] == 0);
    CHECK(endo_threads_obtainable(1) == 1 && endo_threads_obtainable(3) == 3 && endo_threads_obtainable(0) == 1);
}

/* In a process of its own, so that the others are not limited, and before OpenMP has threads here, which a child does
 * not have. 0: as wanted. */
static int limited(void) {
    int team = 0;
    char note[400];
    struct rlimit stack;
    if (!equalize(1, once, &team, note, sizeof note)) return 6;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY) stack.rlim_cur = 2 << 20;
    if (!allow((long long)stack.rlim_cur * 20 + (8 << 20))) return 1;
    if (!equalize(200, again, &team, note, sizeof note)) return 2;
    if (team < 1 || team > 10) return 3; /* of 20 to 24 that there are */
    if (strncmp(note, "threads 200: the system lets this process have ", 47) != 0) return 4;
    return memcmp(once, again, sizeof once) ? 5 : 0;
}

static void test_few(void) {
#ifdef __SANITIZE_ADDRESS__
    printf("SKIP: the sanitizer needs the address space\n");
    return;
#endif
    int status = 0;
    pid_t child = fork();
    if (child == 0) _exit(limited());
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    if (WEXITSTATUS(status)) printf("ended with %d\n", WEXITSTATUS(status));
    CHECK(WEXITSTATUS(status) == 0);
}

int main(void) {
    test_random random = {5};
    for (int i = 0; i < SIZE * SIZE; i++) image[i] = (uint8_t)test_between(&random, 0, 255);
    test_few();
    test_enough();
    return check_summary("test_threads");
}
