/* Memory follows the load. malloc keeps what is freed, so that after a crowd of large requests the process would stay
 * as large as they were together. */
#pragma once

/* Has malloc take each large block from the system, so that it goes back when it is freed. Otherwise malloc would learn
 * from the first large blocks to keep such sizes, in an arena of each of hundreds of threads. To be called first. */
void trim_begin(void);

/* Gives memory that is free back to the system, if there is much of it. To be called about once a second, by one
 * thread. What is given back each time is so little of what a busy server uses in a second that large requests do not
 * get slower. */
void trim_memory(void);
