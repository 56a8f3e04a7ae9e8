// Package lenient decodes the JSON of OneBot implementations, which differ: ids are numbers, strings or floats, and
// unknown values are null, missing or of another type. None of this is an error. The field is zero then.
//
// Fields are matched by their json tags. An alt tag lists further keys with the same meaning, separated by commas,
// that are used if the first key is missing or null. Fields without a json tag are ignored. The fields of an embedded
// struct are read as fields of the outer struct. A wrong type in place of an object or a list is an error, because
// the message is then of another kind.
package lenient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

var (
	rawType      = reflect.TypeFor[json.RawMessage]()
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	decoderType  = reflect.TypeFor[json.Unmarshaler]()
)

// Unmarshal decodes b into the value v points to. The value keeps no reference to b. Unmarshal does not call v's own
// UnmarshalJSON, so a type can use it to decode itself:
//
//	func (x *T) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }
//
// null leaves v unchanged, as with encoding/json.
func Unmarshal(b []byte, v any) error {
	if string(b) == "null" {
		return nil
	}
	return decode(b, reflect.ValueOf(v).Elem())
}

func decode(b []byte, v reflect.Value) error {
	switch v.Type() {
	case rawType:
		if string(b) != "null" {
			v.SetBytes(bytes.Clone(b))
		}
		return nil
	case timeType:
		v.Set(reflect.ValueOf(Time(Int(b))))
		return nil
	case durationType:
		v.SetInt(int64(Seconds(Int(b))))
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(Text(b))
	case reflect.Int64, reflect.Int:
		v.SetInt(Int(b))
	case reflect.Float64:
		x, _ := strconv.ParseFloat(strings.TrimSpace(Text(b)), 64)
		v.SetFloat(x)
	case reflect.Bool:
		v.SetBool(Bool(b))
	case reflect.Struct:
		return decodeStruct(b, v)
	case reflect.Slice:
		return decodeSlice(b, v)
	case reflect.Pointer:
		if string(b) == "null" {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return inner(b, v.Elem())
	default:
		return fmt.Errorf("lenient: cannot decode into %s", v.Type())
	}
	return nil
}

// inner decodes a nested value, with its own UnmarshalJSON if it has one.
func inner(b []byte, v reflect.Value) error {
	if v.CanAddr() && v.Addr().Type().Implements(decoderType) && v.Type() != rawType && v.Type() != timeType {
		return v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(b)
	}
	return decode(b, v)
}

func decodeStruct(b []byte, v reflect.Value) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil || members == nil {
		return errors.New("onebot: result is not a JSON object")
	}
	t := v.Type()
	for i := range t.NumField() {
		field := t.Field(i)
		raw := lookup(members, field.Tag)
		switch {
		case raw != nil:
		case field.Anonymous && field.Type.Kind() == reflect.Struct && field.Tag == "":
			raw = b // embedded: its fields are in the same object
		default:
			continue
		}
		if err := inner(raw, v.Field(i)); err != nil {
			if string(raw) == "null" || blank(raw) {
				continue // a missing object or list
			}
			return fmt.Errorf("%w: %s", err, field.Name)
		}
	}
	return nil
}

// lookup finds the value of a field by its tags; nil if there is none.
func lookup(members map[string]json.RawMessage, tag reflect.StructTag) json.RawMessage {
	name, _, _ := strings.Cut(tag.Get("json"), ",")
	if name == "" || name == "-" {
		return nil
	}
	raw := members[name]
	for other := range strings.SplitSeq(tag.Get("alt"), ",") {
		if raw != nil && string(raw) != "null" || other == "" {
			break
		}
		if r := members[other]; r != nil {
			raw = r
		}
	}
	return raw
}

// blank reports whether implementations use b to say "none" for an object or a list.
func blank(b []byte) bool {
	switch string(b) {
	case `""`, "false", "0", "[]", "{}":
		return true
	}
	return false
}

func decodeSlice(b []byte, v reflect.Value) error {
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		return errors.New("onebot: result is not a JSON array")
	}
	if list == nil {
		v.SetZero()
		return nil
	}
	out := reflect.MakeSlice(v.Type(), len(list), len(list))
	for i, raw := range list {
		if err := inner(raw, out.Index(i)); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

// Text returns the text of a string, the literal of a number or boolean, "" for null, and JSON for anything else.
func Text(b []byte) string {
	switch {
	case len(b) == 0 || string(b) == "null":
		return ""
	case b[0] != '"':
		return string(b)
	}
	var s string
	_ = json.Unmarshal(b, &s)
	return s
}

// Int returns a number, the number in a string, or 0.
func Int(b []byte) int64 { return Number(Text(b)) }

// Number returns the whole number in s, or 0.
func Number(s string) int64 {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(s, 64); err == nil && math.Trunc(x) == x && math.Abs(x) < 1<<63 {
		return int64(x)
	}
	return 0
}

// Bool returns true for true and 1, also in a string.
func Bool(b []byte) bool {
	s := Text(b)
	return s == "true" || s == "1"
}

// year9999 is the last second that RFC 3339 can represent. Some implementations send milliseconds, which are larger.
const year9999 = 253402300799

// Time is like Second but returns the zero time for 0, because implementations send 0 for an unknown time.
func Time(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return Second(n)
}

// Second converts a Unix time in seconds. A value too large for seconds is taken as milliseconds.
func Second(n int64) time.Time {
	for n > year9999 {
		n /= 1000
	}
	return time.Unix(max(n, -year9999), 0)
}

// Seconds converts seconds to a duration, capped so that it cannot overflow.
func Seconds(n int64) time.Duration {
	const most = int64(1<<63-1) / int64(time.Second)
	return time.Duration(min(max(n, -most), most)) * time.Second
}
