package redact

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documented returns the words of doc.go: those of each item under "# Keywords", "Names of fields" and "need a word", and those of
// the indented lines under a heading.
func documented(t *testing.T) (items map[string][]string, lines map[string][]string) {
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	items, lines = map[string][]string{}, map[string][]string{}
	heading, item := "", ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(strings.TrimPrefix(line, "//"), "\n")
		switch {
		case strings.HasPrefix(line, " # "):
			heading, item = line[3:], ""
		case strings.HasPrefix(line, " Names of fields"):
			heading = "Fields"
		case strings.HasPrefix(line, " A mobile number needs"):
			heading = "Numbers"
		case strings.HasPrefix(line, "\t"):
			lines[heading] = append(lines[heading], strings.Fields(line)...)
		case strings.HasPrefix(line, "   "):
			rest := strings.TrimSpace(line)
			if label, words, ok := strings.Cut(rest, ": "); ok && strings.HasPrefix(line, "   - ") {
				item, rest = heading+" "+strings.TrimPrefix(label, "- "), words
			}
			rest, _, _ = strings.Cut(rest, ";")
			for w := range strings.SplitSeq(strings.TrimSuffix(rest, ","), ", ") {
				items[item] = append(items[item], w)
			}
		}
	}
	return items, lines
}

// TestDoc_Keywords: each keyword in doc.go announces a value, and each keyword of the code is in doc.go.
func TestDoc_Keywords(t *testing.T) {
	items, lines := documented(t)
	for _, c := range []struct {
		item, link, value string
		kind              Kind
	}{
		{"Keywords Verification codes", "：", "482913", VerificationCode},
		{"Keywords Passwords", "：", "hunter2", Password},
		{"Keywords WeChat", "：", "abc_1234", WeChat},
		{"Keywords QQ", "：", "38291746", QQ},
		{"Keywords Passports", "：", "G38291746", Passport},
		{"Keywords Travel permits", "：", "C38291746", TravelPermit},
		{"Keywords Local phone numbers of 7 or 8 digits", "：", "56781234", Phone},
		{"Keywords Secrets", "是", "q8Zk2LmP0xVb7RtY5nWd", Secret},
		{"Fields Verification codes", "=", "482913", VerificationCode},
		{"Fields Passwords", "=", "hunter2", Password},
		{"Fields WeChat", "=", "abc_1234", WeChat},
		{"Fields QQ", "=", "38291746", QQ},
		{"Fields Passports", "=", "G38291746", Passport},
		{"Fields Travel permits", "=", "C38291746", TravelPermit},
		{"Fields Secrets", "=", "q8Zk2LmP0xVb7RtY5nWd", Secret},
		{"Numbers ID cards", " ", "11010119900307001X", IDCard},
		{"Numbers Bank cards", " ", "6222021234567890129", BankCard},
		{"Numbers Social credit codes", " ", "91330106MA12345678", SocialCreditCode},
		{"Numbers Landlines and 400 numbers without separators", " ", "02156781234", Phone},
	} {
		require.NotEmpty(t, items[c.item], c.item)
		for _, w := range items[c.item] {
			for _, form := range []string{w, traditional.Replace(w), strings.ToUpper(w), "x_" + w} {
				if strings.HasPrefix(form, "x_") && !strings.HasPrefix(c.item, "Fields") {
					continue
				}
				assert.True(t, finds(form+c.link+c.value, c.kind, c.value), "%s%s%s", form, c.link, c.value)
			}
			if c.kind != SocialCreditCode && strings.HasPrefix(c.item, "Numbers") && c.kind != Phone {
				assert.False(t, finds("那么"+c.link+c.value, c.kind, c.value), "control: %s", c.value)
			}
		}
	}
	for _, w := range items["Fields words"] {
		w, _, _ = strings.Cut(w, " ")
		assert.True(t, finds("密码"+w+" ：hunter2", Password, "hunter2"), w)
	}
	for _, list := range chineseWords {
		for _, w := range strings.Fields(list.words) {
			assert.Contains(t, slices.Concat(slices.Collect(maps.Values(items))...), strings.Replace(w, "加V", "加v", 1))
		}
	}
	for _, n := range &valueNames {
		assert.Contains(t, slices.Concat(items["Fields Verification codes"], items["Fields Passwords"], items["Fields WeChat"], items["Fields QQ"], items["Fields Passports"], items["Fields Travel permits"]), n.word)
	}
	assert.ElementsMatch(t, items["Fields Secrets"], secretNames[:])
	numbers := forms(slices.Concat(items["Numbers ID cards"], items["Numbers Bank cards"], items["Numbers Social credit codes"], items["Numbers Landlines and 400 numbers without separators"])...)
	assert.Subset(t, numbers, slices.Concat(idWords, cardWords, usccWords, phoneWords))
	var prefixes []string
	for _, list := range vendors {
		for _, v := range list {
			if v.prefix != "eyJ" && v.prefix != "wxid_" {
				prefixes = append(prefixes, v.prefix)
			}
		}
	}
	assert.ElementsMatch(t, lines["Keys of services"], prefixes)
	assert.ElementsMatch(t, lines["Cookies"], sessionCookies)
	for _, name := range sessionCookies {
		assert.True(t, finds(name+"=q8Zk2LmP0xVb7RtY5nWd", Cookie, "q8Zk2LmP0xVb7RtY5nWd"), name)
	}
	assert.Equal(t, items["Addresses before 号, 弄 and 巷"], roads)
	assert.Equal(t, items["Addresses before 栋, 幢, 舍, 号楼, 座楼"], estates)
}

// finds reports whether a text has one finding of a kind, with the value.
func finds(text string, kind Kind, value string) bool {
	var r Redactor
	f := r.Find(text)
	return len(f) == 1 && f[0].Kind == kind && strings.Contains(text[f[0].Start:f[0].End], value)
}
