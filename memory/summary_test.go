package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// talk stores turns of two messages: one received and one reply.
func talk(t testing.TB, m *memory.Memory, s memory.Space, from, turns int) {
	for i := from; i < from+turns; i++ {
		at := noon.Add(time.Duration(i) * time.Second)
		put(t, m, memory.Record{ID: fmt.Sprint("q", i), Space: s, Person: "10001", Text: fmt.Sprint("问", i), At: at},
			memory.Record{ID: fmt.Sprint("a", i), Space: s, Person: "1", Own: true, Text: fmt.Sprint("答", i), At: at})
	}
}

// digest is a SummarizeFunc that describes its input.
func digest(_ context.Context, old string, raw []memory.Record) (string, error) {
	return fmt.Sprintf("%s[%s-%s]", old, raw[0].ID, raw[len(raw)-1].ID), nil
}

func update(t testing.TB, s *memory.Summarizer, now time.Time, space memory.Space) bool {
	due, err := s.Due(t.Context(), space)
	require.NoError(t, err)
	done, err := s.Update(t.Context(), now, space)
	require.NoError(t, err)
	assert.Equal(t, due, done)
	return done
}

func summary(t testing.TB, m *memory.Memory, s memory.Space) string {
	d, err := m.Summary(t.Context(), s)
	require.NoError(t, err)
	return d.Text
}

func TestSummarizer_EveryTwentyTurns(t *testing.T) {
	store := memory.NewMemStore()
	m := memorytest.New(t, store, memory.Options{})
	s := m.Summarizer(digest, memory.SummaryOptions{})
	talk(t, m, other, 0, 19)
	talk(t, m, group, 0, 19)
	assert.False(t, update(t, s, noon, group))
	talk(t, m, group, 19, 1)
	assert.True(t, update(t, s, noon, group))
	assert.Equal(t, "[q0-a19]", summary(t, m, group))
	assert.False(t, update(t, s, noon, group))
	assert.False(t, update(t, s, noon, other), "each space separately")
	assert.Empty(t, summary(t, m, other))

	m = memorytest.New(t, store, memory.Options{}) // a restart loses nothing
	s = m.Summarizer(digest, memory.SummaryOptions{})
	put(t, m, memory.Record{ID: "f", Space: group, Kind: memory.KindFact, Text: "not said"})
	talk(t, m, group, 20, 21)
	assert.True(t, update(t, s, noon, group))
	assert.Equal(t, "[q0-a19][q20-a40]", summary(t, m, group))
	d, err := m.Summary(t.Context(), group)
	require.NoError(t, err)
	assert.True(t, d.At.Equal(noon))
	recent, err := m.Recent(t.Context(), group, 1000)
	require.NoError(t, err)
	assert.Equal(t, []uint64{recent[0].Seq, recent[len(recent)-1].Seq}, []uint64{d.FirstSeq, d.LastSeq})
}

func TestSummarizer_NewTopic(t *testing.T) {
	lines := func(start time.Duration, texts ...string) (recs []memory.Record) {
		for i, text := range texts {
			recs = append(recs, memory.Record{Text: text, At: noon.Add(start + time.Duration(i)*time.Second)})
		}
		return recs
	}
	hiking := []string{"周五去爬山吗", "哪座山", "香山，看红叶", "几点出发", "早上八点地铁站集合", "爬山要带水"}
	exam := []string{"高数期末考到第几章", "老师划重点没有", "积分和级数都要考", "有人有往年卷子么", "图书馆打印店有", "级数完全不懂"}
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	s := m.Summarizer(digest, memory.SummaryOptions{})
	for i, r := range append(lines(0, hiking...), lines(time.Minute, exam...)...) {
		r.ID, r.Space = fmt.Sprint(i), group
		put(t, m, r)
		assert.Equal(t, i == 11, update(t, s, noon, group), "message %d", i)
	}
	assert.Equal(t, "[0-5]", summary(t, m, group), "the new topic is not summarized")
	never := m.Summarizer(digest, memory.SummaryOptions{Turns: -1, TopicWindow: -1})
	talk(t, m, other, 0, 50)
	assert.False(t, update(t, never, noon, other))
}

