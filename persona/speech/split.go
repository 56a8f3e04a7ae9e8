package speech

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// Split splits a reply into messages, like a person in a chat. It splits at the ends of sentences, and at some of them only by
// chance.
//
// Sentences end at 。！？!? and at the end of a line. They also end at a full stop, an ellipsis or a tilde at the end of a word.
// Split does not cut words, numbers, URLs, mentions, inline code, composed emoji and faces like (´・ω・`). It does not cut
// brackets and quotations of up to 64 runes, code blocks and lists. Only text longer than [SplitOptions.MaxRunes] is cut at a comma,
// a space or any rune.
//
// The parts contain every character of the text in order, except white space around them and some punctuation at their ends:
// a single 。, by chance, and a comma with [SplitOptions.SplitClauses]. The time is linear in the length of the text.
func Split(text string, o SplitOptions) []string {
	o = o.withDefaults()
	var buffer [16]piece
	pieces, runes := buffer[:0], 0
	for c := newCutter(text, o); ; {
		p, ok := c.next()
		if !ok {
			break
		}
		runes += p.runes
		pieces = append(pieces, p)
	}
	rng := rand.NewPCG(o.Seed, hash(text))
	pieces = o.merge(pieces, func(a, b piece) bool {
		return a.texts == 0 || b.texts == 0 || o.splits(a.level) && randomFloat(rng) >= o.chance(runes)
	})
	pieces = o.limitParts(pieces, runes)

	parts := make([]string, 0, len(pieces))
	for _, p := range pieces {
		if part := o.trim(text[p.start:p.end], rng); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// merge merges neighbors if with returns true and the result fits.
func (o SplitOptions) merge(pieces []piece, with func(a, b piece) bool) []piece {
	joined := pieces[:0]
	for _, p := range pieces {
		if n := len(joined); n > 0 && o.fits(joined[n-1].runes+p.runes) && with(joined[n-1], p) {
			joined[n-1] = mergePieces(joined[n-1], p)
			continue
		}
		joined = append(joined, p)
	}
	return joined
}

func mergePieces(a, b piece) piece {
	return piece{start: a.start, end: b.end, runes: a.runes + b.runes, texts: a.texts + b.texts, level: b.level}
}

// maxExactPieces limits the number of pieces that are compared in pairs. More pieces are first merged to about this number.
const maxExactPieces = 128

// limitParts merges the shortest neighbors until there are at most MaxParts.
func (o SplitOptions) limitParts(pieces []piece, runes int) []piece {
	if o.MaxParts < 0 {
		return pieces
	}
	if len(pieces) > max(maxExactPieces, 4*o.MaxParts) {
		short := runes / max(maxExactPieces, 4*o.MaxParts)
		pieces = o.merge(pieces, func(a, b piece) bool { return a.runes+b.runes <= short })
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
		pieces[at] = mergePieces(pieces[at], pieces[at+1])
		pieces = slices.Delete(pieces, at+1, at+2)
	}
	return pieces
}

// trim removes white space around a part, and a comma or a single 。 at its end; see [Split].
func (o SplitOptions) trim(part string, rng *rand.PCG) string {
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
	if randomFloat(rng) < o.DropPeriod {
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

// randomFloat returns a number in [0, 1).
func randomFloat(rng *rand.PCG) float64 { return float64(rng.Uint64()>>11) / (1 << 53) }
