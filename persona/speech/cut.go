package speech

import "unicode/utf8"

// A piece is a stretch of text up to the next place where it may be split, never longer than a part may be.
type piece struct {
	start, end int
	runes      int
	solid      int   // tokens that are more than punctuation
	level      level // what ended it; below sentence where it was cut for its length
}

// A cutter cuts what a scanner finds into pieces.
type cutter struct {
	scanner
	o     SplitOptions
	piece piece
	best  [levels]piece // the last place of each level in the piece at hand
	over  token         // what of a token did not fit, until next returns without a piece: then it is none
}

func newCutter(text string, o SplitOptions) cutter {
	return cutter{scanner: scanner{text: text, line: true}, o: o}
}

// next gives the next piece; false where the text is over.
func (c *cutter) next() (piece, bool) {
	for {
		t := c.over
		if c.over.runes == 0 {
			var ok bool
			if t, ok = c.scanner.next(); !ok {
				break
			}
		}
		c.over = token{}
		if c.o.fits(c.piece.runes + t.runes) {
			c.add(t)
			if c.o.splits(t.level) {
				return c.take(c.piece), true
			}
			continue
		}
		if c.piece.runes > 0 {
			c.over = t
			return c.shorten(), true
		}
		return c.part(t), true
	}
	if c.piece.runes > 0 {
		return c.take(c.piece), true
	}
	return piece{}, false
}

// add takes a token into the piece at hand.
func (c *cutter) add(t token) {
	c.piece.end, c.piece.runes, c.piece.level = t.end, c.piece.runes+t.runes, t.level
	if t.solid {
		c.piece.solid++
	}
	c.best[t.level] = c.piece
}

// take ends a piece, and keeps what of the one at hand comes after it.
func (c *cutter) take(p piece) piece {
	c.piece = piece{start: p.end, end: c.piece.end, runes: c.piece.runes - p.runes, solid: c.piece.solid - p.solid, level: c.piece.level}
	for i, b := range c.best {
		if b.end <= p.end {
			c.best[i] = piece{}
			continue
		}
		c.best[i].start, c.best[i].runes, c.best[i].solid = p.end, b.runes-p.runes, b.solid-p.solid
	}
	return p
}

// shorten ends the piece at hand where it is best cut, in its second half if at all possible.
func (c *cutter) shorten() piece {
	for l := levels - 1; l > inside; l-- {
		if b := c.best[l]; b.runes > c.o.MaxRunes/2 {
			return c.take(b)
		}
	}
	return c.take(c.piece)
}

// part cuts a token that is longer than a part may be, between its runes.
func (c *cutter) part(t token) piece {
	end, runes := c.piece.start, 0
	for ; runes < c.o.MaxRunes; runes++ {
		_, n := utf8.DecodeRuneInString(c.text[end:])
		end += n
	}
	p := piece{start: c.piece.start, end: end, runes: runes, solid: 1}
	t.runes -= runes
	c.over = t
	c.piece = piece{start: end, end: end}
	return p
}
