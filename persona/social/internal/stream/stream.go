// Package stream sends the items of a reply while the model is still writing it.
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

// An Outlet sends the items of a reply while the model is still writing it. It keeps their order and uses its own
// goroutine, so that the model does not wait for typing times. A nil Outlet sends nothing.
type Outlet struct {
	send func(ctx context.Context, item string) error
	max  int // items that may be sent before the reply is complete

	mu     sync.Mutex
	queue  []string
	closed bool // no more items are added
	more   *sync.Cond
	done   chan struct{} // closed when the goroutine has ended
	stop   context.CancelFunc

	taken  int   // number of items; used by the turn's goroutine only
	latest int   // number of items from the model's latest answer
	err    error // first error of send; read it after done is closed
}

// New starts an Outlet that sends at most max items by calling send. After an error of send it sends nothing more. The
// caller must call Close.
func New(ctx context.Context, max int, send func(ctx context.Context, item string) error) *Outlet {
	ctx, stop := context.WithCancel(ctx)
	o := &Outlet{send: send, max: max, done: make(chan struct{}), stop: stop}
	o.more = sync.NewCond(&o.mu)
	go o.run(ctx)
	return o
}

func (o *Outlet) run(ctx context.Context) {
	defer close(o.done)
	for item, ok := o.next(); ok; item, ok = o.next() {
		if o.err == nil && !prompt.IsSilence(item) {
			o.err = o.send(ctx, item)
		}
	}
}

// next waits for an item. ok is false when there are no more.
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

// Close waits until all items are sent, or with drop discards the unsent ones. It returns the number of items taken
// from the model's latest answer, and the first error of send.
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
	<-o.done
	o.stop()
	return o.latest, o.err
}

// Model returns a model that passes the items of its answers to the Outlet while it writes them. may is asked once, at
// the first item.
func (o *Outlet) Model(model llms.Model, may func() bool) llms.Model {
	if o == nil {
		return model
	}
	return &streamingModel{model: model, outlet: o, may: may}
}

// Items parses the items of a complete reply.
func Items(text string) []string {
	var items speech.ItemParser
	return append(items.Write(text), items.Close()...)
}

// A streamingModel passes complete <item> elements to an Outlet. Text outside of items may be reasoning before a tool
// call or an unfinished item. From such text on, everything waits for the complete answer.
type streamingModel struct {
	model  llms.Model
	outlet *Outlet
	may    func() bool
}

// GenerateContent implements [llms.Model].
func (m *streamingModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	m.outlet.latest = 0
	a := &answerParser{items: speech.ItemParser{Strict: true}, take: m.take}
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
func (m *streamingModel) Call(ctx context.Context, text string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, text, options...)
}

// take passes an item to the Outlet. If it returns false, the item and all later ones wait for the complete answer.
func (m *streamingModel) take(item string) bool {
	o := m.outlet
	if o.taken == o.max || o.taken == 0 && !m.may() {
		return false
	}
	o.taken, o.latest = o.taken+1, o.latest+1
	o.add(item)
	return true
}

// An answerParser parses one answer from chunks.
type answerParser struct {
	take func(item string) bool

	mu          sync.Mutex // a cancelled model may still call write
	items       speech.ItemParser
	closed      bool
	partial     []byte // incomplete UTF-8 sequence
	head        string // start of the answer that is, or may become, a <think> element
	thoughtDone bool   // the <think> element has ended
}

func (a *answerParser) write(chunk []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	for _, item := range a.items.Write(prompt.CleanText(a.withoutThought(a.wholeRunes(chunk)))) {
		if a.closed = a.closed || !a.take(item); a.closed {
			return
		}
	}
}

func (a *answerParser) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
}

// wholeRunes returns the text so far, up to the last complete rune.
func (a *answerParser) wholeRunes(chunk []byte) string {
	a.partial = append(a.partial, chunk...)
	n := len(a.partial)
	for i := n - 1; i >= max(0, n-utf8.UTFMax); i-- {
		if utf8.RuneStart(a.partial[i]) {
			if !utf8.FullRune(a.partial[i:]) {
				n = i
			}
			break
		}
	}
	text := string(a.partial[:n])
	a.partial = append(a.partial[:0], a.partial[n:]...)
	return text
}

// withoutThought removes a <think> element at the start of the answer.
func (a *answerParser) withoutThought(text string) string {
	const open, shut = "<think>", "</think>"
	if a.thoughtDone {
		return text
	}
	a.head += text
	head := strings.TrimSpace(a.head)
	switch _, rest, closed := strings.Cut(head, shut); {
	case strings.HasPrefix(head, open) && closed:
		text = rest
	case strings.HasPrefix(head, open), len(head) < len(open) && strings.HasPrefix(open, head):
		return "" // still incomplete
	default:
		text = a.head
	}
	a.head, a.thoughtDone = "", true
	return text
}
