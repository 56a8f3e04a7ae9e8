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

// A fixture is an Eraser on an engine that does not run.
type fixture struct {
	*testing.T
	options     engine.Options
	store       *failingStore
	records     int
	order       []string // order of the erasures
	eraseOwnErr error    // returned by eraseOwn
	engine      *engine.Engine
	eraser      *Eraser
	forgotten   []persona.Chat
}

// A failingStore returns err for writes.
type failingStore struct {
	*memory.MemStore
	err error
}

func (s *failingStore) Apply(ctx context.Context, rows map[string][]byte) error {
	return cmp.Or(s.err, s.MemStore.Apply(ctx, rows))
}

// A recordingAttention records forgotten chats.
type recordingAttention struct {
	engine.Attention
	b *fixture
}

func (c recordingAttention) Forget(chat persona.Chat) {
	c.b.forgotten = append(c.b.forgotten, chat)
	c.Attention.Forget(chat)
}

func withFixture(t *testing.T, change func(f *fixture), test func(f *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fixture{T: t, store: &failingStore{MemStore: memory.NewMemStore()}}
		f.options = engine.Options{
			Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: struct{ engine.Link }{}, Store: f.store,
			Chats: func(c persona.Chat) engine.ChatOptions { return engine.ChatOptions{Public: c == public} },
		}
		if change != nil {
			change(f)
		}
		var err error
		f.engine, err = engine.New(f.options)
		require.NoError(t, err)
		f.engine.Attention = recordingAttention{f.engine.Attention, f}
		f.engine.Register(engine.Part{Erase: func(context.Context, memory.Erasure, map[string][]byte) error {
			f.order = append(f.order, "messages")
			return nil
		}})
		f.eraser = New(f.engine, func(_ context.Context, s engine.Scope) error {
			f.order = append(f.order, "own of "+string(s.Space))
			return f.eraseOwnErr
		})
		f.eraser.waitRunning = func(context.Context) error { return nil }
		test(f)
	})
}

func (f *fixture) chat(c persona.Chat) *engine.Chat {
	f.Helper()
	r, err := f.engine.Chat(f.Context(), c)
	require.NoError(f, err)
	return r
}

// receive stores a message, one of the bot if from is empty, and returns the id of its record.
func (f *fixture) receive(space memory.Space, from, text string, sources ...string) string {
	f.Helper()
	f.records++
	id := fmt.Sprint("k", f.records, "@1")
	require.NoError(f, f.engine.Memory.Put(f.Context(), memory.Record{
		ID: id, Space: space, Kind: memory.KindMessage, Person: from, Text: text, Own: from == "", At: time.Now(), Sources: sources,
	}))
	return id
}

func space(c persona.Chat) memory.Space { return memory.Space(c.String()) }

// texts returns the texts that are still in some spaces.
func (f *fixture) texts(spaces ...memory.Space) (texts []string) {
	f.Helper()
	for _, s := range spaces {
		for rec, err := range f.store.Scan(f.Context(), s, 0) {
			require.NoError(f, err)
			texts = append(texts, rec.Text)
		}
	}
	return texts
}

func (f *fixture) setGlobalReflection(text string) {
	f.Helper()
	require.NoError(f, f.engine.Memory.Notes(memory.Self).SetInnerState(f.Context(), time.Now(), text))
}

// globalReflection returns the persona's global reflection.
func (f *fixture) globalReflection() string {
	f.Helper()
	inner, err := f.engine.Memory.Notes(memory.Self).InnerState(f.Context())
	require.NoError(f, err)
	return inner.Text
}

// buffered empties the buffer of a chat and returns the texts that were in it.
func (f *fixture) buffered(chat persona.Chat) (texts []string) {
	f.engine.Buffer.Drop(chat, func(m engine.Incoming) bool {
		texts = append(texts, m.Text)
		return true
	})
	return texts
}

func message(chat persona.Chat, from, text string) persona.Message {
	return persona.Message{ID: text, Key: text + "@1", Chat: chat, From: from, Text: text, At: time.Now()}
}

// A runningTurn runs until it is released or cancelled.
type runningTurn struct {
	letGo chan struct{}
	lost  error // cause of the cancellation
	over  chan struct{}
}

// startTurn starts a turn in a chat.
func (f *fixture) startTurn(c *engine.Chat, items ...persona.Message) *runningTurn {
	f.Helper()
	h := &runningTurn{letGo: make(chan struct{}), over: make(chan struct{})}
	now := time.Now()
	j := &engine.Job{Chat: c, Job: jobs.Job{ID: "batch/1", Kind: "batch", Chat: c.ID, At: now, ExpiresAt: now.Add(time.Hour)}, Items: items, Supersedable: true}
	j.Enter = func(ctx context.Context) (func(), error) { return c.TurnMu.Unlock, c.TurnMu.Lock(ctx) }
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
		_, _ = f.engine.Do(f.Context(), j)
	}()
	synctest.Wait()
	return h
}

