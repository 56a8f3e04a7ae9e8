package settings

import (
	"encoding/json"
	"reflect"
	"strings"
)

// A FieldChange is a field with another value. The values are JSON, and "" for none.
type FieldChange struct{ Field, Old, New string }

// Diff returns the fields that differ, in the order of [Chat].
func Diff(old, is Chat) (all []FieldChange) {
	before, after := reflect.ValueOf(old), reflect.ValueOf(is)
	for i := range before.NumField() {
		x, y := before.Field(i), after.Field(i)
		if reflect.DeepEqual(x.Interface(), y.Interface()) {
			continue
		}
		name, _, _ := strings.Cut(before.Type().Field(i).Tag.Get("json"), ",")
		all = append(all, FieldChange{name, valueText(x), valueText(y)})
	}
	return all
}

func valueText(v reflect.Value) string {
	if v.IsZero() {
		return ""
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return ""
	}
	return string(text)
}
