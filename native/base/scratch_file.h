/* A file for data that does not fit into memory: without a name where the system allows that, and deleted when it is closed or
 * the process ends. */
#ifndef ENDO_BASE_SCRATCH_FILE_H
#define ENDO_BASE_SCRATCH_FILE_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct endo_scratch_file endo_scratch_file;

/* Creates a scratch file in a folder. Errors: MEMORY, with a message that has the folder and the reason. */
endo_status endo_scratch_create(const char *folder, endo_scratch_file **out);
void endo_scratch_destroy(endo_scratch_file **file);

/* Write and read n bytes at an offset; bytes behind the end of the file read as zeros. Errors: MEMORY (the disk is full, or
 * fails). */
endo_status endo_scratch_write(endo_scratch_file *file, uint64_t offset, const void *bytes, size_t n);
endo_status endo_scratch_read(const endo_scratch_file *file, uint64_t offset, void *bytes, size_t n);

/* Bytes that are free in a folder; UINT64_MAX: not known. */
uint64_t endo_scratch_free_bytes(const char *folder);

#ifdef __cplusplus
}
#endif

#endif
