/* The loops of Fourier registration in plain C. */
#include "fourier_rows.h"

const cpu_fourier_loops cpu_fourier_c = {FOURIER_LOOPS};
