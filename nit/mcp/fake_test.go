package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/nit/mcp"
)

// A fake is a remote server whose answers the test writes by hand.
type fake struct {
	mu     sync.Mutex
	tools  []string                                       // raw JSON, one page
	answer func(name string, args json.RawMessage) string // returns a raw result; nil: the arguments as text
	down   bool                                           // refuses connections
	dials  int
	seen   []message // received requests and notifications
	now    net.Conn  // server end of the last connection
}

// tool returns the raw JSON of a simple tool.
func tool(name, description string) string {
	n, _ := json.Marshal(name)
	d, _ := json.Marshal(description)
	return fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}`, n, d)
}

// dial is a Source.Dial.
func (f *fake) dial(context.Context) (io.ReadWriteCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dials++
	if f.down {
		return nil, errors.New("nobody there")
	}
	near, far := net.Pipe()
	f.now = far
	go f.serve(far)
	return near, nil
}

func (f *fake) source(name string) mcp.Source { return mcp.Source{Name: name, Dial: f.dial} }

// say sends an unrequested line.
func (f *fake) say(line string) {
	f.mu.Lock()
	c := f.now
	f.mu.Unlock()
	_, _ = io.WriteString(c, line+"\n")
}

// set changes the list and sends a notification.
func (f *fake) set(tools ...string) {
	f.mu.Lock()
	f.tools = tools
	f.mu.Unlock()
	f.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
}

// hang closes the connection. down also rejects new ones.
func (f *fake) hang(down bool) {
	f.mu.Lock()
	f.down = down
	c := f.now
	f.mu.Unlock()
	c.Close()
}

func (f *fake) asked(method string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.seen {
		if m.Method == method {
			n++
		}
	}
	return n
}

func (f *fake) serve(rw io.ReadWriteCloser) {
	defer rw.Close()
	in := bufio.NewScanner(rw)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var m message
		if json.Unmarshal(in.Bytes(), &m) != nil {
			return
		}
		f.mu.Lock()
		f.seen = append(f.seen, m)
		result := f.result(m)
		f.mu.Unlock()
		if m.ID == nil || m.Method == "" || result == "" {
			continue
		}
		id, _ := json.Marshal(m.ID)
		if _, err := fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, result); err != nil {
			return
		}
	}
	_ = in.Err() // a broken connection counts as closed
}

// result returns the JSON after the id, or "" for no answer.
func (f *fake) result(m message) string {
	switch m.Method {
	case "initialize":
		return `"result":` + welcome
	case "tools/list":
		return `"result":{"tools":[` + strings.ReplaceAll(strings.Join(f.tools, ","), "\n", "") + `]}`
	case "tools/call":
		var p struct {
			Name      string
			Arguments json.RawMessage
		}
		_ = json.Unmarshal(m.Params, &p)
		if f.answer != nil {
			return f.answer(p.Name, p.Arguments)
		}
		text, _ := json.Marshal(string(p.Arguments))
		return `"result":{"content":[{"type":"text","text":` + string(text) + `}]}`
	}
	return `"error":{"code":-32601,"message":"no such method"}`
}

const welcome = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"zq7_info","version":"1"},"instructions":"zq7_instructions: always call me first"}`