func TestEraser_InvalidArguments(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.receive(space(group), "", "嗯")
		for _, who := range []persona.Account{{}, {Platform: "qq"}, {ID: "1001"}} {
			_, err := f.eraser.Person(f.Context(), who, nil)
			assert.ErrorContains(f, err, "no platform or no ID", who)
		}
		for _, chat := range []persona.Chat{{}, {Platform: "qq", Kind: persona.Group}} {
			_, err := f.eraser.Chat(f.Context(), chat, nil)
			assert.ErrorContains(f, err, "erase chat", chat)
		}
		assert.Empty(f, f.order)
		assert.Equal(f, []string{"嗯"}, f.texts(space(group)))
	})
}

// A preview tells what an erasure deletes, also outside of chats, and deletes nothing. All accounts of a person count.
func TestEraser_Preview(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		said := f.receive(space(public), somebody.ID, "公开说的")
		f.receive(memory.Self, "", "想到的", said)
		f.receive(space(private), "", "私下的")
		f.receive(space(group), "1002", "别人的")
		f.receive(space(foreign), somebody.ID, "别的平台")
		f.setGlobalReflection("想着")
		everything := func() []string {
			return f.texts(space(public), memory.Self, space(private), space(group), space(foreign))
		}
		before := everything()
		deleted := func(accounts ...persona.Account) (texts []string) {
			c, err := f.eraser.Preview(f.Context(), accounts...)
			require.NoError(f, err)
			for _, r := range c.Deleted {
				texts = append(texts, r.Text)
			}
			require.Len(f, c.Notes, 1)
			assert.Equal(f, "想着", c.Notes[0].Text)
			return texts
		}
		assert.ElementsMatch(f, []string{"公开说的", "想到的", "私下的"}, deleted(somebody))
		assert.ElementsMatch(f, []string{"公开说的", "想到的", "私下的", "别的平台"}, deleted(somebody, persona.Account{Platform: "other", ID: somebody.ID}))
		assert.Equal(f, before, everything())
		assert.Equal(f, "想着", f.globalReflection())
		assert.Empty(f, f.order)
		assert.Empty(f, f.forgotten)
		_, err := f.eraser.Preview(f.Context(), persona.Account{ID: "1"})
		assert.ErrorContains(f, err, "no platform or no ID")

		_, err = f.eraser.Person(f.Context(), somebody, nil)
		require.NoError(f, err)
		assert.Equal(f, []string{"别人的", "别的平台"}, everything())
	})
}

// Before the engine runs, and while the store cannot be written, nothing is erased.
func TestEraser_NothingErasedOnError(t *testing.T) {
	full := errors.New("the disk is full")
	for name, change := range map[string]func(f *fixture){
		"it does not run": func(f *fixture) { f.eraser.waitRunning = func(context.Context) error { return full } },
		"a full disk":     func(f *fixture) { f.store.err = full },
	} {
		withFixture(t, nil, func(f *fixture) {
			f.receive(space(group), somebody.ID, "在吗")
			change(f)
			_, err := f.eraser.Person(f.Context(), somebody, nil)
			assert.ErrorIs(f, err, full, name)
			_, err = f.eraser.Chat(f.Context(), group, nil)
			assert.ErrorIs(f, err, full, name)
			assert.Equal(f, []string{"在吗"}, f.texts(space(group)), name)
			assert.Empty(f, f.order, name)
			assert.False(f, f.engine.Tombstones.Has(group, somebody.ID), name)
		})
	}
	withFixture(t, nil, func(f *fixture) {
		ctx, cancel := context.WithCancel(f.Context())
		cancel()
		_, err := New(f.engine, nil).Person(ctx, somebody, nil)
		assert.ErrorContains(f, err, "not running", "the engine has not started")
	})
}

