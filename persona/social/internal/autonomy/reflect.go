package autonomy

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/hearth-bot/hearth/persona/trace"
)

const (
	maxReflected         = 3   // chats in one reflection
	maxReflectedMessages = 60  // messages of one chat in a reflection
	maxInnerRunes        = 800 // longest inner state
	globalInterval       = time.Hour
	maxPublicChats       = 16 // public chats in one global reflection
)

func (s *activeChats) add(c *engine.Chat, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[c] += n
}

// take removes and returns the n chats with the most new messages.
func (s *activeChats) take(n int) (chats []*engine.Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	chats = slices.SortedFunc(maps.Keys(s.count), func(a, b *engine.Chat) int {
		return cmp.Or(cmp.Compare(s.count[b], s.count[a]), strings.Compare(a.ID.String(), b.ID.String()))
	})
	chats = chats[:min(n, len(chats))]
	for _, c := range chats {
		delete(s.count, c)
	}
	return chats
}

// reflect updates the inner states of the most active chats, each from its own space only, and then the global
// reflection. Nothing is sent.
func (a *Autonomy) reflect(ctx context.Context) (text string, err error) {
	if !a.o.NoInnerState {
		for _, c := range a.active.take(maxReflected) {
			state, failed := a.reflectOn(ctx, c)
			if failed != nil {
				a.active.add(c, 1)
				err = errors.Join(err, failed)
			}
			text = cmp.Or(text, state)
		}
	}
	if !a.o.NoGlobalReflection {
		err = errors.Join(err, a.reflectGlobally(ctx))
	}
	return text, err
}

// reflectOn makes a new inner state from the old one and the messages since. If the state changed or a source was
// deleted meanwhile, it retries once.
func (a *Autonomy) reflectOn(ctx context.Context, c *engine.Chat) (text string, err error) {
	notes := a.engine.Memory.Notes(c.Space)
	var since time.Time // time of the inner state at the first try
	for try := range 2 {
		old, err := notes.InnerState(ctx)
		if err != nil {
			return "", err
		}
		if try == 0 {
			since = old.At
		}
		past, err := a.engine.Memory.Recent(ctx, c.Space, maxReflectedMessages)
		if err != nil {
			return "", err
		}
		s, label := prompt.Scene{Kind: prompt.Reflect}, memory.Trusted(c.Space)
		if old.Text != "" && !old.TooManySources() && (!c.Agent() || old.Label.IsTrusted()) {
			s.InnerState, label = old.Text, label.Join(old.Label)
		}
		var from []memory.Record
		for _, rec := range past {
			l := rec.LabelOrDefault()
			if !rec.At.After(since) || a.engine.Tombstones.Covers(c.ID, rec.Person, rec.At) || c.Agent() && !l.IsTrusted() {
				continue
			}
			label = label.Join(l)
			s.Recent, from = append(s.Recent, engine.MessageFromRecord(c, rec)), append(from, rec)
		}
		if len(s.Recent) == 0 {
			return "", nil
		}
		if text, err = a.engine.Ask(ctx, c, s, a.call); err != nil || text == "" {
			return "", err
		}
		text = clip.Ellipsis(text, maxInnerRunes)
		if swapped, err := notes.WithLabel(a.engine.Options.Labels.LabelOf(engine.DatumInnerState, label)).CompareAndSwapInnerStateFrom(ctx, time.Now(), old, from, text); swapped || err != nil {
			if err == nil {
				a.engine.Watchers.Act(ctx, c.ID, trace.Act{Kind: schedule.WakeReflect.String(), Outcome: text})
			}
			return text, err
		}
	}
	return "", nil // two conflicts with newer writes or deletions
}

