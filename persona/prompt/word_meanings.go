package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/internal/modeljson"
)

// maxMeaning is the length of a meaning, in runes. Longer ones are cut.
const maxMeaning = 60

// A WordMeaning is what a word means in a group, as the model read it.
type WordMeaning struct {
	Word    string
	Meaning string // "" if the model cannot tell
	Kind    string // jargon, saying, topic, name or other
}

// ParseWordMeanings parses the answer to [ExplainWords]. words are the words that were asked about, and shown are the texts that
// the model saw. Other words are dropped, and an unknown kind is "other". An answer of another form is an error that matches
// [ErrInvalidAnswer].
func ParseWordMeanings(answer string, words, shown []string) (all []WordMeaning, err error) {
	var a struct {
		Words *[]struct {
			Word    modeljson.Text `json:"word"`
			Meaning modeljson.Text `json:"meaning"`
			Kind    modeljson.Text `json:"kind"`
		} `json:"words"`
	}
	if err := decodeObject(answer, &a, modeljson.Options{Keys: []string{"words"}, Messages: shown}); err != nil {
		return nil, err
	}
	if a.Words == nil {
		return nil, fmt.Errorf("%w: words are missing", ErrInvalidAnswer)
	}
	for _, w := range *a.Words {
		one := WordMeaning{
			Word: strings.Trim(strings.TrimSpace(string(w.Word)), `“”"`), Meaning: clip.Runes(strings.Join(strings.Fields(string(w.Meaning)), " "), maxMeaning),
			Kind: strings.ToLower(strings.TrimSpace(string(w.Kind))),
		}
		if !slices.Contains([]string{"jargon", "saying", "topic", "name"}, one.Kind) {
			one.Kind = "other"
		}
		known := slices.ContainsFunc(all, func(o WordMeaning) bool { return o.Word == one.Word })
		if slices.Contains(words, one.Word) && !known {
			all = append(all, one)
		}
	}
	return all, nil
}
