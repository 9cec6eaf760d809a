# Derives the schema of the request structs from inference.proto, or another schema. The messages are the same on the wire, in the
# package that the variable `package` names.
# Every string becomes bytes with a length, because protobuf-c ends plain strings at a NUL. Every map becomes a list of
# entry messages, because the keys of a map cannot be annotated. The service is left out, because structs have no rpcs.

function capitalised(name) { return toupper(substr(name, 1, 1)) substr(name, 2) }

function with_length(type) { return type == "string" ? " [(pb_c_field).string_as_bytes = true]" : "" }

{ sub(/[ \t]*\/\/.*/, "") }
/^[ \t]*$/ { next }

/^package / { print "package " package ";\nimport \"protobuf-c/protobuf-c.proto\";"; next }

/^service / { in_service = 1 }
in_service { if ($0 ~ /^}/) in_service = 0; next }

# map<K, V> name = n;
/^[ \t]*map *</ {
    match($0, /^[ \t]*/); indent = substr($0, 1, RLENGTH)
    split($0, part, /[<>,=; \t]+/); first = part[1] == "" ? 2 : 1   # map K V name n
    key = part[first + 1]; value = part[first + 2]; name = part[first + 3]; number = part[first + 4]
    entry = capitalised(name) "Entry"
    print indent "message " entry " {"
    print indent "  " key " key = 1" with_length(key) ";"
    print indent "  " value " value = 2" with_length(value) ";"
    print indent "}"
    print indent "repeated " entry " " name " = " number ";"
    next
}

/^[ \t]*(repeated +)?string / { sub(/;/, with_length("string") ";") }

{ print }
