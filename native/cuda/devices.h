/* The devices of this machine, for api/devices.c. */
#ifndef ENDO_CUDA_DEVICES_H
#define ENDO_CUDA_DEVICES_H

#include "include/endorama.h"

#ifdef __cplusplus
extern "C" {
#endif

int cuda_devices_count(char *reason, size_t size);
ENDO_NODISCARD endo_status cuda_devices_describe(int device, endo_device_info *info);
int cuda_devices_version(void);
int cuda_devices_driver_version(void);
/* 1: text is the name of the cuFFT that is there; 0: why there is none. */
int cuda_devices_fourier_library(char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
