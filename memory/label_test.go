package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLabel_ReadableFrom(t *testing.T) {
	a, b := Space("qq:group:1"), Space("qq:private:2")
	for _, c := range []struct {
		label Label
		from  []Space
		want  bool
	}{
		{Untrusted(a), []Space{a}, true},
		{Untrusted(a), []Space{a, b}, true},
		{Untrusted(a), []Space{b}, false},
		{Untrusted(a), nil, false},
		{Untrusted(a, b), []Space{a}, false},
		{Untrusted(a, b), []Space{b, a}, true},
		{Untrusted(a.Secret()), []Space{a}, false},
		{Trusted(), nil, true},
		{Untrusted(), []Space{a}, true},
		{OwnerOnly(), []Space{a, b, Owner}, false},
		{Label{}, []Space{a, Owner}, false},
	} {
		assert.Equal(t, c.want, c.label.ReadableFrom(c.from...), "%v from %v", c.label, c.from)
	}
}

func TestLabel_Join(t *testing.T) {
	a, b := Space("a b%20"), Space("b")
	assert.Equal(t, Untrusted(a, b), Trusted(a).Join(Untrusted(b)))
	assert.Equal(t, Trusted(a, b), Trusted(b).Join(Trusted(a)))
	assert.Equal(t, Untrusted(a), Trusted().Join(Untrusted(a)))
	assert.Equal(t, OwnerOnly(), Label{}.Join(Trusted()))
	assert.Equal(t, OwnerOnly(), Trusted(a).Join(OwnerOnly()))
	assert.Equal(t, []Space{a, b}, Untrusted(b, a, b).Spaces())
	assert.Empty(t, OwnerOnly().Spaces())
	assert.Empty(t, Trusted().Spaces())

	many := Trusted()
	for i := range MaxLabelSpaces {
		many = many.Join(Trusted(Space(fmt.Sprint(i))))
		require.False(t, many.IsOwnerOnly())
	}
	many = many.Join(Trusted("one more"))
	assert.True(t, many.IsOwnerOnly())
	assert.True(t, many.IsTrusted(), "readers do not determine trust")
}

// TestLabel_JoinIsLeastUpperBound: Join is commutative, associative and idempotent. The result is readable only by
// readers of both, and trusted only if both are.
func TestLabel_JoinIsLeastUpperBound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	spaces := []Space{"a", "b", "c d", "e%", "f!", "g", "h", "i", "j", "k", Owner, Self}
	random := func() Label {
		r.Shuffle(len(spaces), func(i, j int) { spaces[i], spaces[j] = spaces[j], spaces[i] })
		some := slices.Clone(spaces[:r.IntN(6)])
		switch r.IntN(10) {
		case 0:
			return OwnerOnly()
		case 1:
			return Label{}
		case 2, 3, 4, 5:
			return Trusted(some...)
		}
		return Untrusted(some...)
	}
	many := 20_000
	if testing.Short() {
		many = 2000
	}
	for range many {
		x, y, z := random(), random(), random()
		require.Equal(t, x.Join(y), y.Join(x))
		require.Equal(t, x.Join(y).Join(z), x.Join(y.Join(z)), "%v, %v, %v", x, y, z)
		if !x.IsZero() {
			require.Equal(t, x, x.Join(x))
		}
		from := slices.Clone(spaces[:r.IntN(len(spaces))])
		if xy := x.Join(y); xy.ReadableFrom(from...) {
			require.True(t, x.ReadableFrom(from...) && y.ReadableFrom(from...))
		} else if !xy.IsOwnerOnly() {
			require.False(t, x.ReadableFrom(from...) && y.ReadableFrom(from...))
		}
		require.Equal(t, x.IsTrusted() && y.IsTrusted(), x.Join(y).IsTrusted())

		text, err := json.Marshal(x)
		require.NoError(t, err)
		var back Label
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, x, back)
	}
}

