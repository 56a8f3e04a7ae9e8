// Package lenient decodes what OneBot implementations send: ids come as numbers, as strings and as floats, and what
// is not known is null, of another type, or left out. Nothing of that is an error here; it is zero.
//
// A struct's fields are found by their json tags; an alt tag names further keys with the same meaning, separated by
// commas, which count where the first is missing or null. Fields without a json tag are left alone, but for embedded
// structs, whose fields are read like the struct's own. What must be an
// object or a list and is something else is an error, since then something quite different was sent.
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

// Unmarshal decodes b into what v points to, which keeps nothing of b. v's own UnmarshalJSON is not called, so a
// type can decode itself:
//
//	func (x *T) UnmarshalJSON(b []byte) error { return lenient.Unmarshal(b, x) }
//
// null leaves v alone, as it does with encoding/json.
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

// inner decodes what is not the outermost value: by its own method, where it has one.
func inner(b []byte, v reflect.Value) error {
	if v.CanAddr() && v.Addr().Type().Implements(decoderType) && v.Type() != rawType && v.Type() != timeType {
		return v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(b)
	}
	return decode(b, v)
}

func decodeStruct(b []byte, v reflect.Value) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil || members == nil {
		return errors.New("onebot: result is no JSON object")
	}
	t := v.Type()
	for i := range t.NumField() {
		field := t.Field(i)
		raw := lookup(members, field.Tag)
		switch {
		case raw != nil:
		case field.Anonymous && field.Type.Kind() == reflect.Struct && field.Tag == "":
			raw = b // its fields are this object's
		default:
			continue
		}
		if err := inner(raw, v.Field(i)); err != nil {
			if string(raw) == "null" || blank(raw) {
				continue // an object or list that is not there
			}
			return fmt.Errorf("%w: %s", err, field.Name)
		}
	}
	return nil
}

// lookup finds a field's member by its tags; nil when there is none.
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

// blank tells values that stand for "nothing" where an object or a list belongs.
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
		return errors.New("onebot: result is no JSON array")
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

// Text gives a string's text, the literal of a number or truth value, nothing for null, and JSON for the rest.
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

// Int gives a number, the number in a string, or 0.
func Int(b []byte) int64 { return Number(Text(b)) }

// Number is the whole number that s says, or 0.
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

// Bool gives true for true, for 1 and for either in a string.
func Bool(b []byte) bool {
	s := Text(b)
	return s == "true" || s == "1"
}

// year9999 is the last second that RFC 3339 can write. What is larger is no time in seconds: some send
// milliseconds.
const year9999 = 253402300799

// Time is Second, but 0, which implementations send for what they do not know, is the zero time.
func Time(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return Second(n)
}

// Second is a second since 1970, or a millisecond where it cannot be a second.
func Second(n int64) time.Time {
	for n > year9999 {
		n /= 1000
	}
	return time.Unix(max(n, -year9999), 0)
}

// Seconds is a duration that cannot overflow.
func Seconds(n int64) time.Duration {
	const most = int64(1<<63-1) / int64(time.Second)
	return time.Duration(min(max(n, -most), most)) * time.Second
}
