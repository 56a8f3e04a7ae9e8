package erase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	somebody = persona.Account{Platform: "qq", ID: "1001"}
	private  = persona.Chat{Platform: "qq", Kind: persona.Private, ID: somebody.ID}
	group    = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	other    = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "2"}
	public   = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "9"}
	foreign  = persona.Chat{Platform: "other", Kind: persona.Group, ID: "1"}
)

// A bench is an Eraser over an engine that does not run.
type bench struct {
	*testing.T
	options  engine.Options
	store    *failing
	records  int
	order    []string // in which things were forgotten
	failed   error    // of what the bot planned
	engine   *engine.Engine
	eraser   *Eraser
	uncounts []persona.Chat
}

// A failing store fails to write while it is told to.
type failing struct {
	*memory.MemStore
	err error
}

func (s *failing) Apply(ctx context.Context, rows map[string][]byte) error {
	return cmp.Or(s.err, s.MemStore.Apply(ctx, rows))
}

// A counted attention notes of which chats it forgets what it counted.
type counted struct {
	engine.Attention
	b *bench
}

func (c counted) Forget(chat persona.Chat) {
	c.b.uncounts = append(c.b.uncounts, chat)
	c.Attention.Forget(chat)
}

func inBench(t *testing.T, change func(b *bench), test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, store: &failing{MemStore: memory.NewMemStore()}}
		b.options = engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: struct{ engine.Link }{}, Store: b.store,
			Chats: func(c persona.Chat) engine.ChatOptions { return engine.ChatOptions{Public: c == public} },
		}
		if change != nil {
			change(b)
		}
		var err error
		b.engine, err = engine.New(b.options)
		require.NoError(t, err)
		b.engine.Attention = counted{b.engine.Attention, b}
		b.engine.Register(engine.Part{Erase: func(context.Context, memory.Erasure, map[string][]byte) error {
			b.order = append(b.order, "messages")
			return nil
		}})
		b.eraser = New(b.engine, func(_ context.Context, s engine.Scope) error {
			b.order = append(b.order, "own of "+string(s.Space))
			return b.failed
		})
		b.eraser.begun = func(context.Context) error { return nil }
		test(b)
	})
}

func (b *bench) chat(c persona.Chat) *engine.Chat {
	b.Helper()
	r, err := b.engine.Chat(b.Context(), c)
	require.NoError(b, err)
	return r
}

// keep has somebody, or the bot where from is "", say something now, and returns the ID of the record.
func (b *bench) keep(space memory.Space, from, text string, sources ...string) string {
	b.Helper()
	b.records++
	id := fmt.Sprint("k", b.records, "@1")
	require.NoError(b, b.engine.Memory.Put(b.Context(), memory.Record{
		ID: id, Space: space, Kind: memory.KindMessage, Person: from, Text: text, Own: from == "", At: time.Now(), Sources: sources,
	}))
	return id
}

func space(c persona.Chat) memory.Space { return memory.Space(c.String()) }

// texts are those that are in some space still.
func (b *bench) texts(spaces ...memory.Space) (texts []string) {
	b.Helper()
	for _, s := range spaces {
		for rec, err := range b.store.Scan(b.Context(), s, 0) {
			require.NoError(b, err)
			texts = append(texts, rec.Text)
		}
	}
	return texts
}

func (b *bench) think(text string) {
	b.Helper()
	require.NoError(b, b.engine.Memory.Notes(memory.Self).SetInnerState(b.Context(), time.Now(), text))
}

// mind is what the bot by itself thinks.
func (b *bench) mind() string {
	b.Helper()
	inner, err := b.engine.Memory.Notes(memory.Self).InnerState(b.Context())
	require.NoError(b, err)
	return inner.Text
}

// waiting empties the buffer of a chat, and returns the texts of what was in it.
func (b *bench) waiting(chat persona.Chat) (texts []string) {
	b.engine.Buffer.Drop(chat, func(m engine.Incoming) bool {
		texts = append(texts, m.Text)
		return true
	})
	return texts
}

func message(chat persona.Chat, from, text string) persona.Message {
	return persona.Message{ID: text, Key: text + "@1", Chat: chat, From: from, Text: text, At: time.Now()}
}

// A held turn answers messages until it is let go of, or loses its ground.
type held struct {
	letGo chan struct{}
	lost  error // why its context ended
	over  chan struct{}
}

