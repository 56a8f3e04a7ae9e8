package onebot

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// referenceParseCQ is a plain ParseCQ. Its time is quadratic for nested codes.
func referenceParseCQ(s string) Message {
	var m Message
	var text []byte // text since the last segment
	flush := func() {
		if len(text) > 0 {
			m = append(m, Text(string(text)))
			text = text[:0]
		}
	}
	for s != "" {
		at := strings.Index(s, "[CQ:")
		if at < 0 {
			at = len(s)
		}
		text = appendUnescaped(text, s[:at])
		if s = s[at:]; s == "" {
			break
		}
		seg, n, ok := referenceParseCode(s)
		switch {
		case !ok:
			text = append(text, '[')
			n = 1
		case seg.Type == "text":
			text = append(text, seg.Param("text")...)
		default:
			flush()
			m = append(m, seg)
		}
		s = s[n:]
	}
	flush()
	return m
}

// parseCode parses the code at the start of s; n is its length.
func referenceParseCode(s string) (seg Segment, n int, ok bool) {
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return seg, 0, false
	}
	typ, rest, more := strings.Cut(s[len("[CQ:"):end], ",")
	if !isName(typ) {
		return seg, 0, false
	}
	var pairs []string
	for more {
		var param string
		param, rest, more = strings.Cut(rest, ",")
		key, value, found := strings.Cut(param, "=")
		if !found || !isName(key) {
			return seg, 0, false
		}
		pairs = setPair(pairs, key, string(appendUnescaped(nil, value)))
	}
	return build(typ, pairs...), end + 1, true
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return s != ""
}

// nestedCQ are strings of about n bytes for which a parser that reads each code on its own is quadratic.
var nestedCQ = map[string]func(n int) string{
	"starts":            func(n int) string { return strings.Repeat("[CQ:", n/4) },
	"starts and an end": func(n int) string { return strings.Repeat("[CQ:", n/4) + "]" },
	"types":             func(n int) string { return strings.Repeat("[CQ:a", n/5) + "]" },
	"parameters":        func(n int) string { return strings.Repeat("[CQ:a,b=", n/8) + ",c]" },
	"bad parameters":    func(n int) string { return strings.Repeat("[CQ:a,", n/6) + "]" },
	"one name":          func(n int) string { return "[CQ:" + strings.Repeat("a", n) },
	"one parameter":     func(n int) string { return "[CQ:a," + strings.Repeat("a", n) + "]" },
	"equal keys":        func(n int) string { return "[CQ:a" + strings.Repeat(",b=c", n/4) + "]" },
	"escapes":           func(n int) string { return strings.Repeat("&amp;", n/5) },
	"codes":             func(n int) string { return strings.Repeat("[CQ:a,b=c]", n/10) },
}

func TestParseCQ_SameAsReference(t *testing.T) {
	for name, make := range nestedCQ {
		for n := range 64 {
			s := make(n)
			for _, s := range []string{s, s + "]", s + ",x=1]", "[CQ:" + s, s + "[CQ:face,id=1]"} {
				require.Equal(t, referenceParseCQ(s), ParseCQ(s), "%s: %s", name, s)
			}
		}
	}
}

// The scanner reads each byte only a few times. This counts bytes, because a ratio of times varies under load.
func TestParseCQ_LinearTime(t *testing.T) {
	for name, make := range nestedCQ {
		for _, n := range []int{1 << 10, 64 << 10} {
			c := codeScanner{s: make(n)}
			c.message()
			assert.LessOrEqual(t, c.read, 4*n, "%s: %d", name, n)
		}
	}
	c := codeScanner{s: "[CQ:face,id=1]"}
	c.message()
	assert.Equal(t, len("[CQ:face,id=1")+len("face")+len("id=1"), c.read, "it counts")
}

// After maxSegments segments the rest is text, and the message still survives both directions.
func TestParseCQ_ManySegments(t *testing.T) {
	m := ParseCQ(strings.Repeat("[CQ:shake]", maxSegments) + "a[CQ:shake]&amp;")
	require.Len(t, m, maxSegments+1)
	assert.Equal(t, Text("a[CQ:shake]&"), m[maxSegments])
	assert.Equal(t, m, ParseCQ(m.CQ()))
}

func BenchmarkParseCQ(b *testing.B) {
	for _, n := range []int{64 << 10, 128 << 10} {
		for _, name := range []string{"starts", "parameters", "codes"} {
			b.Run(fmt.Sprintf("%s/%dkB", name, n>>10), func(b *testing.B) {
				s := nestedCQ[name](n)
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					ParseCQ(s)
				}
			})
		}
	}
}
