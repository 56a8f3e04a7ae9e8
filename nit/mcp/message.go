package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// batchProtocol is the only protocol version with JSON-RPC batches.
const batchProtocol = "2025-03-26"

// negotiate returns the protocol version of a session whose client proposes a version in its initialize request.
func negotiate(proposed string) string {
	if proposed <= protocol && slices.Contains(sdk.SupportedProtocolVersions(), proposed) {
		return proposed
	}
	return protocol
}

// A failure is an error response. Its id is nil if the request has no valid id.
type failure struct {
	Version string         `json:"jsonrpc"`
	ID      any            `json:"id"`
	Error   *jsonrpc.Error `json:"error"`
}

func fail(id any, code int64, message string) *failure {
	return &failure{"2.0", id, &jsonrpc.Error{Code: code, Message: message}}
}

// decodeMessages decodes a line or a request body: one message, or the messages of a batch. The SDK ignores text after a
// message and uses the last of duplicate keys, and both are errors here. A batch with an invalid message is an error as a
// whole.
func decodeMessages(text []byte) (messages []jsonrpc.Message, batch bool, failed *failure) {
	if !json.Valid(text) {
		return nil, false, fail(nil, jsonrpc.CodeParseError, "not valid JSON")
	}
	parts := []json.RawMessage{text}
	if batch = bytes.TrimSpace(text)[0] == '['; batch {
		if parts = nil; json.Unmarshal(text, &parts) != nil || len(parts) == 0 { // nil: it would write into text
			return nil, true, fail(nil, jsonrpc.CodeInvalidRequest, "the batch is empty")
		}
	}
	seen := make(map[jsonrpc.ID]bool)
	for _, part := range parts {
		m, failed := decodeMessage(part)
		if failed != nil {
			return nil, batch, failed
		}
		if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
			if seen[r.ID] {
				return nil, batch, fail(r.ID.Raw(), jsonrpc.CodeInvalidRequest, "two requests of the batch have the same id")
			}
			seen[r.ID] = true
		}
		messages = append(messages, m)
	}
	return messages, batch, nil
}

// decodeMessage decodes one message, which is valid JSON.
func decodeMessage(text []byte) (jsonrpc.Message, *failure) {
	object, err := members(text)
	id, idErr := decodeID(object["id"])
	if err == nil {
		err = idErr
	}
	if err == nil {
		err = checkParams(object["params"])
	}
	if err != nil {
		return nil, fail(id, jsonrpc.CodeInvalidRequest, err.Error())
	}
	m, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, fail(id, jsonrpc.CodeInvalidRequest, errNotJSONRPC.Error())
	}
	return m, nil
}

var (
	errNotJSONRPC   = errors.New("not a JSON-RPC 2.0 message")
	errDuplicateKey = errors.New("a key is given twice")
	errID           = errors.New("the id is neither a string nor an integer")
)

// members returns the members of a JSON object. It omits duplicate keys and returns an error for them.
func members(text []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errNotJSONRPC
	}
	object := make(map[string]json.RawMessage)
	var twice []string
	for d.More() {
		key, err := d.Token()
		name, _ := key.(string)
		var value json.RawMessage
		if err = errors.Join(err, d.Decode(&value)); err != nil {
			return nil, errNotJSONRPC
		}
		if _, ok := object[name]; ok {
			twice = append(twice, name)
		}
		object[name] = value
	}
	if len(twice) == 0 {
		return object, nil
	}
	for _, name := range twice {
		delete(object, name)
	}
	return object, errDuplicateKey
}

// decodeID returns a string, an int64, or nil for a message without an id. The SDK would round other numbers, so that the
// client would not recognize its response.
func decodeID(text json.RawMessage) (any, error) {
	var s string
	n, err := strconv.ParseInt(string(text), 10, 64)
	switch {
	case text == nil, string(text) == "null":
		return nil, nil
	case text[0] == '"' && json.Unmarshal(text, &s) == nil:
		return s, nil
	case err != nil || n > 1<<53 || n < -1<<53:
		return nil, errID
	}
	return n, nil
}

