/* Newton's method with the diagonal of the Hessian, by differences, for functions that are evaluated by the caller (as in
 * powell.h): the points of a gradient are wanted together, and so are those along the step that follows. It wants
 * points fewer times than Powell's method, and more each time: for callers that evaluate many at once. */
#ifndef ENDO_BASE_NEWTON_H
#define ENDO_BASE_NEWTON_H

#include "powell.h"

/* Most points that are wanted at once. */
#define ENDO_NEWTON_POINTS (2 * ENDO_SEARCH_PARAMETERS)

typedef struct endo_newton {
    int n; /* parameters */
    int phase;
    int rounds; /* rounds left */
    double tolerance;
    double point[ENDO_SEARCH_PARAMETERS], value; /* the best so far */
    double spans[ENDO_SEARCH_PARAMETERS];        /* distances at which differences are taken */
    double step[ENDO_SEARCH_PARAMETERS];
} endo_newton;

/* Begins a search. spans: distances of the first differences; they shrink with the steps. A round that moves no parameter by
 * the tolerance is the last. */
void endo_newton_begin(endo_newton *s, int n, const double *point, const double *spans, double tolerance, int rounds);
/* Returns how many points are to be evaluated; 0: the search is done. */
int endo_newton_ask(const endo_newton *s, double points[ENDO_NEWTON_POINTS][ENDO_SEARCH_PARAMETERS]);
/* Takes the values of these points. */
void endo_newton_tell(endo_newton *s, const double values[ENDO_NEWTON_POINTS]);

#endif
