package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func event(t *testing.T, id int, text string) onebot.Event {
	t.Helper()
	e, err := onebot.ParseEvent(fmt.Appendf(nil, `{
		"time": 1700000000, "self_id": 20001, "post_type": "message", "message_type": "group", "sub_type": "normal",
		"message_id": %d, "group_id": 714285, "user_id": 31001, "message": [{"type": "text", "data": {"text": %q}}]
	}`, id, text))
	require.NoError(t, err)
	return e
}

// recorded reads a recording and checks that each line is one event.
func recorded(t *testing.T, name string) (events []onebot.Event) {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Received    time.Time
			Event, Sent json.RawMessage
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line), lines.Text())
		assert.False(t, line.Received.IsZero(), lines.Text())
		e, err := onebot.ParseEvent(append(line.Event, line.Sent...))
		require.NoError(t, err, lines.Text())
		m, _ := e.(interface{ Own() bool })
		assert.Equal(t, line.Sent != nil, m != nil && m.Own(), lines.Text())
		events = append(events, e)
	}
	require.NoError(t, lines.Err())
	return events
}

// After a crash in the middle of a write, the next start continues with complete lines.
func TestRecording_IncompleteLine(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	name := filepath.Join(t.TempDir(), "events.jsonl")
	r, err := openRecording(name, log)
	require.NoError(t, err)
	r.add(event(t, 1, "一"))
	r.add(&onebot.Dropped{Count: 3}) // exists only in memory
	r.add(event(t, 2, "二\n行"))
	r.close()
	require.Len(t, recorded(t, name), 2)
	whole, err := os.ReadFile(name)
	require.NoError(t, err)
	first := len(whole) / 2

	for cut := range len(whole) + 1 {
		require.NoError(t, os.WriteFile(name, whole[:cut], 0o600))
		r, err := openRecording(name, log)
		require.NoError(t, err)
		r.add(event(t, 3, "三"))
		r.close()
		events := recorded(t, name)
		switch {
		case cut == len(whole):
			assert.Len(t, events, 3)
		case cut > first+20:
			assert.Len(t, events, 2)
		case cut < first-20:
			assert.Len(t, events, 1)
		}
		assert.EqualValues(t, 3, events[len(events)-1].(*onebot.GroupMessage).MessageID)
	}
}

func TestRecording_KeepsOtherFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "bot.db")
	require.NoError(t, os.WriteFile(name, []byte("SQLite format 3\x00 and more"), 0o600))
	_, err := openRecording(name, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "no recording")
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "SQLite format 3\x00 and more", string(b))
}

// Each message of the bot is recorded with its chat, id and content.
func TestRecording_Sends(t *testing.T) {
	name := filepath.Join(t.TempDir(), "events.jsonl")
	playDemo(t, func(d demo) {
		var want, got []string
		for _, m := range d.Sent() {
			want = append(want, fmt.Sprint(m.Chat.ID, " ", m.MessageID, " ", m.Message))
		}
		for _, e := range recorded(t, name) {
			switch m := e.(type) {
			case *onebot.GroupMessage:
				if m.Own() {
					got = append(got, fmt.Sprint(m.GroupID, " ", m.MessageID, " ", m.Message))
					assert.Equal(t, "小炉", m.Sender.Name())
				}
			case *onebot.PrivateMessage:
				if m.Own() {
					got = append(got, fmt.Sprint(m.PeerID(), " ", m.MessageID, " ", m.Message))
				}
			}
		}
		assert.NotEmpty(t, got)
		assert.ElementsMatch(t, want, got)
	}, "-seed", "1", "-record", name)
}

// What is no text is recorded as people read it. Pokes and reactions come as events of the implementation.
func TestRecording_SendsMoreThanText(t *testing.T) {
	name := filepath.Join(t.TempDir(), "events.jsonl")
	r, err := openRecording(name, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	chat := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "714285"}
	for i, out := range []persona.Outgoing{
		{Text: "我晚点到", Voice: persona.Audio{Data: []byte("ID3")}},
		{Forward: []persona.Message{{Name: "小炉", Text: "一"}, {Name: "小炉", Text: "二"}}},
		{Text: "好", Face: persona.Face{ID: "76", Name: "赞"}},
		{Poke: "31001"},
		{Reaction: persona.Reaction{MessageID: "1", Face: persona.Face{ID: "76", Name: "赞"}}},
	} {
		r.addSent("小炉", chat, fmt.Sprint(i+1), out)
	}
	r.close()
	var texts []string
	for _, e := range recorded(t, name) {
		texts = append(texts, e.(*onebot.GroupMessage).Message.Text())
	}
	assert.Equal(t, []string{"[语音：我晚点到]", "[聊天记录：\n小炉: 一\n小炉: 二]", "好[赞]"}, texts)
}
