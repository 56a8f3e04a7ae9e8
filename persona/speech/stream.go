package speech

import "math/rand/v2"

// A Stream splits a reply while it is being written. It follows the rules of [Split], as far as they can be followed
// without knowing what comes: the chance to split goes by the text so far, the last part that MaxParts allows holds all
// the rest, as far as it fits, and what is nothing but punctuation goes with what follows it.
//
// How the text is cut into chunks makes no difference. Of the text, no more is kept than a part and the words at hand.
// A Stream is for one reply and one goroutine; give each reply a Seed of its own.
type Stream struct {
	o      Options
	cut    cutter
	dice   *rand.PCG
	held   piece // not yet given out
	runes  int   // of all pieces so far
	parts  int
	closed bool
}

// NewStream is ready to be written to.
func NewStream(o Options) *Stream {
	o = o.filled()
	return &Stream{o: o, cut: newCutter("", false, o), dice: rand.NewPCG(o.Seed, 0)}
}

// Write takes more of the reply, and gives the parts that are complete by now. A part is complete when what follows it has
// begun.
func (s *Stream) Write(chunk string) []string {
	if s.closed {
		panic("speech: write to a closed stream")
	}
	s.cut.text += chunk
	parts := s.pieces(nil)
	s.forget()
	return parts
}

// Close gives the last parts.
func (s *Stream) Close() []string {
	if s.closed {
		return nil
	}
	s.closed, s.cut.final = true, true
	return s.give(s.pieces(nil))
}

func (s *Stream) pieces(parts []string) []string {
	for {
		p, ok := s.cut.next()
		if !ok {
			return parts
		}
		s.runes += p.runes
		switch {
		case s.held.runes == 0:
			s.held = p
		case s.o.fits(s.held.runes + p.runes):
			s.held = together(s.held, p)
		default:
			parts = s.give(parts)
			s.held = p
		}
		last := s.o.MaxParts >= 0 && s.parts >= s.o.MaxParts-1
		if !last && s.held.solid > 0 && s.o.splits(p.level) && draw(s.dice) < s.o.chance(s.runes) {
			parts = s.give(parts)
		}
	}
}

// give appends what is held.
func (s *Stream) give(parts []string) []string {
	part := s.o.trim(s.cut.text[s.held.start:s.held.end], s.dice)
	s.held = piece{}
	if part == "" {
		return parts
	}
	s.parts++
	return append(parts, part)
}

// forget drops the text that was given out.
func (s *Stream) forget() {
	n := s.cut.piece.start
	if s.held.runes > 0 {
		n = s.held.start
	}
	s.cut.text = s.cut.text[n:]
	s.cut.at -= n
	s.cut.piece.start, s.cut.piece.end = s.cut.piece.start-n, s.cut.piece.end-n
	for i := range s.cut.best {
		s.cut.best[i].start, s.cut.best[i].end = s.cut.best[i].start-n, s.cut.best[i].end-n
	}
	if s.held.runes > 0 {
		s.held.start, s.held.end = s.held.start-n, s.held.end-n
	}
}
