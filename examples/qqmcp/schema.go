package main

import (
	"encoding/json"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
)

type edit = func(*jsonschema.Schema)

// targetType says what target_type may be, and does what other edits do.
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

// bounded says from where to where a number goes, and what it is when it is left out.
func bounded(name string, least, most, usual int) edit {
	return func(s *jsonschema.Schema) {
		n := s.Properties[name]
		n.Minimum, n.Maximum, n.Default = new(float64(least)), new(float64(most)), json.RawMessage(strconv.Itoa(usual))
	}
}

// output gives the schema of what a tool returns.
func output[T any]() (json.RawMessage, error) {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, err
	}
	never(s)
	return json.Marshal(s)
}

// never takes null out of the types of lists: ours are empty instead. What may be null has another type.
func never(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" && s.Types[1] == "array" {
		s.Type, s.Types = "array", nil
	}
	for _, p := range s.Properties {
		never(p)
	}
	if s.Items != nil {
		never(s.Items)
	}
}
