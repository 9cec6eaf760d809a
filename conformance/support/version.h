/* The version of the program, for --version and for reports. */
#pragma once

#define PROGRAM_VERSION "0.1.0"
