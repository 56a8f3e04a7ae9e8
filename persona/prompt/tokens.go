package prompt

// Tokens estimates the number of tokens of a text without a model's vocabulary. It counts one token for each rune
// beyond ASCII, and one for every four bytes of ASCII. For Chinese this is on the safe side. Current vocabularies need
// about 0.6 to 1 token for a Han character, and about 1 for four English letters.
func Tokens(s string) int {
	wide, ascii := 0, 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] < 0x80:
			ascii++
		case s[i] >= 0xC0: // first byte of a rune
			wide++
		}
	}
	return wide + (ascii+3)/4
}