// hold begins a turn in a chat.
func (b *bench) hold(c *engine.Chat, items ...persona.Message) *held {
	b.Helper()
	h := &held{letGo: make(chan struct{}), over: make(chan struct{})}
	now := time.Now()
	j := &engine.Job{Chat: c, Job: jobs.Job{ID: "batch/1", Kind: "batch", Chat: c.ID, At: now, ExpiresAt: now.Add(time.Hour)}, Items: items, Answers: true}
	j.Enter = func(ctx context.Context) (func(), error) { return c.Turn.Unlock, c.Turn.Lock(ctx) }
	j.Ask = func(ctx context.Context, _ *engine.Turn) (engine.Answer, error) {
		select {
		case <-h.letGo:
			return engine.Answer{}, nil
		case <-ctx.Done():
			h.lost = context.Cause(ctx)
			return engine.Answer{}, h.lost
		}
	}
	j.Deliver = func(_ context.Context, _ *engine.Turn, _ *engine.Answer, err error) (string, error) { return "", err }
	go func() {
		defer close(h.over)
		_, _ = b.engine.Do(b.Context(), j)
	}()
	synctest.Wait()
	return h
}

func TestEraser_RefusesWhatIsNobody(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.keep(space(group), "", "嗯")
		for _, who := range []persona.Account{{}, {Platform: "qq"}, {ID: "1001"}} {
			_, err := b.eraser.Person(b.Context(), who, nil)
			assert.ErrorContains(b, err, "forget whom", who)
		}
		for _, chat := range []persona.Chat{{}, {Platform: "qq", Kind: persona.Group}} {
			_, err := b.eraser.Chat(b.Context(), chat, nil)
			assert.ErrorContains(b, err, "forget which chat", chat)
		}
		assert.Empty(b, b.order)
		assert.Equal(b, []string{"嗯"}, b.texts(space(group)))
	})
}

// Before the engine runs, and where nothing can be written, nothing is forgotten by halves.
func TestEraser_ForgetsNothingBeforeItCan(t *testing.T) {
	full := errors.New("the disk is full")
	for name, change := range map[string]func(b *bench){
		"it does not run": func(b *bench) { b.eraser.begun = func(context.Context) error { return full } },
		"a full disk":     func(b *bench) { b.store.err = full },
	} {
		inBench(t, nil, func(b *bench) {
			b.keep(space(group), somebody.ID, "在吗")
			change(b)
			_, err := b.eraser.Person(b.Context(), somebody, nil)
			assert.ErrorIs(b, err, full, name)
			_, err = b.eraser.Chat(b.Context(), group, nil)
			assert.ErrorIs(b, err, full, name)
			assert.Equal(b, []string{"在吗"}, b.texts(space(group)), name)
			assert.Empty(b, b.order, name)
			assert.False(b, b.engine.Tombstones.Has(group, somebody.ID), name)
		})
	}
	inBench(t, nil, func(b *bench) {
		ctx, cancel := context.WithCancel(b.Context())
		cancel()
		_, err := New(b.engine, nil).Person(ctx, somebody, nil)
		assert.ErrorContains(b, err, "does not run", "it waits until the engine runs")
	})
}

func TestEraser_Person(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.keep(space(group), somebody.ID, "群里说的")
		b.keep(space(group), "1002", "别人说的")
		b.keep(space(group).Secret(), somebody.ID, "不能说的")
		b.keep(space(private), somebody.ID, "私下说的")
		b.keep(space(private), "", "私下答的")
		b.keep(space(other), "1002", "没有人在")
		b.keep(memory.Owner, "owner", "主人说的")
		b.keep(memory.Self, "", "自己想的")
		b.think("今天不错")

		var progress [][2]int
		n, err := b.eraser.Person(b.Context(), somebody, func(done, total int) { progress = append(progress, [2]int{done, total}) })
		require.NoError(b, err)
		assert.Equal(b, 4, n)
		assert.Equal(b, []string{"别人说的", "没有人在", "主人说的", "自己想的"}, b.texts(space(group), space(group).Secret(), space(private), space(other), memory.Owner, memory.Self))
		require.NotEmpty(b, progress)
		last := progress[len(progress)-1]
		assert.Equal(b, last[1], last[0], "the last of them")

		now := time.Now()
		assert.True(b, b.engine.Tombstones.Cover(other, somebody.ID, now), "wherever they said it")
		assert.True(b, b.engine.Tombstones.Cover(private, "7", now), "the chat with them")
		assert.False(b, b.engine.Tombstones.Cover(group, "1002", now))
		assert.False(b, b.engine.Tombstones.Cover(foreign, somebody.ID, now), "somebody else's ID elsewhere")
		assert.False(b, b.engine.Tombstones.Cover(group, somebody.ID, now.Add(time.Second)), "what they say from now on")

		assert.Contains(b, b.uncounts, group)
		assert.Contains(b, b.uncounts, private)
		assert.NotContains(b, b.uncounts, other, "they have not spoken there")
		assert.Contains(b, b.order, "own of qq:group:1")
		assert.NotContains(b, b.order, "own of qq:group:2")
		assert.NotContains(b, b.order, "own of self", "they have said nothing in public")
		assert.Equal(b, "今天不错", b.mind())
	})
}

