package engine

import (
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona"
)

// An outline of a message is what its author typed, with a mark for each other part. It is kept beside the text, so that names,
// cards and transcripts in the text call nobody and command nothing after a restart either.
const (
	outlineMention = '\uFFFC'
	outlineOther   = '\uE000'
	maxOutline     = 300 // bytes; a longer one ends with the mark of another part
)

// plainOutline removes the marks from a text, and what a tag may not contain.
var plainOutline = strings.NewReplacer(string(outlineMention), " ", string(outlineOther), " ", "\x00", " ")

// outline returns the outline of a message, or "" if its text says as much.
func outline(m persona.Message) string {
	var b strings.Builder
	marked := false
	for _, p := range m.Parts {
		switch p := p.(type) {
		case persona.Text:
			b.WriteString(plainOutline.Replace(strings.ToValidUTF8(string(p), "")))
			continue
		case persona.Face:
			b.WriteString(persona.TextOf([]persona.Part{p}))
			continue
		case persona.Mention:
			if p.ID != "" {
				b.WriteRune(outlineMention)
			} else {
				b.WriteRune(outlineOther)
			}
		default:
			b.WriteRune(outlineOther)
		}
		marked = true
	}
	text := b.String()
	switch {
	case !marked:
		return ""
	case len(text) > maxOutline:
		return clip.Bytes(text, maxOutline) + string(outlineOther)
	}
	return text
}

// outlineParts returns the parts of an outline.
func outlineParts(outline string, mentions []string) (parts []persona.Part) {
	for outline != "" {
		i := strings.IndexFunc(outline, func(r rune) bool { return r == outlineMention || r == outlineOther })
		if i < 0 {
			return append(parts, persona.Text(outline))
		}
		if i > 0 {
			parts = append(parts, persona.Text(outline[:i]))
		}
		mark := outlineMention
		if strings.HasPrefix(outline[i:], string(outlineOther)) {
			mark = outlineOther
		}
		if outline = outline[i+len(string(mark)):]; mark == outlineMention && len(mentions) > 0 {
			parts, mentions = append(parts, persona.Mention{ID: mentions[0]}), mentions[1:]
		} else {
			parts = append(parts, persona.Other{})
		}
	}
	return parts
}
