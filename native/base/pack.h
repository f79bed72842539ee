/* Colours without their fourth byte, which nobody reads: a quarter less on their way to a device. */
#ifndef ENDO_BASE_PACK_H
#define ENDO_BASE_PACK_H

#include "include/endorama/context.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a pixel of type ENDO_RGB32, and of a packed one: the first three, blue, green and red on a little-endian machine. */
#define ENDO_PACK_FROM 4
#define ENDO_PACK_TO 3

/* Packs n pixels, 4 n bytes into 3 n bytes, by an instruction set of up to `limit`. away: past the processor's caches, where
 * the set can do so; a device that is told afterwards reads them. The two must not overlap. */
void endo_pack(endo_cpu limit, uint8_t *to, const uint8_t *from, size_t n, int away);

#ifdef __cplusplus
}
#endif

#endif
