package models

import (
	"regexp"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

// maxErrorText limits the bytes of a provider's text in an error. Some providers repeat the whole request.
const maxErrorText = 300

var (
	userinfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s"'?#]*@`)
	bearer   = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[^\s"',;]+`)
	named    = regexp.MustCompile(`(?i)\b((?:x-)?(?:api[-_ ]?)?(?:key|token|secret|password|passwd|pwd|signature|sig|authorization))(\s*(?:provided)?["']?\s*[=:]\s*["']?)[^\s"'&,;]+`)
	prefixed = regexp.MustCompile(`\b(?:sk|pk|rk|ak|gsk|xai|hf|or|r8|ghp|glpat|nvapi|AIza|AKIA|LTAI)[-_A-Za-z0-9*]{10,}`)
	opaque   = regexp.MustCompile(`[A-Za-z0-9_+/=.*-]{32,}`)
)

// redact removes keys and passwords from a text and shortens it.
func redact(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) > 16<<10 {
		text = text[:16<<10]
	}
	text = userinfo.ReplaceAllString(text, "${1}…@")
	text = bearer.ReplaceAllString(text, "$1 …")
	text = named.ReplaceAllString(text, "$1$2…")
	text = prefixed.ReplaceAllString(text, "…")
	text = opaque.ReplaceAllStringFunc(text, func(s string) string {
		if strings.ContainsAny(s, "0123456789") && strings.ContainsAny(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz") {
			return "…"
		}
		return s
	})
	if len(text) > maxErrorText {
		text = clip.Bytes(text, maxErrorText) + "…"
	}
	return text
}
