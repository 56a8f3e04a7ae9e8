package groupchat

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// A QuestionKind says what is asked.
type QuestionKind string

// The kinds of questions.
const (
	Now   QuestionKind = "now"   // the values at the end
	Then  QuestionKind = "then"  // the values at Question.At
	Since QuestionKind = "since" // the day since which the value holds
	Who   QuestionKind = "who"   // the person who says so
	Meant QuestionKind = "meant" // the person whose nickname it is
)

// A Question asks what was said in one group. Its answers are exact.
type Question struct {
	Kind     QuestionKind
	Text     string // as a person would ask
	Space    memory.Space
	Subject  string // account; for Meant the answer
	Name     string // the subject's name; for Meant the nickname
	Relation string // as in the documentation of this package
	At       time.Time
	Values   [][]string // each value with its accepted spellings; empty: none holds
	Outdated []string   // values that do not hold then
	Changed  bool       // a value was replaced or ended before At
	Since    time.Time  // day of the first statement, for Since
	Speaker  string     // account, for Who
}

// PlanDays is how long a plan holds.
const PlanDays = 45

// A version is a value that holds for a time, as said by one speaker.
type version struct {
	spellings   []string
	from, until time.Time // until zero: it holds
	speaker     *member
}

// A knowledge is what a group was told about one relation of a person. It is computed from the statements only.
type knowledge struct {
	relation string
	own      []version
	rumors   []version
	ended    time.Time // the last time at which the person ended something
}

var multiple = map[string]bool{"like": true, "dislike": true, "pet": true, "plan": true}

func (k *knowledge) add(s *statement) {
	list := &k.rumors
	if s.speaker == s.subject {
		list = &k.own
	}
	if s.ends {
		k.close(s.at, s.values)
		return
	}
	for i := range *list {
		v := &(*list)[i]
		same := slices.Equal(v.spellings, s.values)
		if v.until.IsZero() && same && v.speaker == s.speaker && k.relation != "plan" {
			return
		}
		if v.until.IsZero() && v.speaker == s.speaker && (!multiple[k.relation] || same) {
			v.until = s.at
		}
	}
	v := version{spellings: s.values, from: s.at, speaker: s.speaker}
	*list = append(*list, v)
}

// close ends a value, or all.
func (k *knowledge) close(at time.Time, values []string) {
	k.ended = at
	for _, list := range [...][]version{k.own, k.rumors} {
		for i := range list {
			if v := &list[i]; v.until.IsZero() && (len(values) == 0 || v.spellings[0] == values[0]) {
				v.until = at
			}
		}
	}
}

// at returns the versions that hold at a time. The person's own word comes before rumors.
func (k *knowledge) at(t time.Time) (holds, other []version) {
	hidden := func(v version) bool { // by the person's own word
		return slices.ContainsFunc(k.own, func(o version) bool {
			switch {
			case o.from.After(t):
				return false
			case multiple[k.relation]:
				return o.spellings[0] == v.spellings[0]
			}
			return o.until.IsZero() || o.until.After(t) || o.from.After(v.from) || o.until.After(v.from)
		})
	}
	for _, list := range [...][]version{k.own, k.rumors} {
		for _, v := range list {
			until := v.until
			if k.relation == "plan" && (until.IsZero() || until.After(v.from.AddDate(0, 0, PlanDays))) {
				until = v.from.AddDate(0, 0, PlanDays)
			}
			switch is := !v.from.After(t) && (until.IsZero() || until.After(t)); {
			case is && (v.speaker == nil || slices.ContainsFunc(k.own, func(o version) bool { return o.speaker == v.speaker }) || !hidden(v)):
				holds = append(holds, v)
			default:
				other = append(other, v)
			}
		}
	}
	if !multiple[k.relation] && len(holds) > 1 { // of several rumors, the last
		last := len(holds) - 1
		holds, other = holds[last:], append(other, holds[:last]...)
	}
	return holds, other
}

