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

// calls gives what a block calls; of what cannot be read, a call without a name.
func (b Block) calls(tools []llms.Tool) []llms.FunctionCall {
	if b.TooLong {
		return []llms.FunctionCall{*malformed()}
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
		body := strings.TrimPrefix(strings.TrimPrefix(b.Body, "\r"), "\n") // line 1 is the one behind the tag
		if args, err := encode(map[string]any{"script": body}); err == nil {
			return []llms.FunctionCall{{Name: ToolName, Arguments: args}}
		}
	}
	return []llms.FunctionCall{*malformed()}
}

// malformed is a call that cannot be made.
func malformed() *llms.FunctionCall { return &llms.FunctionCall{Arguments: "{}"} }

var errForm = errors.New("not a call")

// jsonCalls reads {"name": …, "arguments": {…}}, several of them after each other, or a list of them.
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

// jsonCall reads one. Arguments stay as they are written: the view is strict about them.
func jsonCall(raw json.RawMessage) (call llms.FunctionCall, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return call, errForm
	}
	given := make(map[string]json.RawMessage)
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return call, err
		}
		name, _ := key.(string)
		if name == "parameters" { // as Llama's models write it
			name = "arguments"
		}
		if _, twice := given[name]; twice {
			return call, errForm
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return call, err
		}
		given[name] = value
	}
	if err := json.Unmarshal(given["name"], &call.Name); err != nil || call.Name == "" {
		return call, errForm
	}
	call.Arguments = string(given["arguments"])
	switch {
	case call.Arguments == "" || call.Arguments == "null":
		call.Arguments = "{}"
	case call.Arguments[0] == '"': // JSON within JSON, as in OpenAI's own form
		err = json.Unmarshal(given["arguments"], &call.Arguments)
	}
	return call, err
}

// xmlCalls reads <function=NAME><parameter=KEY>VALUE</parameter>…</function>, one or several.
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

// xmlArguments reads parameters, and gives what follows them. One that is given twice stays so: the view refuses that.
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
		b.WriteString(quoted(key) + ":" + typed(value, types[key]))
		body = after
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// typed gives a parameter's value as JSON: as text if the schema wants text or it is no JSON.
func typed(value, want string) string {
	value = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
	bare := strings.TrimSpace(value)
	if want != "string" && json.Valid([]byte(bare)) {
		return bare
	}
	return quoted(value)
}

// parameterTypes gives the types of a tool's parameters; what may be text, among others, is text.
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

// encode gives JSON without the escapes that are for HTML.
func encode(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
