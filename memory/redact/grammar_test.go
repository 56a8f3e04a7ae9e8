package redact_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A grammar draws texts. Its file has sections, "[name]", with one alternative a line. {name} draws from a section and
// {builtin:arguments} calls a function of builtins. ⟦ and ⟧ enclose what must be hidden. \s, \n and \e are a blank, a line
// break and nothing. Other braces are literal. Lines that start with "# " are comments.
type grammar struct {
	t        *testing.T
	rng      *rand.Rand
	sections map[string][]string
}

// A span is the position of a value, in bytes.
type span struct{ start, end int }

// A sample is one drawn text and the values in it.
type sample struct {
	text   string
	hidden []span
}

var reference = regexp.MustCompile(`^\{([A-Za-z][A-Za-z0-9_+-]*)(?::([^{}]*))?\}`)

func newGrammar(t *testing.T, text string, seed uint64) *grammar {
	g := &grammar{t: t, rng: rand.New(rand.NewPCG(seed, 7)), sections: map[string][]string{}}
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && !strings.Contains(line, "{"):
			name = strings.Trim(line, "[]")
		default:
			g.sections[name] = append(g.sections[name], strings.NewReplacer(`\s`, " ", `\n`, "\n", `\e`, "").Replace(line))
		}
	}
	return g
}

// samples draws n texts. Most differ from each other: a repeated text is drawn again up to 20 times.
func (g *grammar) samples(section string, n int) []sample {
	seen := map[string]bool{}
	out := make([]sample, 0, n)
	for range n {
		text := ""
		for range 20 {
			if text = g.expand("{pre}" + g.draw(section) + "{post}"); !seen[text] {
				break
			}
		}
		seen[text] = true
		out = append(out, mark(text))
	}
	return out
}

// mark takes the brackets out of a text and keeps their positions.
func mark(text string) sample {
	var b strings.Builder
	var s sample
	start := 0
	for _, c := range text {
		switch c {
		case '⟦':
			start = b.Len()
		case '⟧':
			s.hidden = append(s.hidden, span{start, b.Len()})
		default:
			b.WriteRune(c)
		}
	}
	s.text = b.String()
	return s
}

func (g *grammar) draw(section string) string {
	lines := g.sections[section]
	require.NotEmpty(g.t, lines, "no section %s", section)
	return lines[g.rng.IntN(len(lines))]
}

func (g *grammar) expand(text string) string {
	var b strings.Builder
	for text != "" {
		m := reference.FindStringSubmatch(text)
		switch {
		case m == nil || g.sections[m[1]] == nil && !strings.Contains(m[0], ":"):
			b.WriteByte(text[0])
			text = text[1:]
			continue
		case g.sections[m[1]] != nil:
			b.WriteString(g.expand(g.draw(m[1])))
		default:
			b.WriteString(g.call(m[1], m[2]))
		}
		text = text[len(m[0]):]
	}
	return b.String()
}

