// Package notices sends notices and reports to the owner's account in a private message.
package notices

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

const (
	noticeKind = "notice"
	noticesRow = "notices"
	maxAge     = 7 * 24 * time.Hour // an older notice that could not be delivered is dropped
	offline    = time.Minute        // time between two checks whether the bot has woken
)

// limits are the limits of private messages to the owner. Reports have further ones before.
var limits = self.QueueOptions{PerMinute: 6, PerHour: 60, PerDay: 300, MaxPending: 100, MaxPerSession: 50}

// Options connect a Messenger with other parts. Every field may be nil.
type Options struct {
	Quiet  func(chat persona.Chat) (until time.Time)         // end of a request not to speak in a chat
	OnSent func(ctx context.Context, text, messageID string) // called after a notice was sent
}

// A Messenger keeps notices in a durable queue and sends them to the first owner, one at a time. A notice that cannot be
// delivered is retried, and one whose delivery is unclear is not sent again. Add may be called concurrently.
type Messenger struct {
	engine  *engine.Engine
	o       Options
	chat    persona.Chat // the owner's private chat
	opening engine.Mutex
	sending engine.Mutex  // held while a notice is sent or erased, so that an erased one is not sent
	queue   *self.Reports // nil until the first use; guarded by opening
}

// New returns the Messenger of an engine. The engine must have an owner.
func New(e *engine.Engine, o Options) *Messenger {
	owner := e.Options.Owners[0]
	return &Messenger{engine: e, o: o, chat: persona.Chat{Platform: owner.Platform, Kind: persona.Private, ID: owner.ID}, opening: engine.NewMutex(), sending: engine.NewMutex()}
}

// Off returns the part for an engine without a Messenger. It erases the notices of earlier runs.
func Off(e *engine.Engine) engine.Part {
	return engine.Part{Erase: (&Messenger{engine: e, opening: engine.NewMutex(), sending: engine.NewMutex()}).erase}
}

// Part returns the callbacks for the engine.
func (m *Messenger) Part() engine.Part {
	return engine.Part{Run: m.run, Event: m.event, Erase: m.erase, Due: m.due}
}

func (m *Messenger) due(ctx context.Context, _ time.Time) (d engine.Due, err error) {
	queue, err := m.open(ctx)
	if err == nil {
		d = engine.DueAt(queue.Next())
	}
	return d, err
}

// open returns the queue, and restores it on the first call.
func (m *Messenger) open(ctx context.Context) (*self.Reports, error) {
	if err := m.opening.Lock(ctx); err != nil {
		return nil, err
	}
	defer m.opening.Unlock()
	if m.queue != nil {
		return m.queue, nil
	}
	queue, err := self.NewReports(ctx, m.engine.Options.Store, m.deliver, self.ReportOptions{Row: noticesRow, Queue: limits, Hold: m.hold, Logger: m.engine.Log})
	if err == nil {
		m.queue = queue
	}
	return queue, err
}

func (m *Messenger) run(ctx context.Context) error {
	queue, err := m.open(ctx)
	if err != nil {
		return err
	}
	select {
	case <-m.engine.Link.Ready: // nothing can be sent before
	case <-ctx.Done():
		return nil
	}
	return queue.Run(ctx)
}

// Add stores a notice.
func (m *Messenger) Add(ctx context.Context, n engine.Notice) error {
	queue, err := m.open(ctx)
	if err != nil {
		return err
	}
	text := n.Text
	if n.Private != "" {
		text = engine.StripInvisible(n.Private)
	}
	r := self.Report{
		Content: text, Urgency: self.Normal, Platform: n.Chat.Platform, Session: n.Chat.SourceID(), Person: n.Person,
		Label: n.LabelIn(ctx, m.engine, m.chat).String(),
	}
	if n.Urgent {
		r.Urgency = self.High
	}
	now := time.Now()
	old := func(r self.Report) bool { return now.Sub(r.At) > maxAge }
	if p := queue.Pending(); len(p) > 0 && old(p[0]) {
		if err := queue.Remove(ctx, old); err != nil {
			return err
		}
	}
	outcome, err := queue.Submit(ctx, now, r)
	if err == nil && outcome == self.QueueFull {
		return fmt.Errorf("social: %d private messages to the owner wait", limits.MaxPending)
	}
	return err
}

// hold returns the time before which a notice must wait: while the bot sleeps, while the owner has asked for quiet in
// the private chat, and in quiet hours unless it is urgent.
func (m *Messenger) hold(now time.Time, r self.Report) (until time.Time) {
	if engine.IsAsleep(m.engine.Attention, now) {
		return now.Add(offline)
	}
	if r.Urgency == self.High {
		return time.Time{}
	}
	if m.o.Quiet != nil {
		until = m.o.Quiet(m.chat)
	}
	if end, quiet := m.engine.Attention.InQuietHours(now, m.chat); quiet && end.After(until) {
		until = end
	}
	return until
}

