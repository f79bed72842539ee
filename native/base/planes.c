#include "planes.h"

size_t endo_plane_element(endo_plane_type type) {
    switch (type) {
    case ENDO_PLANE_U8: return 1;
    case ENDO_PLANE_U16: return 2;
    case ENDO_PLANE_S16: return 2;
    case ENDO_PLANE_U32: return 4;
    case ENDO_PLANE_F32: return 4;
    case ENDO_PLANE_COMPLEX: return 8;
    }
    return 0;
}