// reflectGlobally rewrites the global reflection from the last thoughts about public chats, at most once in
// globalInterval.
func (a *Autonomy) reflectGlobally(ctx context.Context) error {
	if err := a.engine.SelfChat.TurnMu.Lock(ctx); err != nil { // erasing waits for this lock
		return err
	}
	defer a.engine.SelfChat.TurnMu.Unlock()
	notes := a.engine.Memory.Notes(memory.Self)
	old, err := notes.InnerState(ctx)
	if err != nil || time.Since(old.At) < globalInterval {
		return err
	}
	s, label := prompt.Scene{Kind: prompt.GlobalReflection}, memory.Untrusted()
	if !old.Label.IsOwnerOnly() {
		s.GlobalReflection, label = old.Text, label.Join(old.Label)
	}
	var from []string
	used := map[*engine.Chat]memory.Note{}
	for _, c := range a.engine.Chats() {
		if !c.Public() || len(used) == maxPublicChats {
			continue
		}
		thought, err := a.lastThought(ctx, c, old.At)
		if err != nil {
			return err
		}
		if thought.Text == "" {
			continue
		}
		label = label.Join(memory.Untrusted(c.Space)).Join(thought.Label)
		own := persona.Message{From: a.engine.SelfID(), Name: a.engine.Options.Profile.Name, Text: thought.Text, Own: true, At: thought.At}
		s.Background = append(s.Background, prompt.Session{Chat: c.ID, Name: c.Name(), Messages: []persona.Message{own}})
		from, used[c] = append(from, thought.Sources...), thought
	}
	if len(s.Background) == 0 {
		return nil
	}
	text, err := a.engine.Ask(ctx, a.engine.SelfChat, s, a.call)
	if err != nil || text == "" {
		return err
	}
	swapped, err := notes.WithLabel(a.engine.Options.Labels.LabelOf(engine.DatumGlobalReflection, label)).CompareAndSwapInnerState(ctx, time.Now(), old, clip.Ellipsis(text, maxInnerRunes), from...)
	if err != nil || !swapped {
		return err
	}
	a.engine.Watchers.Act(ctx, persona.Chat{}, trace.Act{Kind: schedule.WakeReflect.String(), Outcome: text})
	for c, before := range used { // the order does not matter
		there, err := isStored(ctx, a.engine.Memory, c, before)
		if err != nil || !there {
			return errors.Join(err, notes.SetInnerState(ctx, time.Now(), ""))
		}
	}
	return nil
}

// lastThought returns the last thought about a chat, in or outside of a focus, or else its inner state. It returns a
// zero note if neither is newer than since.
func (a *Autonomy) lastThought(ctx context.Context, c *engine.Chat, since time.Time) (memory.Note, error) {
	thoughts, err := c.Thoughts(ctx, a.engine.Memory)
	if err != nil {
		return memory.Note{}, err
	}
	if n := len(thoughts); n > 0 && thoughts[n-1].At.After(since) {
		return thoughts[n-1], nil
	}
	inner, err := a.engine.Memory.Notes(c.Space).InnerState(ctx)
	if err != nil || !inner.At.After(since) {
		return memory.Note{}, err
	}
	return inner, nil
}

// isStored reports whether a note from lastThought has not been erased since. A new inner state may have replaced it.
func isStored(ctx context.Context, m *memory.Memory, c *engine.Chat, n memory.Note) (bool, error) {
	if n.Name == "" {
		inner, err := m.Notes(c.Space).InnerState(ctx)
		return inner.Text != "", err
	}
	thoughts, err := c.Thoughts(ctx, m)
	return slices.ContainsFunc(thoughts, func(now memory.Note) bool { return now.Text == n.Text }), err
}

// recordOutcome stores a short outcome with a task. For a task that spoke or used tools the model writes it, with one
// call. If the task did nothing, if it failed, if the model fails, or if the turn of an owner's task has read text of
// others, the outcome is a fixed text: turns that have tools with side effects read it.
func (a *Autonomy) recordOutcome(ctx context.Context, w schedule.Wake, res performed, failed error) error {
	text, did := fixedOutcome(res, failed), res.Text
	if did == "" && len(res.tools) > 0 {
		did = "（没有说话，用了工具：" + strings.Join(res.tools, "、") + "）"
	}
	var err error
	switch {
	case failed != nil || did == "":
	case w.Origin.Mode == persona.Agent && !a.engine.IsOwnersAlone(res.Label):
		text += "那时看过别人的话，结果没有记下来。"
	default:
		var written string
		written, err = a.describeOutcome(ctx, w, did)
		text = cmp.Or(written, text)
	}
	stored := a.tasks.Reflect(ctx, w.Task.ID, clip.Ellipsis(text, maxInnerRunes))
	if stored == nil {
		a.engine.Watchers.Act(ctx, chatOf(w), trace.Act{Kind: "outcome", Text: w.Task.Title, Outcome: text, Turn: w.ID})
	}
	if !errors.Is(stored, schedule.ErrNotFound) { // it may have been erased meanwhile
		err = errors.Join(err, stored)
	}
	return err
}