func FuzzLabel(f *testing.F) {
	for _, s := range []string{"", "T", "U", "U qq:group:1 qq:private:2", "T owner", "U !", "U b a", "X a", "U a!! b", "U  a", "U a%20b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var l Label
		if err := l.UnmarshalText([]byte(s)); err != nil {
			require.ErrorIs(t, err, ErrInvalid)
			require.True(t, l.IsZero())
			return
		}
		require.Equal(t, s, l.String())
		require.False(t, l.IsOwnerOnly() && l.ReadableFrom(l.Spaces()...))
	})
}

func TestReader_EnforcesLabels(t *testing.T) {
	group, other := Space("qq:group:1"), Space("qq:private:2")
	for _, name := range []string{"words", "newest"} {
		t.Run(name, func(t *testing.T) {
			m := newMemory(t, NewMemStore(), Options{})
			keep := func(id string, s Space, l Label, sources ...string) {
				require.NoError(t, m.Put(t.Context(), Record{ID: id, Space: s, Kind: KindFact, Text: "喜欢乌龙茶 " + id, Label: l, Sources: sources}))
			}
			keep("own", group, Label{})
			keep("made", group, Label{}, "1")
			keep("public", group, Trusted())
			keep("joined", group, Untrusted(group, other))
			keep("owner's", group, OwnerOnly())
			keep("typed", Owner, Trusted(Owner))
			keep("heard", Owner, Untrusted(Owner, group))
			keep("old", Owner, Label{}, "1")
			found := func(r *Reader) (ids []string) {
				q := Query{Text: "乌龙茶", KeepDuplicates: true}
				if name == "newest" {
					q.Text = ""
				}
				hits, err := r.Recall(t.Context(), noon, q)
				require.NoError(t, err)
				for _, h := range hits {
					ids = append(ids, h.ID)
				}
				slices.Sort(ids)
				return ids
			}
			assert.Equal(t, []string{"made", "own", "public"}, found(m.Reader(group)))
			assert.Equal(t, []string{"joined", "made", "own", "public"}, found(m.Reader(group, other)))
			assert.Equal(t, []string{"typed"}, found(m.Reader(Owner)))
			assert.Equal(t, []string{"heard", "made", "own", "public", "typed"}, found(m.Reader(Owner, group)))
			assert.Equal(t, []string{"heard", "joined", "made", "old", "own", "owner's", "public", "typed"}, found(m.OwnerReader(Owner, group)))
			same := func(_ context.Context, s string) (string, error) { return s, nil }
			assert.Equal(t, []string{"typed"}, found(m.Reader(Owner).Redacted(same)))
			assert.Equal(t, []string{"heard", "old", "typed"}, found(m.OwnerReader(Owner, group).Narrow(Owner).Redacted(same)))
		})
	}
}

func TestNotes_WithLabel(t *testing.T) {
	m := newMemory(t, NewMemStore(), Options{})
	for _, c := range []struct {
		in      Space
		bearing Label
		sources []string
		want    Label
	}{
		{"qq:group:1", Label{}, []string{"1"}, Untrusted("qq:group:1")},
		{"qq:group:1", Untrusted("qq:group:1", "qq:group:2"), nil, Untrusted("qq:group:1", "qq:group:2")},
		{Owner, Label{}, nil, Untrusted(Owner)},
		{Owner, Label{}, []string{"1"}, OwnerOnly()},
		{Owner, Trusted(Owner), []string{"1"}, Trusted(Owner)},
		{Self, Untrusted(), []string{"1"}, Untrusted()},
		{Self, Label{}, []string{"1"}, OwnerOnly()},
	} {
		notes := m.Notes(c.in).WithLabel(c.bearing)
		require.NoError(t, notes.SetSlot(t.Context(), noon, "a", "b", c.sources...))
		require.NoError(t, notes.SetInnerState(t.Context(), noon, "b", c.sources...))
		slots, err := m.Notes(c.in).Slots(t.Context())
		require.NoError(t, err)
		require.Len(t, slots, 1)
		assert.Equal(t, c.want, slots[0].Label, "%v", c)
		inner, err := m.Notes(c.in).InnerState(t.Context())
		require.NoError(t, err)
		assert.Equal(t, c.want, inner.Label)
	}
}

