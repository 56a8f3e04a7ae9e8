package main

import (
	"bytes"
	"flag"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFlags(t *testing.T) {
	o, err := parse([]string{"--qq", "10001"}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, []int{3000, 3001, 100, 30}, []int{o.napcatPort, o.wsPort, o.buffer, o.every})
	assert.Equal(t, "ws://127.0.0.1:3001", o.ws)
	assert.Empty(t, o.web, "one that runs is called over the link")
	assert.True(t, o.allowed(chat{id: 1}))
	assert.False(t, o.allowed(chat{private: true, id: 1}))
	assert.False(t, o.allowed(chat{}))

	o, err = parse([]string{"-qq=10001", "-groups", "111222, 333444，5", "-friends", "555666", "-ws-port", "13001", "-napcat-port", "13000", "-log-level", "WARNING"}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, map[int64]bool{111222: true, 333444: true, 5: true}, o.groups)
	assert.Equal(t, "ws://127.0.0.1:13001 http://127.0.0.1:13000", o.ws+" "+o.web)
	assert.True(t, o.allowed(chat{private: true, id: 555666}))
	assert.False(t, o.allowed(chat{id: 555666}))
	assert.False(t, o.split)

	o, err = parse([]string{"--qq", "1", "--no-split"}, io.Discard) // of older configurations
	require.NoError(t, err)
	assert.False(t, o.split)
}

func TestFlags_Wrong(t *testing.T) {
	for want, args := range map[string][]string{
		"--qq is missing":                       {},
		"is no QQ number":                       {"--qq", "-1"},
		`invalid value "me" for flag -qq`:       {"--qq", "me"},
		"not defined: -qqq (did you mean -qq?)": {"--qqq", "1"},
		`unexpected argument "start"`:           {"--qq", "1", "start"},
		`--groups: "abc" is no number`:          {"--qq", "1", "--groups", "1,abc"},
		`--friends: "-5" is no number`:          {"--qq", "1", "--friends", "-5"},
		"--groups is empty":                     {"--qq", "1", "--groups", " , "},
		"--buffer-size 0":                       {"--qq", "1", "--buffer-size", "0"},
		"--buffer-size 100000":                  {"--qq", "1", "--buffer-size", "100000"},
		"--compress-every 0":                    {"--qq", "1", "--compress-every", "0"},
		"--ws-port 70000":                       {"--qq", "1", "--ws-port", "70000"},
		"--split and --no-split exclude":        {"--qq", "1", "--split", "--no-split"},
		"are the same":                          {"--qq", "1", "--ws-port", "3000"},
		`--log-level "loud"`:                    {"--qq", "1", "--log-level", "loud"},
		"--onebot-ws is no URL":                 {"--qq", "1", "--onebot-ws", "http://127.0.0.1:3001"},
		"--onebot-http is no URL":               {"--qq", "1", "--onebot-http", "127.0.0.1:3000"},
		"--demo and --onebot-ws exclude":        {"--demo", "--onebot-ws", "ws://127.0.0.1:3001"},
		"--demo and --db exclude":               {"--demo", "--db", "qq.db"},
		"--napcat-path starts a NapCat":         {"--qq", "1", "--napcat-path", "x", "--onebot-ws", "ws://127.0.0.1:3001"},
		"need --napcat-path":                    {"--qq", "1", "--napcat-args", "-q 1"},
		"would be open to others":               {"--demo", "--http", "0.0.0.0:8765"},
		`--http ":8765" would be open`:          {"--demo", "--http", ":8765"},
		`--http "web" is no address`:            {"--demo", "--http", "web"},
		"--http-token needs --http":             {"--demo", "--http-token", "x"},
		`--model "gpt" is unknown`:              {"--demo", "--model", "gpt"},
		"--model openai needs --model-name":     {"--demo", "--model", "openai"},
		"need --model openai":                   {"--demo", "--model-name", "x"},
	} {
		_, err := parse(args, io.Discard)
		assert.ErrorContains(t, err, want, args)
	}
	var said bytes.Buffer
	_, err := parse([]string{"--help"}, &said)
	require.ErrorIs(t, err, flag.ErrHelp)
	for _, name := range []string{"-qq", "-napcat-path", "-napcat-port", "-ws-port", "-groups", "-friends", "-buffer-size", "-compress-every", "-log-level",
		"-onebot-ws", "-onebot-http", "-token", "-model", "-demo", "-http", "-drop-own"} {
		assert.Regexp(t, "(?m)^  "+name+"( |$)", said.String())
	}
}

// Files and directories in flags do not exist.
func TestFlags_MissingFiles(t *testing.T) {
	for want, args := range map[string][]string{
		"--napcat-path":              {"--napcat-path", "/nowhere/napcat"},
		"--images":                   {"--images", "/nowhere"},
		"--db":                       {"--db", "/nowhere/a.db"},
		"no such file":               {"--model", "openai", "--model-name", "m", "--key-file", "/nowhere/key"},
		"--http \"127.0.0.1:99999\"": {"--http", "127.0.0.1:99999"},
	} {
		err := run(t.Context(), append([]string{"--qq", "10001"}, args...), bytes.NewReader(nil), io.Discard, io.Discard)
		assert.ErrorContains(t, err, want, args)
	}
}
