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

// ErrInvalidAnswer is matched by the error of an answer that is not the JSON that was asked for.
var ErrInvalidAnswer = errors.New("persona: not the JSON that was asked for")

// An Insight is something worth remembering, as a model puts it.
type Insight struct {
	Text       string
	About      string   // id of whom it is about; "" for nobody who was there
	Importance float64  // 0 to 1
	SourceIDs  []string // ids of the messages it was made from, as the context named them
	Replaces   []string // ids of the memories it takes the place of
}

// ParseInsights reads what a model answered to [Dream], where it was shown these messages. Text around the JSON does no
// harm, nor do numbers where texts should be. Whom nobody of them knows, it is not about. No JSON of that shape is an
// error that matches [ErrInvalidAnswer].
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
	if _, err := object(answer, &a); err != nil {
		return nil, err
	}
	if a.Insights == nil {
		return nil, fmt.Errorf("%w: there are no insights", ErrInvalidAnswer)
	}
	there := presentIn(shown)
	var insights []Insight
	for _, in := range *a.Insights {
		text := strings.TrimSpace(string(in.Text))
		if text == "" {
			continue
		}
		one := Insight{Text: text, Importance: shareOf(in.Importance), SourceIDs: idsOf(in.From), Replaces: idsOf(in.Replaces)}
		if id := idOf(in.About); there.known[id] {
			one.About = id
		}
		insights = append(insights, one)
	}
	return insights, nil
}

// object reads the only JSON object in an answer, and returns it as JSON has it.
func object(answer string, v any) ([]byte, error) {
	b, err := modeljson.Decode(withoutThinking(answer), v)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrInvalidAnswer, err)
	}
	return b, nil
}

// idOf is a text as an id: models write it with @ or as tools name people.
func idOf(t modeljson.Text) string {
	return strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(string(t)), "@"), "user_")
}

// idsOf are texts as ids, each once.
func idsOf(texts modeljson.Texts) (ids []string) {
	for _, one := range texts {
		if id := idOf(one); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// shareOf is a text as a number of 0 to 1; what is none is 0.
func shareOf(t modeljson.Text) float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(string(t)), 64)
	if err != nil || math.IsNaN(f) {
		return 0
	}
	return min(max(f, 0), 1)
}