// putOwnerTalk stores a conversation with the owner in which the bot repeats a message of a group.
func putOwnerTalk(t *testing.T) *Memory {
	m := newMemory(t, NewMemStore(), Options{})
	for i, r := range []Record{
		{Text: "我明天去杭州", Label: Trusted(Owner)},
		{Text: "群里说要发红包", Own: true, Label: Untrusted(Owner, "qq:group:1")},
		{Text: "记得带伞", Label: Trusted(Owner)},
	} {
		r.ID, r.Space, r.At = fmt.Sprint(i), Owner, noon
		require.NoError(t, m.Put(t.Context(), r))
	}
	return m
}

func TestSummarizer_JoinsLabels(t *testing.T) {
	m := putOwnerTalk(t)
	s := m.Summarizer(func(_ context.Context, old string, raw []Record) (string, error) { return old + raw[0].Text, nil }, SummaryOptions{Turns: 1, MaxMessages: 1, TopicChanged: func(_, _ []Record) bool { return false }})
	for _, want := range []string{"我明天去杭州", "我明天去杭州", "我明天去杭州记得带伞"} {
		done, err := s.Update(t.Context(), noon, Owner)
		require.NoError(t, err)
		require.True(t, done)
		d, err := m.Summary(t.Context(), Owner)
		require.NoError(t, err)
		assert.Equal(t, want, d.Text, "only trusted messages")
		assert.Equal(t, Trusted(Owner), d.Label)
	}
	group := Space("qq:group:1")
	for i, l := range []Label{{}, Trusted(group), Untrusted(group, "qq:group:2")} {
		require.NoError(t, m.Put(t.Context(), Record{ID: fmt.Sprint(i), Space: group, Text: "话", Label: l}))
		done, err := s.Update(t.Context(), noon, group)
		require.NoError(t, err)
		require.True(t, done)
	}
	d, err := m.Summary(t.Context(), group)
	require.NoError(t, err)
	assert.Equal(t, "话话话", d.Text)
	assert.Equal(t, Untrusted(group, "qq:group:2"), d.Label)
}

func TestDream_OneCallPerLabel(t *testing.T) {
	m := putOwnerTalk(t)
	require.NoError(t, m.Put(t.Context(), Record{ID: "known", Space: Owner, Kind: KindFact, Text: "群里爱发红包, 杭州", Label: Untrusted(Owner, "qq:group:1"), At: noon}))
	var nights []DreamInput
	_, err := m.Dream(t.Context(), noon.AddDate(0, 0, 1), func(_ context.Context, n DreamInput) ([]Insight, error) {
		nights = append(nights, n)
		return []Insight{{Text: n.Messages[0].Text, Replaces: []string{"known"}}}, nil
	}, DreamOptions{})
	require.NoError(t, err)
	require.Len(t, nights, 2)
	assert.Len(t, nights[0].Messages, 2)
	assert.Empty(t, nights[0].Known, "it came from others")
	assert.Len(t, nights[1].Messages, 1)
	assert.Len(t, nights[1].Known, 1)
	labels := map[string]Label{}
	for r, err := range m.store.Scan(t.Context(), Owner, 0) {
		require.NoError(t, err)
		if r.Kind == KindFact {
			labels[r.Text] = r.LabelOrDefault()
		}
	}
	assert.Equal(t, map[string]Label{"我明天去杭州": Trusted(Owner), "群里说要发红包": Untrusted(Owner, "qq:group:1")}, labels)
}

