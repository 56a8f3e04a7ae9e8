package engine

import (
	"context"
	"errors"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/models"
)

// newAttention creates the attention that the options ask for.
func (e *Engine) newAttention() (err error) {
	below := e.Options.attentionOptions(e.attentionSaver.onTrace(e.Options.Attention.OnTrace))
	if e.Options.HFC == nil {
		e.Plain, err = heartflow.New[persona.Chat](below)
		e.Attention = e.Plain
		return err
	}
	o := *e.Options.HFC
	o.Attention = below
	e.Flow, err = hfc.New[persona.Chat](o)
	e.Attention = e.Flow
	return err
}

// configure sets the options of one chat. Attention also refuses what a turn under way or the host sends to a chat that
// is off.
func (e *Engine) configure(chat persona.Chat, o ChatOptions) error {
	o.Attention.Off = o.Attention.Off || o.Off
	if e.Flow != nil {
		return e.Flow.Configure(chat, hfc.Settings{Settings: o.Attention, SpeakLess: o.SpeakLess, NoFocus: o.NoFocus})
	}
	return e.Plain.Configure(chat, o.Attention)
}

// attentionKey is the key of the row with the counts, so that a restart does not reset the caps.
const attentionKey = "attention"

// budgetKey is the key of the row with the usage of the budget.
const budgetKey = "budget"

// attentionInterval is the least time between two writes of the rows. A crash loses the counts since the last write.
const attentionInterval = 5 * time.Second

// restore loads caps, mutes, random generators and the budget. Messages are replayed from the journal instead.
func (s *attentionSaver) restore(ctx context.Context) error {
	if err := s.restoreRow(ctx, attentionKey, s.engine.Attention.Restore); err != nil {
		return err
	}
	return s.restoreRow(ctx, budgetKey, s.engine.Options.Attention.Budget.Restore)
}

func (s *attentionSaver) restoreRow(ctx context.Context, key string, take func([]byte) error) error {
	rows, err := s.engine.Options.Store.Load(ctx, key)
	if err != nil {
		return err
	}
	saved, ok := rows[key]
	if !ok {
		return nil
	}
	if err := take(saved); err != nil {
		s.engine.Log.Error("saved counts are unreadable and start at zero", "row", key, "err", err)
	}
	return nil
}

// countCall counts a model call for the chat of its turn.
func (s *attentionSaver) countCall(ctx context.Context, u models.Usage) {
	account := ""
	chat, background := chatOf(ctx)
	if chat != (persona.Chat{}) {
		account = chat.String()
	}
	if background {
		s.engine.Counters.backgroundCalls.Add(1)
		s.engine.Counters.backgroundTokens.Add(int64(u.Total()))
	}
	s.engine.Counters.modelCalls.Add(1)
	if u.Failed < u.Calls {
		s.engine.Counters.lastAnswer.Store(time.Now().UnixNano())
	}
	s.engine.Counters.tokens.Add(int64(u.Total()))
	s.engine.Counters.promptTokens.Add(int64(u.Prompt))
	s.engine.Counters.cachedTokens.Add(int64(u.CacheRead))
	s.engine.Counters.repeatedTokens.Add(int64(u.Repeated))
	s.engine.Models.count(models.PurposeOf(ctx), u)
	s.engine.Options.Attention.Budget.AddCall(time.Now(), account, u.Total())
	for _, p := range s.engine.parts {
		if p.Spent != nil {
			p.Spent()
		}
	}
	s.markChanged()
}

// markChanged requests a write of the rows.
func (s *attentionSaver) markChanged() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// run writes the rows after changes, and once more when ctx ends.
func (s *attentionSaver) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			after, stop := DetachedContext(ctx)
			defer stop()
			s.save(after)
			return nil
		case <-s.changed:
		}
		s.save(ctx)
		pause := time.NewTimer(attentionInterval)
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
}

func (s *attentionSaver) save(ctx context.Context) {
	if err := s.write(ctx); err != nil && ctx.Err() == nil {
		s.engine.Log.Error("the state of attention was not saved", "err", err)
	}
}

func (s *attentionSaver) write(ctx context.Context) error {
	row, err := s.engine.Attention.SnapshotWithoutMessages()
	spent, budgetErr := s.engine.Options.Attention.Budget.Snapshot()
	if err = errors.Join(err, budgetErr); err != nil {
		return err
	}
	return s.engine.Options.Store.Apply(ctx, map[string][]byte{attentionKey: row, budgetKey: spent})
}

// onTrace returns a function that receives every decision. It wakes the loop and the writer that depend on them.
func (s *attentionSaver) onTrace(also func(heartflow.Trace)) func(heartflow.Trace) {
	return func(t heartflow.Trace) {
		s.engine.AttentionLoop.Wake() // the next deadline may have changed
		if t.Kind == heartflow.KindSpeak || t.Kind == heartflow.KindState {
			s.markChanged()
		}
		s.engine.Watchers.decision(t)
		if s.engine.Options.Trace != nil {
			s.engine.Options.Trace(t)
		}
		if also != nil {
			also(t)
		}
	}
}
