// Package texts reads Chinese and English texts from a table. Each line of the table holds a key, the Chinese text
// and the English text, separated by " | ".
package texts

import (
	"strings"
	"sync"
)

// Of returns a function that returns the text for a key: in Chinese if lang begins with "zh", otherwise in English.
// It returns the key itself if the table does not have it. The table is parsed at the first call. Lines without three
// parts are comments.
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
