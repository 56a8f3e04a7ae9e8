package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/heartflow/learned"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeLog writes a recording of a group in which two people answer each question, and mention nobody.
func writeLog(t *testing.T, name string, days int) {
	t.Helper()
	dice := rand.New(rand.NewPCG(3, 3))
	var b bytes.Buffer
	at, id := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC), 0
	say := func(who int, text string, wait int) {
		at = at.Add(time.Duration(wait+dice.IntN(wait)) * time.Second)
		id++
		event, err := json.Marshal(map[string]any{
			"time": at.Unix(), "self_id": 20001, "post_type": "message", "message_type": "group", "sub_type": "normal", "message_id": 90000 + id,
			"group_id": 714285, "user_id": who, "sender": map[string]any{"user_id": who, "nickname": fmt.Sprint("人", who)},
			"message": onebot.Message{onebot.Text(text)},
		})
		require.NoError(t, err)
		fmt.Fprintf(&b, "{\"received\":%q,\"event\":%s}\n", at.Format(time.RFC3339Nano), event)
	}
	for day := range days {
		at = time.Date(2026, 3, 1+day, 4, 0, 0, 0, time.UTC)
		for range 40 {
			asker := 31003 + dice.IntN(4)
			if dice.IntN(2) == 0 {
				say(asker, []string{"这个怎么装", "有人知道几点开门吗", "谁有昨天的笔记"}[dice.IntN(3)], 200)
				say(31001+dice.IntN(2), []string{"你试试重启", "九点", "我发你"}[dice.IntN(3)], 10)
			} else {
				say(asker, []string{"今天好冷", "刚下班", "猫又上桌了"}[dice.IntN(3)], 200)
			}
		}
	}
	require.NoError(t, os.WriteFile(name, b.Bytes(), 0o600))
}

// learnFrom runs -learn, and returns its output.
func learnFrom(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), args, strings.NewReader(""), &out, io.Discard))
	return out.String()
}

