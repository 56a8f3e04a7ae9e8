package speech

import (
	"cmp"
)

// SplitOptions are the options of [Split]. The zero value splits like MaiBot, at the ends of sentences.
type SplitOptions struct {
	MaxParts     int     // 0 means 4, negative no limit; MaxRunes takes precedence
	MaxRunes     int     // of a part; 0 means 512, negative no limit
	SplitClauses bool    // also splits at commas, semicolons and spaces between Chinese words; drops a comma at the end
	SplitChance  float64 // of a split at a sentence end; 0 means .2 for texts below 12 runes, .6 below 32 and .7 above; 1 always, negative never
	DropPeriod   float64 // chance to drop the 。 at the end of a part; 0 means .9, 1 always, negative never
	Seed         uint64  // may be 0; the same seed and text give the same parts
}

const (
	defaultParts = 4
	defaultRunes = 512
	defaultDrop  = .9
)

func (o SplitOptions) withDefaults() SplitOptions {
	o.MaxParts = cmp.Or(o.MaxParts, defaultParts)
	o.MaxRunes = cmp.Or(o.MaxRunes, defaultRunes)
	o.DropPeriod = cmp.Or(o.DropPeriod, defaultDrop)
	return o
}

// chance returns the chance of a split in a text with this number of runes.
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

// splits reports whether a part may end at this level.
func (o SplitOptions) splits(l level) bool {
	return l >= sentence || o.SplitClauses && l >= clause
}

// fits reports whether a part may have this number of runes.
func (o SplitOptions) fits(runes int) bool { return o.MaxRunes < 0 || runes <= o.MaxRunes }
