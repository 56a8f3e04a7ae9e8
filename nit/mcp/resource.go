package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Resource is a text that clients may read, and be told of when it changed.
type Resource struct {
	URI         string // absolute and unique, such as qq://group/123
	Name        string // for people
	Description string // for the model; may be empty
	MIMEType    string // empty means text/plain
	// Read gives the text. Its error goes to the log; the client learns only that it failed. It may be called concurrently.
	Read func(ctx context.Context) (string, error)
}

// label is what clients are shown of it.
func (r *Resource) label() [3]string { return [3]string{r.Name, r.Description, r.MIMEType} }

var errNoResources = errors.New("mcp: the server was made without ServerOptions.Resources")

// SetResources shows these and no other resources, and tells connected clients if the list changed. If one of them cannot be
// shown, nothing changes. It needs [ServerOptions.EnableResources].
func (s *Server) SetResources(all ...Resource) error {
	if s.resources == nil {
		return errNoResources
	}
	next := make(map[string]Resource, len(all))
	for _, r := range all {
		if _, twice := next[r.URI]; twice || r.Read == nil || r.Name == "" {
			return fmt.Errorf("mcp: resource %q: given twice, without a name or without Read", r.URI)
		}
		if err := checkURI(r.URI); err != nil {
			return err
		}
		next[r.URI] = r
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if gone := missing(s.resources, next); len(gone) > 0 {
		s.sdk.RemoveResources(gone...)
	}
	for _, uri := range slices.Sorted(maps.Keys(next)) {
		r := next[uri]
		if old, shown := s.resources[uri]; shown && old.label() == r.label() {
			continue
		}
		kind := cmp.Or(r.MIMEType, "text/plain")
		s.sdk.AddResource(&sdk.Resource{URI: uri, Name: r.Name, Description: r.Description, MIMEType: kind}, s.readResource)
	}
	s.resources = next
	return nil
}

// missing gives the keys of before that are not in after, in order.
func missing[V, W any](before map[string]V, after map[string]W) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(before)), func(key string) bool {
		_, still := after[key]
		return still
	})
}

// ResourceUpdated tells the clients that follow a resource that it has changed. It returns after they were told, or could not be.
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

func (s *Server) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	r, ok := s.resource(req.Params.URI)
	if !ok {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	text, err := r.Read(ctx)
	if err != nil {
		s.log.Warn("a resource cannot be read", slog.String("uri", r.URI), slog.Any("err", err))
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the resource cannot be read now"}
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.URI, Text: text}}}, nil
}

// follow is asked before a client may follow a resource.
func (s *Server) follow(_ context.Context, req *sdk.SubscribeRequest) error {
	if _, ok := s.resource(req.Params.URI); !ok {
		return sdk.ResourceNotFoundError(req.Params.URI)
	}
	return nil
}

func unfollow(context.Context, *sdk.UnsubscribeRequest) error { return nil }

// checkURI refuses what the SDK would panic at.
func checkURI(uri string) error {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" {
		return fmt.Errorf("mcp: resource %q: not an absolute URI", uri)
	}
	return nil
}
