package speech

import "unicode/utf8"

// A piece is the text up to the next place where it may be split. It is never longer than MaxRunes.
type piece struct {
	start, end int
	runes      int
	texts      int   // number of tokens other than punctuation
	level      level // level of its end; below sentence if it was cut for its length
}

// A cutter joins the tokens of a scanner into pieces.
type cutter struct {
	scanner
	o     SplitOptions
	piece piece
	best  [levels]piece // the last place of each level in the current piece
	rest  token         // the part of a token that did not fit; next takes it first
}

func newCutter(text string, o SplitOptions) cutter {
	return cutter{scanner: scanner{text: text, line: true}, o: o}
}

// next returns the next piece, or false at the end of the text.
func (c *cutter) next() (piece, bool) {
	for {
		t := c.rest
		if c.rest.runes == 0 {
			var ok bool
			if t, ok = c.scanner.next(); !ok {
				break
			}
		}
		c.rest = token{}
		if c.o.fits(c.piece.runes + t.runes) {
			c.add(t)
			if c.o.splits(t.level) {
				return c.split(c.piece), true
			}
			continue
		}
		if c.piece.runes > 0 {
			c.rest = t
			return c.shorten(), true
		}
		return c.splitToken(t), true
	}
	if c.piece.runes > 0 {
		return c.split(c.piece), true
	}
	return piece{}, false
}

// add appends a token to the current piece.
func (c *cutter) add(t token) {
	c.piece.end, c.piece.runes, c.piece.level = t.end, c.piece.runes+t.runes, t.level
	if t.text {
		c.piece.texts++
	}
	c.best[t.level] = c.piece
}

// split returns p, a start of the current piece, and keeps the rest as the current piece.
func (c *cutter) split(p piece) piece {
	c.piece = piece{start: p.end, end: c.piece.end, runes: c.piece.runes - p.runes, texts: c.piece.texts - p.texts, level: c.piece.level}
	for i, b := range c.best {
		if b.end <= p.end {
			c.best[i] = piece{}
			continue
		}
		c.best[i].start, c.best[i].runes, c.best[i].texts = p.end, b.runes-p.runes, b.texts-p.texts
	}
	return p
}

// shorten ends the current piece at its best place, in its second half if possible.
func (c *cutter) shorten() piece {
	for l := levels - 1; l > never; l-- {
		if b := c.best[l]; b.runes > c.o.MaxRunes/2 {
			return c.split(b)
		}
	}
	return c.split(c.piece)
}

// splitToken cuts a token that is longer than MaxRunes between two runes.
func (c *cutter) splitToken(t token) piece {
	end, runes := c.piece.start, 0
	for ; runes < c.o.MaxRunes; runes++ {
		_, n := utf8.DecodeRuneInString(c.text[end:])
		end += n
	}
	p := piece{start: c.piece.start, end: end, runes: runes, texts: 1}
	t.runes -= runes
	c.rest = t
	c.piece = piece{start: end, end: end}
	return p
}