// event ends the delay after failures when the owner may be reachable again.
func (m *Messenger) event(ctx context.Context, e persona.Event) {
	switch e := e.(type) {
	case persona.Connected:
	case persona.Message:
		if e.Own || e.Chat != m.chat {
			return
		}
	default:
		return
	}
	queue, err := m.open(ctx)
	if err == nil && len(queue.Pending()) > 0 {
		err = queue.Retry(ctx)
	}
	if err != nil {
		m.engine.Log.Error("could not retry private messages to the owner", "err", err)
	}
}

// deliver sends a notice. Each attempt is a job of its own. A job that was committed before a crash is never repeated.
func (m *Messenger) deliver(ctx context.Context, r self.Report) error {
	if err := m.sending.Lock(ctx); err != nil {
		return err
	}
	defer m.sending.Unlock()
	queue, err := m.open(ctx)
	if err != nil || !slices.ContainsFunc(queue.Pending(), func(p self.Report) bool { return p.ID == r.ID }) {
		return err // it was erased meanwhile
	}
	c, err := m.engine.Chat(ctx, m.chat)
	if err != nil {
		return err
	}
	j := &engine.Job{Chat: c, NoRetry: true}
	j.Job = jobs.Job{ID: m.jobID(r.ID), Kind: noticeKind, Chat: m.chat, At: r.At}
	if old, ok := m.engine.Jobs.Lookup(j.ID); ok && old.Status >= jobs.Committed {
		return nil // sent before a crash, or unclear
	}
	var l memory.Label
	if l.UnmarshalText([]byte(r.Label)) != nil || l.IsZero() {
		l = memory.OwnerOnly()
	}
	j.Ask = func(context.Context, *engine.Turn) (engine.Answer, error) {
		return engine.Answer{Outgoing: persona.Outgoing{Text: r.Content}}, nil
	}
	j.Deliver = func(ctx context.Context, t *engine.Turn, w *engine.Answer, _ error) (string, error) {
		u := &engine.Utterance{Turn: t, Chat: m.chat, FullText: w.Text, Label: l, Notice: true}
		id, err := u.Send(ctx, w.Outgoing)
		if err != nil {
			return "unsent: " + err.Error(), err
		}
		if m.o.OnSent != nil {
			m.o.OnSent(ctx, w.Text, id)
		}
		return "sent", nil
	}
	done, err := m.engine.Do(ctx, j)
	if done.Unclear {
		return nil // looked up in the history, and never sent again
	}
	if done.Err != nil {
		return done.Err
	}
	return err
}

// jobID returns the id of the next attempt to deliver a notice: the first one that has not certainly failed.
func (m *Messenger) jobID(notice string) string {
	for n := 0; ; n++ {
		id := fmt.Sprintf("%s/%s/%d", noticeKind, notice, n)
		old, ok := m.engine.Jobs.Lookup(id)
		if !ok || old.Status != jobs.Done || len(old.Outbox) > 0 && old.Outbox[0].Status != jobs.Failed {
			return id
		}
	}
}

// erase removes what notices have said about erased chats and people: waiting notices, and sent ones in the journal of
// the owner's private chat and in the outbox.
func (m *Messenger) erase(ctx context.Context, f memory.Erasure, _ map[string][]byte) error {
	gone := func(label, text, person string) bool {
		var l memory.Label
		if l.UnmarshalText([]byte(label)) == nil {
			for _, s := range l.Spaces() {
				for _, erased := range f.Spaces {
					if s == erased {
						return true
					}
				}
			}
		}
		unknown := person == "" && strings.Contains(text, "「") // it quotes somebody
		return f.Person != "" && (person == f.Person || strings.Contains(text, f.Person) || unknown)
	}
	if err := m.sending.Lock(ctx); err != nil {
		return err
	}
	defer m.sending.Unlock()
	queue, err := m.open(ctx)
	if err != nil {
		return err
	}
	if err := m.engine.Jobs.EraseTexts(ctx); err != nil { // of attempts to send; they may quote the erased chat
		return err
	}
	match := func(r self.Report) bool { return gone(r.Label, r.Content, r.Person) }
	for _, r := range queue.Pending() {
		if match(r) {
			if err := queue.Remove(ctx, match); err != nil {
				return err
			}
			break
		}
	}
	for _, owner := range m.engine.Options.Owners {
		s := memory.Space(persona.Chat{Platform: owner.Platform, Kind: persona.Private, ID: owner.ID}.String())
		for _, s := range []memory.Space{s, s.Secret()} {
			if err := m.eraseSent(ctx, s, gone); err != nil {
				return err
			}
		}
	}
	return nil
}

// eraseSent deletes the sent notices for which gone returns true from the journal of a chat.
func (m *Messenger) eraseSent(ctx context.Context, s memory.Space, gone func(label, text, person string) bool) error {
	var ids []string
	for rec, err := range m.engine.Options.Store.Scan(ctx, s, 0) {
		if err != nil {
			return err
		}
		if rec.Own && !rec.Label.IsZero() && gone(rec.Label.String(), rec.Text, "") {
			ids = append(ids, rec.ID)
		}
	}
	return m.engine.Memory.Delete(ctx, s, ids...)
}