func TestEraser_Person(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.receive(space(group), somebody.ID, "群里说的")
		f.receive(space(group), "1002", "别人说的")
		f.receive(space(group).Secret(), somebody.ID, "不能说的")
		f.receive(space(private), somebody.ID, "私下说的")
		f.receive(space(private), "", "私下答的")
		f.receive(space(other), "1002", "没有人在")
		f.receive(memory.Owner, "owner", "主人说的")
		f.receive(memory.Self, "", "自己想的")
		f.setGlobalReflection("今天不错")

		var progress [][2]int
		n, err := f.eraser.Person(f.Context(), somebody, func(done, total int) { progress = append(progress, [2]int{done, total}) })
		require.NoError(f, err)
		assert.Equal(f, 4, n)
		assert.Equal(f, []string{"别人说的", "没有人在", "主人说的", "自己想的"}, f.texts(space(group), space(group).Secret(), space(private), space(other), memory.Owner, memory.Self))
		require.NotEmpty(f, progress)
		last := progress[len(progress)-1]
		assert.Equal(f, last[1], last[0], "progress ends at the total")

		now := time.Now()
		assert.True(f, f.engine.Tombstones.Covers(other, somebody.ID, now), "in every chat")
		assert.True(f, f.engine.Tombstones.Covers(private, "7", now), "the private chat")
		assert.False(f, f.engine.Tombstones.Covers(group, "1002", now))
		assert.False(f, f.engine.Tombstones.Covers(foreign, somebody.ID, now), "the ID is another person's there")
		assert.False(f, f.engine.Tombstones.Covers(group, somebody.ID, now.Add(time.Second)), "later messages")

		assert.Contains(f, f.forgotten, group)
		assert.Contains(f, f.forgotten, private)
		assert.NotContains(f, f.forgotten, other, "they have no messages there")
		assert.Contains(f, f.order, "own of qq:group:1")
		assert.NotContains(f, f.order, "own of qq:group:2")
		assert.NotContains(f, f.order, "own of self", "they have no public messages")
		assert.Equal(f, "今天不错", f.globalReflection())
	})
}

// A person's ID on one platform does not match the same ID on another.
func TestEraser_PersonOfAnotherPlatform(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.receive(space(foreign), somebody.ID, "同一个号")
		f.receive(space(group), somebody.ID, "在吗")
		_, err := f.eraser.Person(f.Context(), somebody, nil)
		require.NoError(f, err)
		assert.Equal(f, []persona.Chat{group, private}, f.forgotten)
		assert.NotContains(f, f.order, "own of "+foreign.String())
	})
}

func TestEraser_Chat(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		f.receive(space(group), somebody.ID, "群里说的")
		f.receive(space(group), "", "群里答的")
		f.receive(space(group).Secret(), "1002", "不能说的")
		f.receive(space(other), somebody.ID, "那边说的")
		f.receive(memory.Self, "", "自己想的")
		f.setGlobalReflection("今天不错")
		n, err := f.eraser.Chat(f.Context(), group, nil)
		require.NoError(f, err)
		assert.Equal(f, 3, n)
		assert.Equal(f, []string{"那边说的", "自己想的"}, f.texts(space(group), space(group).Secret(), space(other), memory.Self))
		assert.True(f, f.engine.Tombstones.Covers(group, "1003", time.Now()))
		assert.False(f, f.engine.Tombstones.Covers(other, somebody.ID, time.Now()))
		assert.Equal(f, []persona.Chat{group}, f.forgotten)
		assert.Equal(f, []string{"messages"}, f.order)
		assert.Equal(f, "今天不错", f.globalReflection())
	})
}

// The persona's own records about public messages are deleted first, so that a crash leaves none, and again at the end,
// because more may have been made meanwhile.
func TestEraser_DerivedFromPublicMessages(t *testing.T) {
	for name, forget := range map[string]func(f *fixture) error{
		"person": func(f *fixture) error { _, err := f.eraser.Person(f.Context(), somebody, nil); return err },
		"chat":   func(f *fixture) error { _, err := f.eraser.Chat(f.Context(), public, nil); return err },
	} {
		withFixture(t, nil, func(f *fixture) {
			said := f.receive(space(public), somebody.ID, "大家好")
			f.receive(memory.Self, "", "有人问好", said)
			f.receive(memory.Self, "", "下雨了", "k77@1")
			f.setGlobalReflection("有人问好")
			require.NoError(f, forget(f), name)
			assert.Equal(f, []string{"下雨了"}, f.texts(space(public), memory.Self), name)
			assert.Empty(f, f.globalReflection(), name)
			order := slices.DeleteFunc(f.order, func(s string) bool { return s == "own of qq:group:9" })
			assert.Equal(f, []string{"own of self", "messages", "own of self"}, order, name)
		})
		withFixture(t, nil, func(f *fixture) {
			f.receive(space(public), somebody.ID, "大家好")
			f.eraseOwnErr = errors.New("plans are unreadable")
			assert.ErrorIs(f, forget(f), f.eraseOwnErr, name)
			assert.Equal(f, []string{"大家好"}, f.texts(space(public)), "the messages stay for a retry: %s", name)
		})
	}
}