// TestDelete_DerivedDataInSharedSpaces: data derived from a chat is deleted with its sources in any space. Data derived
// from other records with the same IDs stays.
func TestDelete_DerivedDataInSharedSpaces(t *testing.T) {
	group, other := Space("qq:group:1"), Space("qq:group:2")
	made := func(s Space) *Memory {
		m := newMemory(t, NewMemStore(), Options{})
		for _, in := range []Space{group, other} {
			require.NoError(t, m.Put(t.Context(), Record{ID: "1", Space: in, Person: "9", Text: "暗号"}))
		}
		for _, from := range []Space{group, other} {
			l := Untrusted(s, from)
			require.NoError(t, m.Notes(s).WithLabel(l).SetSlot(t.Context(), noon, string(from), "暗号", "1"))
			require.NoError(t, m.Put(t.Context(), Record{ID: "fact" + string(from), Space: s, Kind: KindFact, Text: "暗号", Sources: []string{"1"}, Label: l}))
		}
		require.NoError(t, m.Notes(s).SetSlot(t.Context(), noon, "own", "自己的"))
		return m
	}
	left := func(m *Memory, s Space) (all []string) {
		slots, err := m.Notes(s).Slots(t.Context())
		require.NoError(t, err)
		for _, n := range slots {
			all = append(all, n.Name)
		}
		for r, err := range m.store.Scan(t.Context(), s, 0) {
			require.NoError(t, err)
			all = append(all, r.ID)
		}
		return all
	}
	for _, s := range []Space{Owner, Self} {
		for name, forget := range map[string]func(m *Memory) error{
			"a message": func(m *Memory) error { return m.Delete(t.Context(), group, "1") },
			"a chat": func(m *Memory) error {
				_, err := m.EraseSpace(t.Context(), group, EraseOptions{})
				return err
			},
		} {
			m := made(s)
			require.Equal(t, []string{"own", string(group), string(other), "fact" + string(group), "fact" + string(other)}, left(m, s))
			require.NoError(t, forget(m), name)
			assert.Equal(t, []string{"own", string(other), "fact" + string(other)}, left(m, s), "%s, %s", s, name)
		}
		m := made(s)
		_, err := m.ErasePerson(t.Context(), "9", EraseOptions{})
		require.NoError(t, err)
		assert.Equal(t, []string{"own"}, left(m, s), "%s, a person", s)
	}
}

func TestReader_HidesSecretTag(t *testing.T) {
	m := newMemory(t, NewMemStore(), Options{})
	require.NoError(t, m.Put(t.Context(), Record{ID: "1", Space: Owner, Text: "银行卡密码", Tags: []string{TagSecret}}))
	for r, want := range map[*Reader]int{m.Reader(Owner): 0, m.OwnerReader(Owner): 1} {
		hits, err := r.Recall(t.Context(), noon, Query{Text: "银行卡"})
		require.NoError(t, err)
		assert.Len(t, hits, want)
	}
}

func TestDelete_Quotations(t *testing.T) {
	group, other := Space("qq:group:1"), Space("qq:group:2")
	const words = "我下个月要换工作了"
	for name, forget := range map[string]func(m *Memory) error{
		"a message": func(m *Memory) error { return m.Delete(t.Context(), group, "1") },
		"a chat":    func(m *Memory) error { _, err := m.EraseSpace(t.Context(), group, EraseOptions{}); return err },
		"a person":  func(m *Memory) error { _, err := m.ErasePerson(t.Context(), "9", EraseOptions{}); return err },
	} {
		m := newMemory(t, NewMemStore(), Options{})
		own := func(id string, s Space, text string, l Label) Record {
			return Record{ID: id, Space: s, Kind: KindMessage, Text: text, Own: true, Label: l}
		}
		require.NoError(t, m.Put(t.Context(),
			own("early", group, words+"？", Label{}),
			Record{ID: "1", Space: group, Kind: KindMessage, Person: "9", Text: words},
			own("quotes", group, "小满说「"+words+"」", Label{}), own("answers", group, "恭喜小满", Label{}),
			own("told", Owner, "小满说："+words, Untrusted(Owner, group)), own("about", Owner, "小满有新消息", Untrusted(Owner, group)),
			own("elsewhere", Owner, words, Untrusted(Owner, other)), own("typed", Owner, words, Trusted(Owner)),
			own("apart", other, words, Label{}),
		))
		require.NoError(t, forget(m), name)
		var left []string
		for _, s := range []Space{group, Owner, other} {
			for r, err := range m.store.Scan(t.Context(), s, 0) {
				require.NoError(t, err)
				left = append(left, r.ID)
			}
		}
		want := []string{"early", "answers", "about", "elsewhere", "typed", "apart"}
		if name == "a chat" {
			want = want[2:]
		}
		assert.Equal(t, want, left, name)
	}
}
