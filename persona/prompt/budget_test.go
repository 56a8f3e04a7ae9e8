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

// A droppable is a piece of a scene that may be left out: its mark stands in it, and nowhere else.
type droppable struct {
	rank rank
	mark string
}

// spareRank stands for what goes before all ranks.
const spareRank = ranks

// sized makes a scene with n of each thing, each with a mark, and tells in which order they are to go.
func sized(r *rand.Rand, n func() int, spares bool) (s Scene, order []droppable) {
	now := time.Date(2026, 1, 5, 10, 0, 30, 0, cst)
	of := make(map[rank][]string) // marks, the first to go first
	marks := 0
	text := func(to rank, oldestFirst bool) string {
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
			to = spareRank
		}
		at = at.Add(time.Duration(r.IntN(90)) * time.Second)
		s.History = append(s.History, persona.Message{Text: text(to, true), At: at})
	}
	s.CachePrefix = spare
	for _, to := range append([]rank{spareRank}, allRanks()...) {
		for _, mark := range of[to] {
			order = append(order, droppable{to, mark})
		}
	}
	return s, order
}

func allRanks() (all []rank) {
	for r := range ranks {
		all = append(all, r)
	}
	return all
}

// What the documentation says of the order, in its words.
func TestRanksAreInTheStatedOrder(t *testing.T) {
	assert.Equal(t, []rank{
		background, ownerMemory, chatMemory, people, events, pastTasks, notes, plannedTasks, mind, history, summary, inner, documents,
	}, allRanks())
}

// However much there is and however small the budget: the text is well-formed; it exceeds the budget only when all that may
// go is gone; what goes, goes in the stated order; what has to stay stays.
func TestBudgetProperties(t *testing.T) {
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
				said := d.rank == history || d.rank == spareRank
				if said {
					forgotten++
				}
				for _, e := range order[:i] {
					if d.rank == history && s.CachePrefix > 0 && e.rank != spareRank && e.rank != history { // it may go along with spare ones
						continue
					}
					require.False(t, kept[e.mark], "seed %d budget %d: %s of rank %d went before %s of rank %d", seed, budget, d.mark, d.rank, e.mark, e.rank)
				}
			}
			require.GreaterOrEqual(t, forgotten, before, "a smaller budget leaves no more of the history")
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
