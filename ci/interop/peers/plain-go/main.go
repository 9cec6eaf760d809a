// A server of document 000 that someone wrote with net/http and grpc-go in an afternoon, by the document alone:
//
//	plain-go-server HTTP GRPC      the addresses
//
// What its libraries do of their own accord is left as it is.
package main

import (
	"log"
	"net"
	"net/http"
	"os"

	"google.golang.org/grpc"

	pb "oip-conformance/plain-go/inference"
)

func main() {
	listener, err := net.Listen("tcp", os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	pb.RegisterGRPCInferenceServiceServer(server, &service{})
	go func() { log.Fatal(server.Serve(listener)) }()
	log.Fatal(http.ListenAndServe(os.Args[1], http.HandlerFunc(serveRest)))
}
