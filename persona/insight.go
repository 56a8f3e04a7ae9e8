package persona

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ErrAnswer is matched by the error of an answer that is not the JSON that was asked for.
var ErrAnswer = errors.New("persona: not the JSON that was asked for")

// An Insight is something worth remembering, as a model puts it.
type Insight struct {
	Text       string
	About      string   // id of whom it is about; "" for nobody who was there
	Importance float64  // 0 to 1
	From       []string // ids of the messages it was made from, as the context named them
	Replaces   []string // ids of the memories it takes the place of
}

// ParseInsights reads what a model answered to [Dream], where it was shown these messages. Text around the JSON does no
// harm, nor do numbers where texts should be. Whom nobody of them knows, it is not about. No JSON of that shape is an
// error that matches [ErrAnswer].
func ParseInsights(answer string, shown []Message) ([]Insight, error) {
	var a struct {
		Insights *[]struct {
			Text       loose  `json:"text"`
			About      loose  `json:"about"`
			Importance loose  `json:"importance"`
			From       looses `json:"from"`
			Replaces   looses `json:"replaces"`
		} `json:"insights"`
	}
	if err := object(answer, &a); err != nil {
		return nil, err
	}
	if a.Insights == nil {
		return nil, fmt.Errorf("%w: there are no insights", ErrAnswer)
	}
	there := presentIn(shown)
	var insights []Insight
	for _, in := range *a.Insights {
		text := strings.TrimSpace(string(in.Text))
		if text == "" {
			continue
		}
		one := Insight{Text: text, Importance: in.Importance.share(), From: in.From, Replaces: in.Replaces}
		if id := in.About.id(); there.known[id] {
			one.About = id
		}
		insights = append(insights, one)
	}
	return insights, nil
}

// object reads the JSON object in an answer, from its first brace to its last.
func object(answer string, v any) error {
	answer = withoutThinking(answer)
	i, j := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	if i < 0 || j < i {
		return fmt.Errorf("%w: there is no object", ErrAnswer)
	}
	if err := json.Unmarshal([]byte(answer[i:j+1]), v); err != nil {
		return fmt.Errorf("%w: %v", ErrAnswer, err)
	}
	return nil
}

// A loose text is a string, or a number or the like that stands in its place.
type loose string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *loose) UnmarshalJSON(b []byte) error {
	var s *string
	switch {
	case json.Unmarshal(b, &s) != nil:
		*l = loose(b)
	case s != nil:
		*l = loose(*s)
	}
	return nil
}

// id is the text as an id: models write it with @ or as tools name people.
func (l loose) id() string {
	return strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(string(l)), "@"), "user_")
}

// share is the text as a number of 0 to 1; what is none is 0.
func (l loose) share() float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(string(l)), 64)
	if err != nil || math.IsNaN(f) {
		return 0
	}
	return min(max(f, 0), 1)
}

// looses are a list of ids, or one alone.
type looses []string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *looses) UnmarshalJSON(b []byte) error {
	var list []loose
	if json.Unmarshal(b, &list) != nil {
		var one loose
		if err := one.UnmarshalJSON(b); err != nil {
			return err
		}
		list = []loose{one}
	}
	*l = nil
	for _, one := range list {
		if id := one.id(); id != "" && !slices.Contains(*l, id) {
			*l = append(*l, id)
		}
	}
	return nil
}
