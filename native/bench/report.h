/* Rows of results: a table for people on stdout, CSV for docs/benchmarks.sh. */
#ifndef ENDO_BENCH_REPORT_H
#define ENDO_BENCH_REPORT_H

#include <stdio.h>

typedef struct report_row {
    const char *kernel;
    char size[24];
    const char *backend;
    int threads;
    double median, p90;
    const char *unit;
    const char *baseline; /* what ratio compares with; "" if nothing */
    double ratio;         /* baseline's median / this median; 0 if there is no baseline */
    double floor;         /* the least possible, in unit; 0 if none is known */
} report_row;

typedef struct report {
    FILE *csv; /* may be NULL */
} report;

/* 0 if the file cannot be written. */
int report_open(report *r, const char *csv_path);
int report_close(report *r);

void report_heading(const char *first_column);
void report_add(report *r, const report_row *row);

/* One line on whether a figure was reached; it also goes into the CSV, as kernel "target: <what>". */
void report_target(report *r, const char *what, const char *size, double measured, double wanted, const char *unit,
                   int more_is_better);

#endif
