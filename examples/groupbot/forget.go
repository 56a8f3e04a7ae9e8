package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/heartflow/learned"
	"github.com/hearth-bot/hearth/persona"
)

// A forgetter erases a person or a chat from what the program keeps beside the bot's memory: the recording, and own weights.
type forgetter struct {
	record  *recording // nil: nothing is recorded
	name    string     // of the recording
	file    string     // of the own weights; empty: there is none
	weights *learned.Weights
	printer *printer
	log     *slog.Logger
}

// erase is the bot's Hooks.Erase.
func (f *forgetter) erase(_ context.Context, who persona.Account, chat persona.Chat) error {
	rests := func(w *learned.Weights) bool {
		return slices.Contains(w.Chats, chat.String()) || who.Platform == "qq" && slices.Contains(w.People, who.ID)
	}
	if f.weights != nil && rests(f.weights) {
		f.weights.Revoke()
	}
	match := matcher{person: who.ID, chat: chat}
	if who.Platform != "qq" {
		match.person = ""
	}
	errs := []error{}
	if f.file != "" {
		sources, err := f.eraseWeights(rests)
		errs = append(errs, err)
		for _, name := range sources {
			if f.record != nil && sameFile(name, f.name) {
				continue
			}
			if err := eraseLines(name, match); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	if f.record != nil {
		errs = append(errs, f.record.erase(f.name, match))
	}
	return errors.Join(errs...)
}

// eraseWeights deletes own weights that rest on somebody, or that cannot be read. It returns the recordings of the weights.
func (f *forgetter) eraseWeights(rests func(*learned.Weights) bool) (sources []string, err error) {
	w, err := learned.LoadWeights(f.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		sources = w.Source
		if !rests(w) {
			return sources, nil
		}
	}
	if err := os.Remove(f.file); err != nil {
		return sources, lang.Errorf("学到的权重删不掉：%v", "the own weights cannot be deleted: %v", err)
	}
	f.log.Warn("groupbot: the own weights were deleted, because they rest on the words of somebody who was forgotten; -learn trains others", "file", f.file)
	f.printer.printLine("    report: [%s] %s", f.printer.lang.Sprintf("主人", "owner"), f.printer.lang.Sprintf(
		"学到的权重用过被忘记的人说的话，删掉了，现在用自带的；-learn 可以重新学", "own weights used the words of somebody who was forgotten; they are deleted and the shipped ones are in use; -learn trains others"))
	return sources, nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// erase removes lines from the file of the recording.
func (r *recording) erase(name string, m matcher) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.file.Close() // a file that is open cannot be replaced on Windows
	err := eraseLines(name, m)
	file, size, openErr := openLines(name)
	if openErr != nil {
		return errors.Join(err, openErr) // the next write logs that nothing is recorded
	}
	r.file, r.size = file, size
	return err
}

// A matcher matches the lines of a recording that a person has written, that mention or quote the person, or that belong to a chat.
type matcher struct {
	person string // empty: nobody
	chat   persona.Chat
	ids    map[string]bool // IDs of the person's messages
}

// eraseLines removes the lines that m matches from a recording. It replaces the file at once.
func eraseLines(name string, m matcher) (err error) {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if head := make([]byte, 2); readHead(in, head) && head[0] == 0x1f && head[1] == 0x8b {
		return lang.Errorf("%s 是压缩的，里面被忘记的人说的话没有删：自己删掉它", "%s is compressed, and still has the words of somebody who was forgotten: delete it yourself", name)
	}
	m.ids = map[string]bool{}
	if err := eachLine(in, func(line []byte) error { m.collect(line); return nil }); err != nil {
		return err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	part := name + ".tmp"
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(part)
		}
	}()
	w, removed := bufio.NewWriter(out), 0
	err = eachLine(in, func(line []byte) error {
		if m.match(line) {
			removed++
			return nil
		}
		_, err := w.Write(line)
		return err
	})
	if err = errors.Join(err, w.Flush(), out.Sync(), out.Close(), in.Close()); err != nil {
		return err
	}
	if removed == 0 {
		return os.Remove(part)
	}
	return os.Rename(part, name)
}

func readHead(f *os.File, head []byte) bool {
	_, err := f.ReadAt(head, 0)
	return err == nil
}

// eachLine calls do with each line, which includes its newline.
func eachLine(in io.Reader, do func(line []byte) error) error {
	for b := bufio.NewReaderSize(in, 64<<10); ; {
		line, err := b.ReadBytes('\n')
		if len(line) > 0 {
			if err := do(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// eventOf returns the event of a line; nil if it is none.
func eventOf(line []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var all map[string]any
	if d.Decode(&all) != nil {
		return nil
	}
	for _, key := range []string{"event", "sent"} {
		if e, ok := all[key].(map[string]any); ok {
			return e
		}
	}
	return all
}

// collect notes the ID of a message of the person.
func (m *matcher) collect(line []byte) {
	if m.person == "" || !bytes.Contains(line, []byte(m.person)) {
		return
	}
	if e := eventOf(line); scalar(e["user_id"]) == m.person {
		if id := scalar(e["message_id"]); id != "" {
			m.ids[id] = true
		}
	}
}

// match reports whether a line must go.
func (m *matcher) match(line []byte) bool {
	e := eventOf(line)
	if e == nil {
		return false
	}
	switch id := m.chat.ID; {
	case m.chat.Platform != "qq":
	case m.chat.Kind == persona.Group && scalar(e["group_id"]) == id:
		return true
	case m.chat.Kind == persona.Private && e["group_id"] == nil && (scalar(e["user_id"]) == id || scalar(e["target_id"]) == id):
		return true
	}
	return m.person != "" && m.about(e)
}

// personKeys are the fields of events and segments whose value is a person.
var personKeys = []string{"user_id", "target_id", "operator_id", "sender_id", "invitor_id", "qq", "uin"}

// about reports whether a value of an event names the person, or a message of the person.
func (m *matcher) about(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			switch s := scalar(value); {
			case s == m.person && slices.Contains(personKeys, key), m.ids[s] && (key == "id" || key == "message_id"), m.about(value):
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, m.about)
	case string:
		return m.inCode(v)
	}
	return false
}

// inCode reports whether a text in CQ codes mentions the person or quotes a message of the person.
func (m *matcher) inCode(text string) bool {
	for {
		_, code, found := strings.Cut(text, "[CQ:")
		if !found {
			return false
		}
		code, text, _ = strings.Cut(code, "]")
		for _, field := range strings.Split(code, ",") {
			key, value, _ := strings.Cut(field, "=")
			if key == "qq" && value == m.person || key == "id" && m.ids[value] {
				return true
			}
		}
	}
}

// scalar returns a number or a string as a string.
func scalar(v any) string {
	switch v := v.(type) {
	case json.Number:
		return v.String()
	case string:
		return v
	}
	return ""
}
