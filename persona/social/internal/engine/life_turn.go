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
func (b *Being) wakeJob(r *room, w *persona.Wake, yields bool) *job {
	background := w.Part().Background()
	j := &job{
		Errand: persona.Errand{ID: w.ID, Kind: w.Kind.String(), Chat: w.Maker.Chat}, room: r, wake: w,
		caller: persona.Message{Chat: r.chat, From: w.Maker.Person.ID}, background: background, yields: yields && background,
	}
	if r.agent() && !background {
		j.caller.From = "owner"
	}
	switch {
	case w.Maker.Shed:
		j.may = func(tool nit.Info) bool { return tool.Tier&nit.L3 == 0 && (tool.ReadOnly || b.own.names[tool.Name]) }
	case background && !r.documents: // they tell of the owner
		j.may = func(tool nit.Info) bool { return !strings.HasPrefix(tool.Name, "apply_patch_") }
	}
	j.enter = func(ctx context.Context) (func(), error) { return b.enterWake(ctx, j) }
	j.prepare = func(ctx context.Context) (bool, error) { return b.prepareWake(ctx, j) }
	j.ask = func(ctx context.Context, t *turn) (answer, error) { return t.askWake(ctx) }
	j.deliver = func(ctx context.Context, t *turn, w *answer, err error) (string, error) {
		return t.deliverWake(ctx, w, err)
	}
	return j
}

// enterWake takes one of the slots of wakes, and the chat. Of one chat no more than one takes a slot.
func (b *Being) enterWake(ctx context.Context, j *job) (leave func(), err error) {
	if j.yields {
		if err := j.room.letIn(ctx); err != nil {
			return nil, err
		}
	}
	var held []latch
	leave = func() {
		for _, l := range slices.Backward(held) {
			l.unlock()
		}
	}
	for _, l := range []latch{j.room.wakes, b.life.slots, j.room.mind} {
		if err := l.lock(ctx); err != nil {
			leave()
			return nil, err
		}
		held = append(held, l)
	}
	return leave, nil
}

// prepareWake reports that a wake is still to be done.
func (b *Being) prepareWake(ctx context.Context, j *job) (run bool, err error) {
	w := j.wake
	if b.gone.covers(w.Maker.Chat, w.Maker.Person.ID, made(*w)) { // while it waited
		return false, nil
	}
	if w.Kind == persona.WakeOutdated {
		if err := b.missed(ctx, j.room, w.Task); err != nil {
			return false, err
		}
	}
	if j.background && b.spent(j.room) { // of this chat
		return false, errSpent
	}
	j.At = time.Now()
	return true, nil
}

// setInner is the tool that only the life loop has, whatever else its turn may do.
const setInner = "set_inner_state"

