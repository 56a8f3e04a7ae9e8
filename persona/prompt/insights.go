package prompt

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/internal/modeljson"
	"github.com/hearth-bot/hearth/persona"
)

// ErrInvalidAnswer is matched by the errors about model answers that are not the requested JSON.
var ErrInvalidAnswer = errors.New("prompt: the answer is not the requested JSON")

// An Insight is a fact that the model considers worth remembering.
type Insight struct {
	Text       string
	About      string   // id of the person it is about; "" for none of the participants
	Importance float64  // 0 to 1
	SourceIDs  []string // ids of the source messages, as shown in the context
	Replaces   []string // ids of the memories that it replaces
}

// ParseInsights parses the answer to [Dream]. shown are the messages that the model saw. Text around the JSON is
// ignored, and numbers are accepted as texts. About is cleared if the person is unknown in shown. An answer of another
// form is an error that matches [ErrInvalidAnswer].
func ParseInsights(answer string, shown []persona.Message) ([]Insight, error) {
	var a struct {
		Insights *[]struct {
			Text       modeljson.Text  `json:"text"`
			About      modeljson.Text  `json:"about"`
			Importance modeljson.Text  `json:"importance"`
			From       modeljson.Texts `json:"from"`
			Replaces   modeljson.Texts `json:"replaces"`
		} `json:"insights"`
	}
	if err := decodeObject(answer, &a, modeljson.Options{Keys: []string{"insights"}, Messages: Texts(shown)}); err != nil {
		return nil, err
	}
	if a.Insights == nil {
		return nil, fmt.Errorf("%w: insights are missing", ErrInvalidAnswer)
	}
	there := participantsOf(shown)
	var insights []Insight
	for _, in := range *a.Insights {
		text := strings.TrimSpace(string(in.Text))
		if text == "" {
			continue
		}
		one := Insight{Text: text, Importance: fractionOf(in.Importance), SourceIDs: idsOf(in.From), Replaces: idsOf(in.Replaces)}
		if id := idOf(in.About); there.known[id] {
			one.About = id
		}
		insights = append(insights, one)
	}
	return insights, nil
}

// A Statement is what one message says about a person, as the model read it.
type Statement struct {
	About    string // id of the person
	Relation string // such as "job"; any text
	Value    string
	Over     bool   // the message says that it is so no more
	SourceID string // id of the message, as shown in the context
}

// ParseStatements returns the facts in the answer to [Dream], those about participants in shown. It returns none for an answer
// without any, and for one of another form.
func ParseStatements(answer string, shown []persona.Message) (all []Statement) {
	var a struct {
		Facts []struct {
			About    modeljson.Text  `json:"about"`
			Relation modeljson.Text  `json:"relation"`
			Value    modeljson.Text  `json:"value"`
			Over     modeljson.Text  `json:"over"`
			From     modeljson.Texts `json:"from"`
		} `json:"facts"`
	}
	if decodeObject(answer, &a, modeljson.Options{Keys: []string{"insights", "facts"}, Messages: Texts(shown)}) != nil {
		return nil
	}
	there := participantsOf(shown)
	for _, f := range a.Facts {
		about, from := idOf(f.About), idsOf(f.From)
		if !there.known[about] || len(from) == 0 {
			continue
		}
		all = append(all, Statement{
			About: about, Relation: strings.TrimSpace(string(f.Relation)), Value: strings.TrimSpace(string(f.Value)), Over: strings.TrimSpace(string(f.Over)) == "true", SourceID: from[0],
		})
	}
	return all
}

// decodeObject decodes the JSON object in an answer.
func decodeObject(answer string, v any, o modeljson.Options) error {
	if err := modeljson.Decode(withoutThinking(answer), v, o); err != nil {
		return fmt.Errorf("%w: %v", ErrInvalidAnswer, err)
	}
	return nil
}

// Texts returns the texts and the names in messages, which an answer may quote. The functions that parse an answer need
// them.
func Texts(ms []persona.Message) (texts []string) {
	for i := range ms {
		texts = append(texts, ms[i].Name, ms[i].Text)
		if q := ms[i].Quote; q != nil {
			texts = append(texts, q.Text)
		}
	}
	return texts
}

// idOf normalizes an id. Models may write it with "@" or "user_" in front.
func idOf(t modeljson.Text) string {
	return strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(string(t)), "@"), "user_")
}

// idsOf normalizes ids and removes duplicates.
func idsOf(texts modeljson.Texts) (ids []string) {
	for _, one := range texts {
		if id := idOf(one); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// fractionOf parses a number and clamps it to 0 to 1. It returns 0 for other texts.
func fractionOf(t modeljson.Text) float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(string(t)), 64)
	if err != nil || math.IsNaN(f) {
		return 0
	}
	return min(max(f, 0), 1)
}
