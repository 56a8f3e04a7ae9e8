package media

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/require"
)

// A platform opens parts and knows messages by their ids.
type platform struct {
	parts    map[string]persona.Part
	messages map[string]persona.Message

	mu    sync.Mutex
	asked []string
}

func (p *platform) features() engine.Features {
	return engine.Features{OpenPart: p.open, Message: p.message}
}

func (p *platform) open(_ context.Context, _ persona.Message, part persona.Part) (persona.Part, error) {
	var id string
	switch part := part.(type) {
	case persona.Forward:
		id = part.ID
	case persona.Voice:
		id = part.ID
	case persona.File:
		id = part.ID
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, id)
	if opened, ok := p.parts[id]; ok {
		return opened, nil
	}
	return part, errors.New("expired")
}

func (p *platform) message(_ context.Context, _ persona.Chat, id string) (persona.Message, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m, ok := p.messages[id]; ok {
		return m, nil
	}
	return persona.Message{}, errors.New("unknown")
}

// requests returns the ids of the parts that the platform was asked for, in order.
func (p *platform) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.asked...)
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newMessage returns a message with parts in the group.
func newMessage(id string, parts ...persona.Part) persona.Message {
	return persona.Message{ID: id, Key: id + "@1", Chat: group, From: "1001", Name: "张三", At: noon, Parts: parts, Text: persona.TextOf(parts)}
}

// read returns the chat in the prompt of a turn that answers messages.
func (f *fixture) read(t *testing.T, messages ...persona.Message) string {
	t.Helper()
	prompts := f.turn(t, func(j *engine.Job) { j.Items, j.Caller = messages, messages[len(messages)-1] }, nil, prompt.SingleCall)
	require.Len(t, prompts, 1)
	_, read, _ := strings.Cut(prompts[0].Human(), "<social_context>")
	read, _, _ = strings.Cut(read, "</social_context>")
	return read
}

// unopened returns the chat in the prompt of a bot that opens nothing.
func unopened(t *testing.T, messages ...persona.Message) string {
	t.Helper()
	return newLinkFixture(t, engine.Features{}, Options{}).read(t, messages...)
}

// lines returns n messages of a forward.
func lines(n int, text string) (all []persona.Message) {
	for range n {
		all = append(all, persona.Message{Name: "群友", Text: text})
	}
	return all
}

// opened returns the forward as a turn opens it, with the limits of a turn.
func (f *fixture) opened(t *testing.T, forwards ...persona.Forward) (all []persona.Forward) {
	t.Helper()
	c, err := f.engine.Chat(t.Context(), group)
	require.NoError(t, err)
	r := &run{Opener: f.Opener, turn: &engine.Turn{Job: &engine.Job{Chat: c}, Engine: f.engine}, left: limits{forwarded: maxForwarded, forwardBytes: maxBytes}}
	for _, one := range forwards {
		one, _ = r.openForward(t.Context(), newMessage("1"), one, 1)
		all = append(all, one)
	}
	return all
}