const (
	decimals = "0123456789"
	small    = "abcdefghijklmnopqrstuvwxyz"
	capital  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// alphabets are the builtins that draw characters. Their argument is a length or a range of lengths: {d:8}, {a:6-10}.
var alphabets = map[string]string{
	"d": decimals, "x": "0123456789abcdef", "X": "0123456789ABCDEF", "l": small, "L": capital, "a": small + decimals,
	"U": capital + decimals, "A": small + capital + decimals, "s": small + capital + decimals + "_-",
}

// call calls a builtin. Beside the alphabets these are:
//
//	{n:8}                digits, the first not 0
//	{r:1-99}             a number between two bounds
//	{c:ABC}              one of the characters
//	{w:8-12}             letters and digits, at least one of each
//	{id:NAME}            an ID card number with region and check digit
//	{bank:62,19}         a bank card number with prefix and Luhn digit
//	{credit:91}          a social credit code
//	{b64:40}             base64 of random bytes
//	{jwt:HS256}          a JWT
//	{lines:3}            lines of base64
//	{wide:NAME}          a section in full width
//	{cn:NAME}            a section with Chinese digits
//	{g:3-4-4,SEP,NAME}   a section in groups, with one separator of the section SEP
func (g *grammar) call(name, argument string) string {
	args := strings.Split(argument, ",")
	if alphabet, ok := alphabets[name]; ok {
		return g.characters(alphabet, g.length(argument))
	}
	switch name {
	case "n":
		return g.characters(decimals[1:], 1) + g.characters(decimals, g.length(argument)-1)
	case "r":
		return strconv.Itoa(g.length(argument))
	case "c":
		runes := []rune(argument)
		return string(runes[g.rng.IntN(len(runes))])
	case "w":
		for {
			s := g.characters(alphabets["A"], g.length(argument))
			if strings.ContainsAny(s, decimals) && strings.ContainsAny(s, small) && strings.ContainsAny(s, capital) {
				return s
			}
		}
	case "id":
		return g.idCard()
	case "bank":
		n, _ := strconv.Atoi(args[1])
		return g.luhn(args[0], n)
	case "credit":
		return g.creditCode(argument)
	case "b64":
		n, _ := strconv.Atoi(argument)
		return base64.StdEncoding.EncodeToString([]byte(g.characters(alphabets["s"], n)))
	case "jwt":
		encode := base64.RawURLEncoding.EncodeToString
		return encode([]byte(`{"alg":"`+argument+`","typ":"JWT"}`)) + "." +
			encode(fmt.Appendf(nil, `{"sub":"%s","exp":%s}`, g.characters(decimals, 8), "18"+g.characters(decimals, 8))) + "." + g.characters(alphabets["s"], 43)
	case "lines":
		n, _ := strconv.Atoi(argument)
		var b strings.Builder
		for range n {
			b.WriteString(g.characters(alphabets["A"]+"+/", 64) + "\n")
		}
		return b.String()
	case "wide":
		return strings.Map(func(c rune) rune {
			if c > ' ' && c < 0x7f {
				return c - '!' + '！'
			}
			return c
		}, g.expand("{"+argument+"}"))
	case "cn":
		return strings.NewReplacer("0", "零", "1", "一", "2", "二", "3", "三", "4", "四", "5", "五", "6", "六", "7", "七", "8", "八",
			"9", "九").Replace(g.expand("{" + argument + "}"))
	case "g":
		return g.group(g.expand("{"+args[2]+"}"), strings.Split(args[0], "-"), g.expand(g.draw(args[1])))
	}
	require.FailNow(g.t, "unknown reference", "{%s:%s}", name, argument)
	return ""
}

func (g *grammar) characters(alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[g.rng.IntN(len(alphabet))])
	}
	return b.String()
}

// length draws a number from "5" or "5-9".
func (g *grammar) length(argument string) int {
	from, to, ok := strings.Cut(argument, "-")
	lo, err := strconv.Atoi(from)
	require.NoError(g.t, err)
	if !ok {
		return lo
	}
	hi, err := strconv.Atoi(to)
	require.NoError(g.t, err)
	return lo + g.rng.IntN(hi-lo+1)
}

// group splits text into groups. The last length repeats.
func (g *grammar) group(text string, lengths []string, separator string) string {
	var parts []string
	for i := 0; text != ""; i++ {
		n, _ := strconv.Atoi(lengths[min(i, len(lengths)-1)])
		n = min(n, len(text))
		parts, text = append(parts, text[:n]), text[n:]
	}
	return strings.Join(parts, separator)
}

func (g *grammar) idCard() string {
	body := g.draw("regions") + fmt.Sprintf("%d%02d%02d", 1950+g.rng.IntN(65), 1+g.rng.IntN(12), 1+g.rng.IntN(28)) + g.characters(decimals, 3)
	sum := 0
	for i, w := range []int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2} {
		sum += int(body[i]-'0') * w
	}
	return body + "10X98765432"[sum%11:sum%11+1]
}

func (g *grammar) luhn(prefix string, n int) string {
	body := prefix + g.characters(decimals, n-1-len(prefix))
	sum := 0
	for i := range len(body) {
		d := int(body[len(body)-1-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return body + strconv.Itoa((10-sum%10)%10)
}

func (g *grammar) creditCode(prefix string) string {
	const alphabet = "0123456789ABCDEFGHJKLMNPQRTUWXY"
	body := prefix + g.draw("regions") + g.characters(alphabet, 9)
	sum, weight := 0, 1
	for i := range len(body) {
		sum += strings.IndexByte(alphabet, body[i]) * weight
		weight = weight * 3 % 31
	}
	return body + alphabet[(31-sum%31)%31:][:1]
}
