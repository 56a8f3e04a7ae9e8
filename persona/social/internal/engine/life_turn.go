package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/tmc/langchaingo/llms"
)

// Why attention lets it begin though nobody spoke.
const (
	whyTimer heartflow.Code = "timer"
	whyTask  heartflow.Code = "task"
)

var (
	errQuietHours = errors.New("social: it is quiet here at this hour")
	errSilenced   = errors.New("social: attention did not let it speak here")
)

// wakeJob is what a wake asks for: with the rights of the turn that made it, and no others.
func (b *Engine) wakeJob(r *Chat, w *persona.Wake, yields bool) *Job {
	background := w.Part().Background()
	j := &Job{
		Errand: persona.Errand{ID: w.ID, Kind: w.Kind.String(), Chat: w.Maker.Chat}, Chat: r, Wake: w,
		Caller: persona.Message{Chat: r.ID, From: w.Maker.Person.ID}, Background: background, Yields: yields && background,
	}
	if background {
		j.Call = &persona.Turn{Model: b.life.model, Timeout: b.life.Timeout, Options: b.life.Options}
	}
	if r.Agent() && !background {
		j.Caller.From = "owner"
	}
	switch {
	case w.Maker.Shed:
		j.May = func(tool nit.Info) bool { return tool.Tier&nit.L3 == 0 && (tool.ReadOnly || b.Builtin(tool)) }
	case background && !r.Documents: // they tell of the owner
		j.May = func(tool nit.Info) bool { return !strings.HasPrefix(tool.Name, "apply_patch_") }
	}
	j.Enter = func(ctx context.Context) (func(), error) { return b.enterWake(ctx, j) }
	j.Prepare = func(ctx context.Context) (bool, error) { return b.prepareWake(ctx, j) }
	j.Ask = func(ctx context.Context, t *Turn) (Answer, error) { return t.askWake(ctx) }
	j.Deliver = func(ctx context.Context, t *Turn, w *Answer, err error) (string, error) {
		return t.deliverWake(ctx, w, err)
	}
	return j
}

// enterWake takes one of the slots of wakes, and the chat. Of one chat no more than one takes a slot.
func (b *Engine) enterWake(ctx context.Context, j *Job) (leave func(), err error) {
	if j.Yields {
		if err := j.Chat.letIn(ctx); err != nil {
			return nil, err
		}
	}
	var held []Latch
	leave = func() {
		for _, l := range slices.Backward(held) {
			l.Unlock()
		}
	}
	for _, l := range []Latch{j.Chat.wakes, b.life.slots, j.Chat.Turn} {
		if err := l.Lock(ctx); err != nil {
			leave()
			return nil, err
		}
		held = append(held, l)
	}
	return leave, nil
}

// prepareWake reports that a wake is still to be done.
func (b *Engine) prepareWake(ctx context.Context, j *Job) (run bool, err error) {
	w := j.Wake
	if b.Tombstones.Cover(w.Maker.Chat, w.Maker.Person.ID, made(*w)) { // while it waited
		return false, nil
	}
	if w.Kind == persona.WakeOutdated {
		if err := b.missed(ctx, j.Chat, w.Task); err != nil {
			return false, err
		}
	}
	if j.Background && b.OverBudget(j.Chat) { // of this chat
		return false, ErrOverBudget
	}
	j.At = time.Now()
	return true, nil
}

// setInner is the tool that only the life loop has, whatever else its turn may do.
const setInner = "set_inner_state"

// toolbox is what the model is given: a view, and in the life loop the inner state.
func (t *Turn) toolbox(v *nit.View) persona.Toolbox {
	if t.inner == nil || !t.inner.Has(setInner) {
		return t.Engine.scripted(v)
	}
	return both{t.Engine.scripted(v), t.inner}
}

// both are a toolbox and a view with no name in common.
type both struct {
	first  persona.Toolbox
	second *nit.View
}

// Tools implements [persona.Toolbox].
func (v both) Tools() []llms.Tool { return append(v.first.Tools(), v.second.Tools()...) }

// Call implements [persona.Toolbox].
func (v both) Call(ctx context.Context, call llms.ToolCall) llms.ToolCallResponse {
	if call.FunctionCall != nil && v.second.Has(call.FunctionCall.Name) {
		return v.second.Call(ctx, call)
	}
	return v.first.Call(ctx, call)
}