func TestSummarizer_OneCallAtATime(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	talk(t, m, group, 0, 20)
	talk(t, m, other, 0, 20)
	var s *memory.Summarizer
	calls := 0
	s = m.Summarizer(func(ctx context.Context, old string, raw []memory.Record) (string, error) {
		if calls++; calls == 1 {
			done, err := s.Update(ctx, noon, group)
			assert.NoError(t, err)
			assert.False(t, done, "the same space waits")
			done, err = s.Update(ctx, noon, other)
			assert.NoError(t, err)
			assert.True(t, done, "another space does not")
			put(t, m, message(group, "late", "meanwhile")) // no lock is held
		}
		return "new", nil
	}, memory.SummaryOptions{})
	done, err := s.Update(t.Context(), noon, group)
	require.NoError(t, err)
	assert.True(t, done)
	assert.Equal(t, 2, calls)
	assert.Equal(t, "new", summary(t, m, group))
}

func TestSummarizer_FailureKeepsOldSummary(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	talk(t, m, group, 0, 20)
	broken := errors.New("no model")
	var fail error
	calls := 0
	s := m.Summarizer(func(ctx context.Context, old string, raw []memory.Record) (string, error) {
		calls++
		if fail != nil {
			return "half a", fail
		}
		return digest(ctx, old, raw)
	}, memory.SummaryOptions{})
	require.True(t, update(t, s, noon, group))
	talk(t, m, group, 20, 20)
	fail = broken
	now := noon
	for i, rest := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		_, err := s.Update(t.Context(), now, group)
		require.ErrorIs(t, err, broken)
		assert.Equal(t, 2+i, calls)
		done, err := s.Update(t.Context(), now.Add(rest*time.Minute-1), group)
		assert.NoError(t, err)
		assert.False(t, done, "it backs off")
		now = now.Add(rest * time.Minute)
	}
	assert.Equal(t, "[q0-a19]", summary(t, m, group))
	fail = nil
	require.True(t, update(t, s, now, group))
	assert.Equal(t, "[q0-a19][q20-a39]", summary(t, m, group), "failed messages are not lost")
}

func TestSummarizer_PanicReleasesSpace(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	talk(t, m, group, 0, 20)
	calls := 0
	s := m.Summarizer(func(ctx context.Context, old string, raw []memory.Record) (string, error) {
		if calls++; calls == 1 {
			panic("a model of yours")
		}
		return digest(ctx, old, raw)
	}, memory.SummaryOptions{})
	assert.Panics(t, func() { s.Update(t.Context(), noon, group) })
	assert.True(t, update(t, s, noon.Add(time.Minute), group))
}

func TestSummarizer_MaxRunes(t *testing.T) {
	long := func(context.Context, string, []memory.Record) (string, error) {
		return strings.Repeat("长", 30), nil
	}
	for name, c := range map[string]struct {
		o    memory.SummaryOptions
		want string
	}{
		"merged":          {memory.SummaryOptions{MaxRunes: 20}, strings.Repeat("长", 20)},
		"merged, all":     {memory.SummaryOptions{MaxRunes: -1}, strings.Repeat("长", 30)},
		"appended":        {memory.SummaryOptions{MaxRunes: 100, Append: true}, strings.Repeat(strings.Repeat("长", 30)+"\n", 2) + strings.Repeat("长", 30)},
		"appended, short": {memory.SummaryOptions{MaxRunes: 20, Append: true}, strings.Repeat("长", 20)},
	} {
		t.Run(name, func(t *testing.T) {
			m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
			s := m.Summarizer(long, c.o)
			for i := range 5 {
				talk(t, m, group, 20*i, 20)
				require.True(t, update(t, s, noon, group))
			}
			assert.Equal(t, c.want, summary(t, m, group))
			assert.True(t, utf8.ValidString(summary(t, m, group)))
		})
	}
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	s := m.Summarizer(func(_ context.Context, old string, raw []memory.Record) (string, error) {
		assert.LessOrEqual(t, len(raw), 200)
		raw[0].Text = "spoiled"
		return " \xff ", nil
	}, memory.SummaryOptions{})
	talk(t, m, group, 0, 450)
	for range 4 {
		require.True(t, update(t, s, noon, group))
	}
	assert.Equal(t, "\uFFFD", summary(t, m, group))
}

