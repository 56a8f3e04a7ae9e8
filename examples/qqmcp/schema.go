package main

import (
	"encoding/json"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
)

type edit = func(*jsonschema.Schema)

// targetType sets the values of target_type and applies more edits.
func targetType(more ...edit) nit.Option {
	return nit.EditSchema(func(s *jsonschema.Schema) {
		kinds(s)
		for _, e := range more {
			e(s)
		}
	})
}

func kinds(s *jsonschema.Schema) {
	if t := s.Properties["target_type"]; t != nil {
		t.Enum, t.Default = []any{"group", "private"}, json.RawMessage(`"group"`)
	}
}

// numberRange sets the range and the default of a number.
func numberRange(name string, least, most, usual int) edit {
	return func(s *jsonschema.Schema) {
		n := s.Properties[name]
		n.Minimum, n.Maximum, n.Default = new(float64(least)), new(float64(most)), json.RawMessage(strconv.Itoa(usual))
	}
}

// output returns the schema of a tool's result.
func output[T any]() (json.RawMessage, error) {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, err
	}
	withoutNull(s)
	return json.Marshal(s)
}

// withoutNull removes null from the types of lists, because results contain empty lists instead. Other nullable fields have
// other types.
func withoutNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" && s.Types[1] == "array" {
		s.Type, s.Types = "array", nil
	}
	for _, p := range s.Properties {
		withoutNull(p)
	}
	if s.Items != nil {
		withoutNull(s.Items)
	}
}
