package napcat

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot"
)

func TestExtra(t *testing.T) {
	for in, want := range map[string]MessageExtra{
		`{"post_type":"message_sent","message_type":"group","group_id":1,"user_id":2,"message":[],"real_seq":"84213","message_sent_type":"self","message_format":"array","emoji_likes_list":[{"emoji_id":"66","emoji_type":"1","likes_cnt":"2"}]}`: {
			RealSeq: "84213", SentType: "self", Format: "array", Likes: []onebot.EmojiCount{{EmojiID: "66", Count: 2}}},
		`{"post_type":"message","message_type":"private","user_id":2,"temp_source":3}`: {TempSource: 3},
		`{"post_type":"notice"}`: {},
	} {
		e, err := onebot.ParseEvent([]byte(in))
		require.NoError(t, err)
		assert.Equal(t, want, Extra(e))
	}
	assert.Zero(t, Extra(&onebot.Dropped{}))
}

// Events that only NapCat sends have types of this package.
func TestEvents_Types(t *testing.T) {
	for in, want := range map[string]onebot.Event{
		`{"post_type":"notice","notice_type":"notify","sub_type":"input_status","user_id":2}`: &InputStatus{},
		`{"post_type":"notice","notice_type":"notify","sub_type":"gray_tip","group_id":1}`:    &GrayTip{},
		`{"post_type":"notice","notice_type":"online_file_send","sub_type":"receive"}`:        &OnlineFileSend{},
		`{"post_type":"notice","notice_type":"online_file_receive","sub_type":"cancel"}`:      &OnlineFileReceive{},
	} {
		e, err := onebot.ParseEvent([]byte(in))
		require.NoError(t, err)
		assert.IsType(t, want, e)
	}
}
