/* Binary tensors in the body of an inference over REST: of inputs after the JSON of a request, and of outputs after
 * the JSON of an answer. */
#pragma once

#include "predict_v2/rest_decode.h"
#include "tensor/raw.h"

/* --- A request --- */

/* Finds out, before the body is read, where its binary data will begin, so that the data can be read into aligned
 * memory. */
void binary_expect(struct rest_call *call);

/* Splits decode->text, the whole body, into JSON (decode->text) and what follows it (decode->binary), if the request
 * says where the JSON ends. Returns false after a refusal. */
bool split_body(struct decode *decode);

/* Says whether the data of an input, a struct input_parts, follows the JSON. All its members but perhaps "data"
 * must have been read. */
bool is_binary_input(const struct decode *decode, const void *parts);

/* Gives such an input its data: the next bytes of decode->binary. Returns false after a refusal. */
bool take_binary(struct decode *decode, struct input_parts *parts);

/* Checks, after all inputs, that no bytes are left. Returns false after a refusal. */
bool binary_is_taken(struct decode *decode);

/* --- An answer --- */

/* Says whether the output of that position in the answer is to be binary. */
bool binary_is_wanted(const struct infer_request *request, size_t output);

/* Gives the parameters of a binary output: its own, and binary_data_size. Fails without memory. */
struct status binary_parameters(const struct model_output *output, struct arena *arena, struct parameters *parameters);

/* Adds the header that says where the JSON ends, which is complete in http->answer_buf. Fails without memory. */
struct status binary_announce(struct rest_call *call);
