package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/internal/lookback"
)

// writeLogs writes logs with answers to most messages that name somebody.
func writeLogs(t *testing.T, file string) {
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	dice := rand.New(rand.NewPCG(1, 1))
	people := []string{"ann", "bob", "cid", "dee"}
	for day := range 6 {
		last, named := "", ""
		for i := range 150 {
			who, reply := people[dice.IntN(4)], ""
			if named != "" && dice.IntN(4) > 0 {
				who, reply = named, last
			}
			text := []string{"does it work now?", "try again", "thanks"}[dice.IntN(3)]
			if named = ""; dice.IntN(2) == 0 {
				if named = people[dice.IntN(4)]; named != who {
					text = named + ": " + text
				} else {
					named = ""
				}
			}
			last = fmt.Sprint(i)
			fmt.Fprintf(f, `{"chat":"%d","id":"%s","time":"2024-01-%02dT10:%02d:%02dZ","sender":"%s","text":"%s","reply_to":["%s"],"labeled":true}`+"\n",
				day, last, day+1, i/3, i%3*20, who, text, reply)
		}
	}
}

func TestRun_Deterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("learning takes a while")
	}
	dir := t.TempDir()
	log, a, b := filepath.Join(dir, "log"), filepath.Join(dir, "a"), filepath.Join(dir, "b")
	writeLogs(t, log)
	require.NoError(t, run(log, a, 2, io.Discard))
	require.NoError(t, run(log, b, 2, io.Discard))
	first, err := os.ReadFile(a)
	require.NoError(t, err)
	second, err := os.ReadFile(b)
	require.NoError(t, err)
	assert.Equal(t, string(first), string(second), "the same file gives the same weights")

	m, err := lookback.Parse(string(first))
	require.NoError(t, err)
	assert.Greater(t, m.Experts[lookback.Called].Base, m.Experts[lookback.Other].Base, "named people answer")
	assert.Error(t, run(filepath.Join(dir, "none"), "", 0, io.Discard))
}
