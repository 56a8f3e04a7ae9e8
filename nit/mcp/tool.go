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
	maxForeignDescription = 1024 // characters that models are shown
	maxDefinition         = 16 << 10
)

// A server's name does not contain "__" and does not end with "_": so prefix and name of a tool are told apart.
var goodServer = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9-]*(_[a-zA-Z0-9-]+)*$`)

const maxServer = 24

var (
	errName      = errors.New("its name is none that a model could call")
	errWords     = fmt.Errorf("its description has more than %d bytes", maxDefinition)
	errTwice     = errors.New("another tool of the server would have the same name")
	errNotObject = errors.New("it is no tool")
)

// A foreign is a tool that a server lists, read and found fit.
type foreign struct {
	Definition
	tool string // its name here
	hash string
	text string // its description, made harmless
	json json.RawMessage
}

// A foreign name is of the letters that a name here may have, perhaps in groups. Who makes up another one means no good.
var goodForeign = regexp.MustCompile(`^[a-zA-Z0-9_-]+([./:][a-zA-Z0-9_-]+)*$`)

// localName gives the name of a foreign tool here. Dots, slashes and colons, which group tools, become "_".
func localName(server, name string) (string, error) {
	local := server + "__" + strings.NewReplacer(".", "_", "/", "_", ":", "_").Replace(name)
	if len(local) > 64 || !goodForeign.MatchString(name) {
		return "", errName
	}
	return local, nil
}

// readTool reads one entry of a server's list. It gives the name as the server wrote it also when it fails.
func readTool(server string, raw json.RawMessage) (*foreign, string, error) {
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
		return nil, "", errNotObject
	}
	local, err := localName(server, t.Name)
	if err != nil {
		return nil, t.Name, err
	}
	if len(t.Description) > maxDefinition {
		return nil, t.Name, errWords
	}
	given, err := readSchema(t.InputSchema)
	if err != nil {
		return nil, t.Name, err
	}
	tamed, err := tame(given)
	if err != nil {
		return nil, t.Name, err
	}
	canonical, err := json.Marshal(given) // keys in order
	if err != nil {
		return nil, t.Name, errSchemaJSON
	}
	shown, err := json.Marshal(tamed)
	if err != nil {
		return nil, t.Name, errSchemaJSON
	}
	f := &foreign{
		Definition: Definition{Name: t.Name, Description: t.Description, Schema: string(canonical)},
		tool:       local, json: shown,
		text: "External tool of " + server + ": " + neutral(t.Description, maxForeignDescription),
	}
	f.hash = f.Hash()
	return f, t.Name, nil
}

// define makes f a tool that calls s. The host's options come last, so that they count.
func (f *foreign) define(s *session, from *Source) (nit.Tool, error) {
	opts := []nit.Option{nit.ResultIntegrity(nit.Untrusted), nit.OpenWorld()}
	if from.Trusted {
		opts = []nit.Option{nit.ResultIntegrity(nit.Trusted)}
	}
	config := from.Tools[f.Name]
	opts = append(opts, config.Options...)
	return nit.DefineRaw(f.tool, cmp.Or(config.Tier, nit.L3), f.text, f.json, func(ctx context.Context, args json.RawMessage) (string, error) {
		return s.call(ctx, f.Name, args)
	}, opts...)
}
