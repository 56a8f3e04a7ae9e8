package onebot

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDecoder_MatchesEncodingJSON decodes random frames of known and unknown members with values of every type and compares the
// result with encoding/json.
func TestDecoder_MatchesEncodingJSON(t *testing.T) {
	n := 40_000
	if testing.Short() {
		n = 5_000
	}
	r := rand.New(rand.NewPCG(1, 2))
	g := generator{r}
	for range n {
		in := g.frame()
		got, err := ParseEvent([]byte(in))
		want, wantErr := referenceEvent([]byte(in))
		require.Equal(t, wantErr == nil, err == nil, "%s\n%v, reference: %v", in, err, wantErr)
		require.Equal(t, want, got, in)
	}
}

type generator struct{ r *rand.Rand }

func (g generator) pick(s ...string) string { return s[g.r.IntN(len(s))] }

func (g generator) space() string { return g.pick("", "", "", "", " ", "\n", "\t ", "\r\n") }

func (g generator) frame() string {
	var b strings.Builder
	b.WriteString(g.space() + "{")
	for i := range 3 + g.r.IntN(12) {
		if i > 0 {
			b.WriteString("," + g.space())
		}
		key := g.pick("post_type", "post_type", "message_type", "notice_type", "request_type", "meta_event_type", "sub_type", "time", "self_id",
			"group_id", "user_id", "message_id", "message", "message", "raw_message", "sender", "group_name", "target_id", "operator_id",
			"sender_id", "status", "duration", "interval", "comment", "flag", "invitor_id", "card_new", "card_old", "tag", "anonymous",
			"message_seq", "real_seq", "real_id", "font", "source_group_id", "via", "file", "likes", "is_add", "raw_info", "channel_info", "files", "echo", "data", "Time", "x")
		if g.r.IntN(20) == 0 {
			key = fmt.Sprintf(`\u%04x%s`, key[0], key[1:])
		}
		b.WriteString(`"` + key + `"` + g.space() + ":" + g.space() + g.member(key) + g.space())
	}
	b.WriteString("}" + g.space())
	if g.r.IntN(50) == 0 {
		s := []byte(b.String())
		s[g.r.IntN(len(s))] = byte(g.r.IntN(256)) // most likely not JSON any more
		return string(s)
	}
	return b.String()
}

func (g generator) member(key string) string {
	if g.r.IntN(8) == 0 {
		return g.value(2)
	}
	switch key {
	case "post_type":
		return g.pick(`"message"`, `"message_sent"`, `"notice"`, `"request"`, `"meta_event"`, `"odd"`)
	case "message_type", "request_type":
		return g.pick(`"group"`, `"private"`, `"friend"`, `"guild"`)
	case "notice_type":
		return g.pick(`"group_recall"`, `"friend_recall"`, `"group_ban"`, `"group_increase"`, `"group_decrease"`, `"group_admin"`, `"group_card"`,
			`"friend_add"`, `"bot_offline"`, `"notify"`, `"group_upload"`, `"group_msg_emoji_like"`, `"reaction"`, `"flash_file"`, `"client_status"`,
			`"channel_updated"`, `"message_reactions_updated"`, `"group_dismiss"`)
	case "meta_event_type":
		return g.pick(`"lifecycle"`, `"heartbeat"`)
	case "sub_type":
		return g.pick(`"poke"`, `"normal"`, `"ban"`, `"gray_tip"`, `"title"`, `"honor"`)
	case "message":
		return g.pick(g.string(), g.segment(), "["+g.list(g.segment)+"]")
	case "sender", "anonymous", "status":
		return g.object("user_id", "id", "nickname", "card", "role", "title", "level", "area", "sex", "age", "online", "good")
	}
	return g.value(2)
}

func (g generator) segment() string {
	if g.r.IntN(10) == 0 {
		return g.value(1)
	}
	return g.object("type", "data", "x")
}

func (g generator) object(keys ...string) string {
	return "{" + g.list(func() string { return `"` + g.pick(keys...) + `":` + g.space() + g.value(2) }) + "}"
}

func (g generator) list(f func() string) string {
	parts := make([]string, g.r.IntN(5))
	for i := range parts {
		parts[i] = g.space() + f() + g.space()
	}
	return strings.Join(parts, ",")
}

func (g generator) string() string {
	parts := make([]string, g.r.IntN(6))
	for i := range parts {
		parts[i] = g.pick("abc", "在吗", `\n`, `\"`, `\\`, `\/`, `\u4f60`, `\ud83d\ude00`, `\ud800`, `\udc00`, "😀", "\xff", "\xe4\xbd", "[CQ:at,qq=5]", "&#91;", "1", "12345678901234567890")
	}
	return `"` + strings.Join(parts, "") + `"`
}

func (g generator) value(depth int) string {
	n := 12
	if depth > 0 {
		n = 14
	}
	switch g.r.IntN(n) {
	case 0, 1, 2:
		return g.string()
	case 3:
		return g.pick("null", "true", "false")
	case 4:
		return g.pick(`"7"`, `"-7.0"`, `" 1e3 "`, `"all"`, `""`)
	case 5, 6:
		return g.pick("0", "-0", "1.0", "1e9", "1.5", "-1E+2", "1e400", "18446744073709551615", "9223372036854775808", "-9223372036854775808", "1735689600123", "0.0")
	case 12:
		return g.object("a", "b", "type")
	case 13:
		return "[" + g.list(func() string { return g.value(depth - 1) }) + "]"
	}
	return fmt.Sprint(g.r.Int64() >> g.r.IntN(63))
}
