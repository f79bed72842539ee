/* Colours as files and cameras have them. */
#ifndef ENDO_BASE_COLOURS_H
#define ENDO_BASE_COLOURS_H

#include <stddef.h>
#include <stdint.h>

/* n pixels of type ENDO_RGB32 from bytes of red, green and blue; samples: bytes of a pixel, 3.. */
void colours_take(const uint8_t *bytes, int samples, size_t n, uint32_t *pixels);

#endif
