package autonomy

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

const (
	sessionPrefix     = "session/" // prefix of the summaries of the owner's sessions, which are owner's parts
	maxSessions       = 20         // summaries to keep
	maxSessionRunes   = 600        // of one summary
	maxSummarized     = 200        // messages behind one summary
	openingMessages   = 10         // messages of earlier sessions that open the next one
	maxSummaryTries   = 3          // after these the session is archived without a summary
	maxListedSessions = 200
)

// archive ends a session: it deletes the scratch notes. For the owner's session it also writes the summary that opens
// the next one. The messages are in memory already.
func (a *Autonomy) archive(ctx context.Context, w schedule.Wake) error {
	c, err := a.engine.ChatOfOrigin(ctx, w.Origin)
	if err != nil {
		return err
	}
	if c.Agent() {
		if err := a.summarizeSession(ctx, w.Conversation); err != nil {
			if w.Reason.Failures+1 < maxSummaryTries || ctx.Err() != nil {
				return err
			}
			a.engine.Log.Warn("archive a session of the owner without a summary", "err", err)
		}
	}
	return a.engine.Memory.Notes(c.Space).EndSession(ctx, c.Session)
}

// summarizeSession summarizes a conversation with the owner. The model has no tools and reads trusted messages only. A
// short conversation needs no summary, because all of it opens the next one.
func (a *Autonomy) summarizeSession(ctx context.Context, conv schedule.Conversation) error {
	if exists, err := a.parts.has(ctx, sessionPrefix, conv); exists || err != nil {
		return err
	}
	past, err := a.parts.conversation(ctx, conv, maxSummarized)
	if err != nil || len(past) <= openingMessages {
		return err
	}
	s, label := prompt.Scene{Kind: prompt.Summarize}, memory.Trusted(memory.Owner)
	past = slices.DeleteFunc(past, func(rec memory.Record) bool { return !a.engine.IsOwnersAlone(rec.LabelOrDefault()) })
	for _, rec := range past {
		label = label.Join(a.engine.Memory.EndorsedLabel(rec.LabelOrDefault()))
		m := engine.MessageFromRecord(a.engine.OwnerChat, rec)
		m.ID, m.ReplyTo = "", ""
		s.Recent = append(s.Recent, m)
	}
	if len(s.Recent) == 0 {
		return nil
	}
	text, err := a.engine.Ask(ctx, a.engine.OwnerChat, s, a.call)
	if err != nil || text == "" {
		return err
	}
	return a.parts.put(ctx, ownerPart{sessionPrefix, clip.Ellipsis(text, maxSessionRunes), a.engine.Options.Labels.LabelOf(engine.DatumSummary, label), maxSessions}, conv, past)
}

// lastOwnerSession returns the last archived conversation with the owner.
func (a *Autonomy) lastOwnerSession() (conv schedule.Conversation, ok bool) {
	for _, t := range slices.Backward(a.planner.Archived()) {
		if t.Origin.Mode == persona.Agent {
			return t, true
		}
	}
	return conv, false
}

// ownerHistory leaves the archived sessions out, except their last messages. The review of a session is shown it.
func (a *Autonomy) ownerHistory(t *engine.Turn, past []memory.Record) []memory.Record {
	last, ok := a.lastOwnerSession()
	if !ok || t.Wake != nil && t.Wake.Kind == schedule.WakeReview {
		return past
	}
	opened := slices.IndexFunc(past, func(rec memory.Record) bool { return rec.At.After(last.To) })
	if opened < 0 {
		opened = len(past)
	}
	return past[max(0, opened-openingMessages):]
}

// showLastSession adds the summary of the owner's last session to a scene, or a stub.
func (a *Autonomy) showLastSession(ctx context.Context, t *engine.Turn, s *engine.Scene) error {
	if _, ok := a.lastOwnerSession(); !ok {
		return nil
	}
	parts, err := a.parts.list(ctx, sessionPrefix)
	if err != nil || len(parts) == 0 {
		return err
	}
	last := parts[len(parts)-1]
	text := engine.Placeholder(last.Label)
	if t.MayRead(engine.DatumSummary, last.Label) {
		t.MarkRead(last.Label)
		t.Derived = append(t.Derived, last.Sources...)
		text = last.Text
	}
	s.Summary = strings.TrimSpace(s.Summary + "\n上一段对话（到 " + sessionEnd(last).In(a.o.Tasks.Location).Format("2006-01-02 15:04") + "）：" + text)
	return nil
}

// sessionEnd returns the end of the conversation of an owner's part.
func sessionEnd(n memory.Note) time.Time {
	_, at, _ := strings.Cut(n.Name, "/")
	end, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return n.At
	}
	return end
}

// A Session is documented in package social.
type Session struct {
	Background bool
	Origin     schedule.Origin
	From, To   time.Time
	Messages   int
	Text       string
}

// Sessions returns the archived conversations and background turns, oldest first. Their texts may come from any chat,
// so only the owner may see them.
func (a *Autonomy) Sessions(ctx context.Context) ([]Session, error) {
	if err := a.engine.AwaitStart(ctx); err != nil {
		return nil, err
	}
	summaries, err := a.parts.list(ctx, sessionPrefix)
	if err != nil {
		return nil, err
	}
	var all []Session
	for _, t := range a.planner.Archived() {
		one := Session{Origin: t.Origin, From: t.From, To: t.To, Messages: t.Messages}
		for _, n := range summaries {
			if t.Origin.Mode == persona.Agent && n.Name == ownerPartName(sessionPrefix, t) {
				one.Text = n.Text
			}
		}
		all = append(all, one)
	}
	background, err := a.backgroundSessions(ctx)
	all = append(all, background...)
	slices.SortStableFunc(all, func(s, t Session) int { return s.To.Compare(t.To) })
	return all[max(0, len(all)-maxListedSessions):], err
}

// backgroundSessions returns the archived background turns.
func (a *Autonomy) backgroundSessions(ctx context.Context) (all []Session, err error) {
	spaces, err := a.engine.Options.Store.Spaces(ctx)
	if err != nil {
		return nil, err
	}
	for _, space := range spaces {
		if !space.IsSecret() {
			continue
		}
		origin, ok := originOfSpace(space.Base())
		if !ok {
			continue
		}
		for rec, err := range a.engine.Options.Store.Scan(ctx, space, 0) {
			if err != nil {
				return nil, err
			}
			if rec.Kind == archiveKind {
				all = append(all, Session{Background: true, Origin: origin, From: rec.At, To: rec.At, Text: rec.Text})
			}
		}
	}
	return all, nil
}

// originOfSpace returns the origin of the turns of a space.
func originOfSpace(s memory.Space) (m schedule.Origin, ok bool) {
	switch s {
	case memory.Owner:
		return schedule.Origin{Mode: persona.Agent}, true
	case memory.Self:
		return m, true
	}
	return m, m.Chat.UnmarshalText([]byte(s)) == nil
}
