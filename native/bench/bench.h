/* The benches of endo_bench, one file a subject. Each returns 0, or 1 after saying what failed. */
#ifndef ENDO_BENCH_H
#define ENDO_BENCH_H

#include "report.h"

#include "backend/kernels.h"

typedef struct bench {
    report report;
    int quick; /* fewer repeats: figures to look at, not to quote */
} bench;

int bench_ncc(bench *b);
int bench_ncc_sides(bench *b);
int bench_mosaic(bench *b);
int bench_panorama(bench *b);
int bench_truth(bench *b);
int bench_ahe(bench *b);
int bench_exposures(bench *b);
int bench_fourier(bench *b);
int bench_mutual(bench *b);
int bench_graph(bench *b);
int bench_lens(bench *b);
int bench_live(bench *b);
int bench_look(bench *b);
#ifdef ENDO_HAS_CUDA
int bench_cuda(bench *b);
int bench_devices(bench *b);
int bench_ahe_cuda(bench *b);
int bench_exposures_cuda(bench *b);
int bench_fourier_cuda(bench *b);
int bench_mutual_cuda(bench *b);
#endif

/* Says endo_last_error() on stderr; returns 1. */
int bench_failed(const char *what);

#endif
