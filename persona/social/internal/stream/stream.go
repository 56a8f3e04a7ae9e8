// Package stream says the items of a reply while a model still writes it.
package stream

import (
	"context"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/tmc/langchaingo/llms"
)

// An Outlet says the items of a reply while the model still writes it, in their order and in a goroutine of its own, so
// that the model need not wait for what is being typed. Nil is an Outlet that nothing goes through.
type Outlet struct {
	say  func(ctx context.Context, item string) error
	most int // items that may be said before the reply is whole

	mu     sync.Mutex
	queue  []string
	closed bool // nothing is added any more
	more   *sync.Cond
	over   chan struct{} // closed when the goroutine has ended
	stop   context.CancelFunc

	taken  int   // items so far; of the turn's goroutine
	latest int   // those of them in the model's latest answer
	err    error // of the Outlet's goroutine, until it is over
}

// New starts an Outlet that says no more than most items. An error of say ends it: nothing is said any more. The caller has
// to close it.
func New(ctx context.Context, most int, say func(ctx context.Context, item string) error) *Outlet {
	ctx, stop := context.WithCancel(ctx)
	o := &Outlet{say: say, most: most, over: make(chan struct{}), stop: stop}
	o.more = sync.NewCond(&o.mu)
	go o.run(ctx)
	return o
}

func (o *Outlet) run(ctx context.Context) {
	defer close(o.over)
	for item, ok := o.next(); ok; item, ok = o.next() {
		if o.err == nil && !prompt.IsSilence(item) {
			o.err = o.say(ctx, item)
		}
	}
}

// next waits for an item; false: there will be none.
func (o *Outlet) next() (item string, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) == 0 && !o.closed {
		o.more.Wait()
	}
	if len(o.queue) == 0 {
		return "", false
	}
	item, o.queue = o.queue[0], o.queue[1:]
	return item, true
}

func (o *Outlet) add(item string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = append(o.queue, item)
	o.more.Signal()
}

// Close waits until everything was said, or drops what was not yet. It tells how many items of the latest answer were
// taken, and the error of say.
func (o *Outlet) Close(drop bool) (taken int, err error) {
	if o == nil {
		return 0, nil
	}
	if drop {
		o.stop()
	}
	o.mu.Lock()
	o.closed = true
	o.more.Signal()
	o.mu.Unlock()
	<-o.over
	o.stop()
	return o.latest, o.err
}

// Model returns a model whose answers go through the Outlet while they are written, if may allows that at the first item.
func (o *Outlet) Model(model llms.Model, may func() bool) llms.Model {
	if o == nil {
		return model
	}
	return &streamed{model: model, outlet: o, may: may}
}

// Items are those of a whole reply.
func Items(text string) []string {
	var items speech.ItemParser
	return append(items.Write(text), items.Close()...)
}

// A streamed model hands the <item>s of its answers to an Outlet as they are complete. Text outside of them may be
// thinking aloud beside calls of tools, or a part of one: from such on, all waits for the whole answer.
type streamed struct {
	model  llms.Model
	outlet *Outlet
	may    func() bool
}

// GenerateContent implements [llms.Model].
func (m *streamed) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	m.outlet.latest = 0
	a := &written{items: speech.ItemParser{Strict: true}, take: m.take}
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
func (m *streamed) Call(ctx context.Context, text string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, text, options...)
}

// take hands an item on. Where it may not, it is false, and those behind it wait with it.
func (m *streamed) take(item string) bool {
	o := m.outlet
	if o.taken == o.most || o.taken == 0 && !m.may() {
		return false
	}
	o.taken, o.latest = o.taken+1, o.latest+1
	o.add(item)
	return true
}

// A written answer is one that is being written.
type written struct {
	take func(item string) bool

	mu    sync.Mutex // a model that was given up may go on to write
	items speech.ItemParser
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
	for _, item := range a.items.Write(prompt.CleanText(a.answer(a.runes(chunk)))) {
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
