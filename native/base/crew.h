/* Threads that wait for work and share it piece by piece. They are its owner's own: OpenMP ends and starts threads
 * whenever the size of a team changes, and has none for a thread that is itself a member of a team. */
#ifndef ENDO_BASE_CREW_H
#define ENDO_BASE_CREW_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENDO_CREW_MOST 32

typedef struct endo_crew endo_crew;

/* piece: 0..n-1, each once, in any order; member: 0 (who called) .. members - 1, each at one thing at a time. */
typedef void (*endo_crew_work)(void *job, size_t piece, int member);

/* members: 1..ENDO_CREW_MOST, who calls among them; fewer where the system has no more threads. NULL: no memory. */
endo_crew *endo_crew_create(int members);
void endo_crew_destroy(endo_crew **crew);

/* At most so many work at once; 1 for NULL. */
int endo_crew_members(const endo_crew *crew);

/* Returns when all n pieces are done. Members that wake late are not waited for. crew NULL: the caller does it all. One
 * call at a time. */
void endo_crew_run(endo_crew *crew, size_t n, endo_crew_work work, void *job);

#ifdef __cplusplus
}
#endif

#endif
