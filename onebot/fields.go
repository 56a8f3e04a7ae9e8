package onebot

import (
	"bytes"
	"slices"
	"unsafe"

	"github.com/hearth-bot/hearth/onebot/internal/lenient"
)

// fields iterates over the members of one JSON object:
//
//	f := openObject(b, i, depth)
//	for f.next() {
//		switch string(f.key()) { case "user_id": id = f.int(); default: f.skip() }
//	}
//	if f.i < 0 { … not JSON … }
//
// Each iteration must consume the value by exactly one of skip, raw, str, int.
type fields struct {
	b     []byte
	i     int // next byte; behind the object after next returned false; -1 for invalid JSON
	depth int
	inner bool // a member was read

	from, to int    // the key, without its quotes
	unquoted []byte // the key, if it had escapes
}

// openObject opens the object at b[i].
func openObject(b []byte, i, depth int) fields {
	if i >= len(b) || b[i] != '{' || depth >= maxDepth {
		return fields{i: -1}
	}
	return fields{b: b, i: i + 1, depth: depth}
}

func (f *fields) next() bool {
	if f.i < 0 {
		return false
	}
	b, i := f.b, skipSpace(f.b, f.i)
	if i < len(b) && b[i] == '}' {
		f.i = i + 1
		return false
	}
	if f.inner {
		if i >= len(b) || b[i] != ',' {
			return f.fail()
		}
		i = skipSpace(b, i+1)
	}
	f.inner = true
	if i >= len(b) || b[i] != '"' {
		return f.fail()
	}
	end, escaped := skipString(b, i)
	if end < 0 {
		return f.fail()
	}
	f.from, f.to = i+1, end-1
	if escaped || f.unquoted != nil {
		f.unquoted = unquote(b[f.from:f.to])
	}
	if i = skipSpace(b, end); i >= len(b) || b[i] != ':' {
		return f.fail()
	}
	f.i = skipSpace(b, i+1)
	return true
}

// key returns the current member's name.
func (f *fields) key() []byte {
	if f.unquoted != nil {
		return f.unquoted
	}
	return f.b[f.from:f.to]
}

func (f *fields) fail() bool {
	f.i = -1
	return false
}

// skip skips the value.
func (f *fields) skip() {
	f.i = skipValue(f.b, f.i, f.depth+1)
}

// raw returns the value's JSON.
func (f *fields) raw() []byte {
	i := f.i
	f.skip()
	if f.i < 0 {
		return nil
	}
	return f.b[i:f.i:f.i]
}

// str returns the text of a string, the literal of a number or boolean, "" for null. The text aliases the JSON unless
// it had escapes.
func (f *fields) str() string {
	if f.i < len(f.b) && f.b[f.i] == '"' {
		i := f.i + 1
		end, escaped := skipString(f.b, f.i)
		if f.i = end; end < 0 {
			return ""
		}
		if escaped {
			return asString(unquote(f.b[i : end-1]))
		}
		return asString(f.b[i : end-1])
	}
	return rawText(f.raw())
}

// int returns a number, the number in a string, or 0.
func (f *fields) int() int64 {
	b, i := f.b, f.i
	n, neg := int64(0), false
	if i < len(b) && b[i] == '-' {
		neg = true
		i++
	}
	first := i
	for i < len(b) && i-first < 18 && '0' <= b[i] && b[i] <= '9' {
		n = n*10 + int64(b[i]-'0')
		i++
	}
	if i > first && (b[first] != '0' || i == first+1) && i < len(b) && (b[i] == ',' || b[i] == '}') {
		f.i = i
		if neg {
			n = -n
		}
		return n
	}
	return rawInt(f.raw())
}

// rawText is str for a value from raw.
func rawText(raw []byte) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if raw[0] != '"' {
		return asString(raw)
	}
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') >= 0 {
		raw = unquote(raw)
	}
	return asString(raw)
}

// rawInt is int for a value from raw.
func rawInt(raw []byte) int64 {
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' {
		return 0
	}
	return lenient.Number(rawText(raw))
}

// asString converts bytes that never change again to a string without copying.
func asString(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// elems calls f with the index of each element of the array at b[i]; f returns the index behind the element. The
// result is the index behind the array, or -1.
func elems(b []byte, i int, f func(i int) int) int {
	if i >= len(b) || b[i] != '[' {
		return -1
	}
	if i = skipSpace(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for i < len(b) {
		if i = f(i); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case ',':
			i = skipSpace(b, i+1)
		case ']':
			return i + 1
		default:
			return -1
		}
	}
	return -1
}

// member returns the value of an object's member, the last one if it is repeated; nil if there is none.
func member(object []byte, key string) (value []byte) {
	f := openObject(object, skipSpace(object, 0), 0)
	for f.next() {
		if string(f.key()) == key {
			value = f.raw()
		} else {
			f.skip()
		}
	}
	return value
}

// withMember returns the object with the member set to value. It omits the members in drop.
func withMember(object []byte, key string, value []byte, drop ...string) []byte {
	out, done := []byte{'{'}, false
	put := func(key string, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(appendString(out, key), ':'), value...)
	}
	f := openObject(object, skipSpace(object, 0), 0)
	for f.next() {
		k, old := string(f.key()), f.raw()
		switch {
		case slices.Contains(drop, k), k == key && done:
		case k == key:
			put(key, value)
			done = true
		default:
			put(k, old)
		}
	}
	if !done {
		put(key, value)
	}
	return append(out, '}')
}
