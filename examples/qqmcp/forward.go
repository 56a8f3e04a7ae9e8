package main

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/onebot"
)

// Limits of a forward's text.
const (
	maxForwards     = 20  // messages, including nested forwards
	forwardDepth    = 2   // levels of nesting
	maxForwardLine  = 100 // characters of a message
	maxForwardRunes = 800 // characters of all messages
)

// flatten replaces forwards by their text. asks is the number of forwards that may still be fetched.
func (a *account) flatten(ctx context.Context, parts onebot.Message, asks *int) onebot.Message {
	var flat onebot.Message
	for i, s := range parts {
		if s.Type != "forward" {
			if flat != nil {
				flat = append(flat, s)
			}
			continue
		}
		if flat == nil {
			flat = append(make(onebot.Message, 0, len(parts)), parts[:i]...)
		}
		f := forwardWriter{a: a, left: maxForwards, asks: asks}
		f.forward(ctx, s, 1)
		text := "[聊天记录]"
		if f.text.Len() > 0 {
			text = "[聊天记录" + clip.Ellipsis(f.text.String(), maxForwardRunes) + "]"
		}
		flat = append(flat, onebot.Text(text))
	}
	if flat == nil {
		return parts
	}
	return flat
}

// A forwardWriter writes one forward as text.
type forwardWriter struct {
	a    *account
	text strings.Builder
	left int // remaining messages
	asks *int
}

func (f *forwardWriter) forward(ctx context.Context, s onebot.Segment, depth int) {
	for _, n := range f.nodes(ctx, s) {
		if f.left--; f.left < 0 {
			f.text.WriteString("\n…")
			return
		}
		name := line(cmp.Or(n.Nickname, strconv.FormatInt(n.UserID, 10)), maxName)
		f.text.WriteString("\n" + strings.Repeat("  ", depth-1) + name + ": " + line(n.Message.Text(), maxForwardLine))
		for _, inner := range n.Message {
			if inner.Type == "forward" && depth < forwardDepth {
				f.forward(ctx, inner, depth+1)
			}
		}
		if f.left < 0 {
			return
		}
	}
}

// nodes returns the messages of a forward. It fetches them if the segment does not contain them.
func (f *forwardWriter) nodes(ctx context.Context, s onebot.Segment) []onebot.ForwardNode {
	if nodes := s.Nodes(); nodes != nil {
		return nodes
	}
	id, ok := s.ForwardID()
	if !ok || *f.asks <= 0 {
		return nil
	}
	*f.asks--
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	nodes, err := f.a.bot.GetForwardMsg(ctx, id)
	if err != nil {
		f.a.log.Debug("cannot fetch a forward", "err", err)
	}
	return nodes
}
