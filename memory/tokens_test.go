package memory

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func words(text string) []uint64 {
	var b bag
	b.read(text)
	slices.Sort(b.words)
	return b.words
}

func TestFold_EqualWords(t *testing.T) {
	for _, c := range [][2]string{
		{"Running runs", "run run"}, {"ＱＱ群１２３", "qq群123"}, {"Café", "cafe"}, {"Cafe\u0301", "CAFÉ"}, {"ABC", "ａｂｃ"},
		{"火锅", "，火锅！"}, {"B站", "b站"}, {"Иван", "ИВАН"}, {"don't", "don t"}, {"👍好👍", "好"}, {"connections", "connected"},
		{"ponies", "poni"}, {"relational", "relate"}, {"カラオケ", "「カラオケ」"},
	} {
		assert.Equal(t, words(c[0]), words(c[1]), "%q and %q", c[0], c[1])
	}
	for _, c := range [][2]string{{"火锅", "锅火"}, {"iPhone15", "iphone 15"}, {"中文", "文"}, {"café", "cap"}, {"news", "knew"}} {
		assert.NotEqual(t, words(c[0]), words(c[1]), "%q and %q", c[0], c[1])
	}
	for _, silent := range []string{"", "the of and", "！？…", "😂", "的了吗"[:3], "\u0301", strings.Repeat(" ", 100)} {
		assert.Empty(t, words(silent), "%q", silent)
	}
	assert.Len(t, words("火锅"), 3, "two runes and a pair")
	assert.Len(t, words("的火"), 2, "a particle counts in pairs only")
}

func TestFold_Accents(t *testing.T) {
	assert.Equal(t, utf8.RuneCountInString(accented), len(unaccented))
	assert.Equal(t, 2*len(unaccented), len(accented), "fold requires two bytes per rune")
}

// TestStem_PorterExamples has words for each step of the algorithm, with the results of the paper.
func TestStem_PorterExamples(t *testing.T) {
	for in, want := range map[string]string{
		"caresses": "caress", "ponies": "poni", "ties": "ti", "caress": "caress", "cats": "cat", "feed": "feed", "agreed": "agre",
		"plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing", "conflated": "conflat", "troubled": "troubl",
		"sized": "size", "hopping": "hop", "tanned": "tan", "falling": "fall", "hissing": "hiss", "fizzed": "fizz", "failing": "fail",
		"filing": "file", "happy": "happi", "sky": "sky", "relational": "relat", "conditional": "condit", "rational": "ration",
		"valenci": "valenc", "digitizer": "digit", "conformabli": "conform", "radicalli": "radic", "differentli": "differ", "vileli": "vile",
		"vietnamization": "vietnam", "predication": "predic", "operator": "oper", "feudalism": "feudal", "decisiveness": "decis",
		"hopefulness": "hope", "callousness": "callous", "formaliti": "formal", "sensitiviti": "sensit", "sensibiliti": "sensibl",
		"triplicate": "triplic", "formative": "form", "formalize": "formal", "electriciti": "electr", "electrical": "electr",
		"goodness": "good", "revival": "reviv", "allowance": "allow", "inference": "infer", "airliner": "airlin", "gyroscopic": "gyroscop",
		"adjustable": "adjust", "defensible": "defens", "irritant": "irrit", "replacement": "replac", "adjustment": "adjust",
		"dependent": "depend", "adoption": "adopt", "homologou": "homolog", "communism": "commun", "activate": "activ", "angulariti": "angular",
		"homologous": "homolog", "effective": "effect", "bowdlerize": "bowdler", "probate": "probat", "rate": "rate", "cease": "ceas",
		"controll": "control", "roll": "roll", "is": "is", "x": "x", "b2b": "b2b", "naïve": "naïve", "yes": "ye", "say": "sai", "opinion": "opinion",
	} {
		assert.Equal(t, want, string(stem([]rune(in))), in)
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"你好 world", "ing", "aaaa", "ｅｄ", "\xff\x00", "générations", strings.Repeat("y", 80), "ууу", "ations", "eed"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var b, again bag
		b.terms(s, "")
		again.terms("leftovers of before", "")
		again.terms(s, "")
		if !slices.Equal(b.words, again.words) || !slices.Equal(b.pieces, again.pieces) {
			t.Fatal("the terms of a text are not always the same: it could not be taken out again")
		}
		runes := utf8.RuneCountInString(s)
		if len(b.words) > 2*runes || len(b.pieces) > 2*runes {
			t.Fatalf("%d runes gave %d words and %d pieces", runes, len(b.words), len(b.pieces))
		}
	})
}