// askWake holds the conversation of a wake.
func (t *Turn) askWake(ctx context.Context) (w Answer, err error) {
	b, part, now := t.Engine, t.Wake.Part(), time.Now()
	t.began = now
	if part == persona.Remind && t.Chat.Mode != self.ModeLife {
		who := t.Chat.Principal(false)
		who.Mode, who.Platform, who.Person, who.Turn = self.ModeLife, t.Chat.ID.Platform, t.Caller.From, t.ID
		t.inner = t.View(who).Narrow(func(tool nit.Info) bool { return tool.Name == setInner })
	}
	if t.opens() {
		if err := t.mayBegin(now); err != nil {
			return w, err
		}
	}
	scene, after, err := t.wakeScene(ctx, now)
	if err != nil {
		return w, err
	}
	t.Shown = append(append(t.Shown[:0], scene.History...), scene.Recent...)
	for _, s := range scene.Background {
		if t.Chat.Shown == (persona.Chat{}) { // all that it goes by
			t.Shown = append(t.Shown, s.Messages...)
		}
	}
	b.Counters.asked.Add(1)
	reply, err := t.Converse(ctx, now, scene, t.Tools)
	if err != nil && t.Lost() == nil {
		b.Counters.modelFailed.Add(1)
	}
	t.succeeded = after
	return Answer{Out: persona.Out{Text: reply.Text}}, err
}

// opens reports that a wake begins to speak in a chat, which attention has to permit.
func (t *Turn) opens() bool { return t.Chat.InChat && !t.Background }

// deliverWake does what comes of the conversation of a wake.
func (t *Turn) deliverWake(ctx context.Context, w *Answer, err error) (outcome string, _ error) {
	b := t.Engine
	switch {
	case err != nil:
	case t.Background || !t.Chat.InChat && !t.Chat.ToOwner:
		if err = t.archived(ctx, w.Text); err == nil {
			err = t.succeeded(ctx)
		}
	case t.HasSpoken(): // by a tool
		w.Text = ""
		b.Done(ctx, t.Chat, Done{Wake: true, Messages: 1})
	case w.Text == "":
	case t.Chat.ToOwner:
		err = t.tellOwner(ctx, w.Text)
	default:
		var said int
		said, err = t.Speak(ctx, t.Chat.ID, persona.Out{Text: w.Text})
		b.Done(ctx, t.Chat, Done{Wake: true, Messages: said})
	}
	if t.opens() && t.Verdict.Do != heartflow.Silent {
		t.opened(err, w.Text)
	}
	switch {
	case err != nil:
		return "error: " + err.Error(), err
	case w.Text == "" && !t.HasSpoken():
		return "silent", nil
	case t.Background:
		return "thought", nil
	}
	return "spoke", nil
}

// mayBegin asks attention, as for every turn. A timer was asked for, whatever the hour is; a plan is the being's own.
func (t *Turn) mayBegin(now time.Time) error {
	b, chat, why := t.Engine, t.Chat.ID, whyTimer
	if t.Wake.Part() == persona.Perform {
		if _, quiet := b.Attention.Quiet(now, chat); quiet {
			return errQuietHours
		}
		why = whyTask
	}
	if t.Verdict = b.Attention.Begin(now, chat, why); t.Verdict.Do == heartflow.Silent {
		return errSilenced
	}
	return nil
}

// opened tells attention what came of the turn that it let begin.
func (t *Turn) opened(err error, text string) {
	switch now := time.Now(); {
	case err != nil:
		t.Engine.Attention.Skip(now, t.Chat.ID, heartflow.WhyModelError)
	case text == "" && !t.HasSpoken():
		t.Engine.Attention.Skip(now, t.Chat.ID, heartflow.WhyModelSilent)
	}
}

// tellOwner says something to the owner, item by item. It is in their talk before it is brought to them.
func (t *Turn) tellOwner(ctx context.Context, text string) (err error) {
	b := t.Engine
	var found speech.Items
	items := append(found.Write(text), found.Close()...)
	for _, item := range items {
		m := b.OwnerMessage(time.Now(), item)
		m.From, m.Name, m.Own = b.SelfID(), b.Options.Profile.Name, true
		n, failed := t.Commit(ctx, persona.Entry{Chat: b.Owners.ID, Text: item, At: m.At})
		if failed != nil {
			return errors.Join(err, fmt.Errorf("social: the errand could not be committed, so nothing is said: %w", failed))
		}
		if failed = b.KeepOwner(ctx, m); failed == nil {
			failed = b.life.say(ctx, b.Options.Notify, item)
		}
		t.Sent(b.Owners.ID, failed, false)
		after, stop := Afterwards(ctx)
		if err := b.Jobs.Result(after, time.Now(), t.ID, n, m.ID, failed, false); err != nil {
			b.Log.Error("the result of what was said to the owner was not kept", "err", err)
		}
		stop()
		err = errors.Join(err, failed)
	}
	b.Done(ctx, b.Owners, Done{Wake: true, Messages: len(items)})
	return err
}

// say brings something to the owner.
func (l *life) say(ctx context.Context, notify func(context.Context, string) error, item string) error {
	ctx, stop := context.WithTimeout(ctx, l.Timeout) // the owner's own turn waits for this one
	defer stop()
	switch {
	case l.Say != nil:
		return l.Say(ctx, item)
	case notify != nil:
		return notify(ctx, item)
	}
	return nil
}

// archiveKind is the kind of records of what was thought in the background.
const archiveKind = "archive"

