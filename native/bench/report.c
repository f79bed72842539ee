#include "report.h"

#include <string.h>

int report_open(report *r, const char *csv_path) {
    r->csv = NULL;
    if (!csv_path) return 1;
    r->csv = fopen(csv_path, "w");
    if (!r->csv) return 0;
    fprintf(r->csv, "kernel,size,backend,threads,median,p90,unit,baseline,ratio,floor\n");
    return 1;
}

int report_close(report *r) {
    int written = !r->csv || (!ferror(r->csv) & (fclose(r->csv) == 0));
    r->csv = NULL;
    return written;
}

void report_heading(const char *first_column) {
    printf("%-34s %-19s %3s %12s %12s  %-12s %9s %11s\n", first_column, "back end", "thr", "median", "p90", "unit",
           "ratio", "floor");
}

static void print_optional(double v, const char *format) {
    if (v > 0)
        printf(format, v);
    else
        printf("%11s", "");
}

static void write_optional(FILE *f, double v) {
    if (v > 0) fprintf(f, "%.6g", v);
}

/* Names may hold commas. */
static void write_name(FILE *f, const char *name) {
    if (!name) name = "";
    fprintf(f, strchr(name, ',') ? "\"%s\"," : "%s,", name);
}

void report_add(report *r, const report_row *row) {
    char name[64];
    snprintf(name, sizeof name, "%s %s", row->size, row->kernel);
    printf("%-34s %-19s %3d %12.4g %12.4g  %-12s ", name, row->backend, row->threads, row->median, row->p90,
           row->unit);
    print_optional(row->ratio, "%8.2f x ");
    print_optional(row->floor, "%10.3g");
    printf("\n");
    fflush(stdout);
    if (!r->csv) return;
    write_name(r->csv, row->kernel);
    write_name(r->csv, row->size);
    write_name(r->csv, row->backend);
    fprintf(r->csv, "%d,%.6g,%.6g,%s,", row->threads, row->median, row->p90, row->unit);
    write_name(r->csv, row->baseline);
    write_optional(r->csv, row->ratio);
    fprintf(r->csv, ",");
    write_optional(r->csv, row->floor);
    fprintf(r->csv, "\n");
}

void report_target(report *r, const char *what, const char *size, double measured, double wanted, const char *unit,
                   int more_is_better) {
    int reached = more_is_better ? measured >= wanted : measured <= wanted;
    printf("target %-8s %s: %.4g %s, wanted %s %g\n", reached ? "reached" : "MISSED", what, measured, unit,
           more_is_better ? "at least" : "at most", wanted);
    if (r->csv)
        fprintf(r->csv, "target: %s,%s,%s,,%.6g,,%s,%s %g,,\n", what, size, reached ? "reached" : "missed", measured,
                unit, more_is_better ? "at least" : "at most", wanted);
}
