package prompt

// Tokens estimates how many tokens a model takes a text for, without a model's own vocabulary: one for each rune beyond
// ASCII, and one for every four bytes of ASCII. For Chinese that is on the safe side: today's vocabularies need about
// 0.6 to 1 token for a Han character, and about 1 for four letters of English.
func Tokens(s string) int {
	wide, ascii := 0, 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] < 0x80:
			ascii++
		case s[i] >= 0xC0: // the first byte of a rune
			wide++
		}
	}
	return wide + (ascii+3)/4
}
