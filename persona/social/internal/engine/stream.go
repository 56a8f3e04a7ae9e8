package engine

import (
	"context"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/tmc/langchaingo/llms"
)

// An outlet says the items of a reply while the model still writes it, in their order and in a goroutine of its own, so
// that the model need not wait for what is being typed.
type outlet struct {
	say  func(ctx context.Context, item string) error
	most int // items that may be said before the reply is whole

	queue *Queue[string]
	ended chan struct{} // closed when nothing is added any more
	over  chan struct{} // closed when the goroutine has ended
	stop  context.CancelFunc

	taken  int // items so far; of the turn's goroutine
	latest int // those of them in the model's latest answer
	said   int // of the outlet's goroutine, until it is over
	err    error
}

// newOutlet starts one. Whoever does ends it.
func newOutlet(ctx context.Context, most int, say func(context.Context, string) error) *outlet {
	ctx, stop := context.WithCancel(ctx)
	o := &outlet{say: say, most: most, queue: NewQueue[string](), ended: make(chan struct{}), over: make(chan struct{}), stop: stop}
	go o.run(ctx)
	return o
}

// open starts the turn's outlet, where Options.Speech wants one. close ends it.
func (t *Turn) open(ctx context.Context) {
	if s := t.Engine.Options.Speech; s == nil || !s.Stream {
		return
	}
	u := &utterance{turn: t, chat: t.Chat.ID}
	t.utterance = u
	t.outlet = newOutlet(ctx, maxParts-1, func(ctx context.Context, item string) error {
		if u.said == 0 {
			u.whole = item
		}
		return u.say(ctx, persona.Out{Text: item})
	})
}

// words is a reply that the model has written: where some of it went out before, that utterance.
func (t *Turn) words(w Answer) *utterance {
	u := t.utterance
	if u == nil {
		u = &utterance{turn: t, chat: t.Chat.ID}
	}
	u.head = w.Out
	return u
}

func (o *outlet) run(ctx context.Context) {
	defer close(o.over)
	for last := false; !last; {
		select {
		case <-o.queue.Wake:
		case <-o.ended:
			last = true
		}
		for _, item := range o.queue.Take() {
			if o.err == nil && !persona.IsSilence(item) {
				if o.err = o.say(ctx, item); o.err == nil {
					o.said++
				}
			}
		}
	}
}

// end waits until everything was said, or lets go of what was not yet. It tells how many items were said, how many of
// the latest answer it took, and what stopped it. Nil is an outlet that nothing went through.
func (o *outlet) end(drop bool) (said, taken int, err error) {
	if o == nil {
		return 0, 0, nil
	}
	if drop {
		o.stop()
	}
	close(o.ended)
	<-o.over
	o.stop()
	return o.said, o.latest, o.err
}

// before makes a model whose answers go through the outlet while they are written, unless shut says at its first item that
// nothing may.
func (o *outlet) before(model llms.Model, shut func() bool) llms.Model {
	if o == nil {
		return model
	}
	return &streamed{model: model, outlet: o, shut: shut}
}

// A streamed model hands the <item>s of its answers to an outlet as they are complete. Text outside of them may be
// thinking aloud beside calls of tools, or a part of one: from such on, all waits for the whole answer.
type streamed struct {
	model  llms.Model
	outlet *outlet
	shut   func() bool
}

// GenerateContent implements [llms.Model].
func (m *streamed) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	m.outlet.latest = 0
	a := &written{items: speech.Items{Strict: true}, take: m.take}
	defer a.end()
	inner := llms.WithStreamingFunc(func(ctx context.Context, chunk []byte) error {
		a.write(chunk)
		if o.StreamingFunc != nil {
			return o.StreamingFunc(ctx, chunk)
		}
		return nil
	})
	return m.model.GenerateContent(ctx, messages, append(options[:len(options):len(options)], inner)...)
}

// Call implements [llms.Model].
func (m *streamed) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// take hands an item on. Where it may not, it is false, and those behind it wait with it.
func (m *streamed) take(item string) bool {
	o := m.outlet
	if o.taken == o.most || o.taken == 0 && m.shut() {
		return false
	}
	o.taken, o.latest = o.taken+1, o.latest+1
	o.queue.Add(item)
	return true
}

// A written answer is one that is being written.
type written struct {
	take func(item string) bool

	mu    sync.Mutex // a model that was given up may go on to write
	items speech.Items
	over  bool
	rune  []byte // one that is not complete
	head  string // that may be, or is, a thought
	said  bool   // the thought is over
}

func (a *written) write(chunk []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	for _, item := range a.items.Write(persona.Sayable(a.answer(a.runes(chunk)))) {
		if a.over = a.over || !a.take(item); a.over {
			return
		}
	}
}

func (a *written) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
}

// runes gives what is written so far, in whole characters.
func (a *written) runes(chunk []byte) string {
	a.rune = append(a.rune, chunk...)
	n := len(a.rune)
	for i := n - 1; i >= max(0, n-utf8.UTFMax); i-- {
		if utf8.RuneStart(a.rune[i]) {
			if !utf8.FullRune(a.rune[i:]) {
				n = i
			}
			break
		}
	}
	text := string(a.rune[:n])
	a.rune = append(a.rune[:0], a.rune[n:]...)
	return text
}

// answer leaves out what the model thinks at the head of its answer.
func (a *written) answer(text string) string {
	const open, shut = "<think>", "</think>"
	if a.said {
		return text
	}
	a.head += text
	head := strings.TrimSpace(a.head)
	switch _, rest, closed := strings.Cut(head, shut); {
	case strings.HasPrefix(head, open) && closed:
		text = rest
	case strings.HasPrefix(head, open), len(head) < len(open) && strings.HasPrefix(open, head):
		return "" // or may become one
	default:
		text = a.head
	}
	a.head, a.said = "", true
	return text
}
