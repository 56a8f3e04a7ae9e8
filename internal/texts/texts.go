// Package texts reads what is said in Chinese and English from a file, which has a line for each text: its key, Chinese,
// English, with " | " between.
package texts

import (
	"strings"
	"sync"
)

// Of returns a function that gives the text of a key, in Chinese where lang begins with "zh" and in English otherwise; the
// key itself where it has none. The file is read at the first call. Lines that have no three parts are for people.
func Of(file string) func(key, lang string) string {
	table := sync.OnceValue(func() map[string][]string {
		all := map[string][]string{}
		for line := range strings.Lines(file) {
			if parts := strings.Split(strings.TrimSpace(line), " | "); len(parts) == 3 {
				all[strings.TrimSpace(parts[0])] = parts
			}
		}
		return all
	})
	return func(key, lang string) string {
		text, ok := table()[key]
		switch {
		case !ok:
			return key
		case strings.HasPrefix(lang, "zh"):
			return text[1]
		}
		return text[2]
	}
}
