package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

const largestBody = 64 << 20

type object = map[string]json.RawMessage

// Names of members differ by case, which structs of encoding/json do not tell apart.
func members(raw json.RawMessage, what string) (object, error) {
	var o object
	if err := json.Unmarshal(raw, &o); err != nil || o == nil {
		return nil, wrong("%s is no object", what)
	}
	return o, nil
}

func text(raw json.RawMessage, what string) (string, error) {
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil || s == nil {
		return "", wrong("%s is no string", what)
	}
	return *s, nil
}

func list(raw json.RawMessage, what string) ([]json.RawMessage, error) {
	var l []json.RawMessage
	if err := json.Unmarshal(raw, &l); err != nil || l == nil {
		return nil, wrong("%s is no list", what)
	}
	return l, nil
}

func parametersOf(o object) error {
	raw, ok := o["parameters"]
	if !ok {
		return nil
	}
	parameters, err := members(raw, "parameters")
	for name, value := range parameters {
		if strings.ContainsRune("{[n", rune(value[0])) {
			return wrong("parameter '%s' is no string, number or boolean", name)
		}
	}
	return err
}

func shapeOf(raw json.RawMessage) ([]int64, error) {
	sizes, err := list(raw, "a shape")
	shape := make([]int64, len(sizes))
	for i, size := range sizes {
		if shape[i], err = strconv.ParseInt(string(size), 10, 64); err != nil || shape[i] < 0 {
			return nil, wrong("the shape %s does not hold whole numbers from 0 on", raw)
		}
	}
	return shape, err
}

var bitsOf = map[string]int{"INT8": 8, "INT16": 16, "INT32": 32, "INT64": 64, "UINT8": 8, "UINT16": 16, "UINT32": 32, "UINT64": 64}

// element reads one JSON value of the datatype.
func element(datatype string, raw json.RawMessage) (any, error) {
	var value any
	var err error
	switch datatype {
	case "BOOL":
		value, err = strconv.ParseBool(string(raw))
		if err == nil && len(raw) < 4 { // ParseBool takes 1, t, 0 and f as well
			err = strconv.ErrSyntax
		}
	case "INT8", "INT16", "INT32", "INT64":
		value, err = strconv.ParseInt(string(raw), 10, bitsOf[datatype])
	case "UINT8", "UINT16", "UINT32", "UINT64":
		value, err = strconv.ParseUint(string(raw), 10, bitsOf[datatype])
	case "FP32":
		var number float64
		number, err = strconv.ParseFloat(string(raw), 32)
		value = float32(number)
	case "FP64":
		value, err = strconv.ParseFloat(string(raw), 64)
	case "FP16":
		var number float64
		if number, err = strconv.ParseFloat(string(raw), 64); err == nil {
			value, err = half(number)
		}
	case "BYTES":
		var s string
		s, err = text(raw, "an element")
		value = []byte(s)
	default:
		return nil, wrong("there is no datatype '%s'", datatype)
	}
	if err != nil {
		return nil, wrong("%.40s is no element of %s", raw, datatype)
	}
	return value, nil
}

