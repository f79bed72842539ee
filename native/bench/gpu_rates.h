/* Rates of this device, measured in the run whose figures are held against it. */
#ifndef ENDO_BENCH_GPU_RATES_H
#define ENDO_BENCH_GPU_RATES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes a second read and written by copying within device memory; 0 if it could not be measured. */
double gpu_rate_copy(void);

/* Bytes a second from pinned host memory to the device. */
double gpu_rate_upload(void);

#ifdef __cplusplus
}
#endif
#endif
