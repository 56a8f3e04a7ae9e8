package lookback

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/internal/fold"
)

// Cues are signs of the purpose of a text.
const (
	question uint32 = 1 << iota // a question mark, or a Chinese question particle
	asking                      // it begins like a question
	anybody                     // it addresses everybody
	thanks
	greeting
	short     // ok, lol, 哈哈
	you       // second person
	self      // first person
	exclaimed // an exclamation mark
	link      // a URL
	directive // a word of instruction
	trouble   // a word for problems
)

// The class of a text is the first of these that fits.
const (
	statement = iota
	classQuestion
	classThanks
	classShort
	classGreeting
	classAsking
	classes
)

const (
	maxWords = 10 // content words kept per text
	maxNames = 12 // runs of characters that may be a name
)

// A Text is the analysis of a message without its chat.
type Text struct {
	Cues  uint32
	Class uint8
	Words words
	Count uint16  // words; two Han characters count as one
	Sum   uint32  // hash of the whole text
	End   uint8   // its end: 4 a question mark, 3 an exclamation mark or a bracket, 2 a full stop, 1 a comma or the like
	Named float32 // log odds of an answer by the named person, as far as its words tell
	Open  float32 // the same for an answer by anybody, if it names nobody

	names [maxNames]name
	found uint8
	visit func(where byte, word string) // if set, gets the keys instead of weighing them
}

// words holds the hashes of the content words of a text: Latin words of four letters or more, and pairs of Han
// characters.
type words struct {
	Hash [maxWords]uint32
	N    uint8
	Mask [2]uint64 // one bit per hash
}

type name struct {
	hash  uint32
	start bool // the text begins with it
	colon bool // a colon or a comma follows
}

func (w *words) add(h uint32) {
	if w.N == maxWords || slices.Contains(w.Hash[:w.N], h) {
		return
	}
	w.Hash[w.N] = h
	w.N++
	w.Mask[h>>6&1] |= 1 << (h & 63)
}

// differ reports whether a and b have no common word, as most texts. It may miss that.
func (a *words) differ(b *words) bool { return a.Mask[0]&b.Mask[0]|a.Mask[1]&b.Mask[1] == 0 }

// shared counts the common words of a and b, up to most.
func (a *words) shared(b *words, most int) (n int) {
	if a.differ(b) {
		return 0
	}
	for _, x := range a.Hash[:a.N] {
		if b.Mask[x>>6&1]&(1<<(x&63)) == 0 {
			continue
		}
		if slices.Contains(b.Hash[:b.N], x) {
			if n++; n == most {
				return n
			}
		}
	}
	return n
}

// Analyze analyzes a text that package fold has folded: lower case, narrow letters, single spaces. weights may be
// nil.
func Analyze(text []byte, weights Words) (t Text) {
	t.analyze(text, weights)
	return t
}

func (t *Text) analyze(text []byte, weights Words) {
	t.Sum = fold.Hash(text)
	var last []byte
	body, han, hanEnd := 0, 0, -1 // hanEnd is the end of the last Han character
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case wordByte(c):
			end := i + 1
			for end < len(text) && wordByte(text[end]) {
				end++
			}
			t.name(text, i)
			if t.word(text[i:end], body) {
				last = text[i:end]
				t.weigh(weights, anyWord, last)
				if body == 0 {
					t.weigh(weights, firstWord, last)
				}
				body++
			}
			i = end
		case c < utf8.RuneSelf:
			switch c {
			case '?':
				t.Cues |= question
			case '!':
				t.Cues |= exclaimed
			case ':':
				if i+2 < len(text) && text[i+1] == '/' && text[i+2] == '/' {
					t.Cues |= link
				}
			}
			if nameByte(c) {
				t.name(text, i)
			}
			i++
		default:
			r, n := utf8.DecodeRune(text[i:])
			switch {
			case r >= 0x3400 && r <= 0x9fff:
				han++
				t.han(text, i, r, n, hanEnd == i)
				hanEnd = i + n
			case r == '？':
				t.Cues |= question
			case r == '！':
				t.Cues |= exclaimed
			}
			i += n
		}
	}
	t.weigh(weights, lastWord, last)
	t.end(weights, text)
	t.Count = uint16(min(body+(han+1)/2, 1000))
	t.class()
}

