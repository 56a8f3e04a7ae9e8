package days

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
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/social/internal/stream"
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
func (d *Days) wakeJob(r *engine.Chat, w *schedule.Wake, yields bool) *engine.Job {
	background := prompt.KindOf(w).IsBackgroundTurn()
	j := &engine.Job{
		Job: jobs.Job{ID: w.ID, Kind: w.Kind.String(), Chat: w.Origin.Chat}, Chat: r, Wake: w,
		Caller: persona.Message{Chat: r.ID, From: w.Origin.Person.ID}, Background: background, Yields: yields && background,
	}
	if background {
		j.Call = &d.call
	}
	if r.Agent() && !background {
		j.Caller.From = "owner"
	}
	switch {
	case w.Origin.Restricted:
		allowed := w.AllowedTools()
		j.May = func(tool nit.ToolInfo) bool { return d.stays(tool) || slices.Contains(allowed, tool.Name) }
	case background && !r.Documents: // they tell of the owner
		j.May = func(tool nit.ToolInfo) bool { return !strings.HasPrefix(tool.Name, "apply_patch_") }
	}
	j.Enter = func(ctx context.Context) (func(), error) { return d.enterWake(ctx, j) }
	j.Prepare = func(ctx context.Context) (bool, error) { return d.prepareWake(ctx, j) }
	this := &wake{Days: d}
	j.Ask, j.Deliver = this.ask, this.deliver
	return j
}

// enterWake takes one of the slots of wakes, and the chat. Of one chat no more than one takes a slot.
func (d *Days) enterWake(ctx context.Context, j *engine.Job) (leave func(), err error) {
	if j.Yields {
		if err := j.Chat.LetIn(ctx); err != nil {
			return nil, err
		}
	}
	var held []engine.Latch
	leave = func() {
		for _, l := range slices.Backward(held) {
			l.Unlock()
		}
	}
	for _, l := range []engine.Latch{j.Chat.Wakes, d.slots, j.Chat.Turn} {
		if err := l.Lock(ctx); err != nil {
			leave()
			return nil, err
		}
		held = append(held, l)
	}
	return leave, nil
}

// prepareWake reports that a wake is still to be done.
func (d *Days) prepareWake(ctx context.Context, j *engine.Job) (run bool, err error) {
	w := j.Wake
	if d.engine.Tombstones.Cover(w.Origin.Chat, w.Origin.Person.ID, made(*w)) { // while it waited
		return false, nil
	}
	if w.Kind == schedule.WakeOutdated {
		if err := d.missed(ctx, j.Chat, w.Task); err != nil {
			return false, err
		}
	}
	if j.Background && d.engine.OverBudget(j.Chat) { // of this chat
		return false, engine.ErrOverBudget
	}
	j.At = time.Now()
	return true, nil
}

// setInner is the tool that only the life loop has, whatever else its turn may do.
const setInner = "set_inner_state"

// A wake is one wake being done.
type wake struct {
	*Days
	succeeded func(context.Context) error // to be called when it went well
}

// ask holds the conversation of a wake.
func (d *wake) ask(ctx context.Context, t *engine.Turn) (w engine.Answer, err error) {
	part, now := prompt.KindOf(t.Wake), t.At
	t.Began = time.Now()
	if allowed := t.Wake.AllowedTools(); len(allowed) > 0 {
		t.Tools = t.Tools.WithPolicy(within(t.Wake.Text(), allowed))
	}
	if part == prompt.Remind && t.Chat.Mode != self.ModeAutonomous {
		who := t.Chat.Principal(false)
		who.Mode, who.Platform, who.Person, who.Turn = self.ModeAutonomous, t.Chat.ID.Platform, t.Caller.From, t.ID
		t.Extra = t.View(who).Filter(func(tool nit.ToolInfo) bool { return tool.Name == setInner })
	}
	if opens(t) {
		if err := d.mayBegin(now, t); err != nil {
			return w, err
		}
	}
	scene, after, err := d.wakeScene(ctx, now, t)
	if err != nil {
		return w, err
	}
	t.Shown = append(append(t.Shown[:0], scene.History...), scene.Recent...)
	for _, s := range scene.Background {
		if t.Chat.Shown == (persona.Chat{}) { // all that it goes by
			t.Shown = append(t.Shown, s.Messages...)
		}
	}
	d.engine.Counters.Asked.Add(1)
	reply, err := t.Converse(ctx, now, scene, t.Tools)
	if err != nil && t.Lost() == nil {
		d.engine.Counters.ModelFailed.Add(1)
	}
	d.succeeded = after
	return engine.Answer{Outgoing: persona.Outgoing{Text: reply.Text}}, err
}

