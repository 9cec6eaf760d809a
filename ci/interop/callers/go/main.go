// Makes the calls of a table with grpc-go:
//
//	go-caller CALLS DESCRIPTORS      GRPC: the server
//
// ci/interop/tours/calls.py describes the table. Messages are dynamic, from the descriptors that protoc wrote.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

const service = "inference.GRPCInferenceService"

type call struct {
	Says     string
	Rpc      string
	Message  json.RawMessage
	Metadata [][2]string
	Deadline float64
	Gzip     bool
	Cancel   float64
	Times    int
	Code     string
	Answer   json.RawMessage
	Details  []string
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

// asked returns what came of one call: its code, its details, and its answer in JSON.
func asked(connection *grpc.ClientConn, methods protoreflect.MethodDescriptors, c *call, number string) (string, string, any) {
	input, output := protoreflect.MessageDescriptor(nil), protoreflect.MessageDescriptor(nil)
	if method := methods.ByName(protoreflect.Name(c.Rpc)); method != nil {
		input, output = method.Input(), method.Output()
	} else {
		input = methods.ByName("ServerLive").Input()
		output = methods.ByName("ServerLive").Output()
	}
	request, answer := dynamicpb.NewMessage(input), dynamicpb.NewMessage(output)
	must(0, protojson.Unmarshal([]byte(strings.ReplaceAll(string(c.Message), "{i}", number)), request))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if c.Deadline > 0 {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(c.Deadline*float64(time.Second)))
		defer cancel()
	}
	if c.Cancel > 0 {
		time.AfterFunc(time.Duration(c.Cancel*float64(time.Second)), cancel)
	}
	for _, pair := range c.Metadata {
		ctx = metadata.AppendToOutgoingContext(ctx, pair[0], pair[1])
	}
	options := []grpc.CallOption{}
	if c.Gzip {
		options = append(options, grpc.UseCompressor(gzip.Name))
	}
	err := connection.Invoke(ctx, "/"+service+"/"+c.Rpc, request, answer, options...)
	var decoded any
	if err == nil {
		text := must(protojson.MarshalOptions{UseProtoNames: true}.Marshal(answer))
		must(0, json.Unmarshal(text, &decoded))
	}
	// grpc-go writes codes as "NotFound"; all others as "NOT_FOUND".
	return canonical(status.Code(err).String()), status.Convert(err).Message(), decoded
}

func canonical(code string) string {
	if code == "OK" {
		return code
	}
	out := strings.Builder{}
	for i, letter := range code {
		if i > 0 && letter >= 'A' && letter <= 'Z' {
			out.WriteByte('_')
		}
		out.WriteString(strings.ToUpper(string(letter)))
	}
	return strings.ReplaceAll(out.String(), "CANCELED", "CANCELLED")
}

// problem makes a call, as often as it says at the same time, and returns what differs from what the table wants.
func problem(connection *grpc.ClientConn, methods protoreflect.MethodDescriptors, c *call) string {
	problems := make([]string, max(c.Times, 1))
	group := sync.WaitGroup{}
	for i := range problems {
		group.Go(func() {
			number := fmt.Sprint(i)
			code, details, answer := asked(connection, methods, c, number)
			var wanted any
			if c.Answer != nil {
				must(0, json.Unmarshal([]byte(strings.ReplaceAll(string(c.Answer), "{i}", number)), &wanted))
			}
			if code != c.Code {
				problems[i] = fmt.Sprintf("wanted %s, got %s: %.300s", c.Code, code, details)
			} else if wanted != nil && !reflect.DeepEqual(wanted, answer) {
				problems[i] = fmt.Sprintf("wanted %.300v\n       got    %.300v", wanted, answer)
			}
			for _, word := range c.Details {
				if !strings.Contains(details, word) {
					problems[i] = fmt.Sprintf("the error does not say %q: %.300q", word, details)
				}
			}
		})
	}
	group.Wait()
	for _, found := range problems {
		if found != "" {
			return found
		}
	}
	return ""
}

func main() {
	set, calls := &descriptorpb.FileDescriptorSet{}, []*call{}
	must(0, json.Unmarshal(must(os.ReadFile(os.Args[1])), &calls))
	must(0, proto.Unmarshal(must(os.ReadFile(os.Args[2])), set))
	files := must(protodesc.NewFiles(set))
	methods := must(files.FindDescriptorByName(service)).(protoreflect.ServiceDescriptor).Methods()
	connection := must(grpc.NewClient("passthrough:///"+os.Getenv("GRPC"), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30), grpc.MaxCallSendMsgSize(1<<30))))
	failed := 0
	for _, c := range calls {
		if found := problem(connection, methods, c); found != "" {
			failed++
			fmt.Printf("FAILED grpc-go: %s\n       %s\n", c.Says, found)
		} else {
			fmt.Printf("ok     grpc-go: %s\n", c.Says)
		}
	}
	fmt.Printf("grpc-go: %d passed, %d failed\n", len(calls)-failed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
