package speech

import (
	"cmp"
)

// SplitOptions say how a reply is split. The zero value splits as MaiBot does, at sentence ends.
type SplitOptions struct {
	MaxParts     int     // 0 means 4, negative any number; MaxRunes wins where both cannot be kept
	MaxRunes     int     // of a part; 0 means 512, negative any number
	SplitClauses bool    // splits at commas, semicolons and spaces between Chinese words, too; a comma at the end is dropped
	SplitChance  float64 // that a boundary splits; 0: .2 for texts below 12 runes, .6 below 32, .7 above; 1 always, negative never
	DropPeriod   float64 // chance that the 。 at the end of a part is dropped; 0 means .9, 1 always, negative never
	Seed         uint64  // any number, 0 too; the same seed and text give the same parts
}

const (
	defaultParts = 4
	defaultRunes = 512
	defaultDrop  = .9
)

func (o SplitOptions) filled() SplitOptions {
	o.MaxParts = cmp.Or(o.MaxParts, defaultParts)
	o.MaxRunes = cmp.Or(o.MaxRunes, defaultRunes)
	o.DropPeriod = cmp.Or(o.DropPeriod, defaultDrop)
	return o
}

// chance is how likely a boundary splits a text of that many runes.
func (o SplitOptions) chance(runes int) float64 {
	switch {
	case o.SplitChance != 0:
		return o.SplitChance
	case runes < 12:
		return .2
	case runes < 32:
		return .6
	}
	return .7
}

// splits reports whether a boundary of this level may end a part.
func (o SplitOptions) splits(l level) bool {
	return l >= sentence || o.SplitClauses && l >= clause
}

// fits reports whether a part may have that many runes.
func (o SplitOptions) fits(runes int) bool { return o.MaxRunes < 0 || runes <= o.MaxRunes }
