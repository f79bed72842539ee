/* Scratch files: 64-bit offsets, complete reads and writes. */
#include "scratch_file.h"

#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef _WIN32
#include <io.h>
#include <windows.h>
#else
#include <sys/statvfs.h>
#endif

#define MOST_PATH 4096
#define MOST_NAMES 1000
/* Most bytes of one system call, which moves less than 2 GiB. */
#define MOST_AT_ONCE ((size_t)1 << 30)

struct endo_scratch_file {
    int descriptor;
    char folder[MOST_PATH];
};

#ifdef _WIN32
static int open_new(const char *path) {
    return _open(path, _O_RDWR | _O_CREAT | _O_EXCL | _O_BINARY | _O_TEMPORARY, _S_IREAD | _S_IWRITE);
}

static long long move(const endo_scratch_file *f, uint64_t offset, void *bytes, size_t n, int writes) {
    if (_lseeki64(f->descriptor, (long long)offset, SEEK_SET) < 0) return -1;
    return writes ? _write(f->descriptor, bytes, (unsigned)n) : _read(f->descriptor, bytes, (unsigned)n);
}

uint64_t endo_scratch_free_bytes(const char *folder) {
    ULARGE_INTEGER free_bytes;
    return GetDiskFreeSpaceExA(folder, &free_bytes, NULL, NULL) ? free_bytes.QuadPart : UINT64_MAX;
}
#else
/* Removes the name at once, so that nothing is left behind however the process ends. */
static int open_new(const char *path) {
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor >= 0) unlink(path);
    return descriptor;
}

static long long move(const endo_scratch_file *f, uint64_t offset, void *bytes, size_t n, int writes) {
    return writes ? pwrite(f->descriptor, bytes, n, (off_t)offset) : pread(f->descriptor, bytes, n, (off_t)offset);
}

uint64_t endo_scratch_free_bytes(const char *folder) {
    struct statvfs info;
    return statvfs(folder, &info) == 0 ? (uint64_t)info.f_bavail * info.f_frsize : UINT64_MAX;
}
#endif

static int open_any(const char *folder) {
    char path[MOST_PATH + 64];
    for (int i = 0; i < MOST_NAMES; i++) {
        snprintf(path, sizeof path, "%s/.endorama-%ld-%d.scratch", folder, (long)getpid(), i);
        int descriptor = open_new(path);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

endo_status endo_scratch_create(const char *folder, endo_scratch_file **out) {
    if (strlen(folder) >= MOST_PATH) return endo_fail(ENDO_ERR_MEMORY, "scratch folder: its name is too long");
    endo_scratch_file *f = endo_alloc_zeroed(1, sizeof *f);
    if (!f) return endo_fail(ENDO_ERR_MEMORY, "no memory for a scratch file");
    snprintf(f->folder, sizeof f->folder, "%s", folder);
    f->descriptor = open_any(folder);
    if (f->descriptor < 0) {
        endo_free(f);
        return endo_fail(ENDO_ERR_MEMORY, "scratch folder %s: no file can be made there: %s", folder, strerror(errno));
    }
    *out = f;
    return ENDO_OK;
}

void endo_scratch_destroy(endo_scratch_file **file) {
    if (!file || !*file) return;
    close((*file)->descriptor);
    endo_free(*file);
    *file = NULL;
}

endo_status endo_scratch_write(endo_scratch_file *f, uint64_t offset, const void *bytes, size_t n) {
    for (size_t done = 0; done < n;) {
        size_t some = n - done < MOST_AT_ONCE ? n - done : MOST_AT_ONCE;
        long long written = move(f, offset + done, (char *)bytes + done, some, 1);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            return endo_fail(ENDO_ERR_MEMORY, "scratch folder %s: cannot be written: %s", f->folder, strerror(errno));
        done += (size_t)written;
    }
    return ENDO_OK;
}

endo_status endo_scratch_read(const endo_scratch_file *f, uint64_t offset, void *bytes, size_t n) {
    for (size_t done = 0; done < n;) {
        size_t some = n - done < MOST_AT_ONCE ? n - done : MOST_AT_ONCE;
        long long read = move(f, offset + done, (char *)bytes + done, some, 0);
        if (read < 0 && errno == EINTR) continue;
        if (read < 0) return endo_fail(ENDO_ERR_MEMORY, "scratch folder %s: cannot be read: %s", f->folder, strerror(errno));
        if (read == 0) memset((char *)bytes + done, 0, n - done);
        done = read == 0 ? n : done + (size_t)read;
    }
    return ENDO_OK;
}