// archived keeps what was thought in the background where no prompt shows it.
func (t *Turn) archived(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	var from []string
	if t.Chat.Sources {
		from = t.Sources()
	}
	err := t.Engine.Memory.Keep(ctx, memory.Record{
		ID: "archive-" + strings.ReplaceAll(t.ID, "/", "-"), Space: t.Chat.Space.Secret(), Kind: archiveKind, Text: ClipRecord(text), Own: true, At: time.Now(), Sources: from,
	})
	if errors.Is(err, memory.ErrNotIndexed) {
		return nil
	}
	return err
}

// about is what a turn without messages recalls by.
func (t *Turn) about() string {
	if t.Wake == nil {
		return ""
	}
	task := t.Wake.Task
	return strings.TrimSpace(strings.Join([]string{t.Wake.Timer.Timer.Payload, task.Title, task.Motivation, task.Plan}, "\n"))
}

const pastShown = 20 // tasks that are over

// wakeScene is what the turn of a wake sees. after is for when it went well.
func (t *Turn) wakeScene(ctx context.Context, now time.Time) (s persona.Scene, after func(context.Context) error, err error) {
	b, w := t.Engine, t.Wake
	if t.Chat.Agent() {
		s, err = b.OwnerScene(ctx, now, t)
	} else {
		s, err = b.Scene(ctx, now, t)
	}
	if err != nil {
		return s, nil, err
	}
	s.Part, s.Wake, s.State = w.Part(), w, cmp.Or(s.State, heartflow.Observing.String())
	after = func(context.Context) error { return nil }
	switch s.Part {
	case persona.Remind, persona.PlanAhead: // what matters is in what it wrote down
		s.History = nil
	case persona.Review:
		s.History, s.Recent = nil, during(s.History, w.Talk)
	}
	for _, done := range b.life.schedule.History() {
		if done.Maker.Mode == w.Maker.Mode && done.Maker.Chat == w.Maker.Chat {
			s.Past = append(s.Past, done)
		}
	}
	s.Past = s.Past[max(0, len(s.Past)-pastShown):]
	if t.Background && t.Chat.Documents {
		after, err = b.news(ctx, now, &s)
	}
	return s, after, err
}

// during are the messages of a talk.
func during(ms []persona.Message, talk persona.Talk) []persona.Message {
	const slack = 3 * time.Minute // the batch before the first word that was counted
	return slices.DeleteFunc(ms, func(m persona.Message) bool {
		return m.At.Before(talk.From.Add(-slack)) || m.At.After(talk.To.Add(time.Second))
	})
}

// news adds what a talk of the background on the owner's side goes by: what the owner has been doing since the last one,
// and the part of the history that is to be condensed.
func (b *Engine) news(ctx context.Context, now time.Time, s *persona.Scene) (after func(context.Context) error, err error) {
	long := b.life.schedule.Condense()
	before, err := b.life.papers.text(ctx, self.HistoryTasks)
	if err != nil {
		return nil, err
	}
	looked := false
	if b.life.Activity != nil {
		since, err := b.looked(ctx, now)
		if err == nil {
			bounded, stop := context.WithTimeout(ctx, b.life.Timeout)
			s.Events, err = b.life.Activity(bounded, since)
			stop()
		}
		if looked = err == nil; err != nil {
			b.Log.Warn("what the owner has been doing is not known", "err", err)
		}
	}
	if len(long) > 0 {
		own := slices.DeleteFunc(slices.Clone(long), func(t persona.Task) bool {
			return t.Maker.Mode != s.Wake.Maker.Mode || t.Maker.Chat != (persona.Chat{})
		})
		s.Past, s.Condense = own, len(own) > 0
	}
	return func(ctx context.Context) error {
		text, err := b.life.papers.text(ctx, self.HistoryTasks)
		if err == nil && len(long) > 0 && (text != before || !s.Condense) {
			ids := make([]string, len(long))
			for i := range long {
				ids[i] = long[i].ID
			}
			err = b.life.schedule.Condensed(ctx, ids...)
		}
		if err == nil && looked {
			err = b.Options.Store.Apply(ctx, map[string][]byte{lookedKey: []byte(now.Format(time.RFC3339Nano))})
		}
		return err
	}, nil
}

// lookedKey is the row that says up to when it knows what the owner has been doing.
const lookedKey = "days/looked"

// looked is up to when it knows what the owner has been doing; at first the last hour counts as new.
func (b *Engine) looked(ctx context.Context, now time.Time) (time.Time, error) {
	rows, err := b.Options.Store.Load(ctx, lookedKey)
	if err != nil || rows[lookedKey] == nil {
		return now.Add(-time.Hour), err
	}
	at, err := time.Parse(time.RFC3339Nano, string(rows[lookedKey]))
	if err != nil || at.After(now) {
		return now.Add(-time.Hour), nil
	}
	return at, nil
}
