#include "dense.h"

#include "base/processor.h"

const dense_loops *dense_choose(void) {
#ifdef ENDO_X86
    if (endo_has_avx512()) return &dense_avx512;
    if (endo_has_avx2()) return &dense_avx2;
#endif
    return &dense_c;
}
