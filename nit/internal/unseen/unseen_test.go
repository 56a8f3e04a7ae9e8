package unseen_test

import (
	"testing"
	"unicode"

	"github.com/hearth-bot/hearth/nit/internal/unseen"
	"github.com/stretchr/testify/assert"
)

func TestRune(t *testing.T) {
	for _, tt := range []struct {
		r                rune
		anywhere, inText bool
		what             string
	}{
		{'a', false, false, "a letter"},
		{'炉', false, false, "a Han character"},
		{'😀', false, false, "an emoji"},
		{'\u3000', false, false, "the wide space"},
		{'\uFFFD', false, false, "what was not UTF-8"},
		{'\n', true, false, "newline"},
		{'\t', true, false, "tab"},
		{0x200C, true, false, "zero-width non-joiner"},
		{0x200D, true, false, "zero-width joiner"},
		{0xFE0F, true, false, "emoji style"},
		{0x0600, true, false, "Arabic number sign"},
		{0xE000, true, false, "private use"},
		{0x0378, true, false, "not assigned"},
		{0, true, true, "NUL"},
		{'\r', true, true, "carriage return"},
		{0x1B, true, true, "escape"},
		{0x85, true, true, "next line"},
		{0xAD, true, true, "soft hyphen"},
		{0x61C, true, true, "Arabic letter mark"},
		{0x115F, true, true, "Hangul filler"},
		{0x200B, true, true, "zero-width space"},
		{0x2028, true, true, "line separator"},
		{0x2029, true, true, "paragraph separator"},
		{0x202E, true, true, "right-to-left override"},
		{0x2060, true, true, "word joiner"},
		{0x3164, true, true, "Hangul filler"},
		{0xFE0E, true, true, "text style"},
		{0xFEFF, true, true, "byte order mark"},
		{0xFFA0, true, true, "half-width filler"},
		{0xE0041, true, true, "a tag"},
		{0xE0100, true, true, "a variation selector"},
	} {
		assert.Equal(t, tt.anywhere, unseen.Rune(tt.r), tt.what)
		assert.Equal(t, tt.inText, unseen.InText(tt.r), tt.what)
	}
}

// The ranges of the fast paths agree with Unicode's tables.
func TestInText_FastPaths(t *testing.T) {
	kept := &unicode.RangeTable{R16: []unicode.Range16{{'\t', '\n', 1}, {0x200C, 0x200D, 1}, {0xFE0F, 0xFE0F, 1}}}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unseen.Rune(r) && !unicode.In(r, kept, unicode.Prepended_Concatenation_Mark, unicode.Co, unicode.Cs, unicode.Cn) ||
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
		if unseen.InText(r) != want {
			t.Fatalf("%U", r)
		}
	}
}
