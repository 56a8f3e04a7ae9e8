package config

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/persona/social"
	"go.yaml.in/yaml/v3"
)

// chatFields returns the fields of social.ChatSettings by key.
func chatFields() (keys []string, fields map[string]reflect.StructField) {
	fields = map[string]reflect.StructField{}
	t := reflect.TypeFor[social.ChatSettings]()
	for i := range t.NumField() {
		key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		keys, fields[key] = append(keys, key), t.Field(i)
	}
	return keys, fields
}

// fieldOf returns the type of a setting of chats, or nil.
func fieldOf(key string) reflect.Type {
	_, fields := chatFields()
	if f, ok := fields[key]; ok {
		return f.Type
	}
	return nil
}

// settings reads the settings of one chat. Each one is validated by itself, so that an error has its line.
func (r *reader) settings(chat string, n *yaml.Node) (s social.ChatSettings) {
	keys, fields := chatFields()
	for key, value := range r.entries(n, chat, nil) {
		field, ok := fields[key.Value]
		switch {
		case !ok && r.flags.Lookup(key.Value) != nil:
			r.add(key.Line, "%s: %q is not for chats: put it at the start of a line", chat, key.Value)
			continue
		case !ok:
			r.add(key.Line, "%s: unknown key %q%s", chat, key.Value, DidYouMean(key.Value, keys))
			continue
		case isNull(value):
			continue
		}
		v, kind := valueOf(value, field.Type)
		if kind != "" {
			r.add(key.Line, "%s: %s: %q is no %s", chat, key.Value, value.Value, kind)
			continue
		}
		var one social.ChatSettings
		text, err := json.Marshal(map[string]any{key.Value: v})
		if err == nil {
			err = json.Unmarshal(text, &one)
		}
		if err == nil {
			err = one.Validate(r.o.Policies)
		}
		if err != nil {
			r.add(key.Line, "%s: %s: %s%s", chat, key.Value, strings.TrimPrefix(err.Error(), "social: "), r.policyHint(key.Value, value.Value))
			continue
		}
		reflect.ValueOf(&s).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(one).FieldByIndex(field.Index))
	}
	return s
}

// policyHint returns the nearest policy for an unknown one.
func (r *reader) policyHint(key, name string) string {
	if key != "policy" {
		return ""
	}
	names := []string{"mention", "interject"}
	for p := range r.o.Policies {
		names = append(names, p)
	}
	return DidYouMean(name, names)
}

// valueOf returns a node as a value of JSON for a field of that type. kind says what it should be, if it is something
// else.
func valueOf(n *yaml.Node, t reflect.Type) (v any, kind string) {
	if t.Kind() == reflect.Slice {
		if n.Kind == yaml.ScalarNode { // a list of one
			return []string{n.Value}, ""
		}
		items, ok := scalars(n)
		if n.Kind != yaml.SequenceNode || !ok {
			return nil, "list of texts"
		}
		return items, ""
	}
	if n.Kind != yaml.ScalarNode {
		return nil, "single value"
	}
	switch {
	case t.Kind() == reflect.Pointer:
		b, err := strconv.ParseBool(asBool(n.Value))
		if err != nil {
			return nil, "true or false"
		}
		return b, ""
	case t.Kind() == reflect.Int:
		i, err := strconv.Atoi(n.Value)
		if err != nil {
			return nil, "whole number"
		}
		return i, ""
	}
	return n.Value, ""
}
