package redact

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// A Turn numbers what it masks: "[手机号#1]", "[手机号#2]", and the same value has the same number in all texts of the turn, however it
// is written. So a model can tell two numbers apart without knowing one. It may be used concurrently; numbers are given in the order of calls.
// It keeps the values that it has seen: let go of it with the turn.
type Turn struct {
	r    *Redactor
	mu   sync.Mutex
	seen map[Kind]map[string]int
}

// Turn begins a turn.
func (r *Redactor) Turn() *Turn { return &Turn{r: r, seen: map[Kind]map[string]int{}} }

// Redact is [Redactor.Redact] with numbers.
func (t *Turn) Redact(text string) string {
	found := t.r.Find(text)
	if len(found) == 0 {
		return text
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return mask(text, found, func(f Finding) string {
		return string(f.Kind) + "#" + strconv.Itoa(t.number(f.Kind, value(f.Kind, text[f.Start:f.End])))
	})
}

// RedactContext is [Turn.Redact] in the form that hooks want.
func (t *Turn) RedactContext(ctx context.Context, text string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return t.Redact(text), nil
}

func (t *Turn) number(k Kind, value string) int {
	of := t.seen[k]
	if of == nil {
		of = map[string]int{}
		t.seen[k] = of
	}
	n, ok := of[value]
	if !ok {
		n = len(of) + 1
		of[value] = n
	}
	return n
}

// value writes a value in one way: letters and digits alone; of numbers in small letters, of mobile ones without the country.
func value(k Kind, s string) string {
	switch k {
	case Mobile, Phone, IDCard, BankCard, Plate, Passport, Permit, USCC, Email, IPv6, MAC, QQ, Code, Word:
	default:
		return s // case counts, and signs do
	}
	sh := shadow{text: s}
	sh.fold()
	s = strings.Map(func(r rune) rune {
		if d, ok := hanDigit(r); ok && k != Word && k != Email {
			return rune(d)
		}
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !(k == Email && r != ' ') && !(k == IPv6 && r == ':') {
			return -1
		}
		return unicode.ToLower(r)
	}, sh.text)
	if k == Mobile {
		s = strings.NewReplacer("o", "0", "l", "1", "i", "1").Replace(s)
		s = s[max(len(s)-11, 0):]
	}
	return s
}
