/* The locks inside the C core. They are Abseil's, and a distribution that builds Abseil without NDEBUG (Debian does)
 * leaves its search for deadlocks on: each lock taken while another is held is written into one graph for the whole
 * process, under one spin lock. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Ends that search, for the whole process; before the core takes its first lock. */
void grpc_locks_unwatched(void);

#ifdef __cplusplus
}
#endif