// Positions of a word, in the key of its weight.
const (
	anyWord   = 'u'
	firstWord = 'f'
	lastWord  = 'l'
	lastSign  = 'e'
)

// Words holds the weights of words. A key is the hash of the position, a colon and the word.
type Words map[uint32][2]float32

// WordKey returns the key of a word's weight.
func WordKey[T string | []byte](where byte, word T) uint32 {
	h := uint32(2166136261)
	h = (h ^ uint32(where)) * 16777619
	h = (h ^ ':') * 16777619
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h
}

func (t *Text) weigh(weights Words, where byte, word []byte) {
	if t.visit != nil {
		t.visit(where, string(word))
		return
	}
	w := weights[WordKey(where, word)]
	t.Named += w[0]
	t.Open += w[1]
}

// end analyzes the last character.
func (t *Text) end(weights Words, text []byte) {
	text = bytes.TrimRight(text, " ")
	r, n := utf8.DecodeLastRune(text)
	switch r {
	case '?', '？':
		t.End = 4
	case '!', ')', '！', '）', '~', '～':
		t.End = 3
	case '.', '。':
		t.End = 2
	case ',', ';', ':', '-', '，', '；', '：', '、', '…':
		t.End = 1
	}
	if 'a' <= r && r <= 'z' {
		n = 0
	}
	t.weigh(weights, lastSign, text[len(text)-n:])
}

// Tokens calls visit with each key that Analyze weighs, for training.
func Tokens(text []byte, visit func(where byte, word string)) {
	t := Text{visit: visit}
	t.analyze(text, nil)
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '\''
}

// nameByte reports whether a name on IRC may contain c.
func nameByte(c byte) bool {
	switch c {
	case '_', '-', '[', ']', '\\', '`', '^', '{', '}', '|':
		return true
	}
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}

// name adds the run of characters that begins at i as a possible name.
func (t *Text) name(text []byte, i int) {
	if i > 0 && nameByte(text[i-1]) || t.found == maxNames {
		return
	}
	end := i
	for end < len(text) && nameByte(text[end]) {
		end++
	}
	n := name{start: i == 0 || i == 1 && text[0] == '@'}
	after := end
	if after+1 < len(text) && text[after] == ' ' {
		after++
	}
	n.colon = after < len(text) && (text[after] == ':' || text[after] == ',')
	run := text[i:end]
	if len(run) < 2 || !(n.start && n.colon) && (len(run) < 3 || notNames[string(run)]) {
		return
	}
	n.hash = fold.Hash(run)
	t.names[t.found] = n
	t.found++
}

// word analyzes a Latin word. body is the number of words before it, without a name at the start.
func (t *Text) word(w []byte, body int) (counts bool) {
	if t.found == 1 && t.names[0].start && t.names[0].colon && body == 0 && t.names[0].hash == fold.Hash(w) {
		return false
	}
	cues := latin[string(w)]
	if body > 0 {
		cues &^= asking
	}
	if body > 1 {
		cues &^= short | greeting
	}
	t.Cues |= cues
	if len(w) >= 4 && !common[string(w)] {
		t.Words.add(fold.Hash(w))
	}
	return true
}

// han analyzes the Han character r of n bytes at i, and the pair and the cues that end with it. pair means that another one is right
// before it.
func (t *Text) han(text []byte, i int, r rune, n int, pair bool) {
	if pair && t.Words.N < maxWords && !(endsCommon.has(r) && common[string(text[i-n:i+n])]) {
		t.Words.add(fold.Hash(text[i-n : i+n]))
	}
	for length := 1; length <= maxCue && i+n >= length*n; length++ {
		if endsCue[length].has(r) {
			t.Cues |= chinese[string(text[i+n-length*n:i+n])]
		}
	}
}

// Asks reports whether the text is a question.
func (t *Text) Asks() bool { return t.Class == classQuestion || t.Class == classAsking }

// Reacts reports whether the text is only a short reaction.
func (t *Text) Reacts() bool { return t.Class == classShort }

func (t *Text) class() {
	switch {
	case t.Cues&question != 0:
		t.Class = classQuestion
	case t.Cues&thanks != 0:
		t.Class = classThanks
	case t.Cues&short != 0 && t.Count <= 3:
		t.Class = classShort
	case t.Cues&greeting != 0 && t.Count <= 4:
		t.Class = classGreeting
	case t.Cues&(asking|anybody) != 0:
		t.Class = classAsking
	}
}
