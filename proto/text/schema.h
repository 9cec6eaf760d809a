// The schemas in this program, for libprotobuf: a descriptor set is part of the program, so no code is generated. This
// header is for C++.
#pragma once

extern "C" {
#include "text/text.h"
}

#include <google/protobuf/message.h>
#include <memory>

// Returns an empty message of the type.
std::unique_ptr<google::protobuf::Message> text_message(const struct text_type *type);

// Reads a text into an empty message. Fails as text_read does.
struct status text_parse(struct str text, struct arena *arena, google::protobuf::Message *message);
