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

// A Server offers the tools of a view to MCP clients, over stdin and stdout with [Server.Serve] or over HTTP with
// [Server.Handler]. Tools outside the view cannot be listed or called. All clients of a Server see the same tools; make
// one Server for each principal. All methods may be called concurrently.
type Server struct {
	sdk   *sdk.Server
	view  func() *nit.View
	log   *slog.Logger
	slots chan struct{} // one for each running call

	outputSchemas map[string]json.RawMessage
	isFailure     func(tool string, result json.RawMessage) bool

	mu        sync.Mutex
	refreshes uint64              // number of started refreshes
	applied   uint64              // the refresh whose tools are shown
	digest    map[string][32]byte // hashes of the shown tools by name
	resources map[string]Resource // by URI; nil unless enabled
}

// ServerOptions configure [NewServer]. A negative number is an error.
type ServerOptions struct {
	Name          string       // empty means "hearth"
	Version       string       // empty means "0"
	Instructions  string       // sent to the client's model; empty means none
	MaxConcurrent int          // calls at the same time, for all clients; more are rejected; 0 means 16
	Logger        *slog.Logger // nil discards

	// OutputSchemas holds JSON schemas of results by tool name, for tools that return objects. Clients validate results
	// against them, so a truncated result or another type becomes an error. Nil means no schemas.
	OutputSchemas map[string]json.RawMessage
	// IsFailure reports whether a result object describes a failure. The client gets the whole object, marked as an error.
	// Nil means that only errors of the call are marked.
	IsFailure func(tool string, result json.RawMessage) bool
	// EnableResources enables [Server.SetResources].
	EnableResources bool
}

// NewServer returns a server for the tools of view. view is called for every list and every call, concurrently. Each
// call is a turn with the quota of its view. Return the same view again to share one quota.
//
//	mcp.NewServer(func() *nit.View { return tools.View(nit.Principal{Tiers: nit.L1, Platform: "mcp"}) }, mcp.ServerOptions{})
func NewServer(view func() *nit.View, o ServerOptions) (*Server, error) {
	switch {
	case view == nil:
		return nil, errors.New("mcp: a server needs a view")
	case o.MaxConcurrent < 0:
		return nil, errors.New("mcp: ServerOptions.MaxConcurrent is negative")
	}
	for _, name := range slices.Sorted(maps.Keys(o.OutputSchemas)) {
		var schema map[string]json.RawMessage
		if err := json.Unmarshal(o.OutputSchemas[name], &schema); err != nil || schema == nil {
			return nil, fmt.Errorf("mcp: ServerOptions.OutputSchemas: the schema of %s is not a JSON object", name)
		}
	}
	info := &sdk.Implementation{Name: cmp.Or(o.Name, "hearth"), Version: cmp.Or(o.Version, "0")}
	s := &Server{
		view: view, log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), slots: make(chan struct{}, cmp.Or(o.MaxConcurrent, 16)),
		digest: make(map[string][32]byte), outputSchemas: maps.Clone(o.OutputSchemas), isFailure: o.IsFailure,
	}
	so := &sdk.ServerOptions{
		Instructions: o.Instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}},
		// a list depends on the principal
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	}
	if o.EnableResources {
		s.resources = make(map[string]Resource)
		so.SubscribeHandler, so.UnsubscribeHandler = subscribe, unsubscribe
		so.Capabilities.Resources = &sdk.ResourceCapabilities{ListChanged: true, Subscribe: true}
	}
	s.sdk = sdk.NewServer(info, so)
	s.sdk.AddReceivingMiddleware(s.intercept)
	// This cannot fail: the name is not a standard MCP method.
	_ = sdk.AddReceivingCustomMethod(s.sdk, rejectedMethod, func(_ context.Context, _ *sdk.ServerSession, p *rejectedParams) (*sdk.ResultBase, error) {
		return nil, p.error()
	})
	return s, nil
}

