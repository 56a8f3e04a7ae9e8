package hfc

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// run plays up to so many steps of c. Each step takes some time, and answer returns its result or false for none.
// Somebody writes at the given interval; 0: never. It returns the time and whether the focus is over.
func run(c *Cycle, steps int, takes, writes time.Duration, answer func(Step) (StepResult, bool)) (time.Time, bool) {
	now, wrote := noon, noon
	for range steps {
		at, ok := c.Next()
		if !ok {
			return now, true
		}
		for writes > 0 && !wrote.Add(writes).After(at) {
			wrote = wrote.Add(writes)
			c.Observe(wrote)
			if at, ok = c.Next(); !ok {
				return wrote, true
			}
		}
		now = at
		step, ok := c.NextStep(now, Feeling{})
		if !ok {
			continue
		}
		if a, answered := answer(step); answered {
			c.FinishStep(now.Add(takes), step.ID, a)
		}
	}
	return now, c.Ended(now) != ""
}

func choosing(a Action) func(Step) (StepResult, bool) {
	return func(Step) (StepResult, bool) { return StepResult{Plan: Plan{Action: a}}, true }
}

// With only no_replies, or without results, every focus ends, with or without new messages.
func TestCycle_SilenceEndsFocus(t *testing.T) {
	for name, answer := range map[string]func(Step) (StepResult, bool){
		"no_reply": choosing(NoReply),
		"nonsense": choosing("dance"),
		"failures": func(Step) (StepResult, bool) { return StepResult{Err: errors.New("no")}, true },
		"nobody":   func(Step) (StepResult, bool) { return StepResult{}, false },
		"acts that fail": func(a Step) (StepResult, bool) {
			if a.Kind == Act {
				return StepResult{Err: errors.New("muted")}, true
			}
			return StepResult{Plan: Plan{Action: first(a.Allowed)}}, true
		},
	} {
		for _, writes := range []time.Duration{0, 300 * time.Millisecond, 10 * time.Second, 5 * time.Minute} {
			c := newCycle(noon, 7, CycleOptions{})
			at, ended := run(c, 4000, time.Second, writes, answer)
			assert.True(t, ended, "%s, a message each %v", name, writes)
			assert.Equal(t, EndSilent, c.Ended(at))
			if writes == 0 {
				rs := c.Records()
				assert.Len(t, rs, 3, name)
				assert.Equal(t, 300*time.Second, at.Sub(rs[2].Ended), name)
			}
		}
	}
}

