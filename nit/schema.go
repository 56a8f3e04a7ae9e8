package nit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Bounds of a schema. Reading one that is nested a few thousand deep takes seconds, and
// a circle of references ends the process, so all of this is checked before the library sees it.
const (
	maxSchemaBytes = 64 << 10
	maxSchemaDepth = 64      // levels of JSON
	maxSchemaNodes = 2_000   // with every reference written out
	maxUnion       = 1 << 17 // saturation of all counts, well above their bounds
)

// infer gives the schema of In twice: as arguments are checked, and as models are shown it.
// They differ in unions only: models get the first type of one, since some choke on several.
func infer[In any](edits []func(*jsonschema.Schema)) (checked, listed *jsonschema.Schema, err error) {
	ids := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[ID](): idSchema()}
	for _, s := range []**jsonschema.Schema{&checked, &listed} {
		if *s, err = jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: ids}); err != nil {
			return nil, nil, err
		}
		if err := walk(*s, dropNull); err != nil {
			return nil, nil, err
		}
		for _, edit := range edits {
			edit(*s)
		}
	}
	return checked, listed, walk(listed, firstOfUnion)
}

// dropNull undoes what inference does to slices and pointers: null beside the type.
// An optional argument may still be null, see arguments.nullIsAbsent.
func dropNull(s *jsonschema.Schema) error {
	if i := slices.Index(s.Types, "null"); i >= 0 {
		s.Types = slices.Delete(slices.Clone(s.Types), i, i+1)
	}
	if len(s.Types) == 1 {
		s.Type, s.Types = s.Types[0], nil
	}
	return nil
}

func firstOfUnion(s *jsonschema.Schema) error {
	if len(s.Types) > 0 {
		s.Type, s.Types = s.Types[0], nil
	}
	return nil
}

// readSchema reads a foreign schema, and gives it as models are shown it, too: as it came.
func readSchema(raw json.RawMessage) (s *jsonschema.Schema, listed map[string]any, err error) {
	if len(raw) > maxSchemaBytes {
		return nil, nil, fmt.Errorf("schema of more than %d bytes", maxSchemaBytes)
	}
	if listed, _, err = parseObject(string(raw), maxSchemaDepth); err != nil {
		return nil, nil, fmt.Errorf("schema: %w", err)
	}
	if depthSum(string(raw)) > maxNesting {
		return nil, nil, errCostlySchema
	}
	s = new(jsonschema.Schema)
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, nil, errors.New("schema is none") // the library's text quotes it
	}
	if listed["properties"] == nil {
		listed["properties"] = map[string]any{} // some providers insist on it
	}
	return s, listed, nil
}

// schemaMap turns a schema into what llms.FunctionDefinition carries: plain maps, which every provider's client takes.
func schemaMap(s *jsonschema.Schema) (map[string]any, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("schema of more than %d bytes", maxSchemaBytes)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	if m["properties"] == nil {
		m["properties"] = map[string]any{} // some providers insist on it
	}
	return m, nil
}

// validateSchema refuses what the validator could not survive or what would make it fetch or guess.
func validateSchema(root *jsonschema.Schema) (cost, error) {
	if root.Type != "object" {
		return cost{}, errors.New("arguments are an object")
	}
	if err := walk(root, checkNode); err != nil {
		return cost{}, err
	}
	c := costCounter{root: root, costs: make(map[*jsonschema.Schema]cost)}
	w, err := c.cost(root)
	switch {
	case err != nil:
		return cost{}, err
	case w.nodes > maxSchemaNodes:
		return cost{}, fmt.Errorf("schema of more than %d nodes", maxSchemaNodes)
	case w.patterns > maxPatterns:
		return cost{}, errCostlySchema
	}
	return w, nil
}

// What $schema may say: the drafts that the validator knows.
var drafts = []string{"", "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema#"}

func isUnknownType(name string) bool { return !slices.Contains(jsonTypes, name) }

var jsonTypes = []string{"string", "integer", "number", "boolean", "object", "array", "null"}

