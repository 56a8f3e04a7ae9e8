package whentospeak

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// A Line is one message of a log.
type Line struct {
	Chat    string    `json:"chat"`
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Sender  string    `json:"sender"`
	Text    string    `json:"text"`
	ReplyTo []string  `json:"reply_to"` // ids of the answered messages
	Labeled bool      `json:"labeled"`  // its answers, and the messages that it answers, are marked
}

// A Log is one chat, in order. Do not change it after the first Play.
type Log struct {
	Chat  string
	Lines []Line
}

// Speakers returns the authors of at least min labelled messages, in the order of their first message.
func (l *Log) Speakers(min int) []string {
	count := map[string]int{}
	for i := range l.Lines {
		if l.Lines[i].Labeled {
			count[l.Lines[i].Sender]++
		}
	}
	var list []string
	for i := range l.Lines {
		if who := l.Lines[i].Sender; count[who] >= max(min, 1) {
			list = append(list, who)
			delete(count, who)
		}
	}
	return list
}

// ReadFile reads a file of JSON lines, optionally compressed with gzip.
func ReadFile(name string) ([]*Log, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	logs, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return logs, nil
}

// Read is ReadFile for r. Chats are in the order of their first line, and may be interleaved. Empty lines are
// skipped. The fields chat, id, time and sender are required.
func Read(r io.Reader) ([]*Log, error) {
	in := bufio.NewReader(r)
	if head, _ := in.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReader(z)
	}
	var logs []*Log
	byChat := map[string]*Log{}
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if len(bytes.TrimSpace(text)) > 0 {
			line, err := parse(text)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			l := byChat[line.Chat]
			if l == nil {
				l = &Log{Chat: line.Chat}
				byChat[line.Chat] = l
				logs = append(logs, l)
			}
			l.Lines = append(l.Lines, line)
		}
		if err == io.EOF {
			return logs, nil
		}
	}
}

// parse parses one line. Its error names the invalid field.
func parse(text []byte) (line Line, err error) {
	var in struct {
		Line
		Time string `json:"time"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return line, fmt.Errorf("field %q has the wrong type: %s", strings.TrimPrefix(wrong.Field, "Line."), wrong.Value)
		}
		if wrong != nil {
			return line, fmt.Errorf("is no JSON object: %s", wrong.Value)
		}
		return line, err
	}
	line = in.Line
	for _, f := range []struct{ name, value string }{
		{"chat", line.Chat}, {"id", line.ID}, {"time", in.Time}, {"sender", line.Sender},
	} {
		if f.value == "" {
			return line, fmt.Errorf("field %q is missing", f.name)
		}
	}
	if line.Time, err = time.Parse(time.RFC3339, in.Time); err != nil {
		return line, fmt.Errorf("field \"time\": %w", err)
	}
	return line, nil
}
