package inspect

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/trace"
)

// Limits of a feed.
const (
	maxEvents = 2000
	maxTurns  = 500
	maxCalls  = 200
	maxChats  = 5000
)

// A feed keeps the latest events of a bot.
type feed struct {
	Named
	index int
	stop  func()

	mu     sync.Mutex
	seq    uint64        // of the last event
	erased uint64        // Seq of the last erasure or retraction
	events []trace.Event // without calls and turns, oldest first
	turns  []trace.Event // of ended and running turns, by their beginning
	calls  []trace.Event
	chats  map[persona.Chat]*chatInfo
	links  map[string]trace.Event // by platform
	closed chan struct{}
}

// A chatInfo is what the list shows of a chat.
type chatInfo struct {
	name    string
	last    *persona.Message
	changed uint64 // Seq of the last event
	at      time.Time
}

func newFeed(b Named, index int) *feed {
	f := &feed{Named: b, index: index, chats: map[persona.Chat]*chatInfo{}, links: map[string]trace.Event{}, closed: make(chan struct{})}
	f.stop = b.Bot.Watch(f.add)
	return f
}

func (f *feed) close() {
	f.stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropLocked()
	select {
	case <-f.closed:
	default:
		close(f.closed)
	}
}

// dropLocked drops everything that may quote people.
func (f *feed) dropLocked() {
	f.events, f.turns, f.calls = nil, nil, nil
	for _, c := range f.chats {
		c.last = nil
	}
}

// add keeps an event. The bot calls it.
func (f *feed) add(e trace.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seq = e.Seq
	switch {
	case e.Erased:
		f.erased = e.Seq
		f.dropLocked()
		return
	case e.Retracted != "":
		f.erased = e.Seq
		f.retractLocked(e)
		return
	case e.Link != nil:
		f.links[e.Link.Self.Platform] = e
	case e.Tool != nil:
		e.Tool = shortened(*e.Tool)
	case e.Call != nil:
		f.calls = pushed(f.calls, e, maxCalls)
		return
	case e.Turn != nil:
		f.setTurnLocked(e)
		if !strings.HasPrefix(e.Turn.Outcome, "error: ") {
			return
		}
		e.Turn = &trace.Turn{ID: e.Turn.ID, Kind: e.Turn.Kind, Outcome: e.Turn.Outcome} // without its messages
	}
	f.events = pushed(f.events, e, maxEvents)
	if e.Chat != (persona.Chat{}) {
		f.touchLocked(e)
	}
}

// shortened returns a tool call with the part of the result that the day shows, because results may be large. JSON is for the model.
func shortened(c trace.Tool) *trace.Tool {
	if json.Valid([]byte(c.Result)) {
		c.Result = ""
	}
	c.Result = clip.Ellipsis(c.Result, maxResult)
	return &c
}

// pushed appends an event and drops the oldest beyond max, some at a time.
func pushed(all []trace.Event, e trace.Event, max int) []trace.Event {
	if all = append(all, e); len(all) > max+max/4 {
		all = slices.Clone(all[len(all)-max:])
	}
	return all
}

func (f *feed) setTurnLocked(e trace.Event) {
	for i := len(f.turns) - 1; i >= 0; i-- {
		if f.turns[i].Turn.ID == e.Turn.ID {
			f.turns[i] = e
			return
		}
	}
	f.turns = pushed(f.turns, e, maxTurns)
}

func (f *feed) touchLocked(e trace.Event) {
	c := f.chats[e.Chat]
	if c == nil {
		if len(f.chats) >= maxChats {
			return
		}
		c = &chatInfo{}
		f.chats[e.Chat] = c
	}
	c.changed = e.Seq
	if m := e.Message; m != nil {
		c.last, c.at = m, e.At
		if m.ChatName != "" {
			c.name = m.ChatName
		} else if c.name == "" && e.Chat.Kind == persona.Private && !m.Own {
			c.name = m.Name
		}
	}
}

