package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hearth-bot/hearth/nit"
)

const (
	maxForeignDescription = 1024 // characters that models see
	maxDefinition         = 16 << 10
)

// Server names contain no "__" and do not end with "_", so the prefix of a tool name is unambiguous.
var validServerName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9-]*(_[a-zA-Z0-9-]+)*$`)

const maxServerName = 24

var (
	errName            = errors.New("invalid tool name")
	errDescriptionSize = fmt.Errorf("description larger than %d bytes", maxDefinition)
	errDuplicateName   = errors.New("another tool of the server has the same local name")
	errNotATool        = errors.New("not a tool")
)

// A remoteTool is a valid tool of a server.
type remoteTool struct {
	Definition
	localName   string // its name here
	hash        string
	description string // sanitized
	schema      json.RawMessage
}

// Remote names use the letters of local names, with separators between groups. Other names are suspicious and rejected.
var validToolName = regexp.MustCompile(`^[a-zA-Z0-9_-]+([./:][a-zA-Z0-9_-]+)*$`)

// toLocalName returns the local name of a remote tool. The group separators ".", "/" and ":" become "_".
func toLocalName(server, name string) (string, error) {
	local := server + "__" + strings.NewReplacer(".", "_", "/", "_", ":", "_").Replace(name)
	if len(local) > 64 || !validToolName.MatchString(name) {
		return "", errName
	}
	return local, nil
}

// readTool decodes one entry of a tool list. On an error it still returns the remote name, if known.
func readTool(server string, raw json.RawMessage) (*remoteTool, string, error) {
	var t struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	if len(raw) > 4*(maxForeignSchema+maxDefinition) {
		return nil, "", errSchemaSize
	}
	if depth(raw) > 2*maxForeignDepth {
		return nil, "", errSchemaDepth
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return nil, "", errNotATool
	}
	local, err := toLocalName(server, t.Name)
	if err != nil {
		return nil, t.Name, err
	}
	if len(t.Description) > maxDefinition {
		return nil, t.Name, errDescriptionSize
	}
	given, err := readSchema(t.InputSchema)
	if err != nil {
		return nil, t.Name, err
	}
	tamed, err := sanitizeSchema(given)
	if err != nil {
		return nil, t.Name, err
	}
	canonical, err := json.Marshal(given) // with sorted keys
	if err != nil {
		return nil, t.Name, errSchemaJSON
	}
	shown, err := json.Marshal(tamed)
	if err != nil {
		return nil, t.Name, errSchemaJSON
	}
	f := &remoteTool{
		Definition: Definition{Name: t.Name, Description: t.Description, Schema: string(canonical)},
		localName:  local, schema: shown,
		description: "External tool of " + server + ": " + sanitize(t.Description, maxForeignDescription),
	}
	f.hash = f.Hash()
	return f, t.Name, nil
}

// define makes a tool that calls f through s. The host's options come last and win.
func (f *remoteTool) define(s *session, from *Source) (nit.Tool, error) {
	opts := []nit.Option{nit.ResultIntegrity(nit.Untrusted), nit.OpenWorld()}
	if from.Trusted {
		opts = []nit.Option{nit.ResultIntegrity(nit.Trusted)}
	}
	config := from.Tools[f.Name]
	opts = append(opts, config.Options...)
	return nit.DefineRaw(f.localName, cmp.Or(config.Tier, from.Tier, nit.L3), f.description, f.schema, func(ctx context.Context, args json.RawMessage) (string, error) {
		return s.call(ctx, f.Name, args)
	}, opts...)
}
