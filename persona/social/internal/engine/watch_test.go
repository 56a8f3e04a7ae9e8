package engine

import (
	"context"
	"testing"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/trace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A bot that nobody watches makes no records.
func TestWatchers_NobodyWatches(t *testing.T) {
	ctx, chat := context.Background(), persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	turn := &Turn{Job: &Job{Chat: &Chat{ID: chat}, Items: make([]persona.Message, 3)}}
	var box prompt.Toolbox = (&nit.Registry{}).View(nit.Principal{Tiers: nit.L1})
	view := (&nit.Registry{}).View(nit.Principal{Tiers: nit.L1})
	segments := func() []prompt.Segment { return nil }
	hooks := func(w *Watchers) {
		w.turn(turn)("spoke")
		w.tools(turn, box)
		w.outcomes(view)
		w.withSegments(ctx, segments)
		w.decision(heartflow.Trace{Chat: "qq:group:1"})
		w.sent(turn, chat, persona.Outgoing{Text: "好"}, "1", nil, false)
		w.emit(chat, trace.Event{Retracted: "1"})
	}
	var w Watchers
	assert.Zero(t, testing.AllocsPerRun(100, func() { hooks(&w) }))

	events := 0
	stop := w.Watch(func(trace.Event) { events++ })
	assert.NotZero(t, testing.AllocsPerRun(100, func() { hooks(&w) }), "they are made for a watcher")
	require.Positive(t, events)
	stop()
	assert.Zero(t, testing.AllocsPerRun(100, func() { hooks(&w) }), "the last watcher has gone")
}

// A turn that ends after its message was retracted does not report the message, nor the prompt that shows it.
func TestWatchers_EndAfterRetraction(t *testing.T) {
	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	turn := &Turn{Job: &Job{Chat: &Chat{ID: chat}, Items: []persona.Message{{Key: "7@1"}, {Key: "8@1"}}}}
	var w Watchers
	var events []trace.Event
	defer w.Watch(func(e trace.Event) { events = append(events, e) })()
	call := func(key string) {
		w.emit(chat, trace.Event{Call: &trace.Call{Prompt: []prompt.Segment{{ID: key}}}})
	}
	ended := w.turn(turn)
	w.emit(chat, trace.Event{Retracted: "7"})
	call("7@1")
	call("8@1")
	ended("spoke")
	require.Len(t, events, 4)
	assert.Equal(t, "8@1", events[2].Call.Prompt[0].ID)
	assert.Equal(t, []persona.Message{{Key: "8@1"}}, events[3].Turn.Messages)
}
