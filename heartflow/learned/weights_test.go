package learned

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/internal/lookback"
)

// ownWeights returns weights that find a question likely.
func ownWeights() *Weights {
	w := &Weights{Trained: t0, Source: []string{"events.jsonl"}, People: []string{"31001"}, Chats: []string{"714285"}, threshold: .25, own: new(lookback.Adjustment)}
	for i, name := range lookback.ColumnNames() {
		if name == "question" {
			w.own.Weights[i], w.own.Mean[i] = 5, .125
		}
	}
	return w
}

func TestWeights_Save(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bot.db.weights")
	w := ownWeights()
	require.NoError(t, w.Save(path))
	same, err := LoadWeights(path)
	require.NoError(t, err)
	assert.Equal(t, w, same)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o077)

	// A process that was killed while it wrote left the old file, and the next one replaces its part.
	require.NoError(t, os.WriteFile(path+".tmp", []byte(`{"format":1,"mod`), 0o600))
	same, err = LoadWeights(path)
	require.NoError(t, err)
	assert.Equal(t, w, same)
	w.People = []string{"31002"}
	require.NoError(t, w.Save(path))
	same, err = LoadWeights(path)
	require.NoError(t, err)
	assert.Equal(t, w, same)
	assert.NoFileExists(t, path+".tmp")

	assert.Error(t, w.Save(filepath.Join(t.TempDir(), "none", "x")))
	_, err = LoadWeights(path + "2")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestParseWeights_Errors(t *testing.T) {
	file, err := json.Marshal(ownWeights())
	require.NoError(t, err)
	_, err = ParseWeights(file)
	require.NoError(t, err)
	for cut := range file {
		_, err := ParseWeights(file[:cut])
		require.Error(t, err, "%d", cut)
	}
	text := string(file)
	resum := func(text string) string { // with the right checksum
		var s savedWeights
		require.NoError(t, json.Unmarshal([]byte(text), &s))
		s.Sum, err = s.sum()
		require.NoError(t, err)
		b, err := json.Marshal(s)
		require.NoError(t, err)
		return string(b)
	}
	for _, tt := range []struct {
		file, want string
		other      bool
	}{
		{"", "damaged", false},
		{"[]", "damaged", false},
		{"{}", "train again", true},
		{strings.Replace(text, `"format":1`, `"format":2`, 1), "train again", true},
		{resum(strings.Replace(text, modelVersion(), "0123456789abcdef", 1)), "another version", true},
		{strings.Replace(text, "31001", "31002", 1), "its checksum is wrong", false},
		{resum(strings.Replace(text, `"threshold":0.25`, `"threshold":2`, 1)), "threshold", false},
		{resum(strings.Replace(text, `"question"`, `"questions"`, 1)), `column "questions"`, false},
		{resum(strings.Replace(text, `[5,`, `[5e9,`, 1)), "column", false},
		{strings.Replace(text, `{"format"`, `{"x":1,"format"`, 1), "unknown field", false},
		{text + strings.Repeat(" ", maxWeightsFile), "too large", false},
	} {
		require.NotEqual(t, text, tt.file)
		_, err := ParseWeights([]byte(tt.file))
		require.ErrorContains(t, err, tt.want)
		assert.Equal(t, tt.other, errors.Is(err, ErrOtherVersion), tt.file)
	}
}

func FuzzParseWeights(f *testing.F) {
	file, err := json.Marshal(ownWeights())
	require.NoError(f, err)
	f.Add(file)
	f.Add([]byte(`{"format":1,"columns":{"question":[1e99,0]}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		w, err := ParseWeights(file)
		if err != nil {
			return
		}
		again, err := json.Marshal(w)
		require.NoError(t, err)
		same, err := ParseWeights(again)
		require.NoError(t, err)
		require.Equal(t, w, same)
	})
}

// Own weights change scores, reasons and the threshold, until they are revoked.
func TestPolicy_OwnWeights(t *testing.T) {
	judge := func(o Options) (heartflow.Verdict, bool) {
		p := policy(o)
		a := must(heartflow.New[int](heartflow.Options{Names: []string{"hearth"}, Policy: p, Seed: 1}))
		a.Observe(t0, 1, heartflow.Message{From: "ann", Text: "谁有昨天的笔记？"})
		v := a.Judge(t0, 1)
		return v, p.Speaks(v)
	}
	shipped, speaks := judge(Options{})
	assert.False(t, speaks)
	w := ownWeights()
	own, speaks := judge(Options{Weights: w})
	assert.True(t, speaks)
	assert.Greater(t, own.Score, shipped.Score)
	assert.Contains(t, own.Why, WhyWantsWords)
	_, speaks = judge(Options{Weights: w, Threshold: .99})
	assert.False(t, speaks)
	w.Revoke()
	again, speaks := judge(Options{Weights: w})
	assert.False(t, speaks)
	assert.Equal(t, shipped, again)
}
