/* Version, status and pixel types: what every other header needs. */
#ifndef ENDORAMA_STATUS_H
#define ENDORAMA_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENDO_VERSION "0.1.0"
/* Number of the binary interface, also in the shared library's soname: it grows with every change of a struct or function of
 * these headers. Contexts and mosaics are refused to a program that was compiled with another number. */
#define ENDO_ABI 15

#if defined(_WIN32) && defined(ENDO_BUILDS_LIBRARY)
#define ENDO_API __attribute__((dllexport))
#define ENDO_NODISCARD __attribute__((warn_unused_result))
#elif defined(_WIN32) && defined(__GNUC__)
#define ENDO_API
#define ENDO_NODISCARD __attribute__((warn_unused_result))
#elif defined(__GNUC__)
#define ENDO_API __attribute__((visibility("default")))
#define ENDO_NODISCARD __attribute__((warn_unused_result))
#else
#define ENDO_API
#define ENDO_NODISCARD
#endif

typedef enum endo_status {
    ENDO_OK = 0,
    ENDO_ERR_ARGUMENT = 1,    /* an argument is out of its documented range */
    ENDO_ERR_MEMORY = 2,      /* host or device memory ran out, or a size limit was passed */
    ENDO_ERR_DEVICE = 3,      /* the device failed or none is usable */
    ENDO_ERR_UNSUPPORTED = 4, /* this build or back end cannot compute what was asked for */
    ENDO_ERR_INTERNAL = 5,    /* a defect of the library */
    ENDO_CANCELLED = 6        /* the context's cancel hook asked for an end (endo_context_set_cancel) */
} endo_status;

/* Message of the calling thread's last failure; "" if there was none. Never NULL; valid until the thread's next failure. */
ENDO_API const char *endo_last_error(void);

/* ENDO_VERSION and ENDO_ABI of the loaded library. */
ENDO_API const char *endo_version(void);
ENDO_API int endo_abi(void);

typedef enum endo_pixel {
    ENDO_GREY8 = 0,  /* uint8_t */
    ENDO_GREY16 = 1, /* uint16_t */
    ENDO_RGB32 = 2   /* uint32_t 0xAARRGGBB, alpha ignored on input, 255 on output where painted */
} endo_pixel;

/* Bytes of one pixel: 1, 2 or 4; 0 for an unknown type. */
ENDO_API size_t endo_pixel_size(endo_pixel type);

/* An image in the caller's memory: height rows of width pixels (1..32767 each), stride pixels apart (at least width). */
typedef struct endo_image {
    const void *pixels;
    endo_pixel type;
    int width, height;
    ptrdiff_t stride;
} endo_image;

/* A rectangle of pixels: (x, y) is its first one, x to the right, y down, from 0; width, height: px, 1 or more. */
typedef struct endo_rectangle {
    int x, y, width, height;
} endo_rectangle;

#ifdef __cplusplus
}
#endif
#endif
