package autonomy

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

// Reasons for which attention lets a turn begin unprompted.
const (
	whyTimer heartflow.Code = "timer"
	whyTask  heartflow.Code = "task"
)

// These texts are stored with tasks, and the model reads them.
var (
	errQuietHours   = errors.New("social: it is quiet here at this hour")
	errNotPermitted = errors.New("social: attention did not let it speak here")
)

// wakeJob returns the job of a wake. It has exactly the rights of the wake's origin.
func (a *Autonomy) wakeJob(c *engine.Chat, w *schedule.Wake, yields bool) (*engine.Job, *wake) {
	background := prompt.KindOf(w).IsBackgroundTurn()
	j := &engine.Job{
		Job: jobs.Job{ID: w.ID, Kind: w.Kind.String(), Chat: w.Origin.Chat}, Chat: c, Wake: w,
		Caller: persona.Message{Chat: c.ID, From: w.Origin.Person.ID}, Background: background, Preemptible: yields && background,
	}
	if background {
		j.ModelCall = &a.call
	}
	if c.Agent() && !background {
		j.Caller.From = "owner"
	}
	switch {
	case w.Origin.Restricted:
		allowed := w.AllowedTools()
		j.AllowTool = func(tool nit.ToolInfo) bool { return a.keptWhenRestricted(tool) || slices.Contains(allowed, tool.Name) }
	case background && !c.Documents: // they describe the owner
		j.AllowTool = func(tool nit.ToolInfo) bool { return !strings.HasPrefix(tool.Name, "apply_patch_") }
	}
	j.Enter = func(ctx context.Context) (func(), error) { return a.enterWake(ctx, j) }
	j.Prepare = func(ctx context.Context) (bool, error) { return a.prepareWake(ctx, j) }
	run := &wake{Autonomy: a}
	j.Ask, j.Deliver = run.ask, run.deliver
	j.After = func(ctx context.Context, t *engine.Turn, r engine.Result) {
		if ctx.Err() == nil && t.CancelCause() == nil {
			report(ctx, a.engine, *w, r.Text, r.Err)
		}
	}
	return j, run
}

// enterWake takes the locks of a wake: the chat's wake lock, a slot, and the chat. So one chat holds at most one slot.
func (a *Autonomy) enterWake(ctx context.Context, j *engine.Job) (leave func(), err error) {
	if j.Preemptible {
		if err := j.Chat.AwaitQueued(ctx); err != nil {
			return nil, err
		}
	}
	var held []engine.Mutex
	leave = func() {
		for _, l := range slices.Backward(held) {
			l.Unlock()
		}
	}
	for _, l := range []engine.Mutex{j.Chat.AutonomousMu, a.slots, j.Chat.TurnMu} {
		if err := l.Lock(ctx); err != nil {
			leave()
			return nil, err
		}
		held = append(held, l)
	}
	return leave, nil
}

// prepareWake reports whether a wake still has to run.
func (a *Autonomy) prepareWake(ctx context.Context, j *engine.Job) (run bool, err error) {
	w := j.Wake
	if a.engine.Tombstones.Covers(w.Origin.Chat, w.Origin.Person.ID, createdAt(*w)) { // erased while it waited
		return false, nil
	}
	if w.Kind == schedule.WakeOutdated {
		if err := a.rememberMissed(ctx, j.Chat, w.Task); err != nil {
			return false, err
		}
	}
	if j.Background && a.engine.OverBudget(j.Chat) { // the chat's own budget
		return false, engine.ErrOverBudget
	}
	j.At = time.Now()
	return true, nil
}

// innerStateTool is the tool for setting the inner state. Every timer's turn has it in addition to its own tools.
const innerStateTool = "set_inner_state"

// A wake runs one schedule.Wake.
type wake struct {
	*Autonomy
	onSuccess func(context.Context) error // called after success
	tools     []string                    // tools that succeeded
}

// noteTool remembers a tool that succeeded.
func (w *wake) noteTool(_ context.Context, r nit.Record) {
	if r.Outcome == nit.OK && !slices.Contains(w.tools, r.CalledName) {
		w.tools = append(w.tools, r.CalledName)
	}
}

