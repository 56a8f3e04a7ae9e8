package facts

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Kinds of cues. Most sentences have none, and need no rule.
const (
	planCues = 1 << iota
	jobCues
	homeCues
	petCues
	tasteCues
	otherCues
	strongCues // of any kind, and not in enCommon
)

// enCues are all cues.
var enCues = cueIndex{kinds: []cueKind{
	{planCues, []*wordSet{enPlan, enPlanNouns, enWont, enCalledOff, enGoalIs}},
	{jobCues, []*wordSet{enHired, enSwaps, enWork, enGot, enWith, enAt, enLeft, enRole, enTrade}},
	{homeCues, []*wordSet{enPlace, enHomes, enHelloCity, enTo, enIn, enFrom, enGreetings}},
	{petCues, []*wordSet{enAnimals, enNewPet}},
	{tasteCues, []*wordSet{enOver, enIsOver, enPhase, enFeelings, enFind, enBehind, enNoCare, enMeh, enHate, enMine, enTraits, enIsMy, enFan, enLoved, enThan, enLove, enYes}},
	{otherCues, []*wordSet{enBirth, enJobLabels, enPlaceLabels, enPlanLabels, enLikeLabels, enMoving, enJobNews, enTells}},
}}

// enCommon cues are in many sentences, and tell something only beside others.
var enCommon = setOf("|to|from|with|my|our|got|do|does|have|on the|than|hi|hey|hello|always|any day|a new|gave|made|took|begin|began|read|feel|feeling|play|playing|watch|watching|eat|eating|drink|drinking|listen to|touch|follow|doing|look at|nah|nope|meh|im good|day|days|period|hobby|main|bro|man|dude|girl|guy|guys|person|chose|offered|signed|brought|picked|accepted|part of the|join|go by|get|put")

// enTells words tell something beside common cues.
var enTells = setOf("|works there|working there|work there|employed there|job there|nowadays|these days|anymore|any more|no longer|favorite|favourite|nothing|been with|now with|is with|im with|whats left|home|there is|theres|yes we|behind me")

// A cueIndex finds the kinds of cues of a text. It goes from word to word, and is faster than a wordSet of as many words.
type cueIndex struct {
	kinds []cueKind

	once   sync.Once
	sets   []*wordSet
	words  []cueWord // in the order of their first words
	starts []uint16  // the first one of each first word
	maybe  [256]uint64
}

type cueKind struct {
	kind uint8
	sets []*wordSet
}

// A cueWord is a word of a set.
type cueWord struct {
	at              uint16
	size, set, kind uint8
}

func (x *cueIndex) build() {
	for _, k := range x.kinds {
		for _, s := range k.sets {
			x.sets = append(x.sets, s)
			for _, e := range s.split() {
				if s.list[e.at-1] == '-' {
					continue
				}
				w := cueWord{e.at, e.size, uint8(len(x.sets) - 1), k.kind}
				if !enCommon.is(s.word(e)) {
					w.kind |= strongCues
				}
				x.words = append(x.words, w)
				h := hashOf(x.start(x.text(w)))
				x.maybe[h>>6] |= 1 << (h & 63)
			}
		}
	}
	slices.SortFunc(x.words, func(a, b cueWord) int {
		return cmp.Or(cmp.Compare(firstWord(x.text(a)), firstWord(x.text(b))), cmp.Compare(a.set, b.set), cmp.Compare(a.at, b.at))
	})
	for i, w := range x.words {
		if i == 0 || firstWord(x.text(w)) != firstWord(x.text(x.words[i-1])) {
			x.starts = append(x.starts, uint16(i))
		}
	}
}

func (x *cueIndex) text(w cueWord) string { return x.sets[w.set].list[w.at : w.at+uint16(w.size)] }

// start returns the first word of a cue with at most two letters of the next.
func (x *cueIndex) start(cue string) string {
	return cue[:min(len(cue), len(firstWord(cue))+len(" ab"))]
}

// in returns the kinds of cues of a text in lower case.
func (x *cueIndex) in(low string) (kinds uint8) {
	x.once.Do(x.build)
	for i := 0; i < len(low); {
		first := firstWord(low[i:])
		if first != "" && x.possible(low[i:], len(first)) {
			kinds |= x.at(low[i:], first)
		}
		i += max(1, len(first))
	}
	if kinds&strongCues == 0 {
		return 0
	}
	return kinds
}

// possible reports whether a text may begin with a cue whose first word has n bytes.
func (x *cueIndex) possible(low string, n int) bool {
	for size := n; size <= min(n+len(" ab"), len(low)); size++ {
		if h := hashOf(low[:size]); x.maybe[h>>6]&(1<<(h&63)) != 0 {
			return true
		}
	}
	return false
}

// at returns the kinds of cues at the start of a text.
func (x *cueIndex) at(low, first string) (kinds uint8) {
	n, found := slices.BinarySearchFunc(x.starts, first, func(i uint16, first string) int { return cmp.Compare(firstWord(x.text(x.words[i])), first) })
	if !found {
		return 0
	}
	end := len(x.words)
	if n+1 < len(x.starts) {
		end = int(x.starts[n+1])
	}
	for _, w := range x.words[x.starts[n]:end] {
		if w.kind&^kinds != 0 && strings.HasPrefix(low, x.text(w)) && !insideWord(low, int(w.size)) {
			kinds |= w.kind
		}
	}
	return kinds
}

// firstWord returns the letters and digits at the start of a text.
func firstWord(text string) string {
	for i := range len(text) {
		if c := text[i]; !isLetter(c) && (c < '0' || c > '9') && c < 0x80 {
			return text[:i]
		}
	}
	return text
}

// hashOf returns 14 bits for a word.
func hashOf(word string) uint32 {
	h := uint32(2166136261)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h >> 18
}
