package hfc

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
)

// The shares of the states over 10,000 days, for 5 seeds, equal those measured on the original.
func TestGlobalState_Shares(t *testing.T) {
	o := GlobalStateOptions{Unloaded: -1}.withDefaults()
	days := 10_000
	if testing.Short() {
		days = 1_000
	}
	for seed := range uint64(5) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dice := rand.NewPCG(seed, 1)
			var m globalMachine
			m.begin(o, 0)
			var minutes [4]int
			changes := 0
			for range days * 24 * 60 {
				if was, _ := m.decide(o, dice, 0); was != m.State {
					changes++
				}
				minutes[m.State]++
			}
			for state, want := range map[GlobalState]float64{Offline: 0, Peeking: .568, NormalChat: .165, FocusedChat: .267} {
				assert.InDelta(t, want, float64(minutes[state])/float64(days*24*60), .02, "%v", state)
			}
			assert.InDelta(t, 161, float64(changes)/float64(days), 4)
		})
	}
}

func TestGlobalState_Limits(t *testing.T) {
	o := GlobalStateOptions{}.withDefaults()
	for _, c := range []struct {
		s             GlobalState
		chat, focused int
	}{{Offline, 0, 0}, {Peeking, 1, 1}, {NormalChat, 3, 2}, {FocusedChat, 4, 4}} {
		assert.Equal(t, c.chat, o.limit(c.s, Chatting), c.s)
		assert.Equal(t, c.focused, o.limit(c.s, Focused), c.s)
	}
}

// The first decision after the start has the documented chances, and each state lasts its minimum time.
func TestGlobalState_FirstDecision(t *testing.T) {
	for _, may := range []bool{false, true} {
		o := GlobalStateOptions{MayGoOffline: may, Unloaded: -1}.withDefaults()
		var first [4]int
		const tries = 200_000
		dice := rand.NewPCG(1, 1)
		for range tries {
			var m globalMachine
			m.begin(o, 100)
			require.Equal(t, Offline, m.State)
			m.decide(o, dice, 0)
			first[m.State]++
		}
		offline := .03 + .97*.2
		want := [4]float64{0, .97*.3 + offline, .97 * .3, .97 * .2}
		if may {
			want = [4]float64{offline, .97 * .3, .97 * .3, .97 * .2}
		}
		for s, n := range first {
			assert.InDelta(t, want[s], float64(n)/tries, .004, "%v", GlobalState(s))
		}
	}
	o := GlobalStateOptions{Unloaded: -1}.withDefaults()
	for state, least := range map[GlobalState]int64{Peeking: 10, NormalChat: 5, FocusedChat: 10} {
		dice := rand.NewPCG(2, 1)
		for range 200 {
			m := globalMachine{State: state, Since: 100, Decided: 100, Loaded: 100}
			for m.State == state {
				_, why := m.decide(o, dice, 0)
				if m.State != state && m.Decided-100 < least {
					require.Equal(t, WhyPaused, why)
				}
				require.Less(t, m.Decided, int64(1000))
			}
		}
	}
}

func TestGlobalState_NothingFocused(t *testing.T) {
	o := GlobalStateOptions{}.withDefaults()
	fallen := func(focused int) (n int) {
		for seed := range uint64(200) {
			dice := rand.NewPCG(seed, 1)
			m := globalMachine{State: FocusedChat, Since: 100, Decided: 100, Loaded: 100}
			for m.State == FocusedChat && m.Decided < 110 {
				if _, why := m.decide(o, dice, focused); why == WhyNothingFocused {
					require.EqualValues(t, 110, m.Decided)
					require.Equal(t, NormalChat, m.State)
					n++
				}
			}
		}
		return n
	}
	assert.Greater(t, fallen(0), 100)
	assert.Zero(t, fallen(1))
}

// After a year without calls, only one day of the global state is simulated.
func TestGlobalState_CatchUpBounded(t *testing.T) {
	changes := 0
	f := newFlow[string](Options{AnswerQuestion: yes, Attention: heartflow.Options{Seed: 1, OnTrace: func(tr heartflow.Trace) {
		if tr.Kind == heartflow.KindState && tr.Chat == "" {
			changes++
		}
	}}})
	excite(f, noon, "g")
	f.Observe(noon, "p", heartflow.Message{From: "7", Private: true})
	f.Due(noon.Add(time.Hour))
	changes = 0
	year := noon.AddDate(1, 0, 0)
	f.Due(year)
	assert.Less(t, changes, 250)
	assert.Greater(t, changes, 80)
	assert.Empty(t, f.chats.byKey)
	next, ok := f.Next()
	require.True(t, ok)
	assert.Equal(t, year.Add(time.Minute), next)
	hold(t, f)
}

// A fixed global state never changes and needs no call of Due.
func TestGlobalState_Fixed(t *testing.T) {
	f := newFlow[string](Options{GlobalState: GlobalStateOptions{Fixed: Peeking}})
	assert.Empty(t, f.Due(noon))
	_, ok := f.Next()
	assert.False(t, ok)
	assert.Equal(t, Peeking, f.GlobalState(noon.AddDate(1, 0, 0)))
}
