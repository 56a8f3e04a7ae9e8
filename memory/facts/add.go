package facts

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/memory"
)

// firstAdded is the number of the first claim that was added to a message. Those that Learn read have lower ones.
const firstAdded = 100

// maxAdded limits the claims that are added to one message.
const maxAdded = 8

// maxValue is the number of runes of a value that is added.
const maxValue = 24

// Add stores what a language model read in a message of the space, beside what Learn read in it. Subject, Relation, Value and Ends of
// each claim are used; the message gives the rest. Claims that Learn could not have made are dropped: those of an unknown relation,
// with an empty or long value, about what Learn read in this message, and those that end what nobody said. A message of the bot
// has none. Adding them again replaces them. Add returns the number of stored claims.
func (f *Facts) Add(ctx context.Context, message memory.Record, claims ...Claim) (int, error) {
	if err := f.Load(ctx); err != nil || message.Own || message.Person == "" || len(claims) == 0 {
		return 0, err
	}
	f.mu.Lock()
	claims = f.fitting(&message, claims)
	f.mu.Unlock()
	if len(claims) == 0 {
		return 0, nil
	}
	recs := make([]memory.Record, len(claims))
	for i := range claims {
		recs[i] = claims[i].record(firstAdded + i)
	}
	stored, err := f.put(ctx, recs)
	return len(stored), err
}

// fitting completes the claims and drops those that do not fit. f.mu must be held.
func (f *Facts) fitting(message *memory.Record, claims []Claim) (fit []Claim) {
	for _, c := range claims {
		c = Claim{
			Subject: c.Subject, Relation: c.Relation, Value: cleanValue(c.Relation, c.Value), Ends: c.Ends,
			Speaker: message.Person, At: message.At, Source: message.ID,
		}
		if c.Relation == Partner || c.Relation == Roommate {
			if c.Person = f.names.Meant(c.Value); c.Person == c.Subject {
				continue
			}
		}
		if c.Relation == Alias && c.Subject != c.Speaker { // people choose their names themselves
			continue
		}
		known := c.Relation.rank() < len(relations) && c.Subject != "" && (c.Value != "" || c.Ends)
		if !known || c.Ends && !f.table.Holds(c) || slices.ContainsFunc(fit, c.sameAs) || slices.ContainsFunc(f.table.Claims(c.Subject), c.isRead) {
			continue
		}
		if fit = append(fit, c); len(fit) == maxAdded {
			break
		}
	}
	return fit
}

func (c Claim) sameAs(o Claim) bool {
	return c.Subject == o.Subject && c.Relation == o.Relation && c.Value == o.Value
}

// isRead reports whether o is a claim that Learn read about the same relation in the same message.
func (c Claim) isRead(o Claim) bool {
	return o.Source == c.Source && o.Relation == c.Relation && o.number() < firstAdded
}

// number returns the number of a claim within its message.
func (c *Claim) number() int {
	digits, _, _ := strings.Cut(strings.TrimPrefix(c.ID, idPrefix), ":")
	n, _ := strconv.Atoi(digits)
	return n
}

// cleanValue returns a value in the form that Learn gives it, or "" for one that cannot be a value.
func cleanValue(r Relation, v string) string {
	v = strings.TrimFunc(v, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsPunct(c) })
	if r == Birthday {
		v = findDay(v)
	}
	if utf8.RuneCountInString(v) > maxValue || strings.ContainsFunc(v, unicode.IsControl) {
		return ""
	}
	return v
}