// flatten reads the data of a tensor, as one list or as lists in lists by the shape.
func (t *tensor) flatten(raw json.RawMessage, shape []int64) error {
	elements, err := list(raw, "the data of '"+t.name+"'")
	if err != nil {
		return err
	}
	nested := len(elements) > 0 && elements[0][0] == '[' || len(elements) == 0 && len(shape) > 0 && shape[0] == 0
	if nested && (len(shape) == 0 || int64(len(elements)) != shape[0]) {
		return wrong("the data of '%s' does not have its shape", t.name)
	}
	for _, one := range elements {
		switch {
		case nested && len(shape) > 1:
			err = t.flatten(one, shape[1:])
		case one[0] == '[':
			err = wrong("the data of '%s' does not have its shape", t.name)
		default:
			var value any
			value, err = element(t.datatype, one)
			t.elements = append(t.elements, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func tensorOf(raw json.RawMessage) (t tensor, err error) {
	o, err := members(raw, "an input")
	if err == nil {
		t.name, err = text(o["name"], "the name of an input")
	}
	if err == nil {
		t.datatype, err = text(o["datatype"], "the datatype of '"+t.name+"'")
	}
	if err == nil {
		t.shape, err = shapeOf(o["shape"])
	}
	if err == nil {
		err = parametersOf(o)
	}
	if err == nil {
		err = t.flatten(o["data"], t.shape)
	}
	if err != nil {
		return t, err
	}
	wanted, err := count(t.shape)
	if err == nil && wanted != int64(len(t.elements)) {
		err = wrong("'%s' has %d elements, and its shape %d", t.name, len(t.elements), wanted)
	}
	return t, err
}

type request struct {
	id      string
	hasID   bool
	inputs  []tensor
	outputs []string
}

func requestOf(body []byte) (q request, err error) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return q, wrong("the body is no JSON")
	}
	o, err := members(body, "the body")
	if err != nil {
		return q, err
	}
	if raw, ok := o["id"]; ok {
		q.hasID = true
		if q.id, err = text(raw, "id"); err != nil {
			return q, err
		}
	}
	if err = parametersOf(o); err != nil {
		return q, err
	}
	inputs, err := list(o["inputs"], "inputs")
	for _, raw := range inputs {
		var one tensor
		if one, err = tensorOf(raw); err != nil {
			return q, err
		}
		q.inputs = append(q.inputs, one)
	}
	if raw, ok := o["outputs"]; ok && err == nil {
		q.outputs, err = outputsOf(raw)
	}
	return q, err
}

func outputsOf(raw json.RawMessage) ([]string, error) {
	outputs, err := list(raw, "outputs")
	var names []string
	for _, one := range outputs {
		output, err := members(one, "an output")
		if err == nil {
			err = parametersOf(output)
		}
		if err != nil {
			return nil, err
		}
		name, err := text(output["name"], "the name of an output")
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, err
}

type answeredTensor struct {
	spec
	Data []any `json:"data"`
}

type answer struct {
	ModelName    string           `json:"model_name"`
	ModelVersion string           `json:"model_version"`
	ID           *string          `json:"id,omitempty"`
	Outputs      []answeredTensor `json:"outputs"`
}

// told returns the elements as JSON has them.
func told(t tensor) (answeredTensor, error) {
	data := make([]any, len(t.elements))
	for i, value := range t.elements {
		switch one := value.(type) {
		case []byte:
			if !utf8.Valid(one) {
				return answeredTensor{}, wrong("an element of '%s' is no text, which JSON cannot hold", t.name)
			}
			data[i] = string(one)
		case uint64:
			data[i] = value
			if t.datatype == "FP16" {
				data[i] = float(uint16(one))
			}
		default:
			data[i] = value
		}
	}
	return answeredTensor{spec{t.name, t.datatype, t.shape}, data}, nil
}

func inferOverRest(m *model, r *http.Request) (any, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, largestBody))
	if err != nil {
		return nil, wrong("the body could not be read: %v", err)
	}
	q, err := requestOf(body)
	if err != nil {
		return nil, err
	}
	outputs, err := m.infer(q.inputs, q.outputs)
	if err != nil {
		return nil, err
	}
	a := answer{ModelName: m.name, ModelVersion: version, Outputs: []answeredTensor{}}
	if q.hasID {
		a.ID = &q.id
	}
	for _, one := range outputs {
		t, err := told(one)
		if err != nil {
			return nil, err
		}
		a.Outputs = append(a.Outputs, t)
	}
	return a, nil
}

var errMethod = errors.New("this path has another method")

// answerOf returns what a request is answered, nil for an answer without a body.
func answerOf(r *http.Request) (any, error) {
	part := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	at := func(i int) string {
		if i < len(part) {
			return part[i]
		}
		return ""
	}
	path := strings.Join(part, "/")
	if path == "v2/models" || at(0) != "v2" || at(len(part)-1) == "" {
		return nil, missing("nothing is at %s", r.URL.Path)
	}
	method := http.MethodGet
	var say func() (any, error)
	switch {
	case path == "v2":
		say = func() (any, error) {
			return map[string]any{"name": "plain-go", "version": "1.0", "extensions": []string{}}, nil
		}
	case path == "v2/health/live" || path == "v2/health/ready":
		say = func() (any, error) { return nil, nil }
	case at(1) == "models":
		asked, rest := "", 3
		if at(3) == "versions" && at(4) != "" {
			asked, rest = at(4), 5
		}
		m, err := find(at(2), asked)
		if err != nil {
			return nil, err
		}
		switch tail := strings.Join(part[min(rest, len(part)):], "/"); tail {
		case "":
			say = func() (any, error) {
				return map[string]any{"name": m.name, "versions": []string{version}, "platform": "go_plain", "inputs": m.inputs,
					"outputs": m.outputs}, nil
			}
		case "ready":
			say = func() (any, error) { return nil, nil }
		case "infer":
			method = http.MethodPost
			say = func() (any, error) { return inferOverRest(m, r) }
		}
	}
	if say == nil {
		return nil, missing("nothing is at %s", r.URL.Path)
	}
	if r.Method != method && !(method == http.MethodGet && r.Method == http.MethodHead) {
		return nil, fmt.Errorf("%w: %s", errMethod, method)
	}
	return say()
}

func serveRest(w http.ResponseWriter, r *http.Request) {
	value, err := answerOf(r)
	var f *fault
	code := http.StatusOK
	switch {
	case err == nil:
	case errors.Is(err, errMethod):
		code = http.StatusMethodNotAllowed
		w.Header().Set("Allow", strings.TrimPrefix(err.Error(), errMethod.Error()+": "))
	case errors.As(err, &f) && f.missing:
		code = http.StatusNotFound
	default:
		code = http.StatusBadRequest
	}
	if err != nil {
		value = map[string]string{"error": err.Error()}
	}
	if value == nil {
		return
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		code = http.StatusInternalServerError
		body.Reset()
		fmt.Fprintf(&body, "{\"error\":%q}", "the outputs cannot be told in JSON")
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(code)
	w.Write(body.Bytes())
}

// half returns the bits of the FP16 that is nearest to the number, the even one of two that are equally near.
func half(number float64) (uint64, error) {
	magnitude := math.Abs(number)
	if magnitude >= 65520 {
		return 0, wrong("it is too large for FP16")
	}
	const infinity = 0x7c00
	bits := uint64(sort.Search(infinity, func(i int) bool { return float(uint16(i)) >= magnitude }))
	if bits == infinity {
		bits--
	} else if bits > 0 {
		above, below := float(uint16(bits))-magnitude, magnitude-float(uint16(bits-1))
		if below < above || below == above && bits%2 == 1 {
			bits--
		}
	}
	if math.Signbit(number) {
		bits |= 0x8000
	}
	return bits, nil
}

// float returns the number that the bits of an FP16 stand for.
func float(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	value := math.Ldexp(fraction, -24)
	if exponent == 31 {
		value = math.Inf(1)
		if fraction != 0 {
			value = math.NaN()
		}
	} else if exponent > 0 {
		value = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 == 1 {
		value = -value
	}
	return value
}