// What is forgotten of somebody's words in one platform's chats is not looked for in another's.
func TestEraser_PersonOfAnotherPlatform(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.keep(space(foreign), somebody.ID, "同一个号")
		b.keep(space(group), somebody.ID, "在吗")
		_, err := b.eraser.Person(b.Context(), somebody, nil)
		require.NoError(b, err)
		assert.Equal(b, []persona.Chat{group, private}, b.uncounts)
		assert.NotContains(b, b.order, "own of "+foreign.String())
	})
}

func TestEraser_Chat(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		b.keep(space(group), somebody.ID, "群里说的")
		b.keep(space(group), "", "群里答的")
		b.keep(space(group).Secret(), "1002", "不能说的")
		b.keep(space(other), somebody.ID, "那边说的")
		b.keep(memory.Self, "", "自己想的")
		b.think("今天不错")
		n, err := b.eraser.Chat(b.Context(), group, nil)
		require.NoError(b, err)
		assert.Equal(b, 3, n)
		assert.Equal(b, []string{"那边说的", "自己想的"}, b.texts(space(group), space(group).Secret(), space(other), memory.Self))
		assert.True(b, b.engine.Tombstones.Cover(group, "1003", time.Now()))
		assert.False(b, b.engine.Tombstones.Cover(other, somebody.ID, time.Now()))
		assert.Equal(b, []persona.Chat{group}, b.uncounts)
		assert.Equal(b, []string{"messages"}, b.order)
		assert.Equal(b, "今天不错", b.mind())
	})
}

// What the bot by itself made of what was said in public goes first, so that being killed leaves nothing of it, and once
// more at the end, for what was made meanwhile.
func TestEraser_WhatWasMadeOfPublicWords(t *testing.T) {
	for name, forget := range map[string]func(b *bench) error{
		"person": func(b *bench) error { _, err := b.eraser.Person(b.Context(), somebody, nil); return err },
		"chat":   func(b *bench) error { _, err := b.eraser.Chat(b.Context(), public, nil); return err },
	} {
		inBench(t, nil, func(b *bench) {
			said := b.keep(space(public), somebody.ID, "大家好")
			b.keep(memory.Self, "", "有人问好", said)
			b.keep(memory.Self, "", "下雨了", "k77@1")
			b.think("有人问好")
			require.NoError(b, forget(b), name)
			assert.Equal(b, []string{"下雨了"}, b.texts(space(public), memory.Self), name)
			assert.Empty(b, b.mind(), name)
			order := slices.DeleteFunc(b.order, func(s string) bool { return s == "own of qq:group:9" })
			assert.Equal(b, []string{"own of self", "messages", "own of self"}, order, name)
		})
		inBench(t, nil, func(b *bench) {
			b.keep(space(public), somebody.ID, "大家好")
			b.failed = errors.New("the plans cannot be read")
			assert.ErrorIs(b, forget(b), b.failed, name)
			assert.Equal(b, []string{"大家好"}, b.texts(space(public)), "they are there for another try: %s", name)
		})
	}
}

// However many there are.
func TestEraser_ManyPublicWords(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		var last string
		for range 501 {
			last = b.keep(space(public), somebody.ID, "嗯")
		}
		b.keep(memory.Self, "", "他老说嗯", last)
		n, err := b.eraser.Person(b.Context(), somebody, nil)
		require.NoError(b, err)
		assert.Equal(b, 501, n)
		assert.Empty(b, b.texts(space(public), memory.Self))
	})
}

