package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

// A recording is a file with a line for each received event, {"received": time, "event": event}, and for each message of the
// bot, {"received": time, "sent": event}. Each line is a single write. If the process is killed, at most the last line is
// incomplete, and the next start removes it. examples/replay reads the file.
type recording struct {
	mu     sync.Mutex
	file   *os.File
	log    *slog.Logger
	self   int64 // the account of the first event
	size   int64 // of the complete lines
	failed bool
}

// recordingHead is the start of each line.
const recordingHead = `{"received":"`

// openRecording opens or creates the file to append to it.
func openRecording(name string, log *slog.Logger) (*recording, error) {
	f, size, err := openLines(name)
	if err != nil {
		return nil, err
	}
	return &recording{file: f, log: log, size: size}, nil
}

// openLines opens or creates a recording, and removes an incomplete last line. It returns the size of the file.
func openLines(name string) (*os.File, int64, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600) // private, because it contains messages
	if err != nil {
		return nil, 0, err
	}
	size, err := completeLines(f)
	if err == nil {
		err = f.Truncate(size)
	}
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	return f, size, nil
}

// completeLines returns the size of the lines that end with a newline. A file that is no recording is an error, because it
// would be truncated.
func completeLines(f *os.File) (size int64, err error) {
	head := make([]byte, len(recordingHead))
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if string(head[:n]) != recordingHead[:n] {
		return 0, errors.New("is there already, and is no recording")
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	block := make([]byte, 64<<10)
	for end := info.Size(); end > 0; {
		b := block[:min(end, int64(len(block)))]
		if _, err := f.ReadAt(b, end-int64(len(b))); err != nil {
			return 0, err
		}
		end -= int64(len(b))
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			return end + int64(i) + 1, nil
		}
	}
	return 0, nil
}

// add appends an event.
func (r *recording) add(e onebot.Event) {
	if r == nil || e.Raw() == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.self == 0 {
		r.self = e.EventSelfID()
	}
	r.write("event", e.Raw())
}

// addSent appends a message of the bot as the event message_sent, without the data of a picture. A voice message, a file and a
// forward are their text. A poke and a reaction are none, because the implementation reports them as events.
func (r *recording) addSent(name string, chat persona.Chat, id string, out persona.Outgoing) {
	if out.Poke != "" || out.Reaction != (persona.Reaction{}) {
		return
	}
	var m onebot.Message
	if n, err := strconv.ParseInt(out.ReplyTo, 10, 64); err == nil {
		m = append(m, onebot.Reply(n))
	}
	for _, who := range out.Mentions {
		if n, err := strconv.ParseInt(who, 10, 64); err == nil {
			m = append(m, onebot.At(n), onebot.Text(" "))
		}
	}
	if !out.CanQuote() || out.Face != (persona.Face{}) {
		out.Text, out.Image = out.Content(), ""
	}
	if m = append(m, onebot.Text(out.Text)); out.Image != "" {
		m = append(m, onebot.Image(""))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e := map[string]any{
		"post_type": "message_sent", "message_type": "private", "time": time.Now().Unix(), "self_id": r.self, "user_id": r.self,
		"sender": map[string]any{"user_id": r.self, "nickname": name}, "message_id": json.Number(id), "message": m,
	}
	if chat.Kind == persona.Group {
		e["message_type"], e["group_id"] = "group", json.Number(chat.ID)
	} else {
		e["target_id"] = json.Number(chat.ID)
	}
	if raw, err := json.Marshal(e); err == nil { // fails if an id is no number, which onebotlink rejects
		r.write("sent", raw)
	}
}

// write appends a line. If the disk is full, the bot continues and logs one error. The caller holds mu.
func (r *recording) write(kind string, event []byte) {
	line := append([]byte(recordingHead), time.Now().UTC().Format(time.RFC3339Nano)...)
	line = append(line, `","`+kind+`":`...)
	b := bytes.NewBuffer(line)
	if err := json.Compact(b, event); err != nil { // an event may have line breaks
		return // unreachable for parsed events
	}
	b.WriteString("}\n")
	n, err := r.file.Write(b.Bytes())
	if err == nil {
		r.size += int64(n)
		r.failed = false
		return
	}
	r.file.Truncate(r.size) // remove the incomplete line
	if !r.failed {
		r.failed = true
		r.log.Error("groupbot: events are not recorded any more", "err", err)
	}
}

func (r *recording) close() {
	if r != nil {
		r.file.Close()
	}
}

// A recordedLink records each message that is sent through the link that it wraps.
type recordedLink struct {
	social.Link
	events *recording
	name   string // of the bot
}

// Send sends a message and records it.
func (l recordedLink) Send(ctx context.Context, chat persona.Chat, out persona.Outgoing) (string, error) {
	id, err := l.Link.Send(ctx, chat, out)
	if err == nil {
		l.events.addSent(l.name, chat, id, out)
	}
	return id, err
}

// Features returns the features of the wrapped link.
func (l recordedLink) Features() social.LinkFeatures { return social.FeaturesOf(l.Link) }
