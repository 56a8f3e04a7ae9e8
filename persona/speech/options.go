package speech

import (
	"cmp"
)

// Options say how a reply is split. The zero value splits as MaiBot does, at sentence ends.
type Options struct {
	MaxParts int     // 0 means 4, negative any number; MaxRunes wins where both cannot be kept
	MaxRunes int     // of a part; 0 means 512, negative any number
	Clauses  bool    // splits at commas, semicolons and spaces between Chinese words, too; a comma at the end is dropped
	Chance   float64 // that a boundary splits; 0: .2 for texts below 12 runes, .6 below 32, .7 above; 1 always, negative never
	DropStop float64 // chance that the 。 at the end of a part is dropped; 0 means .9, 1 always, negative never
	Seed     uint64  // any number, 0 too; the same seed and text give the same parts
}

const (
	defaultParts = 4
	defaultRunes = 512
	defaultDrop  = .9
)

func (o Options) filled() Options {
	o.MaxParts = cmp.Or(o.MaxParts, defaultParts)
	o.MaxRunes = cmp.Or(o.MaxRunes, defaultRunes)
	o.DropStop = cmp.Or(o.DropStop, defaultDrop)
	return o
}

// chance is how likely a boundary splits a text of that many runes.
func (o Options) chance(runes int) float64 {
	switch {
	case o.Chance != 0:
		return o.Chance
	case runes < 12:
		return .2
	case runes < 32:
		return .6
	}
	return .7
}

// splits reports whether a boundary of this level may end a part.
func (o Options) splits(l level) bool {
	return l >= sentence || o.Clauses && l >= clause
}

// fits reports whether a part may have that many runes.
func (o Options) fits(runes int) bool { return o.MaxRunes < 0 || runes <= o.MaxRunes }
