package qqbot

import (
	"regexp"
	"strings"
)

// unseen matches characters that are not shown: control and format characters, marks such as variation selectors, fillers, and
// what takes the place of invalid bytes.
const unseen = `\p{C}\p{M}\x{115F}\x{1160}\x{2065}\x{3164}\x{FFA0}\x{FFF0}-\x{FFFD}\x{E0000}-\x{E0FFF}`

// tag matches the beginnings of all tags that the platform knows: <@id>, <@!id>, <#channel>, <qqbot-at-user …>,
// <qqbot-cmd-input …>, <faceType=…>, <face,…> and <emoji:…>. Unseen characters anywhere, and spaces and slashes behind the
// bracket, do not hide a tag, because the platform might remove them.
var tag = regexp.MustCompile(`(?i)<[\s\p{Z}/!` + unseen + `]*(?:@|#|` + hidden("qqbot") + `|` + hidden("face") + `|` + hidden("emoji") + `)`)

// hidden matches a word with unseen characters in it.
func hidden(word string) string { return strings.Join(strings.Split(word, ""), "["+unseen+"]*") }

// EscapeText replaces the bracket of everything that the platform might read as a mention, a face or a command by the
// full-width bracket ＜. All other text is unchanged, so "a < b" and "<div>" stay as they are. [Client.Send] escapes Out.Text by
// itself. Use it for foreign text in Out.Markdown.
func EscapeText(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	return tag.ReplaceAllStringFunc(s, func(m string) string { return "＜" + m[1:] })
}

// openID matches the ids that may enter a mention.
var openID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// mention returns the tag that mentions a member of a group.
func mention(id string) string { return `<qqbot-at-user id="` + id + `" />` }
