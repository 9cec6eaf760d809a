/* The locks inside the C core are Abseil's. Debian builds Abseil without NDEBUG, so its detection of deadlocks is on:
 * every lock that is taken while another is held is written into one graph for the whole process, under one spin lock.
 * This makes all threads wait for each other. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Switches this detection off for the whole process. Call it before the core takes its first lock. */
void grpc_locks_unwatched(void);

#ifdef __cplusplus
}
#endif