func first(list []Action) Action {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// HFC counted a whole wait at its start. Here three waits that messages end early are no silence of ten minutes.
func TestCycle_CountsShortWaits(t *testing.T) {
	c := newCycle(noon, 7, CycleOptions{})
	now := noon
	for n := range 20 {
		for range 2 {
			step, ok := c.NextStep(now, Feeling{})
			require.True(t, ok)
			require.Equal(t, n, step.ConsecutiveSilences)
			require.Equal(t, time.Duration(n)*20*time.Second, step.SilentFor)
			require.True(t, c.FinishStep(now, step.ID, StepResult{Plan: Plan{Action: NoReply}}))
		}
		now = now.Add(20 * time.Second)
		c.Observe(now)
		require.Empty(t, c.Ended(now))
	}
}

// A repeated thought is rewritten, and another one is kept.
func TestCycle_RewritesRepeatedThought(t *testing.T) {
	c := newCycle(noon, 7, CycleOptions{})
	now := noon
	think := func(text string) string {
		step, ok := c.NextStep(now, Feeling{})
		require.True(t, ok)
		require.Equal(t, Think, step.Kind)
		require.True(t, c.FinishStep(now, step.ID, StepResult{Thought: text}))
		step, ok = c.NextStep(now, Feeling{})
		require.True(t, ok)
		require.Equal(t, MakePlan, step.Kind)
		require.True(t, c.FinishStep(now, step.ID, StepResult{Plan: Plan{Action: NoReply}}))
		now = now.Add(20 * time.Second)
		c.Observe(now)
		return step.Thought
	}
	const hills = "他们在聊周末爬山的事，我也想去"
	assert.Equal(t, hills, think(hills), "the first thought")
	again := think(hills)
	assert.NotEqual(t, hills, again)
	assert.NotEmpty(t, again)
	assert.Equal(t, "猫真可爱", think("猫真可爱"), "a different thought")
}

// NextStep passes the feeling on, and an earlier time counts as the latest one.
func TestCycle_TimeAndFeeling(t *testing.T) {
	c := newCycle(noon, 7, CycleOptions{})
	f := Feeling{Valence: .5, Arousal: -.5, Energy: .8}
	a, ok := c.NextStep(noon.Add(time.Minute), f)
	require.True(t, ok)
	assert.Equal(t, f, a.Feeling)
	assert.Equal(t, noon.Add(time.Minute), a.At)
	require.True(t, c.FinishStep(noon, a.ID, StepResult{}))
	a, ok = c.NextStep(noon, f)
	require.True(t, ok)
	assert.Equal(t, noon.Add(time.Minute), a.At)
	assert.Equal(t, noon.Add(time.Minute+100*time.Second), a.Expires)
}

// Chances over many seeds: withheld replies, kept stickers, repeated thoughts.
func TestCycle_Chances(t *testing.T) {
	const seeds = 3000
	text, both, kept, again := 0, 0, 0, 0
	for seed := range uint64(seeds) {
		c := newCycle(noon, seed, CycleOptions{})
		c.s.Replies = 1
		if !slices.Contains(c.allowed(), TextReply) {
			text++
		}
		c.s.Replies = 2
		if !slices.Contains(c.allowed(), EmojiReply) {
			both++
		}
		c.s.Asked.Allowed = actions[:]
		c.setPlan(c.s.Now, Plan{Action: TextReply, EmojiQuery: "猫"})
		if c.s.Running.Plan.EmojiQuery != "" {
			kept++
		}
		c.s.Unseen = 3
		c.setThought("", "嗯")
		if c.s.Running.Replanned {
			again++
		}
	}
	for _, share := range []struct {
		n    int
		want float64
	}{{text, .4}, {both, .8}, {kept, .3}, {again, .2}} {
		assert.InDelta(t, share.want, float64(share.n)/seeds, .03)
	}

	c := newCycle(noon, 1, CycleOptions{StickerChance: -1, ReplanAfter: -1})
	c.s.Asked.Allowed = actions[:]
	c.setPlan(c.s.Now, Plan{Action: TextReply, EmojiQuery: "猫"})
	c.s.Unseen = 100
	c.setThought("", "嗯")
	assert.Empty(t, c.s.Running.Plan.EmojiQuery)
	assert.False(t, c.s.Running.Replanned)
}

func TestCycleOptions_Invalid(t *testing.T) {
	assert.NoError(t, CycleOptions{}.validate())
	for _, o := range []CycleOptions{{SilenceWait: -1}, {StepTimeout: -1}, {GiveUpAfter: -1}, {ReplanChance: 1.5}, {ReplanChance: -.1}, {StickerChance: 2}} {
		assert.Error(t, o.validate())
		_, err := NewCycle(noon, 1, o)
		assert.Error(t, err)
	}
}

func TestCycle_InvalidJSON(t *testing.T) {
	c := newCycle(noon, 1, CycleOptions{})
	good, err := json.Marshal(c)
	require.NoError(t, err)
	for field, v := range map[string]any{
		"Dice": "AAAA", "Now": 0, "Began": noon.Add(time.Hour).UnixNano(), "Unseen": -1, "Silent": -1, "Waited": -1, "Step": "dance", "Ended": "x",
		"Open": true, "Past": make([]CycleRecord, 11), "Wake": -1,
	} {
		var m map[string]any
		require.NoError(t, json.Unmarshal(good, &m))
		m[field] = v
		bad, err := json.Marshal(m)
		require.NoError(t, err)
		assert.Error(t, json.Unmarshal(bad, c), field)
		after, err := json.Marshal(c)
		require.NoError(t, err)
		assert.JSONEq(t, string(good), string(after), field)
	}
	var zero Cycle
	require.NoError(t, json.Unmarshal(good, &zero), "the zero Cycle has zero options")
	_, ok := zero.NextStep(noon, Feeling{})
	assert.True(t, ok)
}

// FuzzCycle calls the methods in any order with jumping times. There is never a second open step, nothing happens
// before Next, and a result counts once. Extra reads, and restarts without an open step, change nothing.
func FuzzCycle(f *testing.F) {
	f.Add([]byte{0, 1, 0, 2, 40, 3, 0, 2, 1, 3, 0, 2, 9, 3, 200, 2, 0, 0, 2, 3})
	f.Add([]byte("thinking, choosing and acting for a long time, and then again"))
	f.Fuzz(func(t *testing.T, steps []byte) {
		c, now, latest := newCycle(noon, 5, CycleOptions{}), noon, noon
		var asked Step // the latest
		open := false
		for i, b := range steps[:min(len(steps), 200)] {
			lazy := copyOf(c)
			before := now
			now = now.Add(time.Duration(int8(b)) * time.Duration(i) * 100 * time.Millisecond)
			for at := before; at.Before(now); at = at.Add(max(now.Sub(before)/8, 1)) {
				c.Ended(at) // extra reads
			}
			if now.After(latest) {
				latest = now
			}
			switch b % 4 {
			case 0:
				c.Observe(now)
				lazy.Observe(now)
			case 1, 2:
				step, ok := c.NextStep(now, Feeling{})
				same, _ := lazy.NextStep(now, Feeling{})
				require.Equal(t, same, step)
				if ok {
					require.False(t, open && latest.Before(asked.Expires), "a second step")
					require.Equal(t, asked.ID+1, step.ID)
					asked, open = step, true
				}
			case 3:
				a := StepResult{Thought: "嗯", Plan: Plan{Action: actions[int(b/4)%len(actions)], EmojiQuery: "x"}}
				if b > 200 {
					a.Err = errors.New("no")
				}
				require.Equal(t, open && latest.Before(asked.Expires), c.FinishStep(now, asked.ID, a))
				require.False(t, c.FinishStep(now, asked.ID, a), "a result counted twice")
				lazy.FinishStep(now, asked.ID, a)
				open = false
			}
			c.Ended(now)
			lazy.Ended(now)
			require.Equal(t, lazy, c)
			require.LessOrEqual(t, len(c.Records()), 10)

			at, ok := c.Next()
			require.Equal(t, ok, c.Ended(now) == "")
			if _, early := copyOf(c).NextStep(at.Add(-1), Feeling{}); ok && at.After(latest) {
				require.False(t, early, "before Next")
			}
			if !c.s.Open {
				c = restored(t, c)
			}
		}
	})
}

func copyOf(c *Cycle) *Cycle {
	d := *c
	d.s.Past = slices.Clone(c.s.Past)
	return &d
}

// restored returns c after a restart.
func restored(t *testing.T, c *Cycle) *Cycle {
	saved, err := json.Marshal(c)
	require.NoError(t, err)
	d := newCycle(noon, 99, CycleOptions{})
	require.NoError(t, json.Unmarshal(saved, d))
	again, err := json.Marshal(d)
	require.NoError(t, err)
	require.Equal(t, string(saved), string(again))
	return d
}

// FuzzCycleSaved restores arbitrary bytes. An accepted cycle still works.
func FuzzCycleSaved(f *testing.F) {
	c := newCycle(noon, 1, CycleOptions{})
	run(c, 20, time.Second, 0, choosing(EmojiReply))
	b, err := json.Marshal(c)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		c := newCycle(noon, 1, CycleOptions{})
		if json.Unmarshal(b, c) != nil {
			return
		}
		run(c, 20, time.Second, time.Minute, choosing(NoReply))
		_, err := json.Marshal(c)
		require.NoError(t, err)
	})
}

// BenchmarkCycle plays one cycle of three steps.
func BenchmarkCycle(b *testing.B) {
	now := noon
	c := newCycle(now, 1, CycleOptions{})
	thoughts := []string{"他们在聊周末爬山的事，我也想去", "又有人提起猫了，好可爱", "这题我会，等等看他们会不会问我"}
	dice := rand.New(rand.NewPCG(1, 1))
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Second)
		c.Observe(now)
		for step, ok := c.NextStep(now, Feeling{}); ok; step, ok = c.NextStep(now, Feeling{}) {
			c.FinishStep(now, step.ID, StepResult{Thought: thoughts[dice.IntN(3)], Plan: Plan{Action: EmojiReply}})
		}
	}
}
