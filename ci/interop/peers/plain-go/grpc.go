package main

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "oip-conformance/plain-go/inference"
)

type service struct {
	pb.UnimplementedGRPCInferenceServiceServer
}

// said returns the error as gRPC has it.
func said(err error) error {
	var f *fault
	if errors.As(err, &f) && f.missing {
		return status.Error(codes.NotFound, f.message)
	}
	return status.Error(codes.InvalidArgument, err.Error())
}

func (*service) ServerLive(context.Context, *pb.ServerLiveRequest) (*pb.ServerLiveResponse, error) {
	return &pb.ServerLiveResponse{Live: true}, nil
}

func (*service) ServerReady(context.Context, *pb.ServerReadyRequest) (*pb.ServerReadyResponse, error) {
	return &pb.ServerReadyResponse{Ready: true}, nil
}

func (*service) ServerMetadata(context.Context, *pb.ServerMetadataRequest) (*pb.ServerMetadataResponse, error) {
	return &pb.ServerMetadataResponse{Name: "plain-go", Version: "1.0"}, nil
}

func (*service) ModelReady(_ context.Context, q *pb.ModelReadyRequest) (*pb.ModelReadyResponse, error) {
	if _, err := find(q.Name, q.Version); err != nil {
		return nil, said(err)
	}
	return &pb.ModelReadyResponse{Ready: true}, nil
}

func (*service) ModelMetadata(_ context.Context, q *pb.ModelMetadataRequest) (*pb.ModelMetadataResponse, error) {
	m, err := find(q.Name, q.Version)
	if err != nil {
		return nil, said(err)
	}
	a := &pb.ModelMetadataResponse{Name: m.name, Versions: []string{version}, Platform: "go_plain"}
	for _, s := range m.inputs {
		a.Inputs = append(a.Inputs, &pb.ModelMetadataResponse_TensorMetadata{Name: s.Name, Datatype: s.Datatype, Shape: s.Shape})
	}
	for _, s := range m.outputs {
		a.Outputs = append(a.Outputs, &pb.ModelMetadataResponse_TensorMetadata{Name: s.Name, Datatype: s.Datatype, Shape: s.Shape})
	}
	return a, nil
}

var sizeOf = map[string]int{"BOOL": 1, "INT8": 1, "UINT8": 1, "INT16": 2, "UINT16": 2, "FP16": 2, "INT32": 4, "UINT32": 4, "FP32": 4,
	"INT64": 8, "UINT64": 8, "FP64": 8}

// fromRaw reads the elements of a raw tensor, in little-endian order.
func fromRaw(datatype string, raw []byte) (elements []any, err error) {
	if datatype == "BYTES" {
		for len(raw) > 0 {
			if len(raw) < 4 || uint64(len(raw)-4) < uint64(binary.LittleEndian.Uint32(raw)) {
				return nil, wrong("an element of BYTES is cut off")
			}
			size := binary.LittleEndian.Uint32(raw)
			elements = append(elements, raw[4:4+size])
			raw = raw[4+size:]
		}
		return elements, nil
	}
	size := sizeOf[datatype]
	if size == 0 || len(raw)%size != 0 {
		return nil, wrong("%d bytes are no tensor of datatype '%s'", len(raw), datatype)
	}
	for ; len(raw) > 0; raw = raw[size:] {
		var padded [8]byte
		copy(padded[:], raw[:size])
		bits := binary.LittleEndian.Uint64(padded[:])
		switch datatype {
		case "BOOL":
			if bits > 1 {
				return nil, wrong("an element of BOOL is %d, neither 0 nor 1", bits)
			}
			elements = append(elements, bits == 1)
		case "INT8":
			elements = append(elements, int64(int8(bits)))
		case "INT16":
			elements = append(elements, int64(int16(bits)))
		case "INT32":
			elements = append(elements, int64(int32(bits)))
		case "INT64":
			elements = append(elements, int64(bits))
		case "FP32":
			elements = append(elements, math.Float32frombits(uint32(bits)))
		case "FP64":
			elements = append(elements, math.Float64frombits(bits))
		default:
			elements = append(elements, bits)
		}
	}
	return elements, nil
}

func toRaw(t tensor) []byte {
	raw := []byte{}
	for _, value := range t.elements {
		var bits uint64
		switch one := value.(type) {
		case []byte:
			raw = append(binary.LittleEndian.AppendUint32(raw, uint32(len(one))), one...)
			continue
		case bool:
			if one {
				bits = 1
			}
		case int64:
			bits = uint64(one)
		case uint64:
			bits = one
		case float32:
			bits = uint64(math.Float32bits(one))
		case float64:
			bits = math.Float64bits(one)
		}
		var padded [8]byte
		binary.LittleEndian.PutUint64(padded[:], bits)
		raw = append(raw, padded[:sizeOf[t.datatype]]...)
	}
	return raw
}

func each[T any, E any](values []T, of func(T) E) []E {
	var made []E
	for _, value := range values {
		made = append(made, of(value))
	}
	return made
}

