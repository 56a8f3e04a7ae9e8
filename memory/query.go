package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory/when"
)

// A Query describes the records to find. The [Reader] determines the spaces. The zero Query finds the newest records.
type Query struct {
	Text   string    // words to search for, in any language; see [Reader.Recall] for time expressions
	Person string    // only records of this person; "" all
	Kinds  []string  // only records of these kinds; empty all
	Tags   []string  // only records with all of these tags
	Since  time.Time // only records at or after this time; zero: no limit
	Until  time.Time // only records before this time; zero: no limit
	Limit  int       // maximum hits; 0 means 10; at most 1000
	Vector []float32 // embedding of Text; nil: made by the Memory's embedder, if any

	// Whom Text is about without a name. They count as named by it.
	About  []string // their IDs, for example of people whom it calls by a nickname
	Before []string // texts said right before, oldest first: a pronoun in a Text without names (他, she) means whom the latest of them names

	Affinity       map[string]float64 // importance of these authors, 0 to 1; all others have 0; see [People.Affinity]
	KeepDuplicates bool               // return near duplicates as separate hits
	readable       []Space            // only records with labels readable from these spaces; nil all
	overrides      *labelOverrides    // overrides of these labels
	LiteralTime    bool               // search for the words of a time expression and ignore its meaning; implied by Since and Until
}

// Match reports whether the record passes the filters Person, Kinds, Tags, Since and Until. A record without a time
// never passes Since or Until.
func (q *Query) Match(r *Record) bool { return q.matches(r.Person, r.Kind, r.Tags, r.At) }

// readableBy reports whether the label of the record allows the reader to see it.
func (q *Query) readableBy(r *Record) bool {
	switch {
	case q.readable == nil:
		return true
	case slices.Contains(r.Tags, TagSecret):
		return false
	case r.Label.IsZero() && len(r.Sources) == 0: // it comes from its own space, and the reader reads that
		return true
	}
	return q.overrides.effective(r.LabelOrDefault()).ReadableFrom(q.readable...)
}

// isFiltered reports whether Match may reject a record.
func (q *Query) isFiltered() bool {
	return q.Person != "" || len(q.Kinds) > 0 || len(q.Tags) > 0 || !q.Since.IsZero() || !q.Until.IsZero()
}

func (q *Query) matches(person, kind string, tags []string, at time.Time) bool {
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

// isSearch reports whether the query has a text or a vector. Otherwise it lists the newest records.
func (q *Query) isSearch() bool { return strings.TrimSpace(q.Text) != "" || len(q.Vector) > 0 }

// extractTime removes the time expression from the text and returns its time span. isDate reports that it has a number. If only filler words
// remain, the query becomes a list of the records in that span.
func (q Query) extractTime(now time.Time) (rest Query, span when.Span, isDate bool) {
	if q.LiteralTime || !q.Since.IsZero() || !q.Until.IsZero() || strings.TrimSpace(q.Text) == "" {
		return q, span, false
	}
	span, loc, ok := when.Find(q.Text, now)
	if !ok {
		return q, when.Span{}, false
	}
	isDate = strings.ContainsAny(q.Text[loc[0]:loc[1]], "0123456789")
	text := q.Text[:loc[0]] + " " + q.Text[loc[1]:]
	if isFiller(text) {
		q.Text, q.Vector, q.Since, q.Until = "", nil, span.Since, span.Until
		return q, when.Span{}, false
	}
	q.Text = text
	return q, span, isDate
}

// isFiller reports whether a text contains only filler words, as in 我们聊了什么 or "what did we talk about".
func isFiller(text string) bool {
	var b bag
	text, _, _ = strings.Cut(text[:min(len(text), 2<<10)], "\x00")
	for _, w := range fillerWords {
		text = strings.ReplaceAll(text, w, " ")
	}
	b.read(strings.ToLower(text))
	return len(b.words) == 0
}

var fillerWords = [...]string{
	"我们", "你们", "他们", "大家", "咱们", "群里", "这里", "聊天", "聊", "说", "讲", "谈", "发生", "什么", "哪些", "有谁", "谁", "啥", "事情", "事", "干", "做", "在", "我", "你", "有",
	"talked", "talk", "happened", "happen", "said", "say", "discuss", "everyone", "everybody", "anything", "something",
}
