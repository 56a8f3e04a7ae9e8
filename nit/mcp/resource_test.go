package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServer_Resources(t *testing.T) {
	quiet(t)
	s := serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{EnableResources: true})
	text := atomic.Value{}
	text.Store("one")
	room := mcp.Resource{URI: "qq://group/1", Name: "room", MIMEType: "application/json", Read: func(context.Context) (string, error) { return text.Load().(string), nil }}
	broken := mcp.Resource{URI: "qq://group/2", Name: "broken", Read: func(context.Context) (string, error) { return "", errors.New("zq7_secret") }}
	require.NoError(t, s.SetResources(room, broken))
	w := start(t, s)

	w.send(`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`)
	list := string(w.next().Result)
	assert.Contains(t, list, `{"mimeType":"application/json","name":"room","uri":"qq://group/1"}`)
	assert.Contains(t, list, `"mimeType":"text/plain"`)
	read := func(uri string) message {
		w.send(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"` + uri + `"}}`)
		return w.next()
	}
	assert.Contains(t, string(read("qq://group/1").Result), `"text":"one"`)
	assert.Equal(t, "the resource cannot be read now", read("qq://group/2").Error.Message)
	assert.NotNil(t, read("qq://group/3").Error)

	// Subscribers of a resource are notified of its changes only.
	w.send(`{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"qq://group/3"}}`)
	assert.NotNil(t, w.next().Error, "there is no such thing to follow")
	w.send(`{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"qq://group/1"}}`)
	require.Nil(t, w.next().Error)
	text.Store("two")
	told := make(chan error, 2)
	go func() {
		told <- s.ResourceUpdated(t.Context(), "qq://group/2")
		told <- s.ResourceUpdated(t.Context(), "qq://group/1")
	}()
	m := w.next()
	assert.Equal(t, "notifications/resources/updated", m.Method)
	assert.Contains(t, string(m.Params), "qq://group/1")
	require.NoError(t, errors.Join(<-told, <-told))
	assert.Contains(t, string(read("qq://group/1").Result), `"text":"two"`)

	// A changed list is notified once.
	require.NoError(t, s.SetResources(room, broken))
	require.NoError(t, s.SetResources(room))
	assert.Equal(t, "notifications/resources/list_changed", w.next().Method)
	assert.NotNil(t, read("qq://group/2").Error)
	w.send(`{"jsonrpc":"2.0","id":6,"method":"resources/unsubscribe","params":{"uri":"qq://group/1"}}`)
	require.Nil(t, w.next().Error)
	require.NoError(t, s.ResourceUpdated(t.Context(), "qq://group/1"))
	assert.Contains(t, string(read("qq://group/1").Result), "two", "and no notification before it")
}

func TestServer_RejectsBadResources(t *testing.T) {
	read := func(context.Context) (string, error) { return "", nil }
	s := serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{EnableResources: true})
	ok := mcp.Resource{URI: "qq://a", Name: "a", Read: read}
	require.NoError(t, s.SetResources(ok))
	for _, bad := range []mcp.Resource{
		{URI: "qq://b", Name: "b"}, {URI: "qq://b", Read: read}, {URI: "b", Name: "b", Read: read}, {URI: "qq://\x00", Name: "b", Read: read}, ok,
	} {
		require.Error(t, s.SetResources(ok, bad), bad.URI)
	}
	w := start(t, s)
	w.send(`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`)
	assert.Equal(t, 1, strings.Count(string(w.next().Result), `"uri"`))

	without := serverOf(t, viewOf(house(t), stranger), mcp.ServerOptions{})
	require.Error(t, without.SetResources(ok))
	require.Error(t, without.ResourceUpdated(t.Context(), "qq://a"))
	w = start(t, without)
	w.send(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"qq://a"}}`)
	assert.NotNil(t, w.next().Error)
}

// Clients get the output schema and learn whether an object reports a failure. A result that violates the schema becomes
// an error.
func TestServer_OutputSchemas(t *testing.T) {
	quiet(t)
	r := house(t)
	require.NoError(t, r.Add(define(t, "long", nit.L1, func(context.Context, struct{}) (pairOut, error) {
		return pairOut{1, strings.Repeat("长", 5000)}, nil
	})))
	schema := json.RawMessage(`{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}`)
	w := start(t, serverOf(t, viewOf(r, stranger), mcp.ServerOptions{
		OutputSchemas: map[string]json.RawMessage{"pair": schema, "long": schema, "echo": schema, "zq7_shell": schema},
		IsFailure: func(tool string, result json.RawMessage) bool {
			return tool == "pair" && strings.Contains(string(result), "三")
		},
	}))
	w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	list := string(w.next().Result)
	assert.Equal(t, 3, strings.Count(list, `"outputSchema":`+string(schema)))
	assert.NotContains(t, list, "zq7")
	for i, tt := range []struct{ tool, args, want string }{
		{"pair", `{}`, `{"content":[{"type":"text","text":"{\"sum\":3,\"words\":\"三\"}"}],"structuredContent":{"sum":3,"words":"三"},"isError":true}`},
		{"long", `{}`, `{"content":[{"type":"text","text":"error: the result is too long, or no object"}],"isError":true}`},
		{"echo", `{"text":"a"}`, `{"content":[{"type":"text","text":"error: the result is too long, or no object"}],"isError":true}`},
		{"echo", `{"text":"{\"sum\":1}"}`, `{"content":[{"type":"text","text":"{\"sum\":1}"}],"structuredContent":{"sum":1}}`},
	} {
		w.send(callLine(10+i, tt.tool, tt.args))
		assert.JSONEq(t, tt.want, string(w.next().Result), tt.tool)
	}
}