// toolbox is what the model is given: a view, and in the life loop the inner state.
func (t *turn) toolbox(v *nit.View) persona.Toolbox {
	if t.inner == nil || !t.inner.Has(setInner) {
		return t.being.scripted(v)
	}
	return both{t.being.scripted(v), t.inner}
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
func (t *turn) askWake(ctx context.Context) (w answer, err error) {
	b, part, now := t.being, t.wake.Part(), time.Now()
	t.began = now
	if part == persona.Remind && t.room.mode != self.ModeLife {
		who := t.room.principal(false)
		who.Mode, who.Platform, who.Person, who.Turn = self.ModeLife, t.room.chat.Platform, t.caller.From, t.ID
		t.inner = t.view(who).Narrow(func(tool nit.Info) bool { return tool.Name == setInner })
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
	t.shown = append(append(t.shown[:0], scene.History...), scene.Recent...)
	for _, s := range scene.Background {
		if t.room.shown == (persona.Chat{}) { // all that it goes by
			t.shown = append(t.shown, s.Messages...)
		}
	}
	b.count.asked.Add(1)
	reply, err := t.converse(ctx, now, scene, t.tools)
	if err != nil && t.lost() == nil {
		b.count.modelFailed.Add(1)
	}
	t.succeeded = after
	return answer{Out: persona.Out{Text: reply.Text}}, err
}

// opens reports that a wake begins to speak in a chat, which attention has to permit.
func (t *turn) opens() bool { return t.room.inChat && !t.background }

// deliverWake does what comes of the conversation of a wake.
func (t *turn) deliverWake(ctx context.Context, w *answer, err error) (outcome string, _ error) {
	b := t.being
	switch {
	case err != nil:
	case t.background || !t.room.inChat && !t.room.toOwner:
		if err = t.archived(ctx, w.Text); err == nil {
			err = t.succeeded(ctx)
		}
	case t.hasSpoken(): // by a tool
		w.Text = ""
		b.talked(ctx, t.room, 1)
	case w.Text == "":
	case t.room.toOwner:
		err = t.tellOwner(ctx, w.Text)
	default:
		var said int
		said, err = t.speak(ctx, t.room.chat, persona.Out{Text: w.Text})
		b.talked(ctx, t.room, said)
	}
	if t.opens() && t.verdict.Do != heartflow.Silent {
		t.opened(err, w.Text)
	}
	switch {
	case err != nil:
		return "error: " + err.Error(), err
	case w.Text == "" && !t.hasSpoken():
		return "silent", nil
	case t.background:
		return "thought", nil
	}
	return "spoke", nil
}

// mayBegin asks attention, as for every turn. A timer was asked for, whatever the hour is; a plan is the being's own.
func (t *turn) mayBegin(now time.Time) error {
	b, chat, why := t.being, t.room.chat, whyTimer
	if t.wake.Part() == persona.Perform {
		if _, quiet := b.attention.Quiet(now, chat); quiet {
			return errQuietHours
		}
		why = whyTask
	}
	if t.verdict = b.attention.Begin(now, chat, why); t.verdict.Do == heartflow.Silent {
		return errSilenced
	}
	return nil
}

// opened tells attention what came of the turn that it let begin.
func (t *turn) opened(err error, text string) {
	switch now := time.Now(); {
	case err != nil:
		t.being.attention.Skip(now, t.room.chat, heartflow.WhyModelError)
	case text == "" && !t.hasSpoken():
		t.being.attention.Skip(now, t.room.chat, heartflow.WhyModelSilent)
	}
}

// tellOwner says something to the owner, item by item. It is in their talk before it is brought to them.
func (t *turn) tellOwner(ctx context.Context, text string) (err error) {
	b := t.being
	var found speech.Items
	items := append(found.Write(text), found.Close()...)
	for _, item := range items {
		m := b.ownerMessage(time.Now(), item)
		m.From, m.Name, m.Own = b.self(), b.opts.Profile.Name, true
		n, failed := t.commit(ctx, persona.Entry{Chat: b.master.chat, Text: item, At: m.At})
		if failed != nil {
			return errors.Join(err, fmt.Errorf("social: the errand could not be committed, so nothing is said: %w", failed))
		}
		if failed = b.keepOwner(ctx, m); failed == nil {
			failed = b.life.say(ctx, b.opts.Notify, item)
		}
		t.sent(b.master.chat, failed, false)
		after, stop := afterwards(ctx)
		if err := b.errands.Result(after, time.Now(), t.ID, n, m.ID, failed, false); err != nil {
			b.log.Error("the result of what was said to the owner was not kept", "err", err)
		}
		stop()
		err = errors.Join(err, failed)
	}
	b.talked(ctx, b.master, len(items))
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
func (t *turn) archived(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	var from []string
	if t.room.sources {
		from = t.sources()
	}
	err := t.being.memory.Keep(ctx, memory.Record{
		ID: "archive-" + strings.ReplaceAll(t.ID, "/", "-"), Space: t.room.space.Secret(), Kind: archiveKind, Text: kept(text), Own: true, At: time.Now(), Sources: from,
	})
	if errors.Is(err, memory.ErrNotIndexed) {
		return nil
	}
	return err
}

// about is what a turn without messages recalls by.
func (t *turn) about() string {
	if t.wake == nil {
		return ""
	}
	task := t.wake.Task
	return strings.TrimSpace(strings.Join([]string{t.wake.Timer.Timer.Payload, task.Title, task.Motivation, task.Plan}, "\n"))
}

const pastShown = 20 // tasks that are over

// wakeScene is what the turn of a wake sees. after is for when it went well.
func (t *turn) wakeScene(ctx context.Context, now time.Time) (s persona.Scene, after func(context.Context) error, err error) {
	b, w := t.being, t.wake
	if t.room.agent() {
		s, err = b.ownerScene(ctx, now, t)
	} else {
		s, err = b.scene(ctx, now, t)
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
	if t.background && t.room.documents {
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
func (b *Being) news(ctx context.Context, now time.Time, s *persona.Scene) (after func(context.Context) error, err error) {
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
			b.log.Warn("what the owner has been doing is not known", "err", err)
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
			err = b.opts.Store.Apply(ctx, map[string][]byte{lookedKey: []byte(now.Format(time.RFC3339Nano))})
		}
		return err
	}, nil
}

// lookedKey is the row that says up to when it knows what the owner has been doing.
const lookedKey = "days/looked"

// looked is up to when it knows what the owner has been doing; at first the last hour counts as new.
func (b *Being) looked(ctx context.Context, now time.Time) (time.Time, error) {
	rows, err := b.opts.Store.Load(ctx, lookedKey)
	if err != nil || rows[lookedKey] == nil {
		return now.Add(-time.Hour), err
	}
	at, err := time.Parse(time.RFC3339Nano, string(rows[lookedKey]))
	if err != nil || at.After(now) {
		return now.Add(-time.Hour), nil
	}
	return at, nil
}
