package onebot

import (
	"cmp"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
)

// TextOptions are the options of [Message.TextWith]. The zero value is ready to use.
type TextOptions struct {
	// LookupName returns the name of a mentioned user; "" if unknown.
	LookupName func(userID int64) string
	// LookupQuote returns the author and text of a quoted message, so that "[回复]" becomes "[回复 张三: 在吗]". ok is false for an
	// unknown message. Compare ids by MessageKey.
	LookupQuote func(messageID int64) (from, text string, ok bool)
	// MaxQuoteRunes limits the text of a quoted message; 0 means 40, negative means no limit.
	MaxQuoteRunes int
	// ExpandForwards includes the messages of merged forwards if the segment contains them, one per line, up to three
	// levels.
	ExpandForwards bool
}

// TextWith is [Message.Text] with options.
func (m Message) TextWith(o TextOptions) string {
	if len(m) == 1 && m[0].Type == "text" {
		return m[0].Param("text")
	}
	return o.text(m, 0)
}

func (o *TextOptions) text(m Message, depth int) string {
	var b strings.Builder
	for _, s := range m {
		b.WriteString(o.segment(s, depth))
	}
	return b.String()
}

// segment returns the text of a segment.
func (o *TextOptions) segment(s Segment, depth int) string {
	switch s.Type {
	case "text":
		return s.Param("text")
	case "markdown":
		return s.Param("content")
	case "at":
		return o.mention(s)
	case "reply":
		return o.quote(s)
	case "image":
		if sum := s.Param("summary"); strings.HasPrefix(sum, "[") && strings.HasSuffix(sum, "]") {
			return sum
		}
		return "[图片]"
	case "mface":
		if sum := s.Param("summary"); sum != "" {
			return "[" + strings.Trim(sum, "[]") + "]"
		}
		return "[表情]"
	case "file", "onlinefile":
		return named("文件", cmp.Or(s.Param("name"), s.Param("fileName"), s.Param("file")))
	case "share", "location", "music":
		return named(segmentNames[s.Type], s.Param("title"))
	case "forward", "node":
		return o.forward(s, depth)
	}
	if name, ok := segmentNames[s.Type]; ok {
		return "[" + name + "]"
	}
	return "[" + s.Type + "]"
}

func (o *TextOptions) mention(s Segment) string {
	id := s.Param("qq")
	if id == "all" {
		return "@全体成员"
	}
	known := strings.TrimPrefix(s.Param("name"), "@")
	if known == "" && o.LookupName != nil {
		known = o.LookupName(s.Int("qq"))
	}
	return "@" + cmp.Or(known, id)
}

func (o *TextOptions) quote(s Segment) string {
	id, ok := s.QuotedID()
	if !ok || o.LookupQuote == nil {
		return "[回复]"
	}
	from, text, ok := o.LookupQuote(id)
	if !ok {
		return "[回复]"
	}
	text = strings.Join(strings.Fields(text), " ")
	if n := cmp.Or(o.MaxQuoteRunes, 40); n > 0 {
		text = clip.Ellipsis(text, n)
	}
	switch {
	case from == "" && text == "":
		return "[回复]"
	case from == "":
		return "[回复: " + text + "]"
	}
	return "[回复 " + strings.TrimSuffix(from+": "+text, ": ") + "]"
}

// forward returns the text of a merged forward, with its messages if they are wanted and known.
func (o *TextOptions) forward(s Segment, depth int) string {
	if !o.ExpandForwards || depth >= 3 {
		return "[聊天记录]"
	}
	nodes := s.Nodes()
	if nodes == nil {
		if m := nodeContent(s); m != nil { // a single node
			nodes = []ForwardNode{{UserID: cmp.Or(s.Int("user_id"), s.Int("uin")), Nickname: cmp.Or(s.Param("nickname"), s.Param("name")), Message: m}}
		}
	}
	if nodes == nil {
		return "[聊天记录]"
	}
	var b strings.Builder
	b.WriteString("[聊天记录")
	for _, n := range nodes {
		b.WriteString("\n" + cmp.Or(n.Nickname, itoa(n.UserID)) + ": ")
		b.WriteString(strings.ReplaceAll(o.text(n.Message, depth+1), "\n", "\n  "))
	}
	b.WriteString("]")
	return b.String()
}

// nodeContent returns the content of a custom node.
func nodeContent(s Segment) (m Message) {
	if raw := member(s.Data, "content"); s.Type == "node" && raw != nil {
		_ = m.UnmarshalJSON(raw)
	}
	return m
}
