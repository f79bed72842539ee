/* endo_bench SUBJECT... [--csv FILE] [--quick]
 *
 * Times kernels and whole systems against named baselines and floors. Figures of one run may be
 * compared; nothing here passes or fails. Exit code: 0, 1 a measurement could not be made, 2 usage. */
#include "bench.h"

#include <string.h>

static const struct {
    const char *name;
    int (*run)(bench *b);
} subjects[] = {
    {"ncc", bench_ncc},
    {"ncc-sides", bench_ncc_sides},
    {"mosaic", bench_mosaic},
    {"panorama", bench_panorama},
    {"truth", bench_truth},
    {"ahe", bench_ahe},
    {"exposures", bench_exposures},
    {"fourier", bench_fourier},
    {"mutual", bench_mutual},
    {"graph", bench_graph},
    {"lens", bench_lens},
    {"live", bench_live},
    {"look", bench_look},
#ifdef ENDO_HAS_CUDA
    {"cuda", bench_cuda},
    {"devices", bench_devices},
    {"ahe-cuda", bench_ahe_cuda},
    {"exposures-cuda", bench_exposures_cuda},
    {"fourier-cuda", bench_fourier_cuda},
    {"mutual-cuda", bench_mutual_cuda},
#endif
};

#define N_SUBJECTS ((int)(sizeof subjects / sizeof subjects[0]))

int bench_failed(const char *what) {
    fprintf(stderr, "endo_bench: %s: %s\n", what, endo_last_error());
    return 1;
}

static int usage(void) {
    fprintf(stderr, "usage: endo_bench SUBJECT... [--csv FILE] [--quick]\nsubjects: all");
    for (int i = 0; i < N_SUBJECTS; i++) fprintf(stderr, ", %s", subjects[i].name);
    fprintf(stderr, "\n");
    return 2;
}

/* Marks what a name asks for; 0: there is no such subject. */
static int choose(const char *name, int chosen[N_SUBJECTS]) {
    int all = !strcmp(name, "all"), known = all;
    for (int i = 0; i < N_SUBJECTS; i++)
        if (all ? subjects[i].run != bench_ncc_sides : !strcmp(name, subjects[i].name)) chosen[i] = known = 1;
    return known;
}

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Prints version, compiler and machine, which docs/benchmarks.sh quotes. */
static int print_build(void) {
    endo_context *context = NULL;
    endo_context_options o = endo_context_options_default();
    if (endo_context_create(&o, &context) != ENDO_OK) return bench_failed("context");
    printf("endorama %s, %s, %s\n", endo_version(), COMPILER, endo_context_description(context));
    endo_context_destroy(&context);
    return 0;
}

int main(int argc, char **argv) {
    const char *csv = NULL;
    bench b = {.quick = 0};
    int chosen[N_SUBJECTS] = {0}, any = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick"))
            b.quick = 1;
        else if (!strcmp(argv[i], "--csv") && i + 1 < argc)
            csv = argv[++i];
        else if (choose(argv[i], chosen))
            any = 1;
        else
            return usage();
    }
    if (!any) return usage();
    if (print_build()) return 1;
    if (!report_open(&b.report, csv)) {
        fprintf(stderr, "endo_bench: cannot write %s\n", csv);
        return 1;
    }
    for (int i = 0; i < N_SUBJECTS; i++)
        if (chosen[i]) failed |= subjects[i].run(&b);
    if (!report_close(&b.report)) {
        fprintf(stderr, "endo_bench: %s could not be written\n", csv);
        failed = 1;
    }
    return failed;
}
