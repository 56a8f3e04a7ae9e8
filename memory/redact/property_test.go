package redact_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory/redact"
)

// TestRedact_Invariants checks the invariants of FuzzRedact for texts composed of chat, planted items, results and
// parts of them.
func TestRedact_Invariants(t *testing.T) {
	var parts []string
	plain, all := &redact.Redactor{}, full(t)
	for _, kind := range redact.Kinds() {
		for _, p := range plant(t, kind) {
			parts = append(parts, p.text, p.text[p.start:p.end], plain.Redact(p.text))
		}
	}
	chat, err := os.ReadFile("testdata/chat.txt")
	require.NoError(t, err)
	parts = append(parts, strings.Split(string(chat), "\n")[:500]...)
	parts = append(parts, "密码", "验证码：", "QQ", "微信号", "\n", " ", "，", "[", "]", "@", "：", "=", "key=", "\u200b", "林小满", "柚", "zhangsan1990", "HX-1234", "[CQ:at,qq=1234567]", "号", "路12号", "浙江省杭州市", "1", "138", "一", "-", ".", "\xe4", "is ")
	rnd := rand.New(rand.NewPCG(1, 2))
	n := 6000
	if testing.Short() {
		n = 1000
	}
	for range n {
		var b strings.Builder
		for range 1 + rnd.IntN(6) {
			p := parts[rnd.IntN(len(parts))]
			switch rnd.IntN(6) {
			case 0:
				p = p[:rnd.IntN(len(p)+1)]
			case 1:
				p = p[rnd.IntN(len(p)+1):]
			}
			b.WriteString(p)
			b.WriteString([]string{"", "", " ", "\n", "，", "."}[rnd.IntN(6)])
		}
		text := b.String()
		if rnd.IntN(8) == 0 {
			text = wide(text)
		}
		check(t, plain, text)
		check(t, all, text)
	}
}

// TestRedact_HidesValues: for any chat with a planted value or one of the owner's words, the result does not contain
// it.
func TestRedact_HidesValues(t *testing.T) {
	file, err := os.ReadFile("testdata/chat.txt")
	require.NoError(t, err)
	chat := strings.Split(strings.TrimSpace(string(file)), "\n")
	rnd := rand.New(rand.NewPCG(11, 11))
	line := func() string { return strings.TrimRight(chat[rnd.IntN(len(chat))], ":：=") }
	r := full(t)
	for _, kind := range redact.Kinds() {
		for _, p := range plant(t, kind) {
			secret := p.text[p.start:p.end]
			text := line() + "\n" + p.text + "\n" + line()
			require.NotContains(t, r.Redact(text), secret)
		}
	}
	for range 500 {
		word := []rune([]string{"林小满", "炉边科技", "Ember Ltd", "zhangsan"}[rnd.IntN(4)])
		var b strings.Builder
		for i, c := range word {
			if s := string(c); rnd.IntN(3) == 0 {
				b.WriteString(wide(strings.ToUpper(s)))
			} else {
				b.WriteString(s)
			}
			if i < len(word)-1 {
				b.WriteString([]string{"", "", " ", "\u200b", "·", "　", "\u2060 "}[rnd.IntN(7)])
			}
		}
		text := line() + "，" + b.String() + "，" + line()
		require.NotContains(t, r.Redact(text), b.String())
	}
}
