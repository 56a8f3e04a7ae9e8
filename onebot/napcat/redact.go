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

const redacted = "***"

// secretPattern matches text after a word that announces a secret: "WebUi Token: x", "?token=x", "新密码: x",
// {"access_token":"x"}, "Authorization: Bearer x". NapCat writes the first three.
var secretPattern = regexp.MustCompile(`(?i)((?:\w*token|p?_?skey|client_?key|\w*secret(?:_?key)?|passw(?:or)?d\w*|authorization|密码|密钥)\\?["']?\s*(?:[=:：]|%3d|为)\s*\\?["']?(?:(?:bearer|token)\s+)?|\bbearer\s+)[^\s"'\\&,;)}\]*]+`)

// ansi matches terminal escape sequences.
var ansi = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// A redactor converts a child's output to text for a log.
type redactor struct {
	known   *strings.Replacer
	longest int // bytes of the longest known secret, in its written form
}

// newRedactor knows each secret in plain form, in URL encoding and in JSON encoding.
func newRedactor(secrets []string) *redactor {
	var forms []string
	for _, s := range secrets {
		if s == "" {
			continue
		}
		quoted, _ := json.Marshal(s) // cannot fail for a string
		forms = append(forms, s, url.QueryEscape(s), url.PathEscape(s), string(quoted[1:len(quoted)-1]))
	}
	// A Replacer prefers earlier pairs: longer secrets first, because one may begin with another.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	r := &redactor{}
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, redacted)
		r.longest = max(r.longest, len(f))
	}
	r.known = strings.NewReplacer(pairs...)
	return r
}

// clean converts a line to valid text without colors, control characters and secrets. If the line continues (more),
// it drops the end, because a secret may have been cut there.
func (r *redactor) clean(line []byte, more bool) string {
	line = bytes.TrimRight(line, "\r\n")
	text := ansi.ReplaceAllString(strings.ToValidUTF8(string(line), "\uFFFD"), "")
	text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\t' {
			return -1
		}
		return c
	}, text)
	text = secretPattern.ReplaceAllString(r.known.Replace(text), "${1}"+redacted)
	if more {
		text = clip.Bytes(text, max(len(text)-r.longest, 0))
	}
	return text
}
