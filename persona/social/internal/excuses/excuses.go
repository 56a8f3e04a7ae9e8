// Package excuses says in a chat why the bot does not answer: because a cap is reached, or because the model fails. It has a
// failed turn tried once more before, and tells the owner what to do about the model.
package excuses

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// Options are documented in package social.
type Options struct {
	Capped, CappedPerson, Failed []string
	Every                        time.Duration
}

const (
	excuseRow  = "excuse/" // the chat follows
	ownerRow   = "models/notices"
	retryDelay = 20 * time.Second // after a failure that may pass by itself
	emptyDelay = 2 * time.Second  // after an empty reply
	loadDelay  = 5 * time.Second  // while a model loads
	margin     = 10 * time.Second // a retry begins so long before its messages are too old
	ownerEvery = 6 * time.Hour    // one notice to the owner for each cause
)

// Default texts.
var (
	defaultCapped       = []string{"让我喘口气，过几分钟再聊", "说了好多话，歇几分钟再聊～"}
	defaultCappedPerson = []string{"慢点慢点，过一分钟再回你", "等等我，缓一下再回你～"}
	defaultFailed       = []string{"我这边出了点问题，这句先回不了，过会儿再叫我吧", "脑子卡住了，暂时回不了，等会儿再叫我一下吧"}
)

// Excuses is the part. Its functions may be called concurrently.
type Excuses struct {
	engine *engine.Engine
	o      Options

	mu    sync.Mutex
	chats map[persona.Chat]times
	owner map[string]time.Time // the last notice about each cause
	state state                // the last failure
}

// times are those of the last excuses in a chat.
type times struct {
	Capped time.Time `json:"capped,omitzero"`
	Failed time.Time `json:"failed,omitzero"`
}

// New returns the part.
func New(e *engine.Engine, o Options) *Excuses {
	pick := func(own, otherwise []string) []string {
		if own == nil {
			return otherwise
		}
		return own
	}
	o.Capped, o.CappedPerson, o.Failed = pick(o.Capped, defaultCapped), pick(o.CappedPerson, defaultCappedPerson), pick(o.Failed, defaultFailed)
	o.Every = cmp.Or(o.Every, 10*time.Minute)
	return &Excuses{engine: e, o: o, chats: map[persona.Chat]times{}, owner: map[string]time.Time{}}
}

// Part returns the callbacks for the engine.
func (x *Excuses) Part() engine.Part {
	return engine.Part{Restore: x.restore, Silent: x.silent, Failed: x.failed, Erase: x.erase}
}

// Off returns the part for an engine without excuses. It erases the rows of earlier runs.
func Off(e *engine.Engine) engine.Part { return engine.Part{Erase: New(e, Options{}).erase} }

func (x *Excuses) restore(ctx context.Context) error {
	rows, err := x.engine.Options.Store.Load(ctx, excuseRow)
	if err != nil {
		return err
	}
	more, err := x.engine.Options.Store.Load(ctx, ownerRow)
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		var chat persona.Chat
		var t times
		if chat.UnmarshalText([]byte(key[len(excuseRow):])) == nil && json.Unmarshal(rows[key], &t) == nil {
			x.chats[chat] = t
		}
	}
	if row, ok := more[ownerRow]; ok && json.Unmarshal(row, &x.owner) != nil {
		x.engine.Log.Error("the notices about the model are unreadable; they may be repeated")
	}
	return err
}

func (x *Excuses) erase(_ context.Context, f memory.Erasure, rows map[string][]byte) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range f.Spaces {
		var chat persona.Chat
		if chat.UnmarshalText([]byte(s)) == nil {
			delete(x.chats, chat)
			rows[excuseRow+chat.String()] = nil
		}
	}
	return nil
}

// note stores that a chat gets an excuse now, unless the last one, in the field that at returns, is younger than every.
func (x *Excuses) note(ctx context.Context, chat persona.Chat, every time.Duration, at func(*times) *time.Time) (ok bool, err error) {
	now := time.Now()
	x.mu.Lock()
	t := x.chats[chat]
	last := at(&t)
	if ok = now.Sub(*last) >= every || last.After(now.Add(every)); ok {
		*last = now.Round(0)
		x.chats[chat] = t
	}
	x.mu.Unlock()
	if !ok {
		return false, nil
	}
	row, err := json.Marshal(t)
	if err == nil {
		err = x.engine.Options.Store.Apply(ctx, map[string][]byte{excuseRow + chat.String(): row})
	}
	return err == nil, err
}

var errToldAlready = errors.New("social: the chat was told already")

