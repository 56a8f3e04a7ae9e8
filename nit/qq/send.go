package qq

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/onebot"
)

type sendIn struct {
	Target  nit.ID `json:"target_id,omitempty" jsonschema:"发到哪里：group_群号 或 user_QQ号；留空就是当前会话"`
	Content string `json:"content" jsonschema:"要说的话，纯文本"`
	Type    string `json:"type,omitempty" jsonschema:"target_id 只有数字时，它是群（group）还是私聊（private）"`
}

type sendOut struct {
	MessageID string `json:"message_id,omitempty"`
}

type sender struct{ mouth Mouth }

func (s sender) define(most int) func() (nit.Tool, error) {
	return func() (nit.Tool, error) {
		return nit.Define("qq_send_text", "向指定的 QQ 群或好友发送文本消息，用于完成主人交代的事情。", s.send,
			nit.At(nit.L1), nit.Commits(),
			nit.In(nit.ModePersona, "在当前的聊天里说一句话。像平时聊天那样说，不必每次都用。"),
			nit.Schema(targetSchema), nit.Schema(func(s *jsonschema.Schema) {
				least := 1
				s.Properties["content"].MinLength, s.Properties["content"].MaxLength = &least, &most
				s.Properties["type"].Enum = []any{"group", "private"}
				s.Properties["type"].Default = json.RawMessage(`"group"`)
			}))
	}
}

func (s sender) send(ctx context.Context, in sendIn) (sendOut, error) {
	to, here, err := aim(ctx, in.Target, in.Type, "group")
	if err != nil {
		return sendOut{}, err
	}
	if strings.IndexFunc(in.Content, visible) < 0 {
		return sendOut{}, nit.Tell("内容是空的，没有发出去")
	}
	name := to.String()
	if here {
		name = ""
	}
	id, err := s.mouth.Say(ctx, name, onebot.Message{onebot.Text(in.Content)})
	if err != nil {
		return sendOut{}, explain("没有发出去", "可能已经发出去了，不要重发", err)
	}
	return sendOut{id}, nil
}

// visible tells spaces and format characters, which show nothing, from the rest.
func visible(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf)
}