// ask asks the model.
func (w *wake) ask(ctx context.Context, t *engine.Turn) (answer engine.Answer, err error) {
	kind, now := prompt.KindOf(t.Wake), t.At
	t.Began = time.Now()
	if allowed := t.Wake.AllowedTools(); len(allowed) > 0 {
		t.Tools = t.Tools.WithPolicy(limitTargets(t.Wake.Text(), allowed))
	}
	if kind == prompt.Remind && t.Chat.Mode != self.ModeAutonomous {
		who := t.Chat.Principal(false)
		who.Mode, who.Platform, who.Person, who.Turn = self.ModeAutonomous, t.Chat.ID.Platform, t.Caller.From, t.ID
		t.Extra = t.View(who).Filter(func(tool nit.ToolInfo) bool { return tool.Name == innerStateTool })
	}
	if needsPermission(t) {
		if err := w.beginTurn(now, t); err != nil {
			return answer, err
		}
	}
	scene, after, err := w.wakeScene(ctx, now, t)
	if err != nil {
		return answer, err
	}
	t.Shown = append(append(t.Shown[:0], scene.History...), scene.Recent...)
	for _, s := range scene.Background {
		if t.Chat.Shown == (persona.Chat{}) { // the turn reads all sessions
			t.Shown = append(t.Shown, s.Messages...)
		}
	}
	w.engine.Counters.Asked.Add(1)
	reply, err := t.Converse(ctx, now, scene, t.Tools.WithAudit(w.noteTool), nil)
	if err != nil && t.CancelCause() == nil {
		w.engine.Counters.ModelFailed.Add(1)
	}
	w.onSuccess = after
	return engine.Answer{Outgoing: persona.Outgoing{Text: reply.Text}}, err
}

// needsPermission reports whether a wake may send to a chat, so that attention has to permit it.
func needsPermission(t *engine.Turn) bool { return t.Chat.InChat && !t.Background }

// deliver sends or archives the model's answer.
func (w *wake) deliver(ctx context.Context, t *engine.Turn, answer *engine.Answer, err error) (outcome string, _ error) {
	switch {
	case err != nil:
	case t.Background || !t.Chat.InChat && !t.Chat.ToOwner:
		if err = w.putArchive(ctx, t, answer.Text); err == nil {
			err = w.onSuccess(ctx)
		}
	case t.HasSpoken(): // by a tool
		answer.Text = ""
		w.engine.Done(ctx, t.Chat, engine.Done{Wake: true, Messages: 1})
	case answer.Text == "":
	case t.Chat.ToOwner:
		err = w.sendToOwner(ctx, t, answer.Text)
	default:
		var said int
		said, err = t.SendReply(ctx, t.Chat.ID, persona.Outgoing{Text: answer.Text})
		w.engine.Done(ctx, t.Chat, engine.Done{Wake: true, Messages: said})
	}
	if needsPermission(t) && t.Verdict.Do != heartflow.Silent {
		w.skipUnused(t, err, answer.Text)
	}
	switch {
	case err != nil:
		return "error: " + err.Error(), err
	case answer.Text == "" && !t.HasSpoken():
		return "silent", nil
	case t.Background:
		return "thought", nil
	}
	return "spoke", nil
}

// beginTurn asks the platform and attention for permission, as for every turn. Quiet hours stop tasks, which the bot planned
// itself, but not timers, which somebody asked for.
func (a *Autonomy) beginTurn(now time.Time, t *engine.Turn) error {
	chat, why := t.Chat.ID, whyTimer
	if prompt.KindOf(t.Wake) == prompt.PerformTask {
		if _, quiet := a.engine.Attention.InQuietHours(now, chat); quiet {
			return errQuietHours
		}
		why = whyTask
	}
	if _, err := a.engine.Options.Features.Permitted(now, chat, ""); err != nil { // no model is asked in vain
		a.engine.Attention.SkipTurn(now, chat, heartflow.WhyNoWindow)
		return fmt.Errorf("%w: %w", errNotPermitted, err)
	}
	if t.Verdict = a.engine.Attention.BeginTurn(now, chat, why); t.Verdict.Do == heartflow.Silent {
		return errNotPermitted
	}
	return nil
}

