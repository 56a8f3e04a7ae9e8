package onebottest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// An object is a JSON object on its way out.
type object = map[string]any

// encode gives the JSON of what this package made itself, and < as <, as JavaScript does.
func encode(v any) []byte { return bytes.TrimSuffix(encodeLine(v, false), []byte("\n")) }

func encodeLine(v any, html bool) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("onebottest: %v", err)) // a broken RawMessage that a user of this package made
	}
	return b.Bytes()
}

// encode gives a frame: go-cqhttp escapes <, > and & and ends with a line feed; Lagrange escapes
// all that is not ASCII.
func (s *Server) encode(v any) []byte {
	switch s.opts.Quirks.WebSocket {
	case LikeGoCQHTTP:
		return encodeLine(v, true)
	case LikeLagrange:
		return escapeASCII(bytes.TrimSuffix(encodeLine(v, true), []byte("\n")))
	}
	return encode(v)
}

// escapeASCII writes what is not ASCII as \uXXXX; in JSON that stands in strings only.
func escapeASCII(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r < utf8.RuneSelf:
			out = append(out, b[0])
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04X\u%04X`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04X`, r)
		}
		b = b[n:]
	}
	return out
}
