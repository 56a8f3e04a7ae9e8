package heartflow

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A linkFinder knows the run of characters without a space that it was last asked about, so that a text of one long
// run costs no more for each word in it.
type linkFinder struct {
	from, to int // the run
	url      int // where a URL begins in it, and goes on to its end; to: nowhere
}

// emailReach is how far from a word an e-mail address or a domain around it is looked for; they are shorter.
const emailReach = 320

// inLink reports whether what begins at i lies in a URL, a bare domain or its path, or an e-mail address, and where
// that ends. The text is folded; a link ends at white space, at quotes and angle brackets, and where ASCII ends.
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

// urlStart returns where a URL begins in token, which goes on to its end; -1 if there is none.
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

// emailAround returns the end of the e-mail address in token that i lies in; 0 if there is none.
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

// domainAround returns the end of the domain in token that i lies in, which stands there as somebody.com does; 0 if
// there is none.
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

// runBack returns the beginning of the run of bytes that ends before i.
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

// isDomain reports whether d has two labels or more, the last of two letters or more.
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

// knownTop reports whether a domain without a path ends as web addresses commonly do: people also write
// "hello.bot" for want of a space.
func knownTop(d []byte) bool {
	top := string(d[bytes.LastIndexByte(d, '.')+1:])
	return strings.Contains(" com cn net org io dev app top xyz me cc tv edu gov info ", " "+top+" ")
}

// inAt reports whether what stands at [i, end) belongs to an @name that is not meant for the bot, and where that
// name ends. Names on the platforms may hold nearly everything, so one reaches as far as a space or the punctuation of
// a sentence. The exact word after an @ is the bot, where ats allows it.
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
