package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A comparison of two policies says where they differ, and how people took what the recorded bot said there.
func TestRun_Differences(t *testing.T) {
	line := func(kind, second, id, user, message string) string {
		post := map[string]string{"event": "message", "sent": "message_sent"}[kind]
		return `{"received":"2024-03-02T20:00:` + second + `Z","` + kind + `":{"post_type":"` + post + `","message_type":"group","group_id":5,"self_id":1,"user_id":` + user +
			`,"sender":{"nickname":"n` + user + `"},"message_id":` + id + `,"time":17094096` + second + `,"message":` + message + "}}\n"
	}
	call := line("event", "00", "7", "2", `[{"type":"at","data":{"qq":"1"}},{"type":"text","data":{"text":"在吗"}}]`)
	talk := line("event", "10", "8", "2", `"周末要下雨"`)
	sent := line("sent", "35", "9", "1", `"记得带伞"`)
	thanks := line("event", "45", "10", "2", `[{"type":"reply","data":{"id":"9"}},{"type":"text","data":{"text":"谢谢，说得对"}}]`)

	got, err := runReplay(t, call+talk+sent+thanks, "-policy", "mention,interject:base=1", "-")
	require.NoError(t, err)
	assert.Contains(t, got, `
== mention and interject:base=1 differ
2024-03-02 20:00:10 [qq:group:5] mention: silent (nobody called me), interject:base=1: speak (`)
	assert.Regexp(t, `\| n2: 周末要下雨\n    the recorded bot said 记得带伞: (0\.\d+|1), .*somebody quoted it`, got)
	assert.Regexp(t, `\n1 of 3 decisions differ: only mention speaks at 0, only interject:base=1 at 1; people rated 1 messages of the recorded bot there, mean (0\.\d+|1)\n$`, got)

	got, err = runReplay(t, call+talk+thanks, "-policy", "mention,interject:base=1", "-score", "-")
	require.NoError(t, err)
	assert.NotContains(t, got, "recorded bot", "it said nothing")
	assert.Contains(t, got, "2 of 3 decisions differ", "the quoted message is not the bot's")

	got, err = runReplay(t, call+talk+sent, "-policy", "mention,mention", "-")
	require.NoError(t, err)
	assert.Contains(t, got, "0 of 2 decisions differ")
	got, err = runReplay(t, call+talk+sent, "-policy", "mention", "-")
	require.NoError(t, err)
	assert.NotContains(t, got, "differ")
}
