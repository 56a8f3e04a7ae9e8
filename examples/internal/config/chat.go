package config

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
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
			r.add(key.Line, "%s：%q 不是聊天的设置：放到行首", "%s: %q is not for chats: put it at the start of a line", chat, key.Value)
			continue
		case !ok:
			r.add(key.Line, "%s：没有 %q 这一项%s", "%s: unknown key %q%s", chat, key.Value, lang.DidYouMean(key.Value, keys))
			continue
		case isNull(value):
			continue
		}
		v, kind, ok := valueOf(value, field.Type)
		if !ok {
			r.add(key.Line, "%s：%s：%q 不是%s", "%s: %s: %q is no %s", chat, key.Value, value.Value, kind)
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
			r.add(key.Line, "%[1]s：%[2]s 写得不对：要像 %[5]s（%[3]s）%[4]s", "%[1]s: %[2]s: %[3]s%[4]s", chat, key.Value, strings.TrimPrefix(err.Error(), "social: "), r.policyHint(key.Value, value.Value), exampleOf(key.Value))
			continue
		}
		reflect.ValueOf(&s).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(one).FieldByIndex(field.Index))
	}
	return s
}

// policyHint returns the nearest policy for an unknown one.
func (r *reader) policyHint(key, name string) lang.Text {
	if key != "policy" {
		return lang.Text{}
	}
	names := []string{"mention", "interject"}
	for p := range r.o.Policies {
		names = append(names, p)
	}
	return lang.DidYouMean(name, names)
}

// exampleOf returns an example of a setting of chats.
func exampleOf(key string) string {
	for _, t := range chatTexts {
		if t.key == key {
			return t.example
		}
	}
	return key + ": …"
}

// valueOf returns a node as a value of JSON for a field of that type. ok is false if it is something else; kind says what it
// should be.
func valueOf(n *yaml.Node, t reflect.Type) (v any, kind lang.Text, ok bool) {
	if t.Kind() == reflect.Slice {
		if n.Kind == yaml.ScalarNode { // a list of one
			return []string{n.Value}, kind, true
		}
		items, ok := scalars(n)
		if n.Kind != yaml.SequenceNode || !ok {
			return nil, lang.T("一列文字", "list of texts"), false
		}
		return items, kind, true
	}
	if n.Kind != yaml.ScalarNode {
		return nil, lang.T("单个值", "single value"), false
	}
	switch {
	case t.Kind() == reflect.Pointer:
		b, err := strconv.ParseBool(asBool(n.Value))
		if err != nil {
			return nil, program.KindOf(b), false
		}
		return b, kind, true
	case t.Kind() == reflect.Int:
		i, err := strconv.Atoi(n.Value)
		if err != nil {
			return nil, program.KindOf(i), false
		}
		return i, kind, true
	}
	return n.Value, kind, true
}