// recordMissingOutcomes stores a fixed outcome with the tasks that ended while the program stopped.
func (a *Autonomy) recordMissingOutcomes(ctx context.Context) error {
	for _, t := range a.tasks.History() {
		if t.Status != schedule.TaskAccomplished || t.Reflection != "" {
			continue
		}
		text := "做完了，没来得及写下结果。"
		if t.Result.Error != "" {
			text = fixedOutcome(performed{}, errors.New(t.Result.Error))
		}
		if err := a.tasks.Reflect(ctx, t.ID, text); err != nil && !errors.Is(err, schedule.ErrNotFound) {
			return err
		}
	}
	return nil
}

// describeOutcome asks the model for the outcome of a task.
func (a *Autonomy) describeOutcome(ctx context.Context, w schedule.Wake, did string) (string, error) {
	c, err := a.engine.ChatOfOrigin(ctx, w.Origin)
	if err != nil {
		return "", err
	}
	own := persona.Message{From: a.engine.SelfID(), Name: a.engine.Options.Profile.Name, Text: did, Own: true, At: time.Now()}
	return a.engine.Ask(ctx, c, prompt.Scene{Kind: prompt.TaskOutcome, Wake: &w, History: []persona.Message{own}}, a.call)
}

// fixedOutcome describes the outcome of a task without any text of others.
func fixedOutcome(res performed, failed error) string {
	switch {
	case errors.Is(failed, errQuietHours):
		return "没做：那时是免打扰时段。"
	case errors.Is(failed, errNotPermitted):
		return "没做：那时不便开口。"
	case errors.Is(failed, engine.ErrUnclear):
		return "话发出去了，但不知道有没有送到。"
	case failed != nil:
		return "没做成：中间出了错。"
	case res.Text != "" || res.Spoke:
		return "做了，话也说了。"
	case len(res.tools) > 0:
		return "做了，没有说话。"
	}
	return "到时候想了想，什么也没说。"
}

// scene adds mood, plans, inner state, global reflection and documents, as far as the chat's scope permits.
func (a *Autonomy) scene(ctx context.Context, now time.Time, t *engine.Turn, s *engine.Scene) error {
	c := t.Chat
	if c.Energy {
		s.Mood = cmp.Or(s.Mood, &prompt.MoodSummary{})
		s.Mood.Energy = a.engine.Attention.Energy(now, c.ID)
	}
	s.Planned = slices.DeleteFunc(a.tasks.List(c.Origin), func(p schedule.Task) bool {
		return p.Origin.Mode != c.Origin.Mode || !readPlan(t, p.Origin)
	})
	inner := func(kind engine.Datum, of memory.Space) (string, error) {
		n, err := a.engine.Memory.Notes(of).InnerState(ctx)
		if err != nil || n.Text == "" || !t.MayRead(kind, n.Label) {
			return "", err
		}
		t.MarkRead(n.Label)
		t.Derived = append(t.Derived, n.Sources...)
		return n.Text, nil
	}
	var err error
	if !a.o.NoInnerState && c.Inner {
		if s.InnerState, err = inner(engine.DatumInnerState, c.Space); err != nil {
			return err
		}
	}
	if !a.o.NoGlobalReflection && c.Reflects {
		if s.GlobalReflection, err = inner(engine.DatumGlobalReflection, memory.Self); err != nil {
			return err
		}
	}
	if c.Documents {
		t.MarkRead(memory.Trusted(memory.Owner))
		if s.Documents, err = a.documents.all(ctx); err == nil {
			err = errors.Join(a.showLastSession(ctx, t, s), a.showHearsay(ctx, t, s))
		}
	}
	return err
}