// silent says once in a window that a cap is reached, if a person addressed the bot.
func (x *Excuses) silent(j *engine.Job, items []engine.Incoming) (run bool) {
	if !j.Verdict.Called || len(j.Verdict.Why) == 0 {
		return false
	}
	texts := x.o.Capped
	switch j.Verdict.Why[0] {
	case heartflow.WhyCappedWindow:
	case heartflow.WhyCappedPerson:
		texts = x.o.CappedPerson
	default:
		return false
	}
	window := cmp.Or(x.engine.Options.Attention.Caps.Window, 5*time.Minute)
	x.mu.Lock()
	last := x.chats[j.Chat.ID].Capped
	x.mu.Unlock()
	if len(texts) == 0 || time.Since(last).Abs() < window {
		return false
	}
	caller := items[len(items)-1].Message
	for _, m := range items {
		if m.Called {
			caller = m.Message
		}
	}
	j.RunCapNotice(x.pick(j, texts), caller, func(ctx context.Context) error {
		ok, err := x.note(ctx, j.Chat.ID, window, func(t *times) *time.Time { return &t.Capped })
		if err == nil && !ok {
			err = errToldAlready
		}
		return err
	})
	return true
}

// pick returns one of texts. The same job gets the same one.
func (x *Excuses) pick(j *engine.Job, texts []string) string {
	return texts[x.engine.Rand("excuse/"+j.ID).IntN(len(texts))]
}

// failed decides what follows after the turn of a batch has failed.
func (x *Excuses) failed(ctx context.Context, t *engine.Turn, err error) (retry time.Duration, text string) {
	f, toolLoop := failureOf(err), errors.Is(err, prompt.ErrTooManySteps)
	x.noteState(f, toolLoop)
	if t.Verdict.Called && (!t.Retried || f.Kind == models.Loading) && !t.IsDurable() {
		if wait, ok := delay(f); ok && time.Since(t.Caller.At)+wait+margin < x.engine.Options.MaxAge {
			return wait, ""
		}
	}
	x.tellOwner(ctx, f, toolLoop, t.Verdict.Called)
	if !t.Verdict.Called || t.HasSpoken() || len(x.o.Failed) == 0 {
		return 0, ""
	}
	ok, err := x.note(ctx, t.Chat.ID, x.o.Every, func(t *times) *time.Time { return &t.Failed })
	if err != nil {
		x.engine.Log.Error("could not store that the chat was told of a failure, so it is not told", "chat", t.Chat.ID, "err", err)
	}
	if !ok {
		return 0, ""
	}
	return 0, x.pick(t.Job, x.o.Failed)
}

// failureOf returns the failure behind the error of a turn. It has the kind Unknown if no model caused it.
func failureOf(err error) models.Failure {
	f, ok := models.Cause(err)
	switch {
	case f.Kind == models.Loading:
	case errors.Is(err, context.DeadlineExceeded):
		f.Kind = models.Timeout
	case errors.Is(err, engine.ErrEmptyReply), errors.Is(err, prompt.ErrNoChoice):
		f.Kind = models.EmptyAnswer
	case errors.Is(err, prompt.ErrTooManySteps):
		f.Kind = models.BadResponse
	case !ok:
		f = models.Failure{}
	}
	return f
}

// delay returns when to try a failed turn again. ok is false if that would fail again.
func delay(f models.Failure) (wait time.Duration, ok bool) {
	switch f.Kind {
	case models.QuotaExceeded, models.Unauthorized, models.RegionBlocked, models.NotFound, models.WebPage, models.InvalidRequest, models.PromptTooLong, models.ContentFiltered:
		return 0, false
	case models.EmptyAnswer:
		return emptyDelay, true
	case models.Loading:
		return loadDelay, true
	}
	return max(retryDelay, f.RetryAfter+time.Second), true
}

// noteState records a failure for [Excuses.State].
func (x *Excuses) noteState(f models.Failure, toolLoop bool) {
	now := time.Now()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.state.kind != f.Kind || x.state.toolLoop != toolLoop || x.engine.Counters.LastAnswer().After(x.state.last) {
		x.state = state{kind: f.Kind, toolLoop: toolLoop, since: now}
	}
	x.state.last = now
}

// State says what is wrong with the model, in a sentence. It is empty if the model has answered since the last failed turn.
func (x *Excuses) State(english bool) string {
	x.mu.Lock()
	s := x.state
	x.mu.Unlock()
	if s.last.IsZero() || x.engine.Counters.LastAnswer().After(s.last) {
		return ""
	}
	return s.text(english, s.since.In(x.engine.Options.Location).Format("01-02 15:04"))
}

func (x *Excuses) tellOwner(ctx context.Context, f models.Failure, toolLoop, called bool) {
	text, passes := advice(f)
	cause := f.Kind.String()
	if toolLoop {
		text, passes, cause = toolLoopAdvice, true, "tool loop"
	}
	if text == "" || passes && !called {
		return
	}
	now := time.Now()
	x.mu.Lock()
	last, known := x.owner[cause]
	news := !known || now.Sub(last).Abs() >= ownerEvery
	if news {
		x.owner[cause] = now.Round(0)
	}
	row, err := json.Marshal(x.owner)
	x.mu.Unlock()
	if !news {
		return
	}
	if err == nil { // stored first, so that a crash does not repeat it
		err = x.engine.Options.Store.Apply(ctx, map[string][]byte{ownerRow: row})
	}
	if err != nil {
		x.engine.Log.Error("could not store a notice about the model", "err", err)
	}
	x.engine.NotifyOwner(ctx, engine.Notice{Text: text, Label: memory.Untrusted()})
}