// More than one chunk of records.
func TestEraser_ManyPublicMessages(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		var last string
		for range 501 {
			last = f.receive(space(public), somebody.ID, "嗯")
		}
		f.receive(memory.Self, "", "他老说嗯", last)
		n, err := f.eraser.Person(f.Context(), somebody, nil)
		require.NoError(f, err)
		assert.Equal(f, 501, n)
		assert.Empty(f, f.texts(space(public), memory.Self))
	})
}

// An undeletingIndex cannot delete.
type undeletingIndex struct{ memory.Index }

func (undeletingIndex) Put(context.Context, ...memory.Record) error { return nil }

func (undeletingIndex) Delete(context.Context, memory.Space, ...string) error {
	return memory.ErrCannotDelete
}

func TestEraser_IndexCannotDelete(t *testing.T) {
	withFixture(t, func(f *fixture) { f.options.Indexes = []memory.Index{undeletingIndex{}} }, func(f *fixture) {
		said := f.receive(space(public), somebody.ID, "大家好")
		f.receive(memory.Self, "", "有人问好", said)
		_, err := f.eraser.Person(f.Context(), somebody, nil)
		assert.ErrorIs(f, err, memory.ErrCannotDelete)
		assert.Empty(f, f.texts(space(public), memory.Self), "everything else is deleted")
	})
}

func TestEraser_BufferedMessages(t *testing.T) {
	withFixture(t, nil, func(f *fixture) {
		for _, c := range []persona.Chat{group, private, foreign} {
			f.chat(c)
		}
		fill := func() {
			f.engine.Buffer.Add(group, engine.Incoming{Message: message(group, somebody.ID, "在吗")})
			f.engine.Buffer.Add(group, engine.Incoming{Message: message(group, "1002", "在的")})
			f.engine.Buffer.Add(group, engine.Incoming{TurnReason: "test"})
			f.engine.Buffer.Add(private, engine.Incoming{Message: message(private, somebody.ID, "在吗")})
			f.engine.Buffer.Add(foreign, engine.Incoming{Message: message(foreign, somebody.ID, "在吗")})
		}
		fill()
		_, err := f.eraser.Person(f.Context(), somebody, nil)
		require.NoError(f, err)
		assert.Equal(f, []string{"在的", ""}, f.buffered(group))
		assert.Empty(f, f.buffered(private))
		assert.Equal(f, []string{"在吗"}, f.buffered(foreign), "another platform")

		time.Sleep(time.Second)
		fill()
		_, err = f.eraser.Chat(f.Context(), group, nil)
		require.NoError(f, err)
		assert.Equal(f, []string{""}, f.buffered(group), "a wanted turn is not a message")
		assert.Equal(f, []string{"在吗"}, f.buffered(private))
	})
}

// A turn that answers or quotes the person is cancelled; the eraser waits for any other turn.
func TestEraser_RunningTurns(t *testing.T) {
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
		withFixture(t, nil, func(f *fixture) {
			item := message(c.chat, c.from, "在吗")
			item.Quote = c.quote
			h := f.startTurn(f.chat(c.chat), item)
			over := make(chan error, 1)
			go func() {
				_, err := f.eraser.Person(f.Context(), somebody, nil)
				over <- err
			}()
			synctest.Wait()
			if !c.lost {
				assert.Empty(f, over, "%s: the turn still runs", name)
				close(h.letGo)
			}
			require.NoError(f, <-over, name)
			<-h.over
			assert.Equal(f, c.lost, errors.Is(h.lost, engine.ErrErased), name)
		})
	}
}

// The eraser also waits for turns of the persona outside of chats: they may read public chats.
func TestEraser_WaitsForPersonaTurns(t *testing.T) {
	for name, forget := range map[string]func(f *fixture) error{
		"person": func(f *fixture) error { _, err := f.eraser.Person(f.Context(), somebody, nil); return err },
		"chat":   func(f *fixture) error { _, err := f.eraser.Chat(f.Context(), group, nil); return err },
	} {
		withFixture(t, nil, func(f *fixture) {
			h := f.startTurn(f.engine.SelfChat)
			over := make(chan error, 1)
			go func() { over <- forget(f) }()
			synctest.Wait()
			assert.Empty(f, over, name)
			assert.Empty(f, f.order, name)
			close(h.letGo)
			require.NoError(f, <-over, name)
			<-h.over
			assert.NotEmpty(f, f.order, name)
		})
	}
}
