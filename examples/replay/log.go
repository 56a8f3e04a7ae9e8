package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// A chatLog is a log as it was read: messages with labels, or what a bot's account received.
type chatLog struct {
	labelled []*whentospeak.Log // nil: it holds OneBot events
	arrivals []arrival          // of those, in the order that they came
	titles   map[string]string  // how their chats are called
}

// An arrival is something that reaches the bot: a message, or that one was taken back, or that the bot is muted.
type arrival struct {
	N         int // its place in the log
	At        time.Time
	Chat      string
	Name      string            // how the speaker is shown
	Message   heartflow.Message // zero for the other two
	Retracted string            // id of the message
	Muted     bool
	Until     time.Time // of Muted; zero: it may speak again

	Look heartflow.Code // why the bot itself wants to look at the chat; empty: it came from outside
}

// open reads the log of that file; "-" is in. The bot's name is for mentions of its account.
func open(file string, in io.Reader, name string) (*chatLog, error) {
	if file == "-" {
		return read(in, name)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l, err := read(f, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return l, nil
}

// byteOrderMark is what some editors write before a text.
const byteOrderMark = "\ufeff"

// read tells the kind of a log by its first line.
func read(r io.Reader, name string) (*chatLog, error) {
	in, err := program.Unpack(r)
	if err != nil {
		return nil, err
	}
	if head, _ := in.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		_, _ = in.Discard(len(head))
	}
	head, err := in.Peek(4 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	head, _, _ = bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	if len(head) == 0 {
		return nil, errors.New("the log is empty")
	}
	if bytes.HasPrefix(head, []byte(`{"received":`)) || bytes.Contains(head, []byte(`"post_type"`)) && !bytes.Contains(head, []byte(`"chat":`)) {
		return readEvents(in, name)
	}
	logs, err := whentospeak.Read(in)
	return &chatLog{labelled: logs}, err
}

// only leaves the chat of that name; "" leaves all.
func (l *chatLog) only(chat string) error {
	if chat == "" {
		return nil
	}
	l.labelled = slices.DeleteFunc(l.labelled, func(l *whentospeak.Log) bool { return l.Chat != chat })
	l.arrivals = slices.DeleteFunc(l.arrivals, func(a arrival) bool { return a.Chat != chat })
	if len(l.labelled)+len(l.arrivals) == 0 {
		return fmt.Errorf("-chat: the log has no chat %q", chat)
	}
	return nil
}

// heard is the log as a bot of these names hears it, in the order of time.
func (l *chatLog) heard(names []string) []arrival {
	all := slices.Clone(l.arrivals)
	for _, chat := range l.labelled {
		last := time.Time{}
		for _, line := range chat.Lines {
			last = later(last, line.Time) // what comes later in a chat was not said earlier
			m := heartflow.Message{ID: line.ID, From: line.Sender, Text: line.Text, Own: slices.Contains(names, line.Sender)}
			if m.Own && len(line.ReplyTo) > 0 { // what others answer is a label, and not known to a bot
				m.QuoteID = line.ReplyTo[0]
			}
			all = append(all, arrival{At: last, Chat: chat.Chat, Name: line.Sender, Message: m})
		}
	}
	slices.SortStableFunc(all, func(a, b arrival) int { return a.At.Compare(b.At) })
	for i := range all {
		all[i].N = i
	}
	return all
}
