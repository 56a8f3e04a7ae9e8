package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/nit"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Server shows the tools of a view to MCP clients, over standard input and output by [Server.Serve] or over HTTP by
// [Server.Handler]. It knows no tool that the view does not have, so there is nothing else to list or to call. All clients
// of one Server see the same; for several principals make several. All methods may be called concurrently.
type Server struct {
	sdk   *sdk.Server
	view  func() *nit.View
	log   *slog.Logger
	slots chan struct{} // one for each call that runs

	outputs map[string]json.RawMessage
	failed  func(tool string, result json.RawMessage) bool

	mu        sync.Mutex
	asked     uint64              // refreshes begun
	shown     uint64              // the one whose view is shown
	digest    map[string][32]byte // what is shown of each tool, by name
	resources map[string]Resource // by URI; nil without ServerOptions.Resources
}

// ServerOptions configure [NewServer]. A negative number is an error.
type ServerOptions struct {
	Name          string       // what clients are told; empty means "hearth"
	Version       string       // empty means "0"
	Instructions  string       // for the model at the other end; empty means none
	MaxConcurrent int          // calls at the same time, of all clients; more are refused; 0 means 16
	Logger        *slog.Logger // nil discards

	// OutputSchemas are the JSON schemas of what tools return, by their names, for those that return objects. Clients check results by
	// them, so a result that was cut, or is no object, goes out as an error. Nil: clients are told of none.
	OutputSchemas map[string]json.RawMessage
	// IsFailure tells of the JSON object that a tool returned that it reports a failure: the client gets it marked as an error,
	// and nothing of it is lost. Nil: no object does, and only errors are.
	IsFailure func(tool string, result json.RawMessage) bool
	// EnableResources lets clients list, read and follow what [Server.SetResources] gives.
	EnableResources bool
}

// NewServer makes a server of what view gives. It is asked for every list and every call, from several goroutines at once: each
// call is a turn of its own with the quota of a fresh view. Return the same view again to give a session one quota.
//
//	mcp.NewServer(func() *nit.View { return tools.View(nit.Principal{Sees: nit.L1, Platform: "mcp"}) }, mcp.ServerOptions{})
func NewServer(view func() *nit.View, o ServerOptions) (*Server, error) {
	switch {
	case view == nil:
		return nil, errors.New("mcp: a server needs a view")
	case o.MaxConcurrent < 0:
		return nil, errors.New("mcp: ServerOptions.Parallel is negative")
	}
	for _, name := range slices.Sorted(maps.Keys(o.OutputSchemas)) {
		var schema map[string]json.RawMessage
		if err := json.Unmarshal(o.OutputSchemas[name], &schema); err != nil || schema == nil {
			return nil, fmt.Errorf("mcp: ServerOptions.Outputs: the schema of %s is not a JSON object", name)
		}
	}
	info := &sdk.Implementation{Name: cmp.Or(o.Name, "hearth"), Version: cmp.Or(o.Version, "0")}
	s := &Server{
		view: view, log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), slots: make(chan struct{}, cmp.Or(o.MaxConcurrent, 16)),
		digest: make(map[string][32]byte), outputs: maps.Clone(o.OutputSchemas), failed: o.IsFailure,
	}
	so := &sdk.ServerOptions{
		Instructions: o.Instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}},
		// what one principal sees is not for others
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	}
	if o.EnableResources {
		s.resources = make(map[string]Resource)
		so.SubscribeHandler, so.UnsubscribeHandler = s.follow, unfollow
		so.Capabilities.Resources = &sdk.ResourceCapabilities{ListChanged: true, Subscribe: true}
	}
	s.sdk = sdk.NewServer(info, so)
	s.sdk.AddReceivingMiddleware(s.door)
	return s, nil
}

