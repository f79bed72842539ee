/* The flow's inner loops in plain C. */
#include "flow_rows.h"

static void flow_row_c(const cpu_flow_row *row, cpu_flow_row_sums sums[2]) { flow_pixels(row, 1, row->width - 1, sums); }

const cpu_flow_loops cpu_flow_c = {
    .shift_rows = shift_by_rows,
    .flow_row = flow_row_c,
};