func checkNode(s *jsonschema.Schema) error {
	switch {
	case s.ID != "" || s.Anchor != "" || s.DynamicAnchor != "" || s.DynamicRef != "" || s.Vocabulary != nil:
		return errors.New("schema uses $id, an anchor, $dynamicRef or $vocabulary")
	case !slices.Contains(drafts, s.Schema):
		return errors.New("schema of a draft other than 7 and 2020-12")
	case s.Ref != "" && refName(s.Ref) == "":
		return errors.New("schema refers to something other than its own $defs")
	case slices.ContainsFunc(append(slices.Clip(s.Types), cmp.Or(s.Type, "null")), isUnknownType):
		return errors.New("schema of a type that JSON does not have")
	}
	return nil
}

// refName gives x for "#/$defs/x" and "#/definitions/x", otherwise "".
func refName(ref string) string {
	name, ok := strings.CutPrefix(ref, "#/$defs/")
	if !ok {
		name, ok = strings.CutPrefix(ref, "#/definitions/")
	}
	if !ok || strings.ContainsAny(name, "/~%") {
		return ""
	}
	return name
}

// A costCounter weighs a schema with all references written out, and finds circles.
type costCounter struct {
	root     *jsonschema.Schema
	costs    map[*jsonschema.Schema]cost // without nodes while it is being counted
	patterns int                         // instructions read so far
}

func (c *costCounter) cost(s *jsonschema.Schema) (cost, error) {
	if w, seen := c.costs[s]; seen {
		if w.nodes == 0 {
			return w, errors.New("schema refers to itself")
		}
		return w, nil
	}
	c.costs[s] = cost{}
	w, err := costOf(s)
	if err != nil {
		return w, err
	}
	if c.patterns += w.patterns; c.patterns > maxPatterns { // before more are read
		return w, errCostlySchema
	}
	add := func(child *jsonschema.Schema) error {
		k, err := c.cost(child)
		w = w.add(k)
		return err
	}
	if err := eachChild(s, add); err != nil {
		return w, err
	}
	if s.Ref != "" {
		target := c.root.Defs[refName(s.Ref)]
		if target == nil {
			target = c.root.Definitions[refName(s.Ref)]
		}
		if target == nil {
			return w, errors.New("schema refers to a missing definition")
		}
		if err := add(target); err != nil {
			return w, err
		}
	}
	c.costs[s] = w
	return w, nil
}

// walk calls f for root and every schema below it, and refuses what is no tree or too deep.
func walk(root *jsonschema.Schema, f func(*jsonschema.Schema) error) error {
	seen := make(map[*jsonschema.Schema]bool)
	var visit func(s *jsonschema.Schema, depth int) error
	visit = func(s *jsonschema.Schema, depth int) error {
		switch {
		case s == nil:
			return errors.New("schema with a nil part")
		case seen[s]:
			return errors.New("schema with a part that is used twice or contains itself")
		case depth > maxSchemaDepth/2: // a level of schema is two of JSON
			return errors.New("schema is nested too deep")
		}
		seen[s] = true
		if err := f(s); err != nil {
			return err
		}
		return eachChild(s, func(child *jsonschema.Schema) error { return visit(child, depth+1) })
	}
	return visit(root, 0)
}

// eachChild calls f for the schemas directly below s. It goes by the fields' types, so that
// no keyword of a later version of the library is missed.
func eachChild(s *jsonschema.Schema, f func(*jsonschema.Schema) error) error {
	var children []*jsonschema.Schema
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		switch field := v.Field(i).Interface().(type) {
		case *jsonschema.Schema:
			if field != nil {
				children = append(children, field)
			}
		case []*jsonschema.Schema:
			children = append(children, field...)
		case map[string]*jsonschema.Schema:
			children = slices.AppendSeq(children, maps.Values(field))
		}
	}
	for _, child := range children {
		if err := f(child); err != nil {
			return err
		}
	}
	return nil
}
