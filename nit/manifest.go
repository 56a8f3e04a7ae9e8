package nit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"unicode/utf8"
)

// A Manifest is the description.json of a plugin with its name and tools. It grants nothing: the [Tool]s define their
// tiers and modes.
type Manifest struct {
	Name        string // 1 to 64 letters, digits, _ and -
	DisplayName string // shown to people
	Version     string // required
	Description string // required
	Author      string
	Type        string    // "static", "python-module", "go" or "tool"; the loader interprets it
	EntryPoint  string    // the loader interprets it
	Category    string    // "core", "work", "plugins" or a word of the host; may be empty
	Platforms   []string  // empty means all
	Commands    []Command // its tools
}

// A Command describes a tool in a manifest.
type Command struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema; nil for a tool without parameters
}

// Limits of a manifest.
const (
	maxManifest = 256 << 10
	maxCommands = 256
	maxWord     = 256 // bytes of a name, version, author or entry point
)

var (
	manifestTypes = []string{"static", "python-module", "go", "tool"}
	goodPlugin    = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
)

// manifestFile is the JSON of description.json. The first form has name, displayName, pluginType, entryPoint and
// capabilities; the second has id, name, type, entry and tools.
type manifestFile struct {
	ManifestVersion json.RawMessage `json:"manifestVersion,omitempty"` // "1.0" or a number
	ID              *string         `json:"id,omitempty"`
	Name            string          `json:"name"`
	DisplayName     string          `json:"displayName,omitempty"`
	Version         string          `json:"version"`
	Description     string          `json:"description,omitempty"`
	Author          string          `json:"author,omitempty"`
	PluginType      string          `json:"pluginType,omitempty"`
	Type            string          `json:"type,omitempty"`
	EntryPoint      string          `json:"entryPoint,omitempty"`
	Entry           string          `json:"entry,omitempty"`
	Category        string          `json:"category,omitempty"`
	Platforms       []string        `json:"platforms,omitempty"`
	UserCopy        json.RawMessage `json:"userCopy,omitempty"` // shown to people
	Capabilities    *capabilities   `json:"capabilities,omitempty"`
	Methods         []commandFile   `json:"methods,omitempty"`
	Tools           []commandFile   `json:"tools,omitempty"`
}

type capabilities struct {
	InvocationCommands []commandFile    `json:"invocationCommands,omitempty"`
	ToolDefinitions    []toolDefinition `json:"toolDefinitions,omitempty"`
}

type toolDefinition struct {
	Type     string      `json:"type"`
	Function commandFile `json:"function"`
}

type commandFile struct {
	CommandIdentifier string          `json:"commandIdentifier,omitempty"`
	Name              string          `json:"name,omitempty"`
	Description       string          `json:"description"`
	Display           json.RawMessage `json:"display,omitempty"` // shown to people
	Parameters        json.RawMessage `json:"parameters,omitempty"`
	Params            []param         `json:"params,omitempty"`
}

