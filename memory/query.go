package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory/when"
)

// A Query says what to look for. It holds no space: where to look is what a [Reader] is.
// The zero Query asks for the newest records.
type Query struct {
	Text   string    // words to look for, in any language; with a time in it, see [Reader.Recall]
	Person string    // only records of this person; "" all
	Kinds  []string  // only records of one of these kinds; empty all
	Tags   []string  // only records with all of these tags
	Since  time.Time // only records from then on; zero no bound
	Until  time.Time // only records before then; zero no bound
	Limit  int       // most hits; 0 means 10; at most 1000
	Vector []float32 // the text's embedding; nil: made by the Memory's embedder, if it has one

	Affinity       map[string]float64 // how much what these persons said matters here, 0 to 1; who is not in it: 0
	KeepDuplicates bool               // what says the same as a newer record is a hit of its own
	from           []Space            // only records whose label names none but these; nil all
	released       *releases          // that the labels count with
	LiteralTime    bool               // a time that the text names is words like others. So it is where Since or Until is set
}

// Match reports whether the record is one that Person, Kinds, Tags, Since and Until admit.
// A record whose time is not known is in no span of time.
func (q *Query) Match(r *Record) bool { return q.admits(r.Person, r.Kind, r.Tags, r.At) }

// readable reports whether the record's label lets the reader see it.
func (q *Query) readable(r *Record) bool {
	switch {
	case q.from == nil:
		return true
	case slices.Contains(r.Tags, TagSecret):
		return false
	case r.Label.IsZero() && len(r.Sources) == 0: // of its own space, which is read
		return true
	}
	return q.released.effective(r.LabelOrDefault()).ReadableFrom(q.from...)
}

func (q *Query) admits(person, kind string, tags []string, at time.Time) bool {
	if q.Person != "" && q.Person != person {
		return false
	}
	if len(q.Kinds) > 0 && !slices.Contains(q.Kinds, kind) {
		return false
	}
	for _, t := range q.Tags {
		if !slices.Contains(tags, t) {
			return false
		}
	}
	if (!q.Since.IsZero() || !q.Until.IsZero()) && at.IsZero() {
		return false
	}
	return (q.Since.IsZero() || !at.Before(q.Since)) && (q.Until.IsZero() || at.Before(q.Until))
}

// asks reports whether there is more to the query than to list the newest.
func (q *Query) asks() bool { return strings.TrimSpace(q.Text) != "" || len(q.Vector) > 0 }

// when takes out of a query the time that its text names. A text that asks for nothing else becomes a list of what is of then.
func (q Query) when(now time.Time) (Query, when.Span) {
	if q.LiteralTime || !q.Since.IsZero() || !q.Until.IsZero() || strings.TrimSpace(q.Text) == "" {
		return q, when.Span{}
	}
	then, loc, ok := when.Find(q.Text, now)
	if !ok {
		return q, when.Span{}
	}
	rest := q.Text[:loc[0]] + " " + q.Text[loc[1]:]
	if idle(rest) {
		q.Text, q.Vector, q.Since, q.Until = "", nil, then.Since, then.Until
		return q, when.Span{}
	}
	q.Text = rest
	return q, then
}

// idle reports whether nobody could look for the words of a text: 我们聊了什么, what did we talk about.
func idle(text string) bool {
	var b bag
	text, _, _ = strings.Cut(text[:min(len(text), 2<<10)], "\x00")
	for _, w := range idleWords {
		text = strings.ReplaceAll(text, w, " ")
	}
	b.read(strings.ToLower(text))
	return len(b.words) == 0
}

var idleWords = [...]string{
	"我们", "你们", "他们", "大家", "咱们", "群里", "这里", "聊天", "聊", "说", "讲", "谈", "发生", "什么", "哪些", "有谁", "谁", "啥", "事情", "事", "干", "做", "在", "我", "你", "有",
	"talked", "talk", "happened", "happen", "said", "say", "discuss", "everyone", "everybody", "anything", "something",
}
