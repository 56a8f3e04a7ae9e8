package whentospeak_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

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

func TestRead(t *testing.T) {
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

func TestPlay(t *testing.T) {
	logs, err := whentospeak.Read(strings.NewReader(small))
	require.NoError(t, err)
	var tally whentospeak.Tally
	var got []string
	for d := range whentospeak.Play(logs[0], "ann", heartflow.Options{}) {
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

	both := tally
	both.Merge(tally)
	assert.Equal(t, 4, both.Spoken)
	assert.InDelta(t, tally.F1(), both.F1(), 0)

	for range whentospeak.Play(logs[0], "ann", heartflow.Options{}) {
		break // may stop early
	}
}
