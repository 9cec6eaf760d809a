import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Makes the calls of a table with grpc-java:
 *
 * <p>java Caller CALLS DESCRIPTORS GRPC: the server
 *
 * <p>ci/interop/tours/calls.py describes the table. Messages are dynamic, from the descriptors that protoc wrote.
 */
final class Caller {
  private static final String SERVICE = "inference.GRPCInferenceService";

  private final ManagedChannel channel;
  private final ServiceDescriptor methods;
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(1);

  private Caller(String address, ServiceDescriptor methods) {
    this.channel = NettyChannelBuilder.forTarget(address).usePlaintext().maxInboundMessageSize(1 << 30).build();
    this.methods = methods;
  }

  private record Outcome(String code, String details, JsonElement answer) {}

  private static Metadata metadataOf(JsonObject call) {
    Metadata metadata = new Metadata();
    for (JsonElement pair : arrayOf(call, "metadata")) {
      String key = pair.getAsJsonArray().get(0).getAsString(), value = pair.getAsJsonArray().get(1).getAsString();
      if (key.endsWith("-bin"))
        metadata.put(Metadata.Key.of(key, Metadata.BINARY_BYTE_MARSHALLER), value.getBytes(StandardCharsets.ISO_8859_1));
      else
        metadata.put(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER), value);
    }
    return metadata;
  }

  /** Returns what came of one call. */
  private Outcome ask(JsonObject call, String number) throws Exception {
    String rpc = call.get("rpc").getAsString();
    MethodDescriptor known = methods.findMethodByName(rpc);
    MethodDescriptor method = known != null ? known : methods.findMethodByName("ServerLive");
    DynamicMessage.Builder request = DynamicMessage.newBuilder(method.getInputType());
    JsonFormat.parser().merge(call.get("message").toString().replace("{i}", number), request);
    var described = io.grpc.MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
        .setType(io.grpc.MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(SERVICE + "/" + rpc)
        .setRequestMarshaller(ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getInputType())))
        .setResponseMarshaller(ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getOutputType())))
        .build();
    CallOptions options = CallOptions.DEFAULT;
    if (call.has("deadline"))
      options = options.withDeadlineAfter((long) (call.get("deadline").getAsDouble() * 1e9), TimeUnit.NANOSECONDS);
    if (call.has("gzip")) options = options.withCompression("gzip");
    var with = io.grpc.ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(metadataOf(call)));
    var running = ClientCalls.futureUnaryCall(with.newCall(described, options), request.build());
    if (call.has("cancel"))
      clock.schedule(() -> running.cancel(true), (long) (call.get("cancel").getAsDouble() * 1000), TimeUnit.MILLISECONDS);
    try {
      String text = JsonFormat.printer().preservingProtoFieldNames().print(running.get());
      return new Outcome("OK", "", JsonParser.parseString(text));
    } catch (ExecutionException failed) {
      Status status = ((StatusRuntimeException) failed.getCause()).getStatus();
      return new Outcome(status.getCode().name(), String.valueOf(status.getDescription()), null);
    } catch (java.util.concurrent.CancellationException cancelled) {
      return new Outcome("CANCELLED", "", null);
    }
  }

  private static JsonArray arrayOf(JsonObject call, String name) {
    return call.has(name) ? call.getAsJsonArray(name) : new JsonArray();
  }

  private static String start(Object text) {
    return String.valueOf(text).substring(0, Math.min(300, String.valueOf(text).length()));
  }

  /** Returns what differs from what the table wants; null if nothing does. */
  private String difference(JsonObject call, String number) throws Exception {
    Outcome got = ask(call, number);
    String code = call.get("code").getAsString();
    if (!got.code.equals(code)) return "wanted " + code + ", got " + got.code + ": " + start(got.details);
    for (JsonElement word : arrayOf(call, "details"))
      if (!got.details.contains(word.getAsString())) return "the error does not say " + word + ": " + start(got.details);
    if (!call.has("answer")) return null;
    JsonElement wanted = JsonParser.parseString(call.get("answer").toString().replace("{i}", number));
    return wanted.equals(got.answer) ? null : "wanted " + start(wanted) + "\n       got    " + start(got.answer);
  }

  private String problem(JsonObject call) throws Exception {
    int times = call.has("times") ? call.get("times").getAsInt() : 1;
    ExecutorService threads = Executors.newFixedThreadPool(times);
    List<Future<String>> all = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      String number = Integer.toString(i);
      all.add(threads.submit(() -> difference(call, number)));
    }
    threads.shutdown();
    String found = null;
    for (Future<String> one : all) found = one.get() != null ? one.get() : found;
    return found;
  }

  private static ServiceDescriptor service(Path path) throws Exception {
    Map<String, FileDescriptor> files = new HashMap<>();
    for (FileDescriptorProto file : FileDescriptorSet.parseFrom(Files.readAllBytes(path)).getFileList()) {
      FileDescriptor[] needed = file.getDependencyList().stream().map(files::get).toArray(FileDescriptor[]::new);
      files.put(file.getName(), FileDescriptor.buildFrom(file, needed));
    }
    return files.values().stream()
        .map(file -> file.findServiceByName(SERVICE.substring(SERVICE.indexOf('.') + 1)))
        .filter(found -> found != null)
        .findFirst()
        .orElseThrow();
  }

  public static void main(String[] arguments) throws Exception {
    Caller caller = new Caller(System.getenv("GRPC"), service(Path.of(arguments[1])));
    JsonArray calls = JsonParser.parseString(Files.readString(Path.of(arguments[0]))).getAsJsonArray();
    int failed = 0;
    for (JsonElement element : calls) {
      JsonObject call = element.getAsJsonObject();
      String says = call.get("says").getAsString(), problem = caller.problem(call);
      System.out.println(problem == null ? "ok     grpc-java: " + says : "FAILED grpc-java: " + says + "\n       " + problem);
      failed += problem != null ? 1 : 0;
    }
    System.out.println("grpc-java: " + (calls.size() - failed) + " passed, " + failed + " failed");
    System.exit(failed > 0 ? 1 : 0);
  }
}
