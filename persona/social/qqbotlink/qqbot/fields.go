package qqbot

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// listLimit is the maximum number of elements that are read from a list, so that a hostile event costs little.
const listLimit = 1000

// An object is a JSON object whose fields are read one by one. A field of an unexpected type counts as absent, and numbers and
// strings stand for each other, because the platform's documents and answers disagree about types.
type object map[string]json.RawMessage

func parseObject(raw []byte) (object, error) {
	var o object
	if err := json.Unmarshal(raw, &o); err != nil || o == nil {
		return nil, errors.New("not a JSON object")
	}
	return o, nil
}

// text returns a string, or a number as it is written.
func (o object) text(name string) string {
	raw := bytes.TrimSpace(o[name])
	if len(raw) == 0 {
		return ""
	}
	if raw[0] == '"' {
		var s string
		_ = json.Unmarshal(raw, &s) // "" if it fails
		return s
	}
	if raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9' {
		return string(raw)
	}
	return ""
}

// whole returns an integer from a number or a string.
func (o object) whole(name string) int64 {
	n, _ := o.number(name)
	return n
}

func (o object) number(name string) (int64, bool) {
	s := o.text(name)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < -1e15 || f > 1e15 || f != f {
		return 0, false
	}
	return int64(f), true
}

// flag returns a boolean; 1 and "true" count as true.
func (o object) flag(name string) bool {
	switch strings.Trim(string(bytes.TrimSpace(o[name])), `"`) {
	case "true", "1":
		return true
	}
	return false
}

// object returns nil if the field is none.
func (o object) object(name string) object {
	if len(o[name]) == 0 {
		return nil
	}
	inner, _ := parseObject(o[name])
	return inner
}

// objects returns the objects in a list.
func (o object) objects(name string) (list []object) {
	for _, raw := range o.list(name) {
		if inner, err := parseObject(raw); err == nil {
			list = append(list, inner)
		}
	}
	return list
}

func (o object) list(name string) (list []json.RawMessage) {
	if len(o[name]) > 0 && json.Unmarshal(o[name], &list) == nil {
		return list[:min(len(list), listLimit)]
	}
	return nil
}

// texts returns the strings in a list.
func (o object) texts(name string) (list []string) {
	for _, raw := range o.list(name) {
		if s := (object{"": raw}).text(""); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// time returns the zero time if the field is absent or has an unknown form.
func (o object) time(name string) time.Time { return parseTime(o.text(name)) }

// parseTime reads RFC 3339, Go's own form (it has been seen in events), and seconds or milliseconds since 1970.
func parseTime(s string) time.Time {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		switch {
		case n <= 0:
			return time.Time{}
		case n > 1e11:
			return time.UnixMilli(min(n, 1e14))
		}
		return time.Unix(n, 0)
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t
	}
	words := strings.Fields(s) // the zone's name and the monotonic clock follow
	if t, err := time.Parse("2006-01-02 15:04:05.999999999 -0700", strings.Join(words[:min(len(words), 3)], " ")); err == nil {
		return t
	}
	return time.Time{}
}
