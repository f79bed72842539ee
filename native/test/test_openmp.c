/* The runtime of parallel loops: every iteration once, threads that meet, regions within regions, several callers, and threads
 * that end with the last context. */
#include "base/openmp.h"
#include "include/endorama.h"
#include "check.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000, TEAM = 5 };

static int counts[N];

static int each_once(int n) {
    for (int i = 0; i < N; i++)
        if (counts[i] != (i < n)) return 0;
    return 1;
}

/* ------------------------------------------------------------------------ loops */

static void loop_in_order(int n) {
#pragma omp parallel for num_threads(TEAM) schedule(dynamic)
    for (int i = 0; i < n; i++) counts[i]++;
}

static void loop_in_chunks(size_t n) {
#pragma omp parallel for num_threads(TEAM) schedule(dynamic, 7)
    for (size_t i = 0; i < n; i++) counts[i]++;
}

static void loop_down(int n) {
#pragma omp parallel for num_threads(TEAM) schedule(dynamic, 3)
    for (int i = n - 1; i >= 0; i -= 1) counts[i]++;
}

static void loop_shared(int n) {
#pragma omp parallel for num_threads(TEAM) schedule(static)
    for (int i = 0; i < n; i++) counts[i]++;
}

static void test_loops(void) {
    static const int sizes[] = {0, 1, 4, 5, 6, 7, 8, 35, 36, 999, N};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int n = sizes[k];
        memset(counts, 0, sizeof counts);
        loop_in_order(n);
        CHECK(each_once(n));
        memset(counts, 0, sizeof counts);
        loop_in_chunks((size_t)n);
        CHECK(each_once(n));
        memset(counts, 0, sizeof counts);
        loop_down(n);
        CHECK(each_once(n));
        memset(counts, 0, sizeof counts);
        loop_shared(n);
        CHECK(each_once(n));
    }
}

/* Steps that do not divide the range, and a start that is not 0. */
static void test_steps(void) {
    int64_t sum = 0;
    int64_t back = 0;
#pragma omp parallel for num_threads(TEAM) schedule(dynamic, 2) reduction(+ : sum)
    for (int i = -11; i < 100; i += 7) sum += i;
#pragma omp parallel for num_threads(TEAM) schedule(dynamic) reduction(+ : back)
    for (long i = 50; i > -20; i -= 9) back += i;
    int64_t expected = 0;
    int64_t expected_back = 0;
    for (int i = -11; i < 100; i += 7) expected += i;
    for (int i = 50; i > -20; i -= 9) expected_back += i;
    CHECK(sum == expected && back == expected_back);
}

/* More loops than a region keeps apart at once; threads run ahead of each other. */
static void test_many_loops(void) {
    enum { LOOPS = 40 };
    static int of[LOOPS][N];
    memset(of, 0, sizeof of);
#pragma omp parallel num_threads(TEAM)
    for (int k = 0; k < LOOPS; k++) {
        if ((k + omp_get_thread_num()) % 9 == 0) usleep(200);
#pragma omp for schedule(dynamic, 4) nowait
        for (int i = 0; i < N; i++) of[k][i]++;
    }
    int wrong = 0;
    for (int k = 0; k < LOOPS; k++)
        for (int i = 0; i < N; i++) wrong += of[k][i] != 1;
    CHECK(wrong == 0);
}

/* ---------------------------------------------------------------------- threads */

static void test_team(void) {
    int seen[TEAM] = {0};
    int of = 0;
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp atomic
        seen[omp_get_thread_num()]++;
        if (omp_get_thread_num() == 0) of = omp_get_num_threads();
    }
    CHECK(of == TEAM);
    for (int i = 0; i < TEAM; i++) CHECK(seen[i] == 1);
    CHECK(omp_get_num_threads() == 1 && omp_get_thread_num() == 0 && omp_get_num_procs() >= 1);
}

/* Nobody is a phase ahead of another. */
static void test_barrier(void) {
    enum { PHASES = 300 };
    int at[TEAM] = {0};
    int wrong = 0;
#pragma omp parallel num_threads(TEAM) reduction(+ : wrong)
    for (int phase = 1; phase <= PHASES; phase++) {
        __atomic_store_n(&at[omp_get_thread_num()], phase, __ATOMIC_RELEASE);
#pragma omp barrier
        for (int i = 0; i < TEAM; i++) wrong += __atomic_load_n(&at[i], __ATOMIC_ACQUIRE) != phase;
#pragma omp barrier
    }
    CHECK(wrong == 0);
}

