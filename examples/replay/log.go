package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/program"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

// A chatLog is a parsed log: labelled messages, or the events of a bot's account.
type chatLog struct {
	labelled []*whentospeak.Log // nil for OneBot events
	inputs   []input            // OneBot events in order
	titles   map[string]string  // titles of chats
}

// An input is an event for the bot: a message, an act such as a poke, a recalled message or a mute.
type input struct {
	N         int // position in the log
	At        time.Time
	Chat      string
	Name      string            // displayed name of the speaker
	Message   heartflow.Message // only for a message, and for an act that calls the bot
	Shown     string            // what people read; empty: the text of Message
	Act       bool              // what the speaker did: Shown follows the name as in a sentence
	Sent      bool              // the recorded bot sent it: it is shown, and the simulated bot does not know it
	Retracted string            // id of a recalled message
	Muted     bool
	Until     time.Time // end of a mute; zero means unmuted
}

// text returns what people read.
func (a *input) text() string { return cmp.Or(a.Shown, a.Message.Text) }

// open reads a log from a file, or from in if file is "-". name is the bot's name for mentions of its account.
func open(file string, in io.Reader, name string, l lang.Language) (*chatLog, error) {
	if file == "-" {
		return read(in, name, l)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	read, err := read(f, name, l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return read, nil
}

// byteOrderMark is written by some editors at the start of a file.
const byteOrderMark = "\ufeff"

// read detects the kind of a log by its first line.
func read(r io.Reader, name string, l lang.Language) (*chatLog, error) {
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
		return nil, lang.Errorf("记录是空的", "the log is empty")
	}
	if bytes.HasPrefix(head, []byte(`{"received":`)) || bytes.Contains(head, []byte(`"post_type"`)) && !bytes.Contains(head, []byte(`"chat":`)) {
		return readEvents(in, name, l)
	}
	logs, err := whentospeak.Read(in)
	return &chatLog{labelled: logs}, err
}

// filter keeps only the chat with this name. "" keeps all.
func (l *chatLog) filter(chat string) error {
	if chat == "" {
		return nil
	}
	l.labelled = slices.DeleteFunc(l.labelled, func(l *whentospeak.Log) bool { return l.Chat != chat })
	l.inputs = slices.DeleteFunc(l.inputs, func(a input) bool { return a.Chat != chat })
	if len(l.labelled)+len(l.inputs) == 0 {
		return lang.Errorf("-chat：记录里没有聊天 %q", "-chat: the log has no chat %q", chat)
	}
	return nil
}

// inputsFor returns the inputs of a bot with these names, in order of time.
func (l *chatLog) inputsFor(names []string) []input {
	all := slices.Clone(l.inputs)
	for _, chat := range l.labelled {
		last := time.Time{}
		for _, line := range chat.Lines {
			last = later(last, line.Time) // times in a chat do not decrease
			m := heartflow.Message{ID: line.ID, From: line.Sender, Text: line.Text, Own: slices.Contains(names, line.Sender)}
			if m.Own && len(line.ReplyTo) > 0 { // the reply graph is a label that a bot does not know
				m.QuoteID = line.ReplyTo[0]
			}
			all = append(all, input{At: last, Chat: chat.Chat, Name: line.Sender, Message: m})
		}
	}
	slices.SortStableFunc(all, func(a, b input) int { return a.At.Compare(b.At) })
	for i := range all {
		all[i].N = i
	}
	return all
}