// retractLocked drops a message, the prompts that show it, and what the turns with these prompts did. If the prompts of a turn
// are not known any more, it drops everything that the turn did in the chat.
func (f *feed) retractLocked(e trace.Event) {
	is := func(key string) bool { return strings.HasPrefix(key, e.Retracted+"@") }
	shows := map[string]bool{} // by turn, for the turns that are known
	f.calls = slices.DeleteFunc(f.calls, func(o trace.Event) bool {
		gone := slices.ContainsFunc(o.Call.Prompt, func(s prompt.Segment) bool { return is(s.ID) })
		shows[o.Call.Turn] = shows[o.Call.Turn] || gone
		return gone
	})
	for i, o := range f.turns {
		if slices.ContainsFunc(o.Turn.Messages, func(m persona.Message) bool { return is(m.Key) }) {
			t := *o.Turn
			t.Messages = slices.DeleteFunc(slices.Clone(t.Messages), func(m persona.Message) bool { return is(m.Key) })
			f.turns[i].Turn, shows[t.ID] = &t, true
		}
	}
	f.events = slices.DeleteFunc(f.events, func(o trace.Event) bool {
		if o.Message != nil {
			return o.Chat == e.Chat && is(o.Message.Key)
		}
		turn, did := didIn(o)
		gone, known := shows[turn]
		return did && (gone || !known && o.Chat == e.Chat)
	})
	if c := f.chats[e.Chat]; c != nil && c.last != nil && is(c.last.Key) {
		c.last = nil
	}
}

// didIn returns the turn of a tool call or an act, which may be "".
func didIn(e trace.Event) (turn string, ok bool) {
	switch {
	case e.Tool != nil:
		return e.Tool.Turn, true
	case e.Act != nil:
		return e.Act.Turn, true
	}
	return "", false
}

// after returns the events after a Seq, at most the last limit of them, and the Seq of the last event. gone reports whether
// something from before was dropped since.
func (f *feed) after(seq uint64, limit int) (new []trace.Event, last uint64, gone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := len(f.events)
	for i > 0 && f.events[i-1].Seq > seq {
		i--
	}
	return slices.Clone(f.events[max(i, len(f.events)-limit):]), f.seq, f.erased > seq
}

// inChat returns the last events of a chat, oldest first.
func (f *feed) inChat(chat persona.Chat, limit int) (found []trace.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.events) - 1; i >= 0 && len(found) < limit; i-- {
		if f.events[i].Chat == chat {
			found = append(found, f.events[i])
		}
	}
	slices.Reverse(found)
	return found
}

// changedChats returns the chats with events after a Seq, the one with the latest first.
func (f *feed) changedChats(seq uint64) []persona.Chat {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []persona.Chat
	for chat, c := range f.chats {
		if c.changed > seq {
			all = append(all, chat)
		}
	}
	slices.SortFunc(all, func(a, b persona.Chat) int {
		switch x, y := f.chats[a].changed, f.chats[b].changed; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return all
}

// info returns a copy of what is known about a chat.
func (f *feed) info(chat persona.Chat) chatInfo {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.chats[chat]; c != nil {
		return *c
	}
	return chatInfo{}
}

// eventAt returns the event with a Seq.
func (f *feed) eventAt(seq uint64) (e trace.Event, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i, ok := slices.BinarySearchFunc(f.events, seq, func(e trace.Event, seq uint64) int {
		switch {
		case e.Seq < seq:
			return -1
		case e.Seq > seq:
			return 1
		}
		return 0
	})
	if ok {
		e = f.events[i]
	}
	return e, ok
}

// callAt returns the call with a Seq.
func (f *feed) callAt(seq uint64) (e trace.Event, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.calls, func(e trace.Event) bool { return e.Seq == seq })
	if i >= 0 {
		e = f.calls[i]
	}
	return e, i >= 0
}

// turnOf returns the turn that a decision let begin, or that made it, with its calls and sends.
func (f *feed) turnOf(e trace.Event) (turn trace.Event, calls, sent []trace.Event, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.turns) - 1; i >= 0 && !ok; i-- {
		t := f.turns[i]
		began := t.Turn.Decision == e.Seq
		within := t.Chat == e.Chat && e.Decision != nil && e.Decision.Kind != heartflow.KindJudge && !e.At.Before(t.Turn.Began) &&
			(t.Turn.Ended.IsZero() || !e.At.After(t.Turn.Ended))
		if began || within {
			turn, ok = t, true
		}
	}
	if !ok {
		return turn, nil, nil, false
	}
	for _, c := range f.calls {
		if c.Call.Turn == turn.Turn.ID && !c.At.Before(turn.Turn.Began) {
			calls = append(calls, c)
		}
	}
	for _, s := range f.events {
		if s.Sent != nil && s.Sent.Turn == turn.Turn.ID && !s.At.Before(turn.Turn.Began) {
			sent = append(sent, s)
		}
	}
	return turn, calls, sent, true
}

// linkStates returns the last event of each link.
func (f *feed) linkStates() (all []trace.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.links {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b trace.Event) int { return strings.Compare(a.Link.Self.Platform, b.Link.Self.Platform) })
	return all
}
