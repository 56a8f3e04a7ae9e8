package qqbot

import (
	"slices"
	"strings"
	"unicode"
)

// isUnseen reports whether a character is not shown: control and format characters, marks such as variation selectors, fillers, and
// what takes the place of invalid bytes.
func isUnseen(r rune) bool {
	switch {
	case r == 0x115F, r == 0x1160, r == 0x2065, r == 0x3164, r == 0xFFA0, 0xFFF0 <= r && r <= 0xFFFD, 0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return unicode.In(r, unicode.C, unicode.M)
}

// tagWords begin the tags that are no mentions.
var tagWords = [...]string{"qqbot", "face", "emoji"}

// isTag reports whether s, which follows a bracket, begins like one of the tags that the platform knows: <@id>, <@!id>, <#channel>,
// <qqbot-at-user …>, <qqbot-cmd-input …>, <faceType=…>, <face,…> and <emoji:…>. Unseen characters anywhere, and spaces and slashes
// behind the bracket, do not hide a tag, because the platform might remove them.
func isTag(s string) bool {
	s = strings.TrimLeftFunc(s, func(r rune) bool {
		return r == '/' || r == '!' || unicode.IsSpace(r) || unicode.Is(unicode.Z, r) || isUnseen(r)
	})
	if strings.HasPrefix(s, "@") || strings.HasPrefix(s, "#") {
		return true
	}
	return slices.ContainsFunc(tagWords[:], func(word string) bool { return beginsWith(s, word) })
}

// beginsWith reports whether s begins with a word in small letters, in any case and with unseen characters between its letters.
func beginsWith(s, word string) bool {
	for _, r := range s {
		switch {
		case word == "":
			return true
		case unicode.ToLower(r) == rune(word[0]):
			word = word[1:]
		case !isUnseen(r):
			return false
		}
	}
	return word == ""
}

// EscapeText replaces the bracket of everything that the platform might read as a mention, a face or a command by the
// full-width bracket ＜. All other text is unchanged, so "a < b" and "<div>" stay as they are. [Client.Send] escapes Out.Text by
// itself. Use it for foreign text in Out.Markdown.
func EscapeText(s string) string {
	var out strings.Builder
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			break
		}
		out.WriteString(s[:i])
		if s = s[i+1:]; isTag(s) {
			out.WriteString("＜")
		} else {
			out.WriteByte('<')
		}
	}
	if out.Len() == 0 {
		return s
	}
	out.WriteString(s)
	return out.String()
}

// isID reports whether s has only letters, digits, "_" and "-", at least one and at most max.
func isID(s string, max int) bool {
	other := func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	return s != "" && len(s) <= max && !strings.ContainsFunc(s, other)
}

// mention returns the tag that mentions a member of a group.
func mention(id string) string { return `<qqbot-at-user id="` + id + `" />` }
