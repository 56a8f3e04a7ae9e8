package script

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// number reads a number: digits of any script and dots, in the strict dialect also a sign and an exponent. The value is
// an int64, a *big.Int if that is too small, or a float64 if there is a dot or an exponent.
func (l *lexer) number() (token, *Error) {
	t := token{kind: number, pos: l.pos}
	if l.src[l.pos] == '-' {
		l.pos++
	}
	whole, plain, dots := true, true, 0 // plain: ASCII only
	for {
		r, size := l.peek()
		if r == '.' {
			whole = false
			dots++
		} else if size == 0 || !isDigit(r) {
			break
		}
		plain = plain && size == 1
		l.pos += size
	}
	written := l.src[t.pos:l.pos]
	if !plain {
		ascii, ok := toASCII(written)
		if !ok {
			return token{}, l.errorf(t.pos, "not a decimal number: %q", shorten(written))
		}
		written = ascii
	}
	if n := l.exponent(); l.strict && n > 0 {
		written += l.src[l.pos : l.pos+n]
		l.pos += n
		whole = false
	}
	switch {
	case dots > 1:
		return token{}, l.errorf(t.pos, "a number with two dots: %q", shorten(written))
	case whole && len(written) > maxDigits:
		return token{}, l.errorf(t.pos, "a number of more than %d digits", maxDigits)
	case whole:
		t.num = integer(written)
	default:
		f, _ := strconv.ParseFloat(written, 64) // infinite if out of range, as in the first interpreter
		if math.IsInf(f, 0) && l.strict {
			return token{}, l.errorf(t.pos, "a number that is too large")
		}
		t.num = f
	}
	return t, nil
}

// exponent returns the length of an exponent that is next; 0 without one.
func (l *lexer) exponent() int {
	rest := l.src[l.pos:]
	if rest == "" || rest[0] != 'e' && rest[0] != 'E' {
		return 0
	}
	n := 1
	if n < len(rest) && (rest[n] == '+' || rest[n] == '-') {
		n++
	}
	first := n
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	if n == first {
		return 0
	}
	return n
}

func integer(digits string) any {
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return n
	}
	n, _ := new(big.Int).SetString(digits, 10)
	return n
}

// toASCII converts digits of other scripts to ASCII.
func toASCII(written string) (string, bool) {
	var b strings.Builder
	for _, r := range written {
		if r == '.' || r == '-' {
			b.WriteRune(r)
			continue
		}
		value, ok := decimal(r)
		if !ok {
			return "", false
		}
		b.WriteByte('0' + value)
	}
	return b.String(), true
}

func shorten(s string) string {
	if len(s) > 32 {
		return strings.ToValidUTF8(s[:32], "") + "…"
	}
	return s
}