// opens reports that a wake begins to speak in a chat, which attention has to permit.
func opens(t *engine.Turn) bool { return t.Chat.InChat && !t.Background }

// deliver does what comes of the conversation of a wake.
func (d *wake) deliver(ctx context.Context, t *engine.Turn, w *engine.Answer, err error) (outcome string, _ error) {
	switch {
	case err != nil:
	case t.Background || !t.Chat.InChat && !t.Chat.ToOwner:
		if err = d.archived(ctx, t, w.Text); err == nil {
			err = d.succeeded(ctx)
		}
	case t.HasSpoken(): // by a tool
		w.Text = ""
		d.engine.Done(ctx, t.Chat, engine.Done{Wake: true, Messages: 1})
	case w.Text == "":
	case t.Chat.ToOwner:
		err = d.tellOwner(ctx, t, w.Text)
	default:
		var said int
		said, err = t.Speak(ctx, t.Chat.ID, persona.Outgoing{Text: w.Text})
		d.engine.Done(ctx, t.Chat, engine.Done{Wake: true, Messages: said})
	}
	if opens(t) && t.Verdict.Do != heartflow.Silent {
		d.opened(t, err, w.Text)
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
func (d *Days) mayBegin(now time.Time, t *engine.Turn) error {
	chat, why := t.Chat.ID, whyTimer
	if prompt.KindOf(t.Wake) == prompt.PerformTask {
		if _, quiet := d.engine.Attention.InQuietHours(now, chat); quiet {
			return errQuietHours
		}
		why = whyTask
	}
	if t.Verdict = d.engine.Attention.BeginTurn(now, chat, why); t.Verdict.Do == heartflow.Silent {
		return errSilenced
	}
	return nil
}

// opened tells attention what came of the turn that it let begin.
func (d *Days) opened(t *engine.Turn, err error, text string) {
	switch now := time.Now(); {
	case err != nil:
		d.engine.Attention.SkipTurn(now, t.Chat.ID, heartflow.WhyModelError)
	case text == "" && !t.HasSpoken():
		d.engine.Attention.SkipTurn(now, t.Chat.ID, heartflow.WhyModelSilent)
	}
}

// tellOwner says something to the owner, item by item. It is in their talk before it is brought to them.
func (d *Days) tellOwner(ctx context.Context, t *engine.Turn, text string) (err error) {
	items := stream.Items(text)
	for _, item := range items {
		m := d.engine.OwnerMessage(time.Now(), item)
		m.From, m.Name, m.Own = d.engine.SelfID(), d.engine.Options.Profile.Name, true
		n, failed := t.Commit(ctx, jobs.Entry{Chat: d.engine.Owners.ID, Text: item, At: m.At})
		if failed != nil {
			return errors.Join(err, fmt.Errorf("social: the errand could not be committed, so nothing is said: %w", failed))
		}
		if failed = d.engine.KeepOwner(ctx, m, t.Bear(engine.DatumOwnerAnswer)); failed == nil {
			failed = d.say(ctx, item)
		}
		t.Sent(d.engine.Owners.ID, failed, false)
		after, stop := engine.Afterwards(ctx)
		if err := d.engine.Jobs.Result(after, time.Now(), t.ID, n, m.ID, failed, false); err != nil {
			d.engine.Log.Error("the result of what was said to the owner was not kept", "err", err)
		}
		stop()
		err = errors.Join(err, failed)
	}
	d.engine.Done(ctx, d.engine.Owners, engine.Done{Wake: true, Messages: len(items)})
	return err
}

// say brings something to the owner.
func (d *Days) say(ctx context.Context, item string) error {
	item = engine.Visible(item)
	ctx, stop := context.WithTimeout(ctx, d.call.Timeout) // the owner's own turn waits for this one
	defer stop()
	switch {
	case d.o.DeliverToOwner != nil:
		return d.o.DeliverToOwner(ctx, item)
	case d.engine.Options.Notify != nil:
		return d.engine.Options.Notify(ctx, item)
	}
	return nil
}

// archiveKind is the kind of records of what was thought in the background.
const archiveKind = "archive"

// archived keeps what was thought in the background where no prompt shows it.
func (d *Days) archived(ctx context.Context, t *engine.Turn, text string) error {
	if text == "" {
		return nil
	}
	var from []string
	if t.Chat.Sources {
		from = t.Sources()
	}
	return d.keep(ctx, memory.Record{
		ID: "archive-" + strings.ReplaceAll(t.ID, "/", "-"), Space: t.Chat.Space.Secret(), Kind: archiveKind, Text: engine.ClipRecord(text), Own: true, At: time.Now(), Sources: from, Label: t.Bear(engine.DatumArchive),
	})
}

const pastShown = 20 // tasks that are over

// wakeScene is what the turn of a wake sees. after is for when it went well.
func (d *Days) wakeScene(ctx context.Context, now time.Time, t *engine.Turn) (s prompt.Scene, after func(context.Context) error, err error) {
	w := t.Wake
	if t.Chat.Agent() {
		s, err = d.engine.OwnerScene(ctx, now, t)
	} else {
		s, err = d.engine.Scene(ctx, now, t)
	}
	if err != nil {
		return s, nil, err
	}
	s.Kind, s.Wake, s.State = prompt.KindOf(w), w, cmp.Or(s.State, heartflow.Observing.String())
	after = func(context.Context) error { return nil }
	switch s.Kind {
	case prompt.Remind, prompt.PlanAhead: // what matters is in what it wrote down
		s.History = nil
	case prompt.ReviewConversation:
		s.History, s.Recent = nil, during(s.History, w.Conversation)
	}
	for _, done := range d.schedule.History() {
		if done.Origin.Mode == w.Origin.Mode && done.Origin.Chat == w.Origin.Chat && mayRead(t, done.Origin) {
			s.Past = append(s.Past, done)
		}
	}
	s.Past = s.Past[max(0, len(s.Past)-pastShown):]
	if t.Background && t.Chat.Documents {
		after, err = d.news(ctx, now, t, &s)
	}
	return s, after, err
}

// during are the messages of a talk.
func during(ms []persona.Message, talk schedule.Conversation) []persona.Message {
	return slices.DeleteFunc(ms, func(m persona.Message) bool { return !said(talk, m.At) })
}

// said reports that something was said in a talk.
func said(talk schedule.Conversation, at time.Time) bool {
	const slack = 3 * time.Minute // the batch before the first word that was counted
	return !at.Before(talk.From.Add(-slack)) && !at.After(talk.To.Add(time.Second))
}

// news adds what a talk of the background on the owner's side goes by: what the owner has been doing since the last one,
// and the part of the history that is to be condensed.
func (d *Days) news(ctx context.Context, now time.Time, t *engine.Turn, s *prompt.Scene) (after func(context.Context) error, err error) {
	long := d.schedule.ToCondense()
	before, err := d.papers.text(ctx, self.HistoryTasks)
	if err != nil {
		return nil, err
	}
	looked := false
	if d.o.RecentActivity != nil {
		since, err := d.looked(ctx, now)
		if err == nil {
			s.OwnerActivity, err = d.activity(ctx, t, since)
		}
		if looked = err == nil; err != nil {
			d.engine.Log.Warn("what the owner has been doing is not known", "err", err)
		}
	}
	if len(long) > 0 {
		own := slices.DeleteFunc(slices.Clone(long), func(done schedule.Task) bool {
			return done.Origin.Mode != s.Wake.Origin.Mode || done.Origin.Chat != (persona.Chat{}) || !mayRead(t, done.Origin)
		})
		s.Past, s.Condense = own, len(own) > 0
	}
	return func(ctx context.Context) error {
		text, err := d.papers.text(ctx, self.HistoryTasks)
		if err == nil && len(long) > 0 && (text != before || !s.Condense) {
			ids := make([]string, len(long))
			for i := range long {
				ids[i] = long[i].ID
			}
			err = d.schedule.MarkCondensed(ctx, ids...)
		}
		if err == nil && looked {
			err = d.engine.Options.Store.Apply(ctx, map[string][]byte{lookedKey: []byte(now.Format(time.RFC3339Nano))})
		}
		return err
	}, nil
}

// lookedKey is the row that says up to when it knows what the owner has been doing.
const lookedKey = "days/looked"

// looked is up to when it knows what the owner has been doing; at first the last hour counts as new.
func (d *Days) looked(ctx context.Context, now time.Time) (time.Time, error) {
	rows, err := d.engine.Options.Store.Load(ctx, lookedKey)
	if err != nil || rows[lookedKey] == nil {
		return now.Add(-time.Hour), err
	}
	at, err := time.Parse(time.RFC3339Nano, string(rows[lookedKey]))
	if err != nil || at.After(now) {
		return now.Add(-time.Hour), nil
	}
	return at, nil
}
