package whentospeak_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/whentospeak"
)

const small = `
{"chat":"a","id":"1","time":"2024-01-01T10:00:00Z","sender":"ann","text":"hello","labeled":false}
{"chat":"a","id":"2","time":"2024-01-01T10:00:10Z","sender":"bob","text":"ann: how does one mount a disk?","labeled":true}
{"chat":"b","id":"2","time":"2024-01-01T10:00:10Z","sender":"bob","text":"nobody here"}
{"chat":"a","id":"3","time":"2024-01-01T10:00:20Z","sender":"ann","text":"bob: by mount","reply_to":["2"],"labeled":true}
{"chat":"a","id":"4","time":"2024-01-01T10:00:30Z","sender":"bob","text":"thanks","reply_to":["3"],"labeled":true}
{"chat":"a","id":"5","time":"2024-01-01T10:00:40Z","sender":"cid","text":"ann? still there?","labeled":true}
`

func TestRead_Logs(t *testing.T) {
	logs, err := whentospeak.Read(strings.NewReader(small))
	require.NoError(t, err)
	require.Len(t, logs, 2)
	assert.Equal(t, "a", logs[0].Chat)
	require.Len(t, logs[0].Lines, 5)
	assert.Equal(t, []string{"2"}, logs[0].Lines[2].ReplyTo)
	assert.Equal(t, []string{"ann", "bob", "cid"}, logs[0].Speakers(0))
	assert.Equal(t, []string{"bob"}, logs[0].Speakers(2))

	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, err = w.Write([]byte(small))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	packed, err := whentospeak.Read(&z)
	require.NoError(t, err)
	assert.Equal(t, logs, packed)

	_, err = whentospeak.Read(strings.NewReader(small + "{"))
	assert.ErrorContains(t, err, "line 8")
	_, err = whentospeak.ReadFile("testdata/none")
	assert.Error(t, err)
}

func TestRead_ErrorNamesField(t *testing.T) {
	good := strings.TrimSpace(small) + "\n"
	for bad, want := range map[string]string{
		`{"chat":"a","id":7,"time":"2024-01-01T10:00:00Z","sender":"ann"}`:                    `line 7: field "id" has the wrong type: number`,
		`{"chat":"a","id":"7","time":"yesterday","sender":"ann"}`:                             `line 7: field "time": parsing time "yesterday"`,
		`{"chat":"a","id":"7","time":1704103200,"sender":"ann"}`:                              `line 7: field "time" has the wrong type: number`,
		`{"chat":"a","id":"7","sender":"ann"}`:                                                `line 7: field "time" is missing`,
		`{"chat":"a","id":"7","time":"2024-01-01T10:00:00Z"}`:                                 `line 7: field "sender" is missing`,
		`{"chat":"a","time":"2024-01-01T10:00:00Z","sender":"ann"}`:                           `line 7: field "id" is missing`,
		`{"id":"7","time":"2024-01-01T10:00:00Z","sender":"ann"}`:                             `line 7: field "chat" is missing`,
		`{"chat":"a","id":"7","time":"2024-01-01T10:00:00Z","sender":"ann","reply_to":"1"}`:   `line 7: field "reply_to" has the wrong type: string`,
		`{"chat":"a","id":"7","time":"2024-01-01T10:00:00Z","sender":"ann","labeled":"yes"}`:  `line 7: field "labeled" has the wrong type: string`,
		`{"chat":"a","id":"7","time":"2024-01-01T10:00:00Z","sender":"ann","text":{"a":"b"}}`: `line 7: field "text" has the wrong type: object`,
		`["chat"]`: `line 7: is no JSON object: array`,
		`7`:        `line 7: is no JSON object: number`,
		`chat`:     `line 7: `,
	} {
		_, err := whentospeak.Read(strings.NewReader(good + bad + "\n" + good))
		assert.ErrorContains(t, err, want, bad)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("\x1f\x8b"))
	f.Add([]byte(`{"chat":"a","id":"1","time":"0000-01-01T00:00:00Z","sender":"\u0000","reply_to":[""]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		logs, err := whentospeak.Read(bytes.NewReader(b))
		if err != nil {
			assert.Nil(t, logs)
			return
		}
		for _, l := range logs {
			assert.NotEmpty(t, l.Chat)
			for _, line := range l.Lines {
				assert.Equal(t, l.Chat, line.Chat)
				assert.NotEmpty(t, line.ID)
				assert.NotEmpty(t, line.Sender)
			}
		}
	})
}

func TestPlay_Decisions(t *testing.T) {
	logs, err := whentospeak.Read(strings.NewReader(small))
	require.NoError(t, err)
	var tally whentospeak.Tally
	var got []string
	decisions, err := whentospeak.Play(logs[0], "ann", heartflow.Options{})
	require.NoError(t, err)
	for d := range decisions {
		tally.Add(d)
		got = append(got, d.Line.ID+" "+d.Verdict.String())
	}
	assert.Equal(t, []string{"2 ask 1: named", "4 silent 0: not_called", "5 ask 1: named"}, got)
	assert.Equal(t, whentospeak.Tally{
		Points: 3, Positive: 1, Spoken: 2, Right: 1, Called: 2, CalledSilent: 1, HumanMessages: 3, OwnMessages: 2,
	}, tally)
	assert.InDelta(t, .5, tally.Precision(), 0)
	assert.InDelta(t, 1, tally.Recall(), 0)
	assert.InDelta(t, 2./3, tally.F1(), 1e-12)
	assert.Zero(t, whentospeak.Tally{}.F1())

	decisions, err = whentospeak.Play(logs[0], "ann", heartflow.Options{})
	require.NoError(t, err)
	for range decisions {
		break // may stop early
	}
}

// listener records observed messages.
type listener struct{ messages []heartflow.Message }

func (l *listener) Observe(_ time.Time, _ string, m heartflow.Message) heartflow.Notice {
	l.messages = append(l.messages, m)
	return heartflow.Notice{}
}

func (l *listener) Judge(time.Time, string) heartflow.Verdict { return heartflow.Verdict{} }

// The Decider sees the answered message of own messages only.
func TestPlayOn_OnlyOwnAnswers(t *testing.T) {
	logs, err := whentospeak.Read(strings.NewReader(small))
	require.NoError(t, err)
	var l listener
	for range whentospeak.PlayOn(logs[0], "ann", &l, func(heartflow.Verdict) bool { return false }) {
	}
	var got []string
	for _, m := range l.messages {
		got = append(got, m.ID+" "+m.QuoteID)
	}
	assert.Equal(t, []string{"1 ", "2 ", "3 2", "4 ", "5 "}, got)
}
