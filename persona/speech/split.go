package speech

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// Split gives the messages that a reply is sent as, as somebody who chats would: at ends of sentences, by chance not at
// every one.
//
// Sentences end at 。！？!? and at a full stop, an ellipsis or a tilde that stands at the end of a word, and at the end of
// a line. Nothing is cut within words, numbers, addresses, mentions, brackets and quotations of up to 64 runes, faces
// like (´・ω・`), code in backquotes, composed emoji; code blocks and numbered or dotted lists stay together. Only what
// is longer than [SplitOptions].MaxRunes is cut at a comma, a space, or anywhere.
//
// Every character of the text is in the parts, in order, apart from white space around them and what is dropped from
// their ends: a single 。, by chance, and with [SplitOptions].Clauses a comma. It costs time linear in the text.
func Split(text string, o SplitOptions) []string {
	o = o.filled()
	var room [16]piece
	pieces, runes := room[:0], 0
	for c := newCutter(text, o); ; {
		p, ok := c.next()
		if !ok {
			break
		}
		runes += p.runes
		pieces = append(pieces, p)
	}
	dice := rand.NewPCG(o.Seed, hash(text))
	pieces = o.join(pieces, func(a, b piece) bool {
		return a.solid == 0 || b.solid == 0 || o.splits(a.level) && draw(dice) >= o.chance(runes)
	})
	pieces = o.bound(pieces, runes)

	parts := make([]string, 0, len(pieces))
	for _, p := range pieces {
		if part := o.trim(text[p.start:p.end], dice); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// join makes one of neighbours where with says so and the two fit.
func (o SplitOptions) join(pieces []piece, with func(a, b piece) bool) []piece {
	joined := pieces[:0]
	for _, p := range pieces {
		if n := len(joined); n > 0 && o.fits(joined[n-1].runes+p.runes) && with(joined[n-1], p) {
			joined[n-1] = together(joined[n-1], p)
			continue
		}
		joined = append(joined, p)
	}
	return joined
}

func together(a, b piece) piece {
	return piece{start: a.start, end: b.end, runes: a.runes + b.runes, solid: a.solid + b.solid, level: b.level}
}

// many is how many pieces are looked at pair by pair; more are first joined to about so many.
const many = 128

// bound joins the shortest neighbours until there are no more parts than there may be.
func (o SplitOptions) bound(pieces []piece, runes int) []piece {
	if o.MaxParts < 0 {
		return pieces
	}
	if len(pieces) > max(many, 4*o.MaxParts) {
		short := runes / max(many, 4*o.MaxParts)
		pieces = o.join(pieces, func(a, b piece) bool { return a.runes+b.runes <= short })
	}
	for len(pieces) > o.MaxParts {
		at, least := -1, 0
		for i := range len(pieces) - 1 {
			n := pieces[i].runes + pieces[i+1].runes
			if o.fits(n) && (at < 0 || n < least) {
				at, least = i, n
			}
		}
		if at < 0 {
			break
		}
		pieces[at] = together(pieces[at], pieces[at+1])
		pieces = slices.Delete(pieces, at+1, at+2)
	}
	return pieces
}

// trim takes off what a message does not show: white space around it, a comma or a single 。 at its end.
func (o SplitOptions) trim(part string, dice *rand.PCG) string {
	part = strings.TrimSpace(part)
	if o.SplitClauses {
		if short := strings.TrimRightFunc(part, func(r rune) bool { return r == '，' || r == ',' || unicode.IsSpace(r) }); short != "" {
			part = short
		}
	}
	short, stop := strings.CutSuffix(part, "。")
	if !stop || short == "" || strings.HasSuffix(short, "。") || strings.HasSuffix(short, "…") {
		return part
	}
	if draw(dice) < o.DropPeriod {
		return strings.TrimSpace(short)
	}
	return part
}

// hash is FNV-1a.
func hash(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// draw gives a number of 0 up to 1.
func draw(dice *rand.PCG) float64 { return float64(dice.Uint64()>>11) / (1 << 53) }
