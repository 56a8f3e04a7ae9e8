package facts

import (
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/memory/facts/internal/statement"
)

// A reading is a part of a message that is read.
type reading struct {
	Message
	*model
	names  *Names
	tokens []statement.Token
	masked []masked         // tokens with a mask, in order
	scores statement.Scores // of the kinds, after claims
}

// masked is what a token with a mask stands for.
type masked struct {
	person string // of a name; "": two people have it
	day    string // of the year
}

func newReading(m Message, names *Names) *reading {
	r := &reading{Message: m, names: names}
	r.tokens = statement.Tokens(make([]statement.Token, 0, 32), r.Text, r.mask)
	return r
}

// mask finds names and days.
func (r *reading) mask(text string) (statement.Mask, int) {
	if insideWord(r.Text, len(r.Text)-len(text)) {
		return statement.Plain, 0
	}
	if id, name := r.names.prefix(text); name != "" {
		r.masked = append(r.masked, masked{person: id})
		return statement.Name, len(name)
	}
	if day, n := dayOfYear(text); day != "" {
		r.masked = append(r.masked, masked{day: day})
		return statement.Day, n
	}
	return statement.Plain, 0
}

// behind returns what the i-th token stands for, which has a mask.
func (r *reading) behind(i int) masked {
	n := 0
	for _, t := range r.tokens[:i] {
		if t.Mask != statement.Plain {
			n++
		}
	}
	return r.masked[n]
}

// claims returns what the part says. takesBack reports that it takes back the last message.
func (r *reading) claims(m *model) (claims []Claim, takesBack bool) {
	r.model = m
	if len(r.tokens) == 0 {
		return nil, false
	}
	r.scores = m.Read(r.tokens)
	var taken []statement.Span
	order := r.believed()
	for n, i := range order {
		f := m.forms[i]
		switch {
		case n == 0 && f.relation == "":
			return nil, true
		case r.scores[order[0]]-r.scores[i] > beside:
			return claims, false
		case f.relation == "" || slices.ContainsFunc(claims, func(c Claim) bool { return c.Relation == f.relation || c.Relation == opposite(f.relation) }):
			continue
		}
		c, value, ok := r.claim(f)
		if ok && !slices.ContainsFunc(taken, value.Overlaps) {
			claims, taken = r.withOthers(append(claims, c), f, value), append(taken, value)
		}
	}
	return claims, false
}

// believed returns the indexes of the forms that the message is likely to have, the best first.
func (r *reading) believed() (order []int) {
	for i, f := range r.forms {
		if r.scores[i] > f.least() {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if r.scores[a] > r.scores[b] {
			return -1
		}
		return 1
	})
	return order
}

// claim reads a statement of a form, and where its value stands.
func (r *reading) claim(f form) (c Claim, value statement.Span, ok bool) {
	c = Claim{Subject: r.Person, Relation: f.relation, Ends: f.ends, Speaker: r.Person, At: r.At, Source: r.ID}
	subject := statement.Span{Begin: -1}
	if f.other {
		if subject, _, ok = r.Value(r.tokens, subjectSort, r.isName); !ok {
			return c, value, false
		}
		c.Subject = r.behind(subject.Begin).person
	}
	switch {
	case c.Subject == "":
		return c, value, false
	case f.relation == Birthday:
		i := slices.IndexFunc(r.tokens, func(t statement.Token) bool { return t.Mask == statement.Day })
		if i < 0 {
			return c, value, false
		}
		c.Value = r.behind(i).day
		return c, statement.Span{Begin: i, End: i + 1}, true
	case !f.hasValue():
		return c, value, true
	}
	couple := f.relation == Partner || f.relation == Roommate
	value, score, ok := r.Value(r.tokens, f.sort(), func(s statement.Span) bool { return s != subject && (couple || !r.isName(s)) })
	if !ok || score+r.scores[r.index(f)] < enough {
		return c, value, false
	}
	c.Value = r.textOf(value)
	if couple && r.isName(value) {
		c.Person = r.behind(value.Begin).person
		ok = c.Person != c.Subject
	}
	return c, value, ok && len(c.Value) <= maxValueBytes && (f.relation != Alias || usableName(c.Value))
}

// withOthers appends copies of the last claim for the values that are joined to its own: 猫和狗, a cat and a dog.
func (r *reading) withOthers(claims []Claim, f form, value statement.Span) []Claim {
	c := claims[len(claims)-1]
	for c.Value != "" && f.relation.Multiple() && r.joins(value.End) {
		next, _, ok := r.Value(r.tokens, f.sort(), func(s statement.Span) bool {
			return (s.Begin == value.End+1 || s.Begin == value.End+2) && !r.isName(s)
		})
		if !ok {
			break
		}
		c.Value, value = r.textOf(next), next
		claims = append(claims, c)
	}
	return claims
}

// joins reports whether the i-th token joins two values.
func (r *reading) joins(i int) bool {
	if i >= len(r.tokens)-1 {
		return false
	}
	switch r.textOf(statement.Span{Begin: i, End: i + 1}) {
	case "和", "、", "跟", "与", "and", "&":
		return true
	}
	return false
}

// textOf returns the text of some tokens.
func (r *reading) textOf(s statement.Span) string {
	return r.Text[r.tokens[s.Begin].Begin:r.tokens[s.End-1].End]
}

// isName reports whether some tokens are a name.
func (r *reading) isName(s statement.Span) bool {
	return s.End == s.Begin+1 && r.tokens[s.Begin].Mask == statement.Name
}

// mayEnd reports whether the message may end a fact about its author in vague words.
func (r *reading) mayEnd() bool {
	for i, f := range r.forms {
		if f.ends && !f.other && r.scores[i] >= possible {
			return true
		}
	}
	return false
}

// ended returns the ends of those facts about the author that the message names. The model may be less sure of them.
func (r *reading) ended(held []Fact) (claims []Claim) {
	for i := range held {
		f := &held[i]
		end, holds := r.index(form{relation: f.Relation, ends: true}), r.index(form{relation: f.Relation})
		if end < 0 || r.scores[end] < max(possible, r.scores[holds]) || !f.Own() || !strings.Contains(r.Text, f.Value) {
			continue
		}
		claims = append(claims, Claim{Subject: f.Subject, Relation: f.Relation, Value: f.Value, Ends: true, Speaker: r.Person, At: r.At, Source: r.ID})
	}
	return claims
}
