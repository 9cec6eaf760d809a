// Makes the calls of a table with grpc-js:
//
//     node caller.js CALLS SCHEMA      GRPC: the server
//
// ci/interop/tours/calls.py describes the table. Messages are dynamic, by proto-loader, which reads the .proto in the folder SCHEMA
// (of descriptors that protoc wrote it does not understand maps).
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const SERVICE = "inference.GRPCInferenceService";
const GZIP = 2; // of grpc.compressionAlgorithms

// As protobuf's JSON form has them: bytes in base64, 64-bit integers as texts, and nothing that has its default.
const form = {keepCase: true, longs: String, bytes: String, defaults: false, oneofs: false};
const methods = loader.loadSync("inference.proto", {...form, includeDirs: [process.argv[3]]})[SERVICE];

function channel(options) {
  return new grpc.Client(process.env.GRPC, grpc.credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
    "grpc.use_local_subchannel_pool": 1,
    ...options,
  });
}

const plain = channel({});
const compressing = channel({"grpc.default_compression_algorithm": GZIP});

// Returns what came of one call: its code, its details, and its answer in JSON.
function ask(call, number) {
  const method = methods[call.rpc] ?? {...methods.ServerLive, path: `/${SERVICE}/${call.rpc}`};
  const message = JSON.parse(JSON.stringify(call.message).replaceAll("{i}", number));
  const metadata = new grpc.Metadata();
  for (const [key, value] of call.metadata ?? [])
    metadata.add(key, key.endsWith("-bin") ? Buffer.from(value, "latin1") : value);
  const options = call.deadline ? {deadline: Date.now() + call.deadline * 1000} : {};
  return new Promise((resolve) => {
    const client = call.gzip ? compressing : plain;
    const running = client.makeUnaryRequest(method.path, method.requestSerialize, method.responseDeserialize, message,
      metadata, options, (error, answer) => resolve(error
        ? {code: grpc.status[error.code], details: error.details}
        : {code: "OK", details: "", answer: JSON.parse(JSON.stringify(answer))}));
    if (call.cancel) setTimeout(() => running.cancel(), call.cancel * 1000);
  });
}

// Returns what differs from what the table wants; null if nothing does.
function difference(call, number, got) {
  if (got.code !== call.code) return `wanted ${call.code}, got ${got.code}: ${got.details.slice(0, 300)}`;
  const missing = (call.details ?? []).find((word) => !got.details.includes(word));
  if (missing !== undefined) return `the error does not say ${JSON.stringify(missing)}: ${got.details.slice(0, 300)}`;
  if (call.answer === undefined) return null;
  const wanted = JSON.parse(JSON.stringify(call.answer).replaceAll("{i}", number));
  try {
    assert.deepStrictEqual(got.answer, wanted);
    return null;
  } catch {
    return `wanted ${JSON.stringify(wanted).slice(0, 300)}\n       got    ${JSON.stringify(got.answer).slice(0, 300)}`;
  }
}

async function main() {
  const calls = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
  let failed = 0;
  for (const call of calls) {
    const numbers = [...Array(call.times ?? 1).keys()].map(String);
    const found = await Promise.all(numbers.map(async (number) => difference(call, number, await ask(call, number))));
    const problem = found.find((one) => one !== null);
    console.log(problem === undefined ? `ok     grpc-js: ${call.says}` : `FAILED grpc-js: ${call.says}\n       ${problem}`);
    failed += problem !== undefined;
  }
  console.log(`grpc-js: ${calls.length - failed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}

main();