// Refresh shows the view as it is now, and tells connected clients if something changed. Call it after tools came or went; a
// client that lists the tools gets the current ones anyway.
func (s *Server) Refresh() {
	s.mu.Lock()
	s.asked++
	turn := s.asked
	s.mu.Unlock()
	tools := s.listed()
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn < s.shown {
		return // a later one was quicker
	}
	s.shown = turn
	if gone := missing(s.digest, tools); len(gone) > 0 {
		s.sdk.RemoveTools(gone...)
		maps.DeleteFunc(s.digest, func(name string, _ [32]byte) bool { return tools[name] == nil })
	}
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		t := tools[name]
		text, err := json.Marshal(t)
		if sum := sha256.Sum256(text); err == nil && sum != s.digest[name] {
			if err = s.show(t); err == nil {
				s.digest[name] = sum
			}
		}
		if err != nil {
			s.log.Error("a tool cannot be shown over MCP", slog.String("tool", name), slog.Any("err", err))
		}
	}
}

// show puts a tool on the list. The SDK panics at a schema that it does not like.
func (s *Server) show(t *sdk.Tool) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	s.sdk.AddTool(t, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return s.call(ctx, req.Params)
	})
	return nil
}

// listed gives the tools of the view as MCP has them.
func (s *Server) listed() map[string]*sdk.Tool {
	v := s.view()
	readOnly := make(map[string]bool)
	v.Filter(func(t nit.ToolInfo) bool { readOnly[t.Name] = t.ReadOnly; return false })
	tools := make(map[string]*sdk.Tool)
	for _, t := range v.Tools() {
		f := t.Function
		tools[f.Name] = &sdk.Tool{
			Name: f.Name, Description: f.Description, InputSchema: f.Parameters,
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: readOnly[f.Name]},
		}
		if schema, ok := s.outputs[f.Name]; ok {
			tools[f.Name].OutputSchema = schema
		}
	}
	return tools
}

// errUnknown is the one answer to a call of a tool that is not in the view, whatever its name and the reason. It does not repeat the name.
var errUnknown = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool"}

// door sees every request before the SDK does, and keeps it from answering a call of an unknown tool in words of its own.
func (s *Server) door(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		defer func() {
			if r := recover(); r != nil { // of the host's view
				s.log.Error("panic in an MCP request", slog.String("method", method), slog.Any("panic", r), slog.String("stack", string(debug.Stack())))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
			}
		}()
		switch method {
		case "tools/list":
			s.Refresh()
		case "tools/call":
			call, ok := req.(*sdk.CallToolRequest)
			if !ok || call.Params == nil {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "bad request"}
			}
			if !s.shows(call.Params.Name) {
				if s.Refresh(); !s.shows(call.Params.Name) {
					res, err := s.call(ctx, call.Params) // charges the quota
					if err != nil {
						return nil, err
					}
					return res, nil
				}
			}
		}
		return next(ctx, method, req)
	}
}

// shows tells whether a tool is on the list.
func (s *Server) shows(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.digest[name]
	return ok
}

func (s *Server) call(ctx context.Context, p *sdk.CallToolParamsRaw) (*sdk.CallToolResult, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		return failed("too many calls at the same time"), nil
	}
	res, err := s.view().Do(ctx, p.Name, string(p.Arguments))
	switch {
	case errors.Is(err, nit.ErrUnknownTool):
		return nil, errUnknown
	case err != nil:
		return failed(strings.TrimPrefix(err.Error(), "nit: ")), nil
	}
	out := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: res.Text}}}
	object := json.RawMessage(nil)
	if !res.Truncated {
		object = structured(res.Text)
	}
	if object != nil {
		out.StructuredContent = object
		out.IsError = s.failed != nil && s.failed(p.Name, object)
	} else if _, promised := s.outputs[p.Name]; promised {
		return failed("the result is too long, or no object"), nil
	}
	return out, nil
}

// failed is the answer to a call that went wrong, for the model to read.
func failed(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "error: " + text}}}
}

// structured gives a result that is a JSON object as such, others as nil.
func structured(text string) json.RawMessage {
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}
