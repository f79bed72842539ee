/* fuzz_api [--backend cpu|cuda] [--runs N] [--seed S] [FILE...]
 *
 * Replays files, or runs N inputs made from seeds S, S + 1, ... for compilers without libFuzzer. When a run
 * ends badly its seed or file is named. Without a CUDA device --backend cuda says SKIP, and why. */
#include "fuzz_stores.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES 4096

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
/* Options that the sanitizers of a build read, if it has any: errors end by abort, which names the input, and memory may
 * run out. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__ubsan_default_options(void);

const char *__asan_default_options(void) { return "abort_on_error=1:allocator_may_return_null=1"; }

const char *__ubsan_default_options(void) { return "abort_on_error=1:print_stacktrace=1"; }

static unsigned long long current_seed;
static const char *current_file, *backend = "cpu";

static void name_input(void) {
    if (current_file)
        fprintf(stderr, "fuzz_api: repeat with: fuzz_api --backend %s %s\n", backend, current_file);
    else
        fprintf(stderr, "fuzz_api: repeat with: fuzz_api --backend %s --runs 1 --seed %llu\n", backend, current_seed);
}

static void on_abort(int signal_number) {
    name_input();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static uint64_t next(uint64_t *state) { /* splitmix64 */
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static void run_seed(unsigned long long seed) {
    uint64_t state = seed;
    size_t size = 64 + next(&state) % (next(&state) % 4 ? 700 : MAX_BYTES - 64);
    uint8_t *bytes = malloc(size);
    if (!bytes) abort();
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(next(&state) >> 32);
    current_seed = seed;
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
}

static int run_file(const char *path) {
    FILE *f = fopen(path, "rb");
    size_t capacity = 1 << 20;
    uint8_t *bytes = malloc(capacity);
    if (!f || !bytes) {
        fprintf(stderr, "fuzz_api: cannot read %s\n", path);
        if (f) fclose(f);
        free(bytes);
        return 1;
    }
    size_t size = fread(bytes, 1, capacity, f);
    fclose(f);
    current_file = path;
    LLVMFuzzerTestOneInput(bytes, size);
    current_file = NULL;
    free(bytes);
    return 0;
}

/* 1: go on; 0: there is no device, and that was said. A device that fails is a failure. */
static int find_device(void) {
    char reason[200] = "";
    if (endo_device_count(reason, sizeof reason) == 0) {
        printf("SKIP fuzz_api --backend cuda: nothing was tested: %s\n", reason);
        return 0;
    }
    fuzz_require(fuzz_use_device() == ENDO_OK, "a context on the device");
    return 1;
}

static int usage(void) {
    fprintf(stderr, "usage: fuzz_api [--backend cpu|cuda] [--runs N] [--seed S] [FILE...]\n");
    return 2;
}

int main(int argc, char **argv) {
    unsigned long long runs = 0, seed = 1;
    int failed = 0, files = 0, first = argc;
    signal(SIGABRT, on_abort);
    for (int i = 1; i < argc && first == argc; i++) {
        if (!strcmp(argv[i], "--runs") && i + 1 < argc)
            runs = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            seed = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--backend") && i + 1 < argc)
            backend = argv[++i];
        else
            first = i;
    }
    if (strcmp(backend, "cpu") && strcmp(backend, "cuda")) return usage();
    if (first == argc && !runs) return usage();
    if (!strcmp(backend, "cuda") && !find_device()) return 0;
    for (int i = first; i < argc; i++) failed |= run_file(argv[i]), files++;
    for (unsigned long long i = 0; i < runs; i++) run_seed(seed + i);
    fuzz_release_device();
    printf("fuzz_api: %s, %llu inputs from seed %llu, %d files\n", backend, runs, seed, files);
    return failed;
}
