package heartflow

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A linkFinder remembers the last run of characters without a space. So a long run is parsed once, not once per word.
type linkFinder struct {
	from, to int // bounds of the run
	url      int // start of a URL that extends to the end of the run; equal to to if there is none
}

// emailReach limits the search for an e-mail address or a domain around a word, in bytes. Addresses are shorter.
const emailReach = 320

// inLink reports whether i lies in a URL, a bare domain with its path, or an e-mail address, and where that ends. The
// text is folded. A link ends at white space, quotes, angle brackets and non-ASCII characters.
func (f *linkFinder) inLink(buf []byte, i int) (end int, in bool) {
	if !linkByte(buf[i]) {
		return 0, false
	}
	if i < f.from || i >= f.to {
		f.from, f.to = runBack(buf, i, linkByte), i+1
		for f.to < len(buf) && linkByte(buf[f.to]) {
			f.to++
		}
		f.url = f.to
		if s := urlStart(buf[f.from:f.to]); s >= 0 {
			f.url = f.from + s
		}
	}
	if f.url <= i {
		return f.to, true
	}
	near := max(f.from, i-emailReach)
	token, at := buf[near:min(f.to, i+emailReach)], i-near
	if e := max(emailAround(token, at), domainAround(token, at)); e > 0 {
		return near + e, true
	}
	return 0, false
}

func linkByte(c byte) bool {
	return c > ' ' && c < 0x7f && c != '<' && c != '>' && c != '"' && c != '`'
}

// urlStart returns the start of a URL that extends to the end of token, or -1.
func urlStart(token []byte) int {
	start := -1
	first := func(i int) {
		if i >= 0 && (start < 0 || i < start) {
			start = i
		}
	}
	if i := bytes.Index(token, []byte("://")); i > 0 {
		if s := runBack(token, i, schemeByte); s < i {
			first(s)
		}
	}
	if i := bytes.Index(token, []byte("www.")); i == 0 || i > 0 && !domainByte(token[i-1]) {
		first(i)
	}
	if i := bytes.IndexByte(token, '/'); i > 0 { // github.com/somebody
		if s := runBack(token, i, domainByte); isDomain(token[s:i]) {
			first(s)
		}
	}
	return start
}

// emailAround returns the end of the e-mail address in token around i, or 0.
func emailAround(token []byte, i int) int {
	for from := 0; ; {
		at := bytes.IndexByte(token[from:], '@')
		if at < 0 {
			return 0
		}
		at += from
		end := at + 1
		for end < len(token) && domainByte(token[end]) {
			end++
		}
		domain := bytes.TrimRight(token[at+1:end], ".-")
		if start := runBack(token, at, localByte); start < at && start <= i && i < end && isDomain(domain) {
			return end
		}
		from = at + 1
	}
}

// domainAround returns the end of the bare domain in token around i, such as somebody.com, or 0.
func domainAround(token []byte, i int) int {
	end := i
	for end < len(token) && domainByte(token[end]) {
		end++
	}
	if d := bytes.TrimRight(token[runBack(token, i, domainByte):end], ".-"); isDomain(d) && knownTop(d) {
		return end
	}
	return 0
}

// runBack returns the start of the run of matching bytes that ends before i.
func runBack(b []byte, i int, in func(byte) bool) int {
	for i > 0 && in(b[i-1]) {
		i--
	}
	return i
}

func alnum(c byte) bool      { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
func domainByte(c byte) bool { return alnum(c) || c == '.' || c == '-' }
func schemeByte(c byte) bool { return domainByte(c) || c == '+' }
func localByte(c byte) bool  { return schemeByte(c) || c == '_' || c == '%' }

// isDomain reports whether d has two or more labels, and two or more letters in the last one.
func isDomain(d []byte) bool {
	dot := bytes.LastIndexByte(d, '.')
	if dot <= 0 || len(d)-dot < 3 || bytes.Contains(d, []byte("..")) {
		return false
	}
	for _, c := range d[dot+1:] {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// knownTop reports whether d ends in a common top-level domain. Some people omit the space in "hello.bot".
func knownTop(d []byte) bool {
	top := string(d[bytes.LastIndexByte(d, '.')+1:])
	return strings.Contains(" com cn net org io dev app top xyz me cc tv edu gov info ", " "+top+" ")
}

// inAt reports whether [i, end) lies in an @name of somebody else, and where that name ends. Names may contain nearly
// any character, so a name extends to a space or the punctuation of a sentence. If ats is true, an @ followed by
// exactly the word means the bot.
func inAt(buf []byte, i, end int, ats bool) (skip int, in bool) {
	at := i
	for n := 0; ; n++ {
		r, size := utf8.DecodeLastRune(buf[:at])
		if size == 0 || n > 64 || endsName(r) {
			return 0, false
		}
		at -= size
		if r == '@' {
			break
		}
	}
	after, size := utf8.DecodeRune(buf[end:])
	if ats && at+1 == i && (size == 0 || endsName(after) || strings.ContainsRune(".@)）", after)) {
		return 0, false
	}
	for skip = end; skip < len(buf); skip += size {
		if after, size = utf8.DecodeRune(buf[skip:]); endsName(after) {
			break
		}
	}
	return skip, true
}

func endsName(r rune) bool {
	return r == ' ' || strings.ContainsRune(",!?;:~…，。！？；：、～", r)
}
