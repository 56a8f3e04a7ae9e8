package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Resource is a text that clients may read. They can subscribe to its changes.
type Resource struct {
	URI         string // absolute and unique, for instance qq://group/123
	Name        string // for people; required
	Description string // for the model; may be empty
	MIMEType    string // empty means text/plain
	// Read returns the text. Its error is logged, and the client learns only that reading failed. It may be called
	// concurrently.
	Read func(ctx context.Context) (string, error)
}

// metadata returns the fields that clients see in lists.
func (r *Resource) metadata() [3]string { return [3]string{r.Name, r.Description, r.MIMEType} }

var errNoResources = errors.New("mcp: resources need ServerOptions.EnableResources")

// SetResources replaces all resources and notifies connected clients if the list changed. If a resource is invalid,
// nothing changes. It needs [ServerOptions.EnableResources].
func (s *Server) SetResources(all ...Resource) error {
	if s.resources == nil {
		return errNoResources
	}
	next := make(map[string]Resource, len(all))
	for _, r := range all {
		if _, twice := next[r.URI]; twice || r.Read == nil || r.Name == "" {
			return fmt.Errorf("mcp: resource %q: duplicate, or Name or Read is missing", r.URI)
		}
		if err := checkURI(r.URI); err != nil {
			return err
		}
		next[r.URI] = r
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if gone := removedKeys(s.resources, next); len(gone) > 0 {
		s.sdk.RemoveResources(gone...)
	}
	for _, uri := range slices.Sorted(maps.Keys(next)) {
		r := next[uri]
		if old, shown := s.resources[uri]; shown && old.metadata() == r.metadata() {
			continue
		}
		kind := cmp.Or(r.MIMEType, "text/plain")
		s.sdk.AddResource(&sdk.Resource{URI: uri, Name: r.Name, Description: r.Description, MIMEType: kind}, s.readResource)
	}
	s.resources = next
	return nil
}

// removedKeys returns the sorted keys of before that after lacks.
func removedKeys[V, W any](before map[string]V, after map[string]W) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(before)), func(key string) bool {
		_, still := after[key]
		return still
	})
}

// ResourceUpdated notifies the subscribers of a resource that it has changed. It returns after all notifications were sent or
// failed.
func (s *Server) ResourceUpdated(ctx context.Context, uri string) error {
	if s.resources == nil {
		return errNoResources
	}
	return s.sdk.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri})
}

func (s *Server) resource(uri string) (Resource, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.resources[uri]
	return r, ok
}

// codeResourceNotFound is the code of an unknown resource in protocol versions with a handshake. Later ones use
// jsonrpc.CodeInvalidParams.
const codeResourceNotFound = -32002

// checkResource checks a request about resources before the SDK handles it. The SDK has one error code for all protocol
// versions.
func (s *Server) checkResource(req sdk.Request) error {
	if s.resources == nil {
		return errUnknownMethod
	}
	var uri string
	switch p := req.GetParams().(type) {
	case *sdk.ReadResourceParams:
		uri = p.URI
	case *sdk.SubscribeParams:
		uri = p.URI
	default:
		return nil
	}
	if _, ok := s.resource(uri); ok {
		return nil
	}
	return resourceNotFound(req, uri)
}

func resourceNotFound(req sdk.Request, uri string) error {
	e := &jsonrpc.Error{Code: codeResourceNotFound, Message: "resource not found"}
	if version, _ := req.GetParams().GetMeta()[sdk.MetaKeyProtocolVersion].(string); version > protocol {
		e.Code = jsonrpc.CodeInvalidParams
	}
	var err error
	if e.Data, err = json.Marshal(map[string]string{"uri": uri}); err != nil {
		return err
	}
	return e
}

func (s *Server) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	r, ok := s.resource(req.Params.URI)
	if !ok {
		return nil, resourceNotFound(req, req.Params.URI)
	}
	text, err := r.Read(ctx)
	if err != nil {
		s.log.Warn("reading a resource failed", slog.String("uri", r.URI), slog.Any("err", err))
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the resource cannot be read now"}
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.URI, Text: text}}}, nil
}

// The SDK supports subscriptions if it has these.
func subscribe(context.Context, *sdk.SubscribeRequest) error { return nil }

func unsubscribe(context.Context, *sdk.UnsubscribeRequest) error { return nil }

// checkURI rejects URIs that make the SDK panic.
func checkURI(uri string) error {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" {
		return fmt.Errorf("mcp: resource %q: the URI is not absolute", uri)
	}
	return nil
}