// fromContents reads the typed elements of a tensor: those of its datatype, and no others.
func fromContents(datatype string, c *pb.InferTensorContents) ([]any, error) {
	given := len(c.GetBoolContents()) + len(c.GetIntContents()) + len(c.GetInt64Contents()) + len(c.GetUintContents()) +
		len(c.GetUint64Contents()) + len(c.GetFp32Contents()) + len(c.GetFp64Contents()) + len(c.GetBytesContents())
	var elements []any
	switch datatype {
	case "BOOL":
		elements = each(c.GetBoolContents(), func(v bool) any { return v })
	case "INT8", "INT16", "INT32":
		elements = each(c.GetIntContents(), func(v int32) any { return int64(v) })
	case "INT64":
		elements = each(c.GetInt64Contents(), func(v int64) any { return v })
	case "UINT8", "UINT16", "UINT32":
		elements = each(c.GetUintContents(), func(v uint32) any { return uint64(v) })
	case "UINT64":
		elements = each(c.GetUint64Contents(), func(v uint64) any { return v })
	case "FP32":
		elements = each(c.GetFp32Contents(), func(v float32) any { return v })
	case "FP64":
		elements = each(c.GetFp64Contents(), func(v float64) any { return v })
	case "BYTES":
		elements = each(c.GetBytesContents(), func(v []byte) any { return v })
	}
	if given != len(elements) {
		return nil, wrong("the contents are not those of datatype '%s'", datatype)
	}
	for _, element := range elements {
		bits := bitsOf[datatype]
		if one, ok := element.(int64); ok && one != one<<(64-bits)>>(64-bits) {
			return nil, wrong("%d is no element of %s", one, datatype)
		}
		if one, ok := element.(uint64); ok && one != one<<(64-bits)>>(64-bits) {
			return nil, wrong("%d is no element of %s", one, datatype)
		}
	}
	return elements, nil
}

func toContents(t tensor) *pb.InferTensorContents {
	c := &pb.InferTensorContents{}
	for _, value := range t.elements {
		switch one := value.(type) {
		case bool:
			c.BoolContents = append(c.BoolContents, one)
		case int64:
			if t.datatype == "INT64" {
				c.Int64Contents = append(c.Int64Contents, one)
			} else {
				c.IntContents = append(c.IntContents, int32(one))
			}
		case uint64:
			if t.datatype == "UINT64" {
				c.Uint64Contents = append(c.Uint64Contents, one)
			} else {
				c.UintContents = append(c.UintContents, uint32(one))
			}
		case float32:
			c.Fp32Contents = append(c.Fp32Contents, one)
		case float64:
			c.Fp64Contents = append(c.Fp64Contents, one)
		case []byte:
			c.BytesContents = append(c.BytesContents, one)
		}
	}
	return c
}

func tensorsOf(q *pb.ModelInferRequest) ([]tensor, error) {
	raw := q.RawInputContents
	if len(raw) > 0 && len(raw) != len(q.Inputs) {
		return nil, wrong("there are %d inputs and %d raw contents", len(q.Inputs), len(raw))
	}
	var tensors []tensor
	for i, input := range q.Inputs {
		t := tensor{name: input.Name, datatype: input.Datatype, shape: input.Shape}
		wanted, err := count(t.shape)
		switch {
		case err != nil:
		case len(raw) == 0:
			t.elements, err = fromContents(t.datatype, input.Contents)
		case input.Contents != nil:
			err = wrong("input '%s' has contents, and raw contents too", t.name)
		default:
			t.elements, err = fromRaw(t.datatype, raw[i])
		}
		if err == nil && int64(len(t.elements)) != wanted {
			err = wrong("input '%s' has %d elements, and its shape %d", t.name, len(t.elements), wanted)
		}
		if err != nil {
			return nil, err
		}
		tensors = append(tensors, t)
	}
	return tensors, nil
}

func (*service) ModelInfer(_ context.Context, q *pb.ModelInferRequest) (*pb.ModelInferResponse, error) {
	m, err := find(q.ModelName, q.ModelVersion)
	if err != nil {
		return nil, said(err)
	}
	inputs, err := tensorsOf(q)
	if err != nil {
		return nil, said(err)
	}
	outputs, err := m.infer(inputs, each(q.Outputs, (*pb.ModelInferRequest_InferRequestedOutputTensor).GetName))
	if err != nil {
		return nil, said(err)
	}
	a := &pb.ModelInferResponse{ModelName: m.name, ModelVersion: version, Id: q.Id}
	for _, t := range outputs {
		one := &pb.ModelInferResponse_InferOutputTensor{Name: t.name, Datatype: t.datatype, Shape: t.shape}
		if len(q.RawInputContents) > 0 {
			a.RawOutputContents = append(a.RawOutputContents, toRaw(t))
		} else {
			one.Contents = toContents(t)
		}
		a.Outputs = append(a.Outputs, one)
	}
	return a, nil
}