// skipUnused reports to attention that a permitted turn failed or stayed silent.
func (a *Autonomy) skipUnused(t *engine.Turn, err error, text string) {
	switch now := time.Now(); {
	case err != nil:
		a.engine.Attention.SkipTurn(now, t.Chat.ID, heartflow.WhyModelError)
	case text == "" && !t.HasSpoken():
		a.engine.Attention.SkipTurn(now, t.Chat.ID, heartflow.WhyModelSilent)
	}
}

// sendToOwner sends a text to the owner, item by item. Each item is stored in the owner's conversation before it is
// delivered.
func (a *Autonomy) sendToOwner(ctx context.Context, t *engine.Turn, text string) (err error) {
	items := stream.Items(text)
	for _, item := range items {
		m := a.engine.NewOwnerMessage(time.Now(), item)
		m.From, m.Name, m.Own = a.engine.SelfID(), a.engine.Options.Profile.Name, true
		n, failed := t.Commit(ctx, jobs.Entry{Chat: a.engine.OwnerChat.ID, Text: item, At: m.At})
		if failed != nil {
			return errors.Join(err, fmt.Errorf("social: the errand could not be committed, so nothing is said: %w", failed))
		}
		if failed = a.engine.PutOwnerMessage(ctx, m, t.LabelFor(engine.DatumOwnerAnswer)); failed == nil {
			failed = a.deliverToOwner(ctx, item)
		}
		t.NoteSent(a.engine.OwnerChat.ID, failed, false)
		after, stop := engine.DetachedContext(ctx)
		if err := a.engine.Jobs.Result(after, time.Now(), t.ID, n, m.ID, failed, false); err != nil {
			a.engine.Log.Error("could not store the result of a message to the owner", "err", err)
		}
		stop()
		err = errors.Join(err, failed)
	}
	a.engine.Done(ctx, a.engine.OwnerChat, engine.Done{Wake: true, Messages: len(items)})
	return err
}

// deliverToOwner delivers one item to the owner.
func (a *Autonomy) deliverToOwner(ctx context.Context, item string) error {
	item = engine.StripInvisible(item)
	ctx, stop := context.WithTimeout(ctx, a.call.Timeout) // the owner's next turn waits for this one
	defer stop()
	switch {
	case a.o.DeliverToOwner != nil:
		return a.o.DeliverToOwner(ctx, item)
	case a.engine.Options.Notify != nil:
		return a.engine.Options.Notify(ctx, item)
	}
	return nil
}

// archiveKind is the kind of records that hold the text of background turns.
const archiveKind = "archive"

// putArchive stores the text of a background turn. No prompt shows it.
func (a *Autonomy) putArchive(ctx context.Context, t *engine.Turn, text string) error {
	if text == "" {
		return nil
	}
	var from []string
	if t.Chat.Sources {
		from = t.Sources()
	}
	return a.put(ctx, memory.Record{
		ID: "archive-" + strings.ReplaceAll(t.ID, "/", "-"), Space: t.Chat.Space.Secret(), Kind: archiveKind, Text: engine.ClipRecord(text), Own: true, At: time.Now(), Sources: from, Label: t.LabelFor(engine.DatumArchive),
	})
}

const maxPastTasks = 20 // ended tasks in a prompt

