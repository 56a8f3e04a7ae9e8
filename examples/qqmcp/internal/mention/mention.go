// Package mention parses mentions by number in the text of a model.
package mention

import (
	"regexp"
	"strconv"

	"github.com/hearth-bot/hearth/onebot"
)

// number matches a mention by number. It begins a word and is not the start of a longer one, such as an address.
var number = regexp.MustCompile(`(^|[^\p{L}\p{N}_.])@([1-9][0-9]{4,10})($|[^0-9A-Za-z_.]|\.(?:$|[^0-9A-Za-z]))`)

// Split replaces numbers in a text for a group by mentions.
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
