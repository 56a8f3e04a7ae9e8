package prompt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A droppable is a part of a scene that may be dropped. Its mark is a text that occurs nowhere else.
type droppable struct {
	priority priority
	mark     string
}

// spareRank is the priority of the CachePrefix, before all others.
const cachePriority = priorities

// sized builds a scene with n of each item, each with a mark. It returns the items in the order in which they are
// dropped.
func sized(r *rand.Rand, n func() int, spares bool) (s Scene, order []droppable) {
	now := time.Date(2026, 1, 5, 10, 0, 30, 0, cst)
	of := make(map[priority][]string) // marks in the order in which they are dropped
	marks := 0
	text := func(to priority, oldestFirst bool) string {
		marks++
		mark := fmt.Sprintf("«%03d»", marks)
		if oldestFirst {
			of[to] = append(of[to], mark)
		} else {
			of[to] = append([]string{mark}, of[to]...)
		}
		return mark + strings.Repeat([]string{"字", "word ", "<&>", "🔥"}[r.IntN(4)], r.IntN(40))
	}
	s = Scene{Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, Location: cst, Mood: &MoodSummary{Text: "平静", Energy: .5}, Wake: &schedule.Wake{Kind: schedule.WakeTimer, Timer: schedule.Firing{Timer: schedule.Timer{Payload: "wake-payload"}}}}
	for i := range n() {
		s.Recent = append(s.Recent, persona.Message{ID: fmt.Sprint("asked", i), At: now, Text: strings.Repeat("问", r.IntN(50))})
	}
	for range n() {
		s.Background = append(s.Background, Session{Messages: []persona.Message{{Text: text(background, false)}}})
	}
	for range n() {
		s.OwnerMemories = append(s.OwnerMemories, Memory{Text: text(ownerMemory, false)})
	}
	for range n() {
		s.Memories = append(s.Memories, Memory{Text: text(chatMemory, false)})
	}
	for range n() {
		s.People = append(s.People, Person{ID: "1", Impression: text(people, false)})
	}
	if n() > 0 {
		s.OwnerActivity, s.GlobalReflection, s.Summary, s.InnerState = text(events, false), text(mind, false), text(summary, false), text(inner, false)
	}
	for range n() {
		s.Past = append(s.Past, schedule.Task{Title: text(pastTasks, true)})
	}
	for range n() {
		s.Planned = append(s.Planned, schedule.Task{Title: text(plannedTasks, false)})
	}
	for range n() {
		s.Notes = append(s.Notes, Memory{ID: "a", Text: text(notes, false)})
	}
	for range n() {
		s.Documents = append(s.Documents, Document{Name: "d", Text: text(documents, false)})
	}
	spare, at := 0, now.Add(-time.Hour)
	if spares {
		spare = n()
	}
	for i := range spare + n() {
		to := history
		if i < spare {
			to = cachePriority
		}
		at = at.Add(time.Duration(r.IntN(90)) * time.Second)
		s.History = append(s.History, persona.Message{Text: text(to, true), At: at})
	}
	s.CachePrefix = spare
	for _, to := range append([]priority{cachePriority}, allPriorities()...) {
		for _, mark := range of[to] {
			order = append(order, droppable{to, mark})
		}
	}
	return s, order
}

func allPriorities() (all []priority) {
	for r := range priorities {
		all = append(all, r)
	}
	return all
}

// The order of the documentation, in its words.
func TestContext_PrioritiesAsDocumented(t *testing.T) {
	assert.Equal(t, []priority{
		background, ownerMemory, chatMemory, people, events, pastTasks, notes, plannedTasks, mind, history, summary, inner, documents,
	}, allPriorities())
}

// For every size and budget: The text is well-formed. It exceeds the budget only if everything droppable was dropped.
// Items are dropped in the documented order. Everything else remains.
func TestContext_BudgetProperties(t *testing.T) {
	many := uint64(60)
	if testing.Short() {
		many = 12
	}
	for seed := range many {
		r := rand.New(rand.NewPCG(seed, 2))
		most := 1 + r.IntN(8)
		s, order := sized(r, func() int { return r.IntN(most + 1) }, seed%3 != 0)
		p, now := persona.Profile{Name: "小炉"}, time.Date(2026, 1, 5, 10, 0, 30, 0, cst)
		s.Budget = -1
		whole := Context(p, now, s)
		full := Tokens(whole)
		before, fewest := 0, 0
		for budget := full + 1; budget > 0; budget -= 1 + r.IntN(60) {
			s.Budget = budget
			text := Context(p, now, s)
			got, err := parse(text)
			require.NoError(t, err)
			kept := make(map[string]bool)
			gone, forgotten := 0, 0
			for i, d := range order {
				if kept[d.mark] = strings.Contains(text, d.mark); kept[d.mark] {
					continue
				}
				gone++
				said := d.priority == history || d.priority == cachePriority
				if said {
					forgotten++
				}
				for _, e := range order[:i] {
					if d.priority == history && s.CachePrefix > 0 && e.priority != cachePriority && e.priority != history { // it may be dropped together with the CachePrefix
						continue
					}
					require.False(t, kept[e.mark], "seed %d budget %d: %s of priority %d was dropped before %s of priority %d", seed, budget, d.mark, d.priority, e.mark, e.priority)
				}
			}
			require.GreaterOrEqual(t, forgotten, before, "a smaller budget keeps less of the history")
			if before = forgotten; s.CachePrefix == 0 {
				require.GreaterOrEqual(t, gone, fewest)
				fewest = gone
			}
			if gone < len(order) {
				require.LessOrEqual(t, Tokens(text), budget, "seed %d", seed)
			}
			if budget > full {
				require.Equal(t, whole, text)
			}
			asked := got.find("recent_messages").Kids
			require.Equal(t, meant(p, now, s).find("recent_messages").Kids[len(s.Background)], asked[len(asked)-1])
			require.NotNil(t, got.find("session_info"))
			require.Contains(t, text, "wake-payload")
			require.Contains(t, text, "<mood")
		}
	}
}
