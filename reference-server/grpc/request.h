/* The head of a request: which method is called, and with what metadata. */
#pragma once

#include "grpc/call.h"

void request_take_header(struct server_call *call, struct str name, struct str value);

/* Says what is wrong with the headers, when all have come. What is no call of gRPC gets another status of HTTP. */
struct status request_check_headers(struct server_call *call);

/* Says whether the only message of a call has come. */
struct status request_check_message(struct server_call *call);