// checkParams rejects duplicate keys in the parameters of a request. nit checks the arguments of a tool, and its error
// goes to the model.
func checkParams(params json.RawMessage) error {
	for _, key := range []string{"params", "_meta"} {
		if len(params) == 0 || params[0] != '{' {
			return nil
		}
		object, err := members(params)
		if err != nil {
			return err
		}
		if key == "params" {
			params = object["_meta"]
		}
	}
	return nil
}

// needsParams has the requests of clients that the SDK knows, and whether they need parameters.
var needsParams = map[string]bool{
	"completion/complete": true, "initialize": true, "logging/setLevel": true, "ping": false, "prompts/get": true, "prompts/list": false,
	"resources/list": false, "resources/read": true, "resources/subscribe": true, "resources/templates/list": false, "resources/unsubscribe": true,
	"server/discover": false, "subscriptions/listen": true, "tools/call": true, "tools/list": false,
}

// knownNotifications has the notifications of clients that the SDK knows.
var knownNotifications = map[string]bool{
	"notifications/cancelled": true, "notifications/initialized": true, "notifications/progress": true, "notifications/roots/list_changed": true,
}

var (
	errUnknownMethod = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
	errInitialized   = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the session is already initialized"}
	errUninitialized = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the session is not initialized: send initialize first"}
)

// checkCall returns the error for a request that the SDK would answer with a wrong code or not at all.
func checkCall(r *jsonrpc.Request, batch bool) *jsonrpc.Error {
	needs, known := needsParams[r.Method]
	switch {
	case !known:
		return errUnknownMethod
	case needs && (len(r.Params) == 0 || string(r.Params) == "null"):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the parameters are missing"}
	case r.Method == "initialize" && batch:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "initialize cannot be in a batch"}
	case r.Method == "initialize" && json.Unmarshal(r.Params, new(sdk.InitializeParams)) != nil:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the parameters are invalid"}
	}
	return nil
}

// rejectedMethod replaces the method of a request over HTTP that gets an error. The SDK would answer an unknown method with
// a status and no JSON-RPC error, and all of its batch too.
const rejectedMethod = rawPrefix + "rejected"

type rejectedParams struct {
	sdk.ParamsBase
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (p *rejectedParams) error() error {
	if p == nil || p.Meta != nil { // a client of a later version sent this
		return errUnknownMethod
	}
	return &jsonrpc.Error{Code: p.Code, Message: p.Message}
}

// reject returns a request that the SDK answers with e.
func reject(r *jsonrpc.Request, e *jsonrpc.Error) *jsonrpc.Request {
	params, err := json.Marshal(&rejectedParams{Code: e.Code, Message: e.Message})
	if err != nil {
		params = nil
	}
	return &jsonrpc.Request{ID: r.ID, Method: rejectedMethod, Params: params}
}

// encodeMessages returns the JSON of a message or a batch.
func encodeMessages(messages []jsonrpc.Message, batch bool) ([]byte, error) {
	var parts []json.RawMessage
	for _, m := range messages {
		part, err := jsonrpc.EncodeMessage(m)
		if err != nil || !batch {
			return part, err
		}
		parts = append(parts, part)
	}
	return json.Marshal(parts)
}

// cancelledRequest returns the id of the request that a notification cancels.
func cancelledRequest(r *jsonrpc.Request) (id jsonrpc.ID, ok bool) {
	if r.IsCall() || r.Method != "notifications/cancelled" {
		return id, false
	}
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(r.Params, &p) != nil {
		return id, false
	}
	switch raw, _ := decodeID(p.ID); raw := raw.(type) {
	case string:
		id, _ = jsonrpc.MakeID(raw)
	case int64:
		id, _ = jsonrpc.MakeID(float64(raw))
	}
	return id, id.IsValid()
}

// usesHandshake reports whether a message belongs to a protocol version with a handshake. Requests of later versions name
// their version.
func usesHandshake(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return true
	}
	var p struct {
		Meta map[string]any `json:"_meta"`
	}
	_ = json.Unmarshal(r.Params, &p) // an error means no metadata
	version, _ := p.Meta[sdk.MetaKeyProtocolVersion].(string)
	return version <= protocol
}
