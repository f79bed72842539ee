/* Pixel types. */
#include "include/endorama.h"

size_t endo_pixel_size(endo_pixel type) {
    switch (type) {
    case ENDO_GREY8: return 1;
    case ENDO_GREY16: return 2;
    case ENDO_RGB32: return 4;
    }
    return 0;
}
