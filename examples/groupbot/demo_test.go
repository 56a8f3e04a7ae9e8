package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDemo checks the demo by the record of the simulated QQ and not by the output of the bot.
func TestDemo(t *testing.T) { synctest.Test(t, testDemo) }

func testDemo(t *testing.T) {
	o, err := parse(nil, &bytes.Buffer{})
	require.NoError(t, err)
	w := newSimulation(o)
	defer w.Close()
	o.link.Forward, o.link.HTTPClient = "ws://onebottest", w.HTTPClient()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var out bytes.Buffer
	in, typed := io.Pipe()
	defer typed.Close()
	go io.WriteString(typed, "大家好\n") // before the bot is connected
	require.NoError(t, runBot(ctx, o, w, in, newPrinter(&out, o), slog.New(slog.DiscardHandler)))
	t.Log(out.String())

	calls := 0
	for _, chat := range []onebottest.Chat{w.hearthGroup.Chat(), w.animeGroup.Chat(), w.friend.Chat()} {
		calls += answeredOnce(t, w, chat)
	}
	assert.Equal(t, 6, calls, "the script calls six times")

	texts := map[string]bool{}
	for _, s := range w.Sent() {
		text := s.Message.Text()
		assert.False(t, texts[text], "said twice: %s", text)
		texts[text] = true
		for _, hidden := range []string{"system_control", "nit_", "L3", "工具"} {
			assert.NotContains(t, text, hidden)
		}
	}
	assert.GreaterOrEqual(t, strings.Count(out.String(), "spoke: "), 5)
	assert.GreaterOrEqual(t, strings.Count(out.String(), "silent: "), 5)
	assert.Contains(t, out.String(), "不是语言模型", "the banner is honest")
	assert.Contains(t, out.String(), "你: 大家好", "what is typed is said")
	assert.Contains(t, out.String(), "我家的猫年糕", "it remembers what was said")
	assert.Contains(t, out.String(), "noted: ", "it sums up, and thinks of people")
	assert.Regexp(t, `noted: [^\n]*小满说：周末下雨`, out.String())
	assert.Regexp(t, `noted: [^\n]*"impression":"说话客气。"`, out.String())
	poked := 0
	for _, c := range w.Calls() {
		if strings.Contains(c.Action, "poke") {
			poked++
		}
	}
	assert.Equal(t, 1, poked, "it poked who asked for it")
}

// answeredOnce checks that the bot speaks exactly once after each message that addresses it, and returns the number of those
// messages.
func answeredOnce(t *testing.T, w *simulation, chat onebottest.Chat) (calls int) {
	answers := 0
	var last string
	check := func() {
		if calls > 0 {
			assert.Equal(t, 1, answers, "answers to %q", last)
		} else {
			assert.Zero(t, answers, "nobody had called")
		}
	}
	for _, s := range w.History(chat) {
		switch {
		case s.UserID == self:
			answers++
		case called(w, chat, s.Message):
			check()
			calls, answers, last = calls+1, 0, s.Message.Text()
		}
	}
	check()
	return calls
}

func called(w *simulation, chat onebottest.Chat, m onebot.Message) bool {
	return chat == w.friend.Chat() || m.Mentions(self) || strings.Contains(m.Text(), w.name)
}

func TestFlags(t *testing.T) {
	bad := map[string][]string{
		"both links":    {"-onebot", "ws://x", "-listen", ":1"},
		"no name":       {"-name", ""},
		"slower":        {"-speed", "-1"},
		"model":         {"-model", "gpt"},
		"which model":   {"-model", "openai"},
		"argument":      {"start"},
		"unknown":       {"-nope"},
		"config":        {"-config", "/does/not/exist"},
		"negative time": {"-for", "-1s"},
		"layers":        {"-layers", "maybe"},
		"typing":        {"-typing", "maybe"},
		"stickers":      {"-stickers", "."},
		"quota":         {"-quota", "-1"},
		"bots":          {"-bots", "小明"},
		"owner":         {"-owner", "10001,小明"},
		"admin":         {"-admin", "小明"},
		"requests":      {"-requests", "always"},
	}
	for name, args := range bad {
		t.Run(name, func(t *testing.T) {
			_, err := parse(args, &bytes.Buffer{})
			assert.Error(t, err)
		})
	}
	o, err := parse([]string{"-alias", "炉炉，小火,", "-onebot", "ws://x"}, &bytes.Buffer{})
	require.NoError(t, err)
	assert.Equal(t, []string{"炉炉", "小火"}, o.aliases)
	assert.EqualValues(t, 1, o.speed, "a real link is not hurried")
}
