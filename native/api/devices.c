/* The devices, and the choice of a back end for a job. */
#include "backend/objects.h"
#include "base/openmp.h"

#ifdef ENDO_HAS_CUDA
#include "cuda/devices.h"
#endif

#include <stdio.h>

#ifdef ENDO_HAS_CUDA
int endo_device_count(char *reason, size_t size) { return cuda_devices_count(reason, size); }

endo_status endo_device_describe(int device, endo_device_info *info) {
    if (!info) return endo_fail(ENDO_ERR_ARGUMENT, "device: info is NULL");
    return cuda_devices_describe(device, info);
}

int endo_cuda_version(void) { return cuda_devices_version(); }
int endo_cuda_driver_version(void) { return cuda_devices_driver_version(); }
int endo_cuda_fourier_library(char *text, size_t size) { return cuda_devices_fourier_library(text, size); }
#else
int endo_device_count(char *reason, size_t size) {
    if (reason && size) snprintf(reason, size, "this build has no CUDA");
    return 0;
}

endo_status endo_device_describe(int device, endo_device_info *info) {
    (void)info;
    return endo_fail(ENDO_ERR_UNSUPPORTED, "device %d: this build has no CUDA", device);
}

int endo_cuda_version(void) { return 0; }
int endo_cuda_driver_version(void) { return 0; }

int endo_cuda_fourier_library(char *text, size_t size) {
    if (text && size) snprintf(text, size, "this build has no CUDA");
    return 0;
}
#endif

/* Time of a job (put, pair and paint together) as a linear function of its size: measured in docs/benchmarks.md and
 * docs/benchmarks-gpu.md, doubled on the GPU for slower cards and buses. */
#define CPU_SECONDS_A_FRAME 0.0005
#define CPU_SECONDS_A_MEGAPIXEL 0.0055
/* Share of a frame's time that more threads do not shorten. */
#define CPU_SERIAL_SHARE 0.3
#define CUDA_SECONDS_TO_START 0.4
#define CUDA_SECONDS_A_FRAME 0.00005
#define CUDA_SECONDS_A_MEGABYTE 0.0001 /* one copy by the host, one over the bus */

/* Evaluations of a registration by mutual information: MUTUAL_STARTS at the coarsest level, of at most MUTUAL_COARSE voxels,
 * and MUTUAL_EVALUATIONS, in voxels of the full size, at the finer ones; times are doubled on the GPU. */
#define MUTUAL_STARTS 2700
#define MUTUAL_COARSE_VOLUME 100000.0
#define MUTUAL_COARSE_IMAGE 8000.0
#define MUTUAL_EVALUATIONS 100
#define CPU_SECONDS_A_VOXEL 2.6e-9 /* an evaluation of one voxel, on one core */
#define CPU_MUTUAL_SERIAL_SHARE 0.07
#define CUDA_SECONDS_A_REGISTRATION 0.03
#define CUDA_SECONDS_A_VOXEL 5e-9

static void choose_for_nothing(endo_backend *choice, char *reason, size_t size) {
    *choice = ENDO_BACKEND_CPU;
    snprintf(reason, size, "CPU: the job is NULL");
}

/* job: "12 frames of 5 x 4". */
static void choose(const char *job, double cpu, double cuda, endo_backend *choice, char *reason, size_t size) {
    char missing[160];
    *choice = ENDO_BACKEND_CPU;
    if (endo_device_count(missing, sizeof missing) == 0) {
        snprintf(reason, size, "CPU: %s", missing);
        return;
    }
    if (cuda < cpu) *choice = ENDO_BACKEND_CUDA;
    snprintf(reason, size, "%s: %s take about %.1f s on the CPU, %.1f s with CUDA",
             *choice == ENDO_BACKEND_CUDA ? "CUDA" : "CPU", job, cpu, cuda);
}

void endo_backend_choose_mutual(const endo_backend_mutual_job *job, endo_backend *choice, char *reason, size_t size) {
    char text[120];
    if (!job) return choose_for_nothing(choice, reason, size);
    int threads = job->threads > 0 ? job->threads : omp_get_num_procs();
    double voxels = (double)job->width * job->height * job->depth;
    double most = job->depth > 1 ? MUTUAL_COARSE_VOLUME : MUTUAL_COARSE_IMAGE;
    double evaluations = MUTUAL_STARTS * (voxels < most ? voxels : most) + MUTUAL_EVALUATIONS * voxels;
    double cpu = (double)job->registrations * CPU_SECONDS_A_VOXEL * evaluations *
                 (CPU_MUTUAL_SERIAL_SHARE + (1 - CPU_MUTUAL_SERIAL_SHARE) / threads);
    double cuda = CUDA_SECONDS_TO_START +
                  (double)job->registrations * (CUDA_SECONDS_A_REGISTRATION + CUDA_SECONDS_A_VOXEL * voxels);
    snprintf(text, sizeof text, "%lld registrations onto %d x %d x %d voxels", (long long)job->registrations, job->width,
             job->height, job->depth);
    choose(text, cpu, cuda, choice, reason, size);
}

void endo_backend_choose(const endo_backend_job *job, endo_backend *choice, char *reason, size_t size) {
    char text[80];
    if (!job) return choose_for_nothing(choice, reason, size);
    int threads = job->threads > 0 ? job->threads : omp_get_num_procs();
    double megapixels = 1e-6 * job->width * job->height, megabytes = megapixels * (double)endo_pixel_size(job->type);
    double cpu = (double)job->frames * (CPU_SECONDS_A_FRAME + CPU_SECONDS_A_MEGAPIXEL * megapixels) *
                 (CPU_SERIAL_SHARE + (1 - CPU_SERIAL_SHARE) / threads);
    double cuda = CUDA_SECONDS_TO_START +
                  (double)job->frames * (CUDA_SECONDS_A_FRAME + CUDA_SECONDS_A_MEGABYTE * megabytes);
    snprintf(text, sizeof text, "%lld frames of %d x %d", (long long)job->frames, job->width, job->height);
    choose(text, cpu, cuda, choice, reason, size);
}