// TestSummarizer_SourceDeletedMeanwhile: a summary does not contain messages that were deleted or changed while it was
// made.
func TestSummarizer_SourceDeletedMeanwhile(t *testing.T) {
	for name, change := range map[string]func(*memory.Memory) error{
		"forgotten": func(m *memory.Memory) error { return m.Delete(context.Background(), group, "q3") },
		"hidden":    func(m *memory.Memory) error { return m.Hide(context.Background(), group, "q3") },
		"changed":   func(m *memory.Memory) error { return m.Put(context.Background(), message(group, "q3", "撤回了")) },
		"another summary": func(m *memory.Memory) error {
			return m.SetSummary(context.Background(), group, memory.RollingSummary{Text: "by hand"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
			talk(t, m, group, 0, 30)
			calls := 0
			s := m.Summarizer(func(ctx context.Context, old string, raw []memory.Record) (string, error) {
				if calls++; calls == 1 {
					require.NoError(t, change(m))
				}
				var texts []string
				for _, r := range raw {
					texts = append(texts, r.Text)
				}
				return strings.Join(texts, " "), nil
			}, memory.SummaryOptions{})
			done, err := s.Update(t.Context(), noon, group)
			require.NoError(t, err)
			assert.False(t, done)
			assert.NotContains(t, summary(t, m, group), "问3 ")
			done, err = s.Update(t.Context(), noon, group)
			require.NoError(t, err)
			assert.True(t, done, "and it is due again")
			if name != "another summary" {
				assert.NotContains(t, summary(t, m, group), "问3 ")
			}
		})
	}
}

func TestMemory_SetSummary(t *testing.T) {
	m := memorytest.New(t, memory.NewMemStore(), memory.Options{})
	require.NoError(t, m.SetSummary(t.Context(), group, memory.RollingSummary{Text: "好\xff", At: noon, FirstSeq: 3, LastSeq: 9}))
	assert.ErrorIs(t, m.SetSummary(t.Context(), group, memory.RollingSummary{FirstSeq: 3, LastSeq: 2}), memory.ErrInvalid)
	assert.ErrorIs(t, m.SetSummary(t.Context(), group, memory.RollingSummary{Text: strings.Repeat("x", memory.MaxText+1)}), memory.ErrTooLong)
	assert.ErrorIs(t, m.SetSummary(t.Context(), "", memory.RollingSummary{}), memory.ErrInvalid)
	assert.ErrorIs(t, memorytest.New(t, minimalStore{memory.NewMemStore()}, memory.Options{}).SetSummary(t.Context(), group, memory.RollingSummary{}), memory.ErrNoState)
	d, err := m.Summary(t.Context(), group)
	require.NoError(t, err)
	assert.Equal(t, memory.RollingSummary{Text: "好\uFFFD", At: noon, FirstSeq: 3, LastSeq: 9, Label: memory.Untrusted(group)}, d)
	_, err = m.Summary(t.Context(), "a!!")
	assert.ErrorIs(t, err, memory.ErrInvalid)
	assert.Empty(t, summary(t, m, "qq:group:1/summary"))
	assert.Empty(t, summary(t, m, group.Secret()))
}
