/* Powell's method with Brent's search along each direction, for functions that are evaluated by the caller, who asks which
 * points are wanted, evaluates them (those of many searches together), and tells the values.
 *
 * Sources: M. J. D. Powell, An efficient method for finding the minimum of a function of several variables without
 * calculating derivatives, Computer Journal 7, 1964; R. P. Brent, Algorithms for Minimization Without Derivatives,
 * 1973, chapter 5. */
#ifndef ENDO_BASE_POWELL_H
#define ENDO_BASE_POWELL_H

#define ENDO_SEARCH_PARAMETERS 15
/* Most points that are wanted at once. */
#define ENDO_POWELL_POINTS 2

/* A search for the minimum along a line, from a position whose value is known. */
typedef struct endo_line {
    int phase, steps; /* steps left */
    double tolerance;
    double a, b;          /* the bracket */
    double x, w, v;       /* best, second best, the one before */
    double fx, fw, fv;
    double last, before;  /* steps taken */
    double wanted[2];
} endo_line;

/* Begins at 0 with the value there; the first positions lie `step` to either side. */
void endo_line_begin(endo_line *line, double value, double step, double tolerance);
/* Returns how many positions are to be evaluated (1 or 2); 0: the search is done, and x is the best with the value fx. */
int endo_line_ask(const endo_line *line, double positions[2]);
void endo_line_tell(endo_line *line, const double values[2]);

typedef struct endo_powell {
    int n;                     /* parameters */
    int phase, line_number;
    int rounds;                /* rounds left */
    double tolerance;
    double point[ENDO_SEARCH_PARAMETERS], value; /* the best so far */
    double directions[ENDO_SEARCH_PARAMETERS][ENDO_SEARCH_PARAMETERS], steps[ENDO_SEARCH_PARAMETERS];
    double begun[ENDO_SEARCH_PARAMETERS], begun_value; /* where this round began */
    double largest;            /* largest decrease along a direction in this round */
    int steepest;              /* number of that direction */
    double along[ENDO_SEARCH_PARAMETERS]; /* direction of the present line */
    endo_line line;
} endo_powell;

/* Begins a search. steps: lengths of the first steps along each parameter. A round that moves no parameter by four tolerances
 * is the last. */
void endo_powell_begin(endo_powell *p, int n, const double *point, const double *steps, double tolerance, int rounds);
/* Returns how many points are to be evaluated; 0: the search is done. */
int endo_powell_ask(const endo_powell *p, double points[ENDO_POWELL_POINTS][ENDO_SEARCH_PARAMETERS]);
void endo_powell_tell(endo_powell *p, const double values[ENDO_POWELL_POINTS]);

/* Most points that are foreseen at once. */
#define ENDO_POWELL_FORESEEN 6
/* Points of which some will be asked for after those that are asked for now, for a caller who evaluates many at once: the
 * next question wherever it depends only on which values are better, not on by how much. Returns how many. */
int endo_powell_foresee(const endo_powell *p, double points[ENDO_POWELL_FORESEEN][ENDO_SEARCH_PARAMETERS]);
/* The most points that a search asks for. */
int endo_powell_most(const endo_powell *p);

#endif
