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
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Limits of a schema, checked before the library reads it. Some thousand nested levels take the library seconds, and a
// reference cycle crashes the process.
const (
	maxSchemaBytes = 64 << 10
	maxSchemaDepth = 64      // levels of JSON
	maxSchemaNodes = 2_000   // with references expanded
	maxUnion       = 1 << 17 // counts saturate here, far above their limits
)

var errNoObject = errors.New("the schema must describe an object")

// infer returns the schema of In for validation.
func infer[In any](edits []func(*jsonschema.Schema)) (*jsonschema.Schema, error) {
	ids := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[ID](): idSchema()}
	s, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: ids})
	if err != nil {
		return nil, err
	}
	if err := walk(s, dropNull); err != nil {
		return nil, err
	}
	for _, edit := range edits {
		edit(s)
	}
	return s, nil
}

// inferListed returns the schema of In for listing. It has no unions: models see the first type, because some reject type lists.
func inferListed[In any](edits []func(*jsonschema.Schema)) (*jsonschema.Schema, error) {
	s, err := infer[In](edits)
	if err != nil {
		return nil, err
	}
	return s, walk(s, firstOfUnion)
}

// dropNull removes the null that inference adds for slices and pointers. Optional arguments may still be null, see
// arguments.nullIsAbsent.
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

// readSchema parses a given schema, for validation and unchanged for listing.
func readSchema(raw json.RawMessage) (s *jsonschema.Schema, listed map[string]any, err error) {
	if len(raw) > maxSchemaBytes {
		return nil, nil, fmt.Errorf("the schema has more than %d bytes", maxSchemaBytes)
	}
	if listed, _, err = parseObject(string(raw), maxSchemaDepth); err != nil {
		return nil, nil, fmt.Errorf("schema: %w", err)
	}
	if depthSum(string(raw)) > maxNesting {
		return nil, nil, errCostlySchema
	}
	if listed["type"] != "object" { // encoding/json would also take "Type", which models do not know
		return nil, nil, errNoObject
	}
	s = new(jsonschema.Schema)
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, nil, errors.New("the schema is invalid") // the library's error quotes it
	}
	if listed["properties"] == nil {
		listed["properties"] = map[string]any{} // required by some providers
	}
	return s, listed, nil
}

// schemaMap converts a schema to plain maps for llms.FunctionDefinition, because every provider client accepts them.
func schemaMap(s *jsonschema.Schema) (map[string]any, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("the schema has more than %d bytes", maxSchemaBytes)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	if m["properties"] == nil {
		m["properties"] = map[string]any{} // required by some providers
	}
	return m, nil
}

// validateSchema rejects schemas that could crash the validator or make it fetch.
func validateSchema(root *jsonschema.Schema) (cost, error) {
	if root.Type != "object" {
		return cost{}, errNoObject
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
		return cost{}, fmt.Errorf("the schema has more than %d nodes", maxSchemaNodes)
	case w.patterns > maxPatterns:
		return cost{}, errCostlySchema
	}
	return w, nil
}

// Drafts that the validator supports.
var drafts = []string{"", "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema#"}

func isUnknownType(name string) bool { return !slices.Contains(jsonTypes, name) }

var jsonTypes = []string{"string", "integer", "number", "boolean", "object", "array", "null"}

func checkNode(s *jsonschema.Schema) error {
	switch {
	case s.ID != "" || s.Anchor != "" || s.DynamicAnchor != "" || s.DynamicRef != "" || s.Vocabulary != nil:
		return errors.New("the schema uses $id, an anchor, $dynamicRef or $vocabulary")
	case !slices.Contains(drafts, s.Schema):
		return errors.New("the schema is of a draft other than 7 and 2020-12")
	case s.Ref != "" && refName(s.Ref) == "":
		return errors.New("the schema refers to something outside its own $defs")
	case slices.ContainsFunc(append(slices.Clip(s.Types), cmp.Or(s.Type, "null")), isUnknownType):
		return errors.New("the schema has an unknown type")
	}
	return nil
}

// refName returns x for "#/$defs/x" and "#/definitions/x", otherwise "".
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

// A costCounter adds up the cost of a schema with references expanded and detects cycles.
type costCounter struct {
	root     *jsonschema.Schema
	costs    map[*jsonschema.Schema]cost // nodes is 0 while a schema is being counted
	patterns int                         // counted so far
}

func (c *costCounter) cost(s *jsonschema.Schema) (cost, error) {
	if w, seen := c.costs[s]; seen {
		if w.nodes == 0 {
			return w, errors.New("the schema refers to itself")
		}
		return w, nil
	}
	c.costs[s] = cost{}
	w, err := costOf(s)
	if err != nil {
		return w, err
	}
	if c.patterns += w.patterns; c.patterns > maxPatterns { // before parsing more
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
			return w, errors.New("the schema refers to a missing definition")
		}
		if err := add(target); err != nil {
			return w, err
		}
	}
	c.costs[s] = w
	return w, nil
}

// walk calls f for root and all its subschemas. It rejects shared subschemas and excessive depth.
func walk(root *jsonschema.Schema, f func(*jsonschema.Schema) error) error {
	seen := make(map[*jsonschema.Schema]bool)
	var visit func(s *jsonschema.Schema, depth int) error
	visit = func(s *jsonschema.Schema, depth int) error {
		switch {
		case s == nil:
			return errors.New("the schema has a nil subschema")
		case seen[s]:
			return errors.New("the schema uses a subschema twice or has a cycle")
		case depth > maxSchemaDepth/2: // one level of schema is two levels of JSON
			return errors.New("the schema is nested too deeply")
		}
		seen[s] = true
		if err := f(s); err != nil {
			return err
		}
		return eachChild(s, func(child *jsonschema.Schema) error { return visit(child, depth+1) })
	}
	return visit(root, 0)
}

// fieldsWithSchemas are the fields of a schema that hold schemas. They are found by type, so they cover keywords that later library
// versions add.
var fieldsWithSchemas = sync.OnceValue(func() (fields []int) {
	t := reflect.TypeFor[jsonschema.Schema]()
	for i := range t.NumField() {
		switch t.Field(i).Type {
		case reflect.TypeFor[*jsonschema.Schema](), reflect.TypeFor[[]*jsonschema.Schema](), reflect.TypeFor[map[string]*jsonschema.Schema]():
			fields = append(fields, i)
		}
	}
	return fields
})

// eachChild calls f for the direct subschemas of s.
func eachChild(s *jsonschema.Schema, f func(*jsonschema.Schema) error) error {
	var children []*jsonschema.Schema
	v := reflect.ValueOf(s).Elem()
	for _, i := range fieldsWithSchemas() {
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
