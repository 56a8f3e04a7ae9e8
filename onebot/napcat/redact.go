package napcat

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/hearth-bot/hearth/internal/clip"
)

const stars = "***"

// lookalike finds what stands behind a word that announces a secret: "WebUi Token: x", "?token=x", "新密码: x",
// {"access_token":"x"}, "Authorization: Bearer x". NapCat writes the first three itself.
var lookalike = regexp.MustCompile(`(?i)((?:\w*token|p?_?skey|client_?key|\w*secret(?:_?key)?|passw(?:or)?d\w*|authorization|密码|密钥)\\?["']?\s*(?:[=:：]|%3d|为)\s*\\?["']?(?:(?:bearer|token)\s+)?|\bbearer\s+)[^\s"'\\&,;)}\]*]+`)

// ansi is what colours a terminal.
var ansi = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// A redactor makes a child's bytes fit for a log.
type redactor struct {
	known   *strings.Replacer
	longest int // bytes of the longest known secret, as written
}

// newRedactor knows the secrets as they are, as in a URL, and as in JSON.
func newRedactor(secrets []string) *redactor {
	var forms []string
	for _, s := range secrets {
		if s == "" {
			continue
		}
		quoted, _ := json.Marshal(s) // a string always can be
		forms = append(forms, s, url.QueryEscape(s), url.PathEscape(s), string(quoted[1:len(quoted)-1]))
	}
	// A Replacer prefers what is given first: so a secret that begins with another is replaced whole.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	r := &redactor{}
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, stars)
		r.longest = max(r.longest, len(f))
	}
	r.known = strings.NewReplacer(pairs...)
	return r
}

// clean makes a line of the bytes: valid text without colours, control characters and secrets. Of a line that goes
// on (more), the end is left out, where a secret may have been cut.
func (r *redactor) clean(line []byte, more bool) string {
	line = bytes.TrimRight(line, "\r\n")
	text := ansi.ReplaceAllString(strings.ToValidUTF8(string(line), "\uFFFD"), "")
	text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\t' {
			return -1
		}
		return c
	}, text)
	text = lookalike.ReplaceAllString(r.known.Replace(text), "${1}"+stars)
	if more {
		text = clip.Bytes(text, max(len(text)-r.longest, 0))
	}
	return text
}
