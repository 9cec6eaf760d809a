/* The version of the program, for --version and for reports. */
#ifndef SUPPORT_VERSION_H
#define SUPPORT_VERSION_H

#define PROGRAM_VERSION "0.1.0"

#endif
