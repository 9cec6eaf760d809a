/* Memory follows the load. malloc keeps what is freed, so that after a crowd of large requests the process would stay
 * as large as they were together. */
#ifndef TRIM_H
#define TRIM_H

/* Gives memory that is free back to the system, if there is much of it. To be called about once a second, by one
 * thread. What is given back each time is so little of what a busy server uses in a second that large requests do not
 * get slower. */
void trim_memory(void);

#endif
