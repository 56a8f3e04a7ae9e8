package onebottest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// An object is a JSON object to be sent.
type object = map[string]any

// encode returns the JSON of v, with < unescaped, as JavaScript does.
func encode(v any) []byte { return bytes.TrimSuffix(encodeLine(v, false), []byte("\n")) }

func encodeLine(v any, html bool) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("onebottest: %v", err)) // an invalid RawMessage from the user of this package
	}
	return b.Bytes()
}

// encode returns a frame. go-cqhttp escapes <, > and & and appends a line feed. Lagrange escapes all non-ASCII
// characters.
func (s *Server) encode(v any) []byte {
	switch s.opts.Quirks.WebSocket {
	case LikeGoCQHTTP:
		return encodeLine(v, true)
	case LikeLagrange:
		return escapeASCII(bytes.TrimSuffix(encodeLine(v, true), []byte("\n")))
	}
	return encode(v)
}

// escapeASCII writes non-ASCII characters as \uXXXX. In JSON they occur only in strings.
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
