package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// calls returns the calls in a block. An invalid block gives a call without a name.
func (b Block) calls(tools []llms.Tool) []llms.FunctionCall {
	if b.TooLong {
		return []llms.FunctionCall{*malformedCall()}
	}
	switch b.Form {
	case FormJSON:
		if calls, err := jsonCalls(b.Body); err == nil && len(calls) > 0 {
			return calls
		}
	case FormXML:
		if calls := xmlCalls(b.Body, tools); len(calls) > 0 {
			return calls
		}
	case FormNIT:
		body := strings.TrimPrefix(strings.TrimPrefix(b.Body, "\r"), "\n") // line 1 is the line after the tag
		if args, err := encode(map[string]any{"script": body}); err == nil {
			return []llms.FunctionCall{{Name: ToolName, Arguments: args}}
		}
	}
	return []llms.FunctionCall{*malformedCall()}
}

// malformedCall has no name, so it always fails.
func malformedCall() *llms.FunctionCall { return &llms.FunctionCall{Arguments: "{}"} }

var errNotCall = errors.New("not a call")

// jsonCalls parses {"name": …, "arguments": {…}}, several in sequence, or a list of them.
func jsonCalls(body string) (calls []llms.FunctionCall, err error) {
	for d := json.NewDecoder(strings.NewReader(body)); ; {
		var raw json.RawMessage
		if err := d.Decode(&raw); errors.Is(err, io.EOF) {
			return calls, nil
		} else if err != nil {
			return nil, err
		}
		list := []json.RawMessage{raw}
		if raw[0] == '[' {
			if err := json.Unmarshal(raw, &list); err != nil {
				return nil, err
			}
		}
		for _, one := range list {
			call, err := jsonCall(one)
			if err != nil {
				return nil, err
			}
			calls = append(calls, call)
		}
	}
}

// jsonCall parses one call. It keeps the arguments as written, because the view validates them.
func jsonCall(raw json.RawMessage) (call llms.FunctionCall, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return call, errNotCall
	}
	given := make(map[string]json.RawMessage)
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return call, err
		}
		name, _ := key.(string)
		if name == "parameters" { // Llama models write this
			name = "arguments"
		}
		if _, twice := given[name]; twice {
			return call, errNotCall
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return call, err
		}
		given[name] = value
	}
	if err := json.Unmarshal(given["name"], &call.Name); err != nil || call.Name == "" {
		return call, errNotCall
	}
	call.Arguments = string(given["arguments"])
	switch {
	case call.Arguments == "" || call.Arguments == "null":
		call.Arguments = "{}"
	case call.Arguments[0] == '"': // JSON in a JSON string, the form of OpenAI
		err = json.Unmarshal(given["arguments"], &call.Arguments)
	}
	return call, err
}

// xmlCalls parses one or more <function=NAME><parameter=KEY>VALUE</parameter>…</function>.
func xmlCalls(body string, tools []llms.Tool) (calls []llms.FunctionCall) {
	for {
		_, rest, ok := strings.Cut(body, "<function=")
		if !ok {
			return calls
		}
		name, rest, ok := strings.Cut(rest, ">")
		if !ok {
			return nil
		}
		name = strings.TrimSpace(name)
		args, rest, ok := xmlArguments(rest, parameterTypes(tools, name))
		if !ok {
			return nil
		}
		calls = append(calls, llms.FunctionCall{Name: name, Arguments: args})
		body = rest
	}
}

// xmlArguments parses parameters and returns the text after them. It keeps duplicates, because the view rejects them.
func xmlArguments(body string, types map[string]string) (args, rest string, ok bool) {
	var b strings.Builder
	b.WriteByte('{')
	for {
		body = strings.TrimLeft(body, " \t\r\n")
		parameter, more := strings.CutPrefix(body, "<parameter=")
		if !more {
			return b.String() + "}", body, true
		}
		key, after, named := strings.Cut(parameter, ">")
		value, after, closed := strings.Cut(after, "</parameter>")
		if !named || !closed {
			return "", "", false
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		key = strings.TrimSpace(key)
		b.WriteString(quote(key) + ":" + jsonValue(value, types[key]))
		body = after
	}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// jsonValue encodes a parameter. It is a string if the schema wants one or the text is not JSON.
func jsonValue(value, want string) string {
	value = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
	bare := strings.TrimSpace(value)
	if want != "string" && json.Valid([]byte(bare)) {
		return bare
	}
	return quote(value)
}

// parameterTypes returns the parameter types of a tool. A union that contains string counts as string.
func parameterTypes(tools []llms.Tool, tool string) map[string]string {
	types := make(map[string]string)
	for _, t := range tools {
		if t.Function == nil || t.Function.Name != tool {
			continue
		}
		var schema struct {
			Properties map[string]struct{ Type any }
		}
		raw, err := json.Marshal(t.Function.Parameters)
		if err != nil || json.Unmarshal(raw, &schema) != nil {
			continue
		}
		for name, p := range schema.Properties {
			switch t := p.Type.(type) {
			case string:
				types[name] = t
			case []any:
				if slices.Contains(t, any("string")) {
					types[name] = "string"
				}
			}
		}
	}
	return types
}

// encode encodes JSON without HTML escapes.
func encode(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
