package qqbot

import (
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
)

// contentTag matches the tags in the content of a message: two forms of a mention, two of everybody, and two of a face.
var contentTag = regexp.MustCompile(`<@!?(everyone|all)>|<@!?([A-Za-z0-9_-]+)>` +
	`|<qqbot-at-(everyone)\s*/?>|<qqbot-at-user\s+id="([A-Za-z0-9_-]+)"\s*/?>` +
	`|<faceType=(\d{1,9}),faceId="([^"<>]*)",ext="([A-Za-z0-9+/=_-]*)">|\[?<face,id=(\d{1,9})\s*/?>\]?`)

// parseContent splits a content into text, mentions and faces. find returns the mention of an id.
func parseContent(s string, find func(id string) Mention) (parts []Part) {
	text := func(t string) {
		if t != "" {
			parts = append(parts, Part{Text: t})
		}
	}
	from := 0
	for _, m := range contentTag.FindAllStringSubmatchIndex(s, -1) {
		text(s[from:m[0]])
		from = m[1]
		group := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return s[m[2*i]:m[2*i+1]]
		}
		switch {
		case group(1)+group(3) != "":
			parts = append(parts, Part{Mention: &Mention{All: true}})
		case group(2)+group(4) != "":
			at := find(group(2) + group(4))
			parts = append(parts, Part{Mention: &at})
		case group(8) != "":
			parts = append(parts, Part{Face: &Face{ID: group(8)}})
		default:
			t, _ := strconv.Atoi(group(5))
			parts = append(parts, Part{Face: &Face{Type: t, ID: group(6), Text: faceText(group(7))}})
		}
	}
	text(s[from:])
	return withoutDoubleMention(parts)
}

// faceText reads the text in the extension of a face.
func faceText(ext string) string {
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding} {
		if raw, err := e.DecodeString(ext); err == nil {
			o, _ := parseObject(raw)
			return cut(o.text("text"), 64)
		}
	}
	return ""
}

// cut returns at most n runes of s.
func cut(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// withoutDoubleMention removes one of two equal mentions at the beginning: QQ writes the author of a quoted message twice.
func withoutDoubleMention(parts []Part) []Part {
	if len(parts) >= 3 && parts[0].Mention != nil && strings.TrimSpace(parts[1].Text) == "" && parts[1].Face == nil && parts[1].Mention == nil &&
		parts[2].Mention != nil && parts[0].Mention.ID == parts[2].Mention.ID && parts[0].Mention.ID != "" {
		return parts[2:]
	}
	return parts
}