func TestLearn(t *testing.T) {
	dir := t.TempDir()
	record, db := filepath.Join(dir, "events.jsonl"), filepath.Join(dir, "bot.db")
	writeLog(t, record, 8)
	out := learnFrom(t, "-learn", dir, "-db", db)
	assert.Contains(t, out, "1 个群，")
	assert.Contains(t, out, "学到的更好。")
	assert.Contains(t, out, "交叉验证 5")
	w, err := learned.LoadWeights(db + ".weights")
	require.NoError(t, err)
	assert.Equal(t, []string{record}, w.Source)
	assert.Equal(t, []string{"31001", "31002", "31003", "31004", "31005", "31006"}, w.People)
	assert.Contains(t, learnFrom(t, "-learn", record, "-db", db, "-lang", "en"), "The own weights are better.")

	assert.Regexp(t, "权重 weights：自己的：.*；-attention learned 才用它\n", learnFrom(t, "-check", "-db", db))
	assert.NotContains(t, learnFrom(t, "-check", "-db", db, "-attention", "learned"), "才用它")
	assert.Contains(t, learnFrom(t, "-check", "-db", db, "-weights", "shipped"), "权重 weights：自带的（-weights shipped）")
	assert.Contains(t, learnFrom(t, "-check"), "权重 weights：自带的；")

	o, err := parse([]string{"-db", db, "-attention", "learned"}, io.Discard)
	require.NoError(t, err)
	shipped := o.policy
	own, err := o.useWeights(slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NotNil(t, own)
	assert.NotEqual(t, shipped, o.policy)
	assert.NotEqual(t, shipped, o.policies["learned"])
	o.weights = "shipped"
	own, err = o.useWeights(slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	assert.Nil(t, own)
}

func TestLearn_Errors(t *testing.T) {
	dir := t.TempDir()
	short := filepath.Join(dir, "events.jsonl")
	r, err := openRecording(short, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	r.add(event(t, 1, "一"))
	r.close()
	missing := filepath.Join(dir, "missing.db")
	for want, args := range map[string][]string{
		"needs -db FILE":          {"-learn", short},
		"the log is too small":    {"-learn", short, "-db", missing},
		"no such file":            {"-learn", filepath.Join(dir, "none"), "-db", missing},
		"has no recordings":       {"-learn", t.TempDir(), "-db", missing},
		`-weights "x" is unknown`: {"-weights", "x"},
	} {
		assert.ErrorContains(t, run(t.Context(), args, nil, io.Discard, io.Discard), want)
	}
	assert.NoFileExists(t, missing)
	db := filepath.Join(dir, "bot.db")
	require.NoError(t, os.WriteFile(db+".weights", []byte("{}"), 0o600))
	var log bytes.Buffer
	o, err := parse([]string{"-db", db, "-attention", "learned"}, io.Discard)
	require.NoError(t, err)
	w, err := o.useWeights(slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	assert.Nil(t, w)
	assert.Contains(t, log.String(), "train again", "the bot starts with the shipped weights")
	assert.ErrorContains(t, run(t.Context(), []string{"-check", "-db", db}, nil, io.Discard, io.Discard), "-check")
}

// When somebody is forgotten, own weights that rest on their words are deleted, and the recording loses their messages. Somebody
// else changes neither.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	record, db := filepath.Join(dir, "events.jsonl"), filepath.Join(dir, "bot.db")
	writeLog(t, record, 6)
	learnFrom(t, "-learn", record, "-db", db)
	before, err := os.ReadFile(record)
	require.NoError(t, err)
	require.Contains(t, string(before), `"user_id":31003`)
	synctest.Test(t, func(t *testing.T) {
		o, err := parse([]string{"-db", db, "-record", record, "-attention", "learned"}, io.Discard)
		require.NoError(t, err)
		w := newSimulation(o)
		defer w.Close()
		o.simulated, o.link.Forward, o.link.HTTPClient = true, "ws://onebottest", w.HTTPClient()
		var out bytes.Buffer
		b, err := start(t.Context(), o, newPrinter(&out, o), slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		defer b.end()
		ran := make(chan error, 1)
		ctx, stop := context.WithCancel(t.Context())
		go func() { ran <- b.Run(ctx) }()

		_, err = b.ErasePerson(ctx, persona.Account{Platform: "qq", ID: "39999"}, nil)
		require.NoError(t, err)
		_, err = b.ErasePerson(ctx, persona.Account{Platform: "qqbot", ID: "31003"}, nil)
		require.NoError(t, err)
		require.FileExists(t, db+".weights")
		require.Contains(t, fileText(t, record), `"user_id":31003`)

		_, err = b.ErasePerson(ctx, persona.Account{Platform: "qq", ID: "31003"}, nil)
		require.NoError(t, err)
		assert.NoFileExists(t, db+".weights")
		assert.NotContains(t, fileText(t, record), "31003")
		assert.Contains(t, fileText(t, record), `"user_id":31004`)
		assert.Contains(t, out.String(), "删掉了")
		size := len(fileText(t, record))
		w.say(hearthGroup, you, "大家好") // is still recorded
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Greater(t, len(fileText(t, record)), size)
		stop()
		require.NoError(t, <-ran)
	})
	recorded(t, record)
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(b)
}

// Lines about a person go: their messages, mentions and quotes of them, and what happens to them.
func TestEraseLines(t *testing.T) {
	name := filepath.Join(t.TempDir(), "events.jsonl")
	line := func(kind, event string) string {
		return `{"received":"2026-03-01T04:00:00Z","` + kind + `":` + event + "}\n"
	}
	gone := []string{
		line("event", `{"post_type":"message","user_id":31001,"group_id":1,"message_id":555,"message":[{"type":"text","data":{"text":"秘密"}}]}`),
		line("event", `{"post_type":"message","user_id":31002,"group_id":1,"message_id":556,"message":[{"type":"at","data":{"qq":"31001"}}]}`),
		line("event", `{"post_type":"message","user_id":31002,"group_id":1,"message_id":557,"message":[{"type":"reply","data":{"id":"555"}}]}`),
		line("event", `{"post_type":"message","user_id":31002,"group_id":1,"message_id":558,"message":"[CQ:reply,id=555]好"}`),
		line("event", `{"post_type":"message","user_id":31002,"group_id":1,"message_id":559,"message":"[CQ:at,qq=31001] 好"}`),
		line("event", `{"post_type":"notice","notice_type":"notify","user_id":31002,"target_id":31001,"group_id":1}`),
		line("sent", `{"post_type":"message_sent","message_type":"private","user_id":20001,"target_id":31001,"message_id":560,"message":[]}`),
		line("event", `{"post_type":"message","user_id":31002,"group_id":1,"message_id":561,"message":[{"type":"forward","data":{"content":[{"sender":{"user_id":31001}}]}}]}`),
	}
	kept := []string{
		line("event", `{"post_type":"message","user_id":31002,"group_id":31001,"message_id":562,"message":"31001 [CQ:at,qq=310011] qq=31001"}`),
		line("sent", `{"post_type":"message_sent","message_type":"private","user_id":20001,"target_id":31002,"message_id":31001,"message":[]}`),
		"no JSON\n",
	}
	all := strings.Join(gone[:3], "") + kept[0] + strings.Join(gone[3:], "") + kept[1] + kept[2]
	require.NoError(t, os.WriteFile(name, []byte(all), 0o600))
	require.NoError(t, eraseLines(name, matcher{person: "31001"}))
	assert.Equal(t, strings.Join(kept, ""), fileText(t, name))
	require.NoError(t, eraseLines(name, matcher{chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: "31001"}}))
	require.NoError(t, eraseLines(name, matcher{chat: persona.Chat{Platform: "qq", Kind: persona.Private, ID: "31002"}}))
	assert.Equal(t, kept[2], fileText(t, name))
	assert.NoFileExists(t, name+".tmp")
}
