package onebottest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Support of actions by implementation, from their sources: N NapCat, L LLBot, S SnowLuma, G Lagrange, C go-cqhttp. All
// implementations support actions that are not listed.
func TestActions_Missing(t *testing.T) {
	some := map[string]string{
		"send_like":               "NLSG",
		".handle_quick_operation": "NLSC",
		"upload_file_stream":      "NS",
		"download_file_stream":    "NS",
		"clean_stream_temp_file":  "NS",
		"get_friend_msg_history":  "NLSG",
		"send_poke":               "NLSG",
		"group_poke":              "NLSG",
		"friend_poke":             "NLSG",
		"set_msg_emoji_like":      "NLS",
		"set_group_reaction":      "SG",
		"get_group_system_msg":    "NLSC",

		"unset_msg_emoji_like":      "L",
		"get_image":                 "NLSC",
		"get_file":                  "NLS",
		"get_record":                "NLS",
		"fetch_ptt_text":            "NS",
		"get_ptt_text":              "S",
		"get_record_text":           "S",
		"voice_msg_to_text":         "L",
		"get_private_file_url":      "NLSG",
		"delete_group_folder":       "NLSC",
		"delete_group_file_folder":  "SG",
		"rename_group_file_folder":  "LSG",
		"set_group_sign":            "NS",
		"forward_group_single_msg":  "NLS",
		"forward_friend_single_msg": "NLS",
	}
	for name := range actions {
		want := some[name]
		if want == "" {
			want = "NLSGC"
		}
		got := ""
		for i, like := range []Implementation{LikeNapCat, LikeLLBot, LikeSnowLuma, LikeLagrange, LikeGoCQHTTP} {
			if like.find(name) != nil {
				got += "NLSGC"[i : i+1]
			}
		}
		assert.Equal(t, want, got, name)
	}
}
