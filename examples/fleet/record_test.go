package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A record is what the platform has of one group, and what the bot remembers of it.
type record struct {
	where      string
	said       []int    // marks of the messages of people, in order
	remembered []int    // marks of their messages in the bot's memory, in order
	sent       []string // texts of the bot, in order
}

// late returns the number of messages that are remembered behind a newer one.
func (r record) late() (n int) {
	newest := 0
	for _, mark := range r.remembered {
		if mark < newest {
			n++
		}
		newest = max(newest, mark)
	}
	return n
}

// problems returns what is missing, doubled or said twice.
func (r record) problems() (found []string) {
	tell := func(format string, args ...any) { found = append(found, r.where+": "+fmt.Sprintf(format, args...)) }
	times := map[int]int{}
	for _, mark := range r.remembered {
		times[mark]++
	}
	for _, mark := range r.said {
		if times[mark] != 1 {
			tell("#%d is remembered %d times", mark, times[mark])
		}
		delete(times, mark)
	}
	for mark := range times {
		tell("#%d is remembered, but nobody said it", mark)
	}
	answered := map[string]string{}
	for _, text := range r.sent {
		m := marked.FindStringSubmatch(text)
		if answered[text] != "" || len(m) == 0 {
			tell("%q is said twice, or has no mark", text)
			continue
		}
		answered[text] = text
	}
	return found
}

// records returns the records of all groups.
func (s *fleet) records(ctx context.Context) (all []record, err error) {
	for _, a := range s.platform.accounts {
		for _, g := range a.groups {
			r := record{where: fmt.Sprint(a.being, " in group ", g.ID)}
			a.mu.Lock()
			r.said = slices.Clone(a.said[g.ID])
			a.mu.Unlock()
			for _, m := range a.qq.Sent() {
				if m.Chat == g.Chat() {
					r.sent = append(r.sent, m.Message.Text())
				}
			}
			for rec, err := range s.beings[a.being].Scan(ctx, space(g.ID), 0) {
				if err != nil {
					return nil, err
				}
				if rec.Kind != memory.KindMessage || rec.Own {
					continue
				}
				mark := 0
				if m := marked.FindStringSubmatch(rec.Text); m != nil {
					mark, _ = strconv.Atoi(m[2])
				}
				r.remembered = append(r.remembered, mark)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

func space(group int64) memory.Space { return memory.Space("qq:group:" + digits(group)) }

// The check finds each kind of mistake, and nothing in a record without one.
func TestRecord_Problems(t *testing.T) {
	good := record{where: "x", said: []int{1, 3, 4}, remembered: []int{1, 3, 4}, sent: []string{"在↩#1", "在↩#3"}}
	assert.Empty(t, good.problems())
	assert.Zero(t, good.late())
	assert.Equal(t, 2, record{remembered: []int{1, 5, 3, 4, 6}}.late())
	for want, spoil := range map[string]func(*record){
		"#3 is remembered 0 times":  func(r *record) { r.remembered = []int{1, 4} },
		"#4 is remembered 2 times":  func(r *record) { r.remembered = []int{1, 3, 4, 4} },
		"nobody said it":            func(r *record) { r.remembered = []int{1, 3, 4, 7} },
		`"在↩#1" is said twice`:      func(r *record) { r.sent = []string{"在↩#1", "在↩#3", "在↩#1"} },
		`"在" is said twice, or has`: func(r *record) { r.sent = []string{"在"} },
	} {
		r := good
		spoil(&r)
		found := r.problems()
		require.NotEmpty(t, found, want)
		assert.Contains(t, fmt.Sprint(found), want)
	}
}