// questions asks about everything that was said.
func (w *world) questions(end time.Time) (qs []Question) {
	type topic struct {
		group    int
		subject  *member
		relation string
	}
	known := map[topic]*knowledge{}
	var topics []topic
	for i := range w.said {
		s := &w.said[i]
		if s.relation == "" {
			continue
		}
		if s.alias != "" {
			qs = append(qs, Question{Kind: Meant, Text: "谁是" + s.alias, Space: space(s.group), Subject: s.subject.id, Name: s.alias, At: end, Values: [][]string{{s.subject.name}}})
			continue
		}
		at := topic{s.group, s.subject, s.relation}
		if known[at] == nil {
			if s.ends {
				continue // nobody knew
			}
			known[at], topics = &knowledge{relation: s.relation}, append(topics, at)
		}
		known[at].add(s)
	}
	slices.SortStableFunc(topics, func(a, b topic) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.subject.id, b.subject.id), cmp.Compare(a.relation, b.relation))
	})
	for _, t := range topics {
		texts := asked
		if w.English {
			texts = englishAsked
		}
		qs = append(qs, known[t].questions(texts[t.relation], Question{Space: space(t.group), Subject: t.subject.id, Name: t.subject.name, Relation: t.relation}, end)...)
	}
	return qs
}

func (k *knowledge) questions(texts questionTexts, q Question, end time.Time) (qs []Question) {
	ask := func(kind QuestionKind, at time.Time, text string) *Question {
		holds, other := k.at(at)
		one := q
		one.Kind, one.At, one.Text = kind, at, fmt.Sprintf(text, q.Name)
		for _, v := range holds {
			if !slices.ContainsFunc(one.Values, func(old []string) bool { return old[0] == v.spellings[0] }) {
				one.Values = append(one.Values, v.spellings)
			}
		}
		for _, v := range other {
			is := slices.ContainsFunc(one.Values, func(now []string) bool { return slices.Contains(now, v.spellings[0]) })
			if !is && !contains(one.Outdated, v.spellings[0]) {
				one.Outdated = append(one.Outdated, v.spellings[0])
			}
			one.Changed = one.Changed || !is && v.from.Before(at) && !v.until.IsZero() && !v.until.After(at)
		}
		qs = append(qs, one)
		return &qs[len(qs)-1]
	}
	ask(Now, end, texts.now)
	for _, v := range k.own {
		if !v.until.IsZero() && v.until.Sub(v.from) > 4*24*time.Hour {
			ask(Then, v.from.Add(v.until.Sub(v.from)/2), texts.then)
		}
	}
	if holds, _ := k.at(end); len(holds) == 1 {
		ask(Since, end, texts.since).Since = holds[0].from
		ask(Who, end, texts.who).Speaker = holds[0].speaker.id
	}
	return qs
}

type questionTexts struct{ now, then, since, who string }

// englishAsked holds the English texts of questions by relation.
var englishAsked = map[string]questionTexts{
	"birthday": {"when is %s's birthday", "when is %s's birthday", "when did we hear of %s's birthday", "who said when %s's birthday is"},
	"job":      {"where does %s work now", "where did %s work then", "since when does %s work there", "who said where %s works"},
	"place":    {"where does %s live now", "where did %s live then", "since when does %s live there", "who said where %s lives"},
	"like":     {"what does %s like now", "what did %s like then", "since when does %s like it", "who said what %s likes"},
	"pet":      {"what pet does %s have", "what pet did %s have then", "since when does %s have a pet", "who said that %s has a pet"},
	"plan":     {"what does %s plan to do", "what did %s plan to do then", "since when does %s have that plan", "who said what %s plans"},
}

// asked holds the texts of questions by relation.
var asked = map[string]questionTexts{
	"birthday": {"%s生日是哪天", "%s生日是哪天", "什么时候知道%s生日的", "谁说的%s的生日"},
	"job":      {"%s现在做什么工作，在哪上班", "%s那时候做什么工作，在哪上班", "%s什么时候开始这份工作的", "谁说的%s的工作"},
	"place":    {"%s现在住在哪", "%s那时候住在哪", "%s什么时候搬的家", "谁说的%s住在哪"},
	"like":     {"%s现在喜欢什么", "%s那时候喜欢什么", "%s什么时候开始喜欢的", "谁说的%s喜欢什么"},
	"dislike":  {"%s讨厌什么", "%s那时候讨厌什么", "%s什么时候说讨厌的", "谁说的%s讨厌什么"},
	"pet":      {"%s现在养了什么宠物", "%s那时候养了什么宠物", "%s什么时候养的宠物", "谁说的%s养了宠物"},
	"plan":     {"%s打算做什么", "%s那时候打算做什么", "%s什么时候有的打算", "谁说的%s的打算"},
	"partner":  {"%s的对象是谁", "%s那时候的对象是谁", "%s什么时候谈的恋爱", "谁说的%s的对象"},
	"roommate": {"%s的室友是谁", "%s那时候的室友是谁", "%s什么时候合租的", "谁说的%s的室友"},
}
