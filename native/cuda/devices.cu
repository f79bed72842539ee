/* The devices of this machine, or why there are none. */
#include "devices.h"

#include "cuda.h"

#include <stdio.h>

int cuda_devices_version(void) { return CUDART_VERSION; }

int cuda_devices_driver_version(void) {
    int version = 0;
    if (cudaDriverGetVersion(&version) != cudaSuccess) cudaGetLastError();
    return version;
}

static void explain(cudaError_t error, char *reason, size_t size) {
    int driver = cuda_devices_driver_version();
    if (error == cudaErrorNoDevice)
        snprintf(reason, size, "the NVIDIA driver finds no device");
    else if (driver == 0)
        snprintf(reason, size, "no NVIDIA driver");
    else if (error == cudaErrorInsufficientDriver)
        snprintf(reason, size, "the NVIDIA driver is for CUDA %d.%d, %d.%d is needed", driver / 1000, driver / 10 % 100,
                 CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100);
    else
        snprintf(reason, size, "%s", cudaGetErrorString(error));
}

int cuda_devices_count(char *reason, size_t size) {
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess && devices == 0) error = cudaErrorNoDevice;
    if (reason && size) reason[0] = 0;
    if (error == cudaSuccess) return devices;
    cudaGetLastError();
    if (reason && size) explain(error, reason, size);
    return 0;
}

/* 0 where the device does not say. The caller's device is current again afterwards. */
static size_t free_memory_of(int device) {
    size_t available = 0, total = 0;
    int before = device;
    if (cudaGetDevice(&before) != cudaSuccess) before = device;
    if (cudaSetDevice(device) != cudaSuccess || cudaMemGetInfo(&available, &total) != cudaSuccess) available = 0;
    if (before != device) cudaSetDevice(before);
    cudaGetLastError();
    return available;
}

endo_status cuda_devices_describe(int device, endo_device_info *info) {
    char reason[160];
    int devices = cuda_devices_count(reason, sizeof reason);
    if (devices == 0) return endo_fail(ENDO_ERR_DEVICE, "CUDA: %s", reason);
    if (device < 0 || device >= devices)
        return endo_fail(ENDO_ERR_DEVICE, "device %d: there %s 0..%d", device, devices > 1 ? "are" : "is only", devices - 1);
    cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) return cuda_fail(NULL, error, __FILE__, __LINE__);
    endo_device_info made = {};
    snprintf(made.name, sizeof made.name, "%.63s", properties.name);
    made.major = properties.major, made.minor = properties.minor;
    made.multiprocessors = properties.multiProcessorCount;
    made.memory = properties.totalGlobalMem;
    made.usable = properties.major * 10 + properties.minor >= 75;
    if (made.usable) made.free_memory = free_memory_of(device);
    *info = made;
    return ENDO_OK;
}
