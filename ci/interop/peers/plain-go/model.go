package main

import (
	"fmt"
	"slices"
)

// A tensor is what both transports make of an input and of an output. An element is a bool, int64, uint64, float32, float64, or the
// []byte of a BYTES element; FP16 has the two bytes of an element as a uint64.
type tensor struct {
	name     string
	datatype string
	shape    []int64
	elements []any
}

// A spec is a tensor as metadata tells it; -1 stands for any size.
type spec struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
}

type model struct {
	name    string
	inputs  []spec
	outputs []spec
	compute func(inputs []tensor) []tensor
}

const version = "1" // of each model

// A fault is the error of a request, which each transport says in its own words.
type fault struct {
	missing bool // what is named does not exist
	message string
}

func (f *fault) Error() string { return f.message }

func wrong(format string, values ...any) error { return &fault{false, fmt.Sprintf(format, values...)} }

func missing(format string, values ...any) error { return &fault{true, fmt.Sprintf(format, values...)} }

var models = map[string]*model{}

func init() {
	add := func(m *model) { models[m.name] = m }
	for kit, datatype := range map[string]string{"bool": "BOOL", "uint8": "UINT8", "uint16": "UINT16", "uint32": "UINT32",
		"uint64": "UINT64", "int8": "INT8", "int16": "INT16", "int32": "INT32", "int64": "INT64", "fp16": "FP16", "fp32": "FP32",
		"fp64": "FP64", "bytes": "BYTES"} {
		add(&model{"identity_" + kit, []spec{{"INPUT0", datatype, []int64{-1, -1}}}, []spec{{"OUTPUT0", datatype, []int64{-1, -1}}},
			func(inputs []tensor) []tensor {
				return []tensor{{"OUTPUT0", inputs[0].datatype, inputs[0].shape, inputs[0].elements}}
			}})
	}
	rows := []int64{-1, 16}
	add(&model{"simple", []spec{{"INPUT0", "INT32", rows}, {"INPUT1", "INT32", rows}},
		[]spec{{"OUTPUT0", "INT32", rows}, {"OUTPUT1", "INT32", rows}}, sumAndDifference})
}

func sumAndDifference(inputs []tensor) []tensor {
	sum := tensor{"OUTPUT0", "INT32", inputs[0].shape, nil}
	difference := tensor{"OUTPUT1", "INT32", inputs[0].shape, nil}
	for i, element := range inputs[0].elements {
		one, other := int32(element.(int64)), int32(inputs[1].elements[i].(int64))
		sum.elements = append(sum.elements, int64(one+other))
		difference.elements = append(difference.elements, int64(one-other))
	}
	return []tensor{sum, difference}
}

// find returns the model of the name; a version that is not asked for is empty.
func find(name, asked string) (*model, error) {
	m := models[name]
	if m == nil {
		return nil, missing("there is no model '%s'", name)
	}
	if asked != "" && asked != version {
		return nil, missing("model '%s' has no version '%s'", name, asked)
	}
	return m, nil
}

// count returns how many elements a shape holds.
func count(shape []int64) (int64, error) {
	elements := int64(1)
	for _, size := range shape {
		if size < 0 || size > 0 && elements > (1<<31)/size {
			return 0, wrong("no tensor has the shape %v", shape)
		}
		elements *= size
	}
	return elements, nil
}

func (s *spec) accepts(t *tensor) error {
	if t.datatype != s.Datatype {
		return wrong("input '%s' is of datatype %s, not '%s'", s.Name, s.Datatype, t.datatype)
	}
	fits := len(t.shape) == len(s.Shape)
	for i := 0; fits && i < len(t.shape); i++ {
		fits = s.Shape[i] < 0 || s.Shape[i] == t.shape[i]
	}
	if !fits {
		return wrong("input '%s' has the shape %v, which does not fit %v", s.Name, t.shape, s.Shape)
	}
	return nil
}

// infer answers a request whose tensors were read. Without names of outputs it answers all of them.
func (m *model) infer(given []tensor, asked []string) ([]tensor, error) {
	inputs := make([]tensor, len(m.inputs))
	for _, one := range given {
		i := slices.IndexFunc(m.inputs, func(s spec) bool { return s.Name == one.name })
		if i < 0 {
			return nil, wrong("model '%s' has no input '%s'", m.name, one.name)
		}
		if inputs[i].name != "" {
			return nil, wrong("input '%s' is given twice", one.name)
		}
		if err := m.inputs[i].accepts(&one); err != nil {
			return nil, err
		}
		inputs[i] = one
	}
	for i := range inputs {
		if inputs[i].name == "" {
			return nil, wrong("input '%s' is missing", m.inputs[i].Name)
		}
		if len(inputs[i].elements) != len(inputs[0].elements) {
			return nil, wrong("the inputs differ in their shapes")
		}
	}
	outputs := m.compute(inputs)
	if len(asked) == 0 {
		return outputs, nil
	}
	var wanted []tensor
	for i, name := range asked {
		place := slices.IndexFunc(outputs, func(t tensor) bool { return t.name == name })
		if place < 0 || slices.Contains(asked[:i], name) {
			return nil, wrong("model '%s' has no output '%s', or it is asked for twice", m.name, name)
		}
		wanted = append(wanted, outputs[place])
	}
	return wanted, nil
}
