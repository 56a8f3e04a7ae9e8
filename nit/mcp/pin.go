package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hearth-bot/hearth/nit"
)

// A Definition is what a server says of a tool: foreign text, as it came. What it says beside that (titles, annotations,
// instructions) is not read at all.
type Definition struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Schema      string `json:"schema"` // JSON, in a form that does not depend on spaces and on the order of keys
}

// Hash is what a definition is pinned by: the SHA-256 of its three parts, in hexadecimal.
func (d Definition) Hash() string {
	h := sha256.New()
	for _, part := range []string{d.Name, d.Description, d.Schema} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A ApprovalRequest is whether a tool may be imported. All its texts but Server and Tool are foreign: show them as such.
type ApprovalRequest struct {
	Server   string     // as the host named it
	Tool     string     // the name that models would call it by
	Proposed Definition // what it says now
	// Approved is what was approved of this tool last; nil if nothing was. A tool that changed after it
	// was approved is how a server that behaved well so far begins to misbehave.
	Approved *Definition
}

// TrustOnFirstUse approves tools that are new and refuses those that changed.
func TrustOnFirstUse(_ context.Context, q ApprovalRequest) (bool, error) {
	return q.Approved == nil, nil
}

// pins are the definitions that were approved, by the tool's name here.
type pins struct {
	state  nit.State // nil: they last as long as the program
	prefix string
	known  map[string]Definition
}

func loadPins(ctx context.Context, state nit.State, server string) (*pins, error) {
	p := &pins{state: state, prefix: "mcp/pin/" + server + "/", known: make(map[string]Definition)}
	if state == nil {
		return p, nil
	}
	rows, err := state.Load(ctx, p.prefix)
	if err != nil {
		return nil, fmt.Errorf("mcp: load what was approved of %s: %w", server, err)
	}
	for key, row := range rows {
		var d Definition
		if err := json.Unmarshal(row, &d); err != nil {
			return nil, fmt.Errorf("mcp: what was approved, at %s: %w", key, err)
		}
		p.known[strings.TrimPrefix(key, p.prefix)] = d
	}
	return p, nil
}

func (p *pins) before(tool string) *Definition {
	if d, ok := p.known[tool]; ok {
		return &d
	}
	return nil
}

func (p *pins) put(ctx context.Context, tool string, d Definition) error {
	if p.state != nil {
		row, err := json.Marshal(d)
		if err != nil {
			return err
		}
		if err := p.state.Apply(ctx, map[string][]byte{p.prefix + tool: row}); err != nil {
			return err
		}
	}
	p.known[tool] = d
	return nil
}