// wakeScene returns the scene of a wake's turn. Call after if the turn succeeds.
func (a *Autonomy) wakeScene(ctx context.Context, now time.Time, t *engine.Turn) (s prompt.Scene, after func(context.Context) error, err error) {
	w := t.Wake
	if t.Chat.Agent() {
		s, err = a.engine.OwnerScene(ctx, now, t)
	} else {
		s, err = a.engine.Scene(ctx, now, t)
	}
	if err != nil {
		return s, nil, err
	}
	s.Kind, s.Wake, s.State = prompt.KindOf(w), w, cmp.Or(s.State, heartflow.Observing.String())
	after = func(context.Context) error { return nil }
	switch s.Kind {
	case prompt.Remind, prompt.PlanAhead: // the notes have all that matters
		s.History = nil
	case prompt.ReviewConversation:
		s.History, s.Recent = nil, messagesOf(s.History, w.Conversation)
	}
	for _, done := range a.tasks.History() {
		if done.Origin.Mode == w.Origin.Mode && done.Origin.Chat == w.Origin.Chat && readPlan(t, done.Origin) {
			s.Past = append(s.Past, done)
		}
	}
	s.Past = s.Past[max(0, len(s.Past)-maxPastTasks):]
	if t.Background && t.Chat.Documents {
		after, err = a.addOwnerContext(ctx, now, t, &s)
	}
	return s, after, err
}

// messagesOf returns the messages of a conversation.
func messagesOf(ms []persona.Message, conv schedule.Conversation) []persona.Message {
	return slices.DeleteFunc(ms, func(m persona.Message) bool { return !inConversation(conv, m.At) })
}

// inConversation reports whether a time is within a conversation.
func inConversation(conv schedule.Conversation, at time.Time) bool {
	const slack = 3 * time.Minute // the batch before the first counted message
	return !at.Before(conv.From.Add(-slack)) && !at.After(conv.To.Add(time.Second))
}

// addOwnerContext adds the input of a background turn on the owner's side: the owner's activity since the last such
// turn, and the old tasks that have to be condensed. Call after if the turn succeeds.
func (a *Autonomy) addOwnerContext(ctx context.Context, now time.Time, t *engine.Turn, scene *prompt.Scene) (after func(context.Context) error, err error) {
	toCondense := a.tasks.ToCondense()
	before, err := a.documents.text(ctx, self.HistoryTasks)
	if err != nil {
		return nil, err
	}
	activityRead := false
	if a.o.RecentActivity != nil {
		since, err := a.activityCursor(ctx, now)
		if err == nil {
			scene.OwnerActivity, err = a.activity(ctx, t, since)
		}
		if activityRead = err == nil; err != nil {
			a.engine.Log.Warn("could not read the owner's activity", "err", err)
		}
	}
	if len(toCondense) > 0 {
		ownTasks := slices.DeleteFunc(slices.Clone(toCondense), func(done schedule.Task) bool {
			return done.Origin.Mode != scene.Wake.Origin.Mode || done.Origin.Chat != (persona.Chat{}) || !readPlan(t, done.Origin)
		})
		scene.Past, scene.Condense = ownTasks, len(ownTasks) > 0
	}
	return func(ctx context.Context) error {
		text, err := a.documents.text(ctx, self.HistoryTasks)
		if err == nil && len(toCondense) > 0 && (text != before || !scene.Condense) {
			ids := make([]string, len(toCondense))
			for i := range toCondense {
				ids[i] = toCondense[i].ID
			}
			err = a.tasks.MarkCondensed(ctx, ids...)
		}
		if err == nil && activityRead {
			err = a.engine.Options.Store.Apply(ctx, map[string][]byte{activityCursorKey: []byte(now.Format(time.RFC3339Nano))})
		}
		return err
	}, nil
}

// activityCursorKey is the row that holds the time up to which the owner's activity was read.
const activityCursorKey = "days/looked"

// activityCursor returns the time up to which the owner's activity was read. The default is one hour ago.
func (a *Autonomy) activityCursor(ctx context.Context, now time.Time) (time.Time, error) {
	rows, err := a.engine.Options.Store.Load(ctx, activityCursorKey)
	if err != nil || rows[activityCursorKey] == nil {
		return now.Add(-time.Hour), err
	}
	at, err := time.Parse(time.RFC3339Nano, string(rows[activityCursorKey]))
	if err != nil || at.After(now) {
		return now.Add(-time.Hour), nil
	}
	return at, nil
}
