/* The loops of Fourier registration in AVX2. */
#include "fourier_rows.h"

const cpu_fourier_loops cpu_fourier_avx2 = {FOURIER_LOOPS};
