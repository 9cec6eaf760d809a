// A server of GraphPipe as its users write it: the original library in Go, with one model that adds and subtracts.
//
//	server ADDR:PORT
package main

import (
	"encoding/binary"
	"fmt"
	"log"
	"os"

	graphpipe "github.com/oracle/graphpipe-go"
	graphpipefb "github.com/oracle/graphpipe-go/graphpipefb"
)

var names = map[string]int32{"OUTPUT0": 1, "OUTPUT1": -1}

// addSub returns the sum for OUTPUT0 and the difference for OUTPUT1, in the order that was asked for.
func addSub(_ *graphpipe.RequestContext, _ string, inputs map[string]*graphpipe.NativeTensor,
	outputs []string) ([]*graphpipe.NativeTensor, error) {
	a, b := inputs["INPUT0"], inputs["INPUT1"]
	if len(inputs) != 2 || a == nil || b == nil {
		return nil, fmt.Errorf("the inputs are INPUT0 and INPUT1")
	}
	if a.Type != graphpipefb.TypeInt32 || b.Type != graphpipefb.TypeInt32 || len(a.Shape) != 2 || a.Shape[1] != 16 ||
		len(b.Shape) != 2 || b.Shape[1] != 16 || len(a.Data) != len(b.Data) {
		return nil, fmt.Errorf("the inputs are Int32 [-1,16]")
	}
	results := []*graphpipe.NativeTensor{}
	for _, name := range outputs {
		sign, known := names[name]
		if !known {
			return nil, fmt.Errorf("there is no output %s", name)
		}
		data := make([]byte, len(a.Data))
		for at := 0; at+4 <= len(data); at += 4 {
			x, y := int32(binary.LittleEndian.Uint32(a.Data[at:])), int32(binary.LittleEndian.Uint32(b.Data[at:]))
			binary.LittleEndian.PutUint32(data[at:], uint32(x+sign*y))
		}
		result := &graphpipe.NativeTensor{}
		if err := result.InitWithData(data, a.Shape, graphpipefb.TypeInt32); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

func tensors(names ...string) (list []graphpipe.NativeIOMetadata) {
	for _, name := range names {
		list = append(list, graphpipe.NativeIOMetadata{Name: name, Shape: []int64{-1, 16}, Type: graphpipefb.TypeInt32})
	}
	return list
}

func main() {
	inputs, outputs := []string{"INPUT0", "INPUT1"}, []string{"OUTPUT0", "OUTPUT1"}
	meta := &graphpipe.NativeMetadataResponse{Name: "add-sub", Version: "1", Server: "graphpipe-go",
		Inputs: tensors(inputs...), Outputs: tensors(outputs...)}
	log.Fatal(graphpipe.ServeRaw(&graphpipe.ServeRawOptions{Listen: os.Args[1], Meta: meta, DefaultInputs: inputs,
		DefaultOutputs: outputs, Apply: addSub}))
}