type param struct {
	Name        string `json:"name"`
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// ParseManifest parses a description.json of at most 256 KiB in either of its two forms. Commands may be in
// capabilities.invocationCommands, capabilities.toolDefinitions, methods or tools. Parameters may be a JSON schema or a
// list. Unknown fields are errors. The result passes [Manifest.Validate].
func ParseManifest(raw []byte) (*Manifest, error) {
	if len(raw) > maxManifest {
		return nil, fmt.Errorf("nit: the manifest has more than %d bytes", maxManifest)
	}
	object, _, err := parseObject(string(raw), maxSchemaDepth+8)
	if err != nil {
		return nil, fmt.Errorf("nit: manifest: %w", err)
	}
	if err := manifestKeys.fit(object); err != nil {
		return nil, fmt.Errorf("nit: manifest: %w", err)
	}
	var f manifestFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, errors.New("nit: manifest: a field has the wrong type")
	}
	m, err := f.toManifest()
	if err == nil {
		err = m.Validate()
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// keys are the allowed fields of an object with those of its nested objects. Values under a nil entry are not checked.
type keys map[string]keys

var (
	paramKeys   = keys{"name": nil, "type": nil, "description": nil, "required": nil}
	commandKeys = keys{"commandIdentifier": nil, "name": nil, "description": nil, "display": nil, "parameters": nil, "params": paramKeys}

	manifestKeys = keys{
		"manifestVersion": nil, "id": nil, "name": nil, "displayName": nil, "version": nil, "description": nil, "author": nil,
		"pluginType": nil, "type": nil, "entryPoint": nil, "entry": nil, "category": nil, "platforms": nil, "userCopy": nil,
		"capabilities": {"invocationCommands": commandKeys, "toolDefinitions": {"type": nil, "function": commandKeys}},
		"methods":      commandKeys, "tools": commandKeys,
	}
)

// fit returns an error for a key that k lacks. Keys are case-sensitive.
func (k keys) fit(v any) error {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			below, ok := k[key]
			if !ok {
				return fmt.Errorf("unknown field %.64q", key)
			}
			if below == nil {
				continue
			}
			if err := below.fit(v[key]); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if err := k.fit(item); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *manifestFile) toManifest() (*Manifest, error) {
	m := &Manifest{
		Name: f.Name, DisplayName: f.DisplayName, Version: f.Version, Description: f.Description, Author: f.Author, Type: f.PluginType,
		EntryPoint: f.EntryPoint, Category: f.Category, Platforms: f.Platforms,
	}
	if f.ID != nil { // the second form
		if f.DisplayName != "" || f.PluginType != "" || f.EntryPoint != "" || f.Capabilities != nil || f.Methods != nil {
			return nil, errors.New("nit: manifest: fields of both forms are mixed")
		}
		m.Name, m.DisplayName, m.Type, m.EntryPoint = *f.ID, f.Name, f.Type, f.Entry
		m.Description = cmp.Or(m.Description, m.DisplayName)
	} else if f.Type != "" || f.Entry != "" || f.Tools != nil || f.UserCopy != nil {
		return nil, errors.New("nit: manifest: fields of both forms are mixed")
	}
	all := slices.Concat(f.Methods, f.Tools)
	if f.Capabilities != nil {
		all = slices.Concat(f.Capabilities.InvocationCommands, all)
		for _, d := range f.Capabilities.ToolDefinitions {
			if d.Type != "function" {
				return nil, errors.New("nit: manifest: a tool definition is not a function")
			}
			all = append(all, d.Function)
		}
	}
	for _, c := range all {
		command, err := c.toCommand()
		if err != nil {
			return nil, err
		}
		m.Commands = append(m.Commands, command)
	}
	return m, nil
}

func (f *commandFile) toCommand() (Command, error) {
	c := Command{Name: f.CommandIdentifier, Description: f.Description, Parameters: f.Parameters}
	switch {
	case f.CommandIdentifier != "" && f.Name != "", f.Parameters != nil && f.Params != nil:
		return c, errors.New("nit: manifest: a command has two names or two parameter lists")
	case f.Name != "":
		c.Name = f.Name
	}
	if string(c.Parameters) == "null" {
		c.Parameters = nil
	}
	if f.Params == nil {
		return c, nil
	}
	var err error
	c.Parameters, err = paramsSchema(f.Params)
	return c, err
}

// paramsSchema converts a parameter list to a schema.
func paramsSchema(params []param) (json.RawMessage, error) {
	type schema struct {
		Type        string             `json:"type,omitempty"`
		Description string             `json:"description,omitempty"`
		Properties  map[string]*schema `json:"properties,omitempty"`
		Required    []string           `json:"required,omitempty"`
	}
	s := schema{Type: "object", Properties: make(map[string]*schema)}
	for _, p := range params {
		if s.Properties[p.Name] != nil || p.Name == "" {
			return nil, errors.New("nit: manifest: a parameter has no name or a duplicate name")
		}
		s.Properties[p.Name] = &schema{Type: cmp.Or(p.Type, "string"), Description: p.Description}
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}
	return json.Marshal(s)
}

// Validate validates names, lengths, types and commands. Names must be unique.
func (m *Manifest) Validate() error {
	if !goodPlugin.MatchString(m.Name) {
		return errors.New("nit: manifest: the name is 1 to 64 letters, digits, _ and -")
	}
	fail := func(text string) error { return fmt.Errorf("nit: manifest of %s: %s", m.Name, text) }
	words := append([]string{m.DisplayName, m.Version, m.Author, m.EntryPoint, m.Category}, m.Platforms...)
	switch {
	case slices.ContainsFunc(words, func(s string) bool { return len(s) > maxWord || !utf8.ValidString(s) }):
		return fail("a field is too long or not UTF-8")
	case m.Version == "":
		return fail("the version is empty")
	case m.Description == "" || len(m.Description) > maxDescription || !utf8.ValidString(m.Description):
		return fail(fmt.Sprintf("the description is 1 to %d bytes of UTF-8", maxDescription))
	case !slices.Contains(manifestTypes, m.Type):
		return fail("the type is not static, python-module, go or tool")
	case len(m.Platforms) > maxCommands || len(m.Commands) > maxCommands:
		return fail(fmt.Sprintf("more than %d commands or platforms", maxCommands))
	}
	seen := make(map[string]bool)
	for _, c := range m.Commands {
		if seen[c.Name] {
			return fail("duplicate command name")
		}
		seen[c.Name] = true
		params := c.Parameters
		if params == nil {
			params = json.RawMessage(`{"type":"object","additionalProperties":false}`)
		}
		if _, err := DefineRaw(c.Name, L3, c.Description, params, notCallable); err != nil {
			return err
		}
	}
	return nil
}

func notCallable(context.Context, json.RawMessage) (string, error) { return "", ErrUnknownTool }

// MarshalJSON writes the first form, with capabilities.invocationCommands.
func (m Manifest) MarshalJSON() ([]byte, error) {
	f := manifestFile{
		ManifestVersion: json.RawMessage(`"1.0"`),
		Name:            m.Name, DisplayName: m.DisplayName, Version: m.Version, Description: m.Description, Author: m.Author, PluginType: m.Type,
		EntryPoint: m.EntryPoint, Category: m.Category, Platforms: m.Platforms, Capabilities: new(capabilities),
	}
	for _, c := range m.Commands {
		f.Capabilities.InvocationCommands = append(f.Capabilities.InvocationCommands, commandFile{CommandIdentifier: c.Name, Description: c.Description, Parameters: c.Parameters})
	}
	return json.Marshal(f)
}