static void test_locks(void) {
    int64_t together = 0;
    double joint = 0;
#pragma omp parallel num_threads(TEAM)
    for (int i = 0; i < N; i++) {
#pragma omp critical(test_together)
        together++;
#pragma omp atomic
        joint += 1;
    }
    CHECK(together == (int64_t)N * TEAM && joint == (double)N * TEAM);
}

static void test_nested(void) {
    int inner = 0;
    int sum = 0;
#pragma omp parallel for num_threads(TEAM) schedule(dynamic) reduction(+ : sum) reduction(max : inner)
    for (int i = 0; i < 20; i++) {
        int mine = 0;
        int of = 0;
#pragma omp parallel for num_threads(3) schedule(dynamic) reduction(+ : mine) reduction(max : of)
        for (int k = 0; k < 10; k++) {
            mine += k;
            of = omp_get_num_threads();
        }
        sum += mine;
        if (of > inner) inner = of;
    }
    CHECK(inner == 1 && sum == 20 * 45);
}

/* Where the region around it has one thread a loop has as many as it asks for. */
static void test_nested_in_one(void) {
    int of = 0;
    int sum = 0;
#pragma omp parallel num_threads(1)
#pragma omp parallel for num_threads(3) schedule(dynamic) reduction(+ : sum) reduction(max : of)
    for (int k = 0; k < 10; k++) {
        sum += k;
        of = omp_get_num_threads();
    }
    CHECK(of == 3 && sum == 45);
}

static void *call_often(void *wrong) {
    for (int round = 0; round < 300; round++) {
        int64_t sum = 0;
#pragma omp parallel for num_threads(1 + round % TEAM) schedule(dynamic) reduction(+ : sum)
        for (int i = 0; i < 100; i++) sum += i;
        *(int *)wrong += sum != 4950;
    }
    return NULL;
}

static void test_callers(void) {
    enum { CALLERS = 4 };
    pthread_t threads[CALLERS];
    int wrong[CALLERS] = {0};
    for (int i = 0; i < CALLERS; i++) CHECK(pthread_create(&threads[i], NULL, call_often, &wrong[i]) == 0);
    for (int i = 0; i < CALLERS; i++) CHECK(pthread_join(threads[i], NULL) == 0 && wrong[i] == 0);
    CHECK(endo_openmp_threads() <= CALLERS * (TEAM - 1));
}

/* ------------------------------------------------------------------------- ends */

static void test_ends(void) {
    endo_context_options options = endo_context_options_default();
    endo_context *first = NULL;
    endo_context *second = NULL;
    options.backend = ENDO_BACKEND_CPU;
    CHECK(endo_context_create(&options, &first) == ENDO_OK && endo_context_create(&options, &second) == ENDO_OK);
    loop_in_order(N);
    CHECK(endo_openmp_threads() >= TEAM - 1);
    endo_context_destroy(&first);
    CHECK(endo_openmp_threads() >= TEAM - 1);
    endo_context_destroy(&second);
    CHECK(endo_openmp_threads() == 0);
    memset(counts, 0, sizeof counts);
    loop_in_order(N);
    CHECK(each_once(N) && endo_openmp_threads() == TEAM - 1);
}

static void test_fork(void) {
    endo_context_options options = endo_context_options_default();
    endo_context *context = NULL;
    options.backend = ENDO_BACKEND_CPU;
    CHECK(endo_context_create(&options, &context) == ENDO_OK);
    loop_in_order(N);
    memset(counts, 0, sizeof counts);
    pid_t child = fork();
    if (child == 0) {
        int before = endo_openmp_threads();
        loop_in_order(N);
        _exit(before == 0 && each_once(N) && endo_openmp_threads() == TEAM - 1 ? 0 : 1);
    }
    int status = 1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    endo_context_destroy(&context);
}

int main(void) {
    test_loops();
    test_steps();
    test_many_loops();
    test_team();
    test_barrier();
    test_locks();
    test_nested();
    test_nested_in_one();
    test_callers();
    test_ends();
    test_fork();
    return check_summary("test_openmp");
}
