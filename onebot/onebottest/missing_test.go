package onebottest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Support of actions by implementation, from their sources: N NapCat, L LLBot, G Lagrange, C go-cqhttp. All
// implementations support actions that are not listed.
func TestActions_Missing(t *testing.T) {
	some := map[string]string{
		"send_like":               "NLG",
		".handle_quick_operation": "NLC",
		"upload_file_stream":      "N",
		"download_file_stream":    "N",
		"clean_stream_temp_file":  "N",
		"get_friend_msg_history":  "NLG",
		"send_poke":               "NLG",
		"group_poke":              "NLG",
		"friend_poke":             "NLG",
		"set_msg_emoji_like":      "NL",
		"set_group_reaction":      "G",
		"get_group_system_msg":    "NLC",
	}
	for name := range actions {
		want := some[name]
		if want == "" {
			want = "NLGC"
		}
		got := ""
		for i, like := range []Implementation{LikeNapCat, LikeLLBot, LikeLagrange, LikeGoCQHTTP} {
			if like.find(name) != nil {
				got += "NLGC"[i : i+1]
			}
		}
		assert.Equal(t, want, got, name)
	}
}
