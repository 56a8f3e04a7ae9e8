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

// A Definition is a tool as its server describes it: untrusted text. Titles, annotations and instructions are not read.
type Definition struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Schema      string `json:"schema"` // canonical JSON: compact, keys sorted
}

// Hash returns the SHA-256 of the three fields in hexadecimal. An approval is pinned to it.
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

// A ApprovalRequest asks the host to approve the import of a tool. All texts except Server and Tool are untrusted: show them as
// such.
type ApprovalRequest struct {
	Server   string     // Source.Name
	Tool     string     // the tool's name in the registry
	Proposed Definition // what the server lists now
	// Approved is the definition that was approved last; nil if none was. Be careful with a changed tool: a server may
	// turn malicious after its approval.
	Approved *Definition
}

// TrustOnFirstUse approves new tools and rejects changed ones.
func TrustOnFirstUse(_ context.Context, q ApprovalRequest) (bool, error) {
	return q.Approved == nil, nil
}

// approvals holds the approved definitions by local tool name.
type approvals struct {
	state  nit.State // nil keeps them in memory only
	prefix string
	byTool map[string]Definition
}

func loadApprovals(ctx context.Context, state nit.State, server string) (*approvals, error) {
	p := &approvals{state: state, prefix: "mcp/pin/" + server + "/", byTool: make(map[string]Definition)}
	if state == nil {
		return p, nil
	}
	rows, err := state.Load(ctx, p.prefix)
	if err != nil {
		return nil, fmt.Errorf("mcp: load the approvals of %s: %w", server, err)
	}
	for key, row := range rows {
		var d Definition
		if err := json.Unmarshal(row, &d); err != nil {
			return nil, fmt.Errorf("mcp: decode the approval %s: %w", key, err)
		}
		p.byTool[strings.TrimPrefix(key, p.prefix)] = d
	}
	return p, nil
}

func (p *approvals) get(tool string) *Definition {
	if d, ok := p.byTool[tool]; ok {
		return &d
	}
	return nil
}

func (p *approvals) put(ctx context.Context, tool string, d Definition) error {
	if p.state != nil {
		row, err := json.Marshal(d)
		if err != nil {
			return err
		}
		if err := p.state.Apply(ctx, map[string][]byte{p.prefix + tool: row}); err != nil {
			return err
		}
	}
	p.byTool[tool] = d
	return nil
}
