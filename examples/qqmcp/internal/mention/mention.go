// Package mention finds in what a model writes whom it mentions by number.
package mention

import (
	"regexp"
	"strconv"

	"github.com/hearth-bot/hearth/onebot"
)

// number is a mention by number: it begins a word, and is not the beginning of another one, as an address has it.
var number = regexp.MustCompile(`(^|[^\p{L}\p{N}_.])@([1-9][0-9]{4,10})($|[^0-9A-Za-z_.]|\.(?:$|[^0-9A-Za-z]))`)

// Split makes mentions of the numbers in a text for a group.
func Split(text string) (m onebot.Message) {
	for {
		at := number.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		id, err := strconv.ParseInt(text[at[4]:at[5]], 10, 64)
		if err != nil {
			break
		}
		if before := text[:at[4]-1]; before != "" {
			m = append(m, onebot.Text(before))
		}
		m = append(m, onebot.At(id))
		text = text[at[5]:]
	}
	if text != "" || len(m) == 0 {
		m = append(m, onebot.Text(text))
	}
	return m
}