// deaf is an index that cannot delete.
type deaf struct{ memory.Index }

func (deaf) Put(context.Context, ...memory.Record) error { return nil }

func (deaf) Delete(context.Context, memory.Space, ...string) error { return memory.ErrCannotDelete }

func TestEraser_IndexThatCannotForget(t *testing.T) {
	inBench(t, func(b *bench) { b.options.Indexes = []memory.Index{deaf{}} }, func(b *bench) {
		said := b.keep(space(public), somebody.ID, "大家好")
		b.keep(memory.Self, "", "有人问好", said)
		_, err := b.eraser.Person(b.Context(), somebody, nil)
		assert.ErrorIs(b, err, memory.ErrCannotDelete)
		assert.Empty(b, b.texts(space(public), memory.Self), "all else went")
	})
}

func TestEraser_WhatWaits(t *testing.T) {
	inBench(t, nil, func(b *bench) {
		for _, c := range []persona.Chat{group, private, foreign} {
			b.chat(c)
		}
		fill := func() {
			b.engine.Buffer.Add(group, engine.Incoming{Message: message(group, somebody.ID, "在吗")})
			b.engine.Buffer.Add(group, engine.Incoming{Message: message(group, "1002", "在的")})
			b.engine.Buffer.Add(group, engine.Incoming{Wanted: "test"})
			b.engine.Buffer.Add(private, engine.Incoming{Message: message(private, somebody.ID, "在吗")})
			b.engine.Buffer.Add(foreign, engine.Incoming{Message: message(foreign, somebody.ID, "在吗")})
		}
		fill()
		_, err := b.eraser.Person(b.Context(), somebody, nil)
		require.NoError(b, err)
		assert.Equal(b, []string{"在的", ""}, b.waiting(group))
		assert.Empty(b, b.waiting(private))
		assert.Equal(b, []string{"在吗"}, b.waiting(foreign), "of another platform")

		time.Sleep(time.Second)
		fill()
		_, err = b.eraser.Chat(b.Context(), group, nil)
		require.NoError(b, err)
		assert.Equal(b, []string{""}, b.waiting(group), "a turn that attention wants is no message")
		assert.Equal(b, []string{"在吗"}, b.waiting(private))
	})
}

// The turn that would answer somebody loses its ground, and so does one that quotes them; another is waited for.
func TestEraser_TurnsInFlight(t *testing.T) {
	quote := &persona.Quote{ID: "q", Key: "q@1", From: somebody.ID, Text: "在吗"}
	for name, c := range map[string]struct {
		chat  persona.Chat
		from  string
		quote *persona.Quote
		lost  bool
	}{
		"theirs":              {group, somebody.ID, nil, true},
		"quotes them":         {group, "1002", quote, true},
		"alone with them":     {private, "7", nil, true},
		"of another":          {group, "1002", nil, false},
		"of another platform": {foreign, somebody.ID, nil, false},
	} {
		inBench(t, nil, func(b *bench) {
			item := message(c.chat, c.from, "在吗")
			item.Quote = c.quote
			h := b.hold(b.chat(c.chat), item)
			over := make(chan error, 1)
			go func() {
				_, err := b.eraser.Person(b.Context(), somebody, nil)
				over <- err
			}()
			synctest.Wait()
			if !c.lost {
				assert.Empty(b, over, "%s: it is under way", name)
				close(h.letGo)
			}
			require.NoError(b, <-over, name)
			<-h.over
			assert.Equal(b, c.lost, errors.Is(h.lost, engine.ErrForgotten), name)
		})
	}
}

// What the bot does by itself is waited for, too: it may read of public chats.
func TestEraser_WaitsForTheBotByItself(t *testing.T) {
	for name, forget := range map[string]func(b *bench) error{
		"person": func(b *bench) error { _, err := b.eraser.Person(b.Context(), somebody, nil); return err },
		"chat":   func(b *bench) error { _, err := b.eraser.Chat(b.Context(), group, nil); return err },
	} {
		inBench(t, nil, func(b *bench) {
			h := b.hold(b.engine.Self)
			over := make(chan error, 1)
			go func() { over <- forget(b) }()
			synctest.Wait()
			assert.Empty(b, over, name)
			assert.Empty(b, b.order, name)
			close(h.letGo)
			require.NoError(b, <-over, name)
			<-h.over
			assert.NotEmpty(b, b.order, name)
		})
	}
}