// Refresh updates the listed tools from the view and notifies connected clients of a change. Call it after tools were
// added or removed. A client that lists the tools gets the current ones anyway.
func (s *Server) Refresh() {
	s.mu.Lock()
	s.refreshes++
	turn := s.refreshes
	s.mu.Unlock()
	tools := s.listTools()
	s.mu.Lock()
	defer s.mu.Unlock()
	if turn < s.applied {
		return // a later refresh finished first
	}
	s.applied = turn
	if gone := removedKeys(s.digest, tools); len(gone) > 0 {
		s.sdk.RemoveTools(gone...)
		maps.DeleteFunc(s.digest, func(name string, _ [32]byte) bool { return tools[name] == nil })
	}
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		t := tools[name]
		text, err := json.Marshal(t)
		if sum := sha256.Sum256(text); err == nil && sum != s.digest[name] {
			if err = s.addTool(t); err == nil {
				s.digest[name] = sum
			}
		}
		if err != nil {
			s.log.Error("tool rejected by the MCP library", slog.String("tool", name), slog.Any("err", err))
		}
	}
}

// addTool registers a tool with the SDK, which panics at schemas it rejects.
func (s *Server) addTool(t *sdk.Tool) (err error) {
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

// listTools converts the tools of the view.
func (s *Server) listTools() map[string]*sdk.Tool {
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
		if schema, ok := s.outputSchemas[f.Name]; ok {
			tools[f.Name].OutputSchema = schema
		}
	}
	return tools
}

// errUnknown answers all calls of tools outside the view. It does not repeat the name.
var errUnknown = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool"}

// intercept handles requests before the SDK, so that calls of unknown tools get errUnknown.
func (s *Server) intercept(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		defer func() {
			if r := recover(); r != nil { // the host's view function may panic
				s.log.Error("panic in an MCP request", slog.String("method", method), slog.Any("panic", r), slog.String("stack", string(debug.Stack())))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
			}
		}()
		switch method {
		case "initialize":
			if session, ok := req.GetSession().(*sdk.ServerSession); ok && session.InitializeParams() != nil {
				return nil, errInitialized
			}
		case "completion/complete", "logging/setLevel", "prompts/get", "prompts/list":
			return nil, errUnknownMethod
		case "resources/list", "resources/read", "resources/subscribe", "resources/templates/list", "resources/unsubscribe":
			if err := s.checkResource(req); err != nil {
				return nil, err
			}
		case "tools/list":
			s.Refresh()
		case "tools/call":
			call, ok := req.(*sdk.CallToolRequest)
			if !ok || call.Params == nil {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "bad request"}
			}
			if !s.isListed(call.Params.Name) {
				if s.Refresh(); !s.isListed(call.Params.Name) {
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

// isListed reports whether a tool is registered with the SDK.
func (s *Server) isListed(name string) bool {
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
		return errorResult("too many calls at the same time"), nil
	}
	args := string(p.Arguments)
	if args == "null" { // some clients send this for no arguments
		args = ""
	}
	res, err := s.view().Do(ctx, p.Name, args)
	switch {
	case errors.Is(err, nit.ErrUnknownTool):
		return nil, errUnknown
	case err != nil:
		return errorResult(strings.TrimPrefix(err.Error(), "nit: ")), nil
	}
	out := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: res.Text}}}
	object := json.RawMessage(nil)
	if !res.Truncated {
		object = jsonObject(res.Text)
	}
	if object != nil {
		out.StructuredContent = object
		out.IsError = s.isFailure != nil && s.isFailure(p.Name, object)
	} else if _, promised := s.outputSchemas[p.Name]; promised {
		return errorResult("the result is too long, or no object"), nil
	}
	return out, nil
}

// errorResult is a failed call for the model.
func errorResult(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "error: " + text}}}
}

// jsonObject returns text if it is a JSON object and nil otherwise.
func jsonObject(text string) json.RawMessage {
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return nil
	}
	return json.RawMessage(text)
}
