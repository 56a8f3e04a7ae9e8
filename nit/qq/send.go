package qq

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

type sendIn struct {
	Target  nit.ID   `json:"target_id,omitempty" jsonschema:"发到哪里：group_群号 或 user_QQ号；留空就是当前会话"`
	Content string   `json:"content" jsonschema:"要说的话，纯文本"`
	Type    string   `json:"type,omitempty" jsonschema:"target_id 只有数字时，它是群（group）还是私聊（private）"`
	At      []nit.ID `json:"at,omitempty" jsonschema:"在群里要 @ 的人的 QQ号"`
}

type sendOut struct {
	MessageID string `json:"message_id,omitempty"`
	Target    string `json:"target_id,omitempty"` // resolved target if the call named it
}

// Maximum of mentions in a message.
const maxMentions = 20

func (k *toolkit) sendText() (nit.Tool, error) {
	return nit.Define("qq_send_text", nit.L1, "向指定的 QQ 群或好友发送文本消息，用于完成主人交代的事情。target_id 也可以写群名、好友的备注或昵称，at 也可以写成员的名字；主人要求时，at 写 all 就是 @全体成员。", k.sendTextMessage, nit.SelfCommitting(), nit.ResultIntegrity(nit.Trusted), nit.ActsOn(sendWords, "target_id"),
		nit.DescribeIn(nit.ModePersona, "在当前的聊天里说一句话。像平时聊天那样说，不必每次都用。"),
		nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["content"].MinLength, s.Properties["content"].MaxLength = new(1), new(k.o.MaxTextChars)
			s.Properties["at"].MaxItems = new(maxMentions)
			s.Properties["type"].Enum = []any{"group", "private"}
			s.Properties["type"].Default = json.RawMessage(`"group"`)
		}))
}

func (k *toolkit) sendTextMessage(ctx context.Context, in sendIn) (sendOut, error) {
	to, _, err := k.resolveTarget(ctx, in.Target, in.Type, "group")
	if err != nil {
		return sendOut{}, err
	}
	out, err := k.mentions(ctx, to, in.At)
	if err != nil {
		return sendOut{}, err
	}
	if isBlank(in.Content) {
		return sendOut{}, errNothingToSend
	}
	out.Text = in.Content
	return k.sendMessage(ctx, in.Target, to, out)
}

// sendMessage sends a message. If the model gave a name, the result contains the resolved target.
func (k *toolkit) sendMessage(ctx context.Context, given nit.ID, to persona.Chat, out persona.Outgoing) (sendOut, error) {
	id, err := k.actor.Send(ctx, to, out)
	if err != nil {
		return sendOut{}, failure("没有发出去", "可能已经发出去了，不要重发", err)
	}
	sent := sendOut{MessageID: id}
	if _, ok := targetByID(string(given), "group", "group", to); given != "" && !ok {
		sent.Target = to.SourceID()
	}
	return sent, nil
}

// mentions returns a message with the mentions. Only the owner may mention everyone.
func (k *toolkit) mentions(ctx context.Context, to persona.Chat, who []nit.ID) (out persona.Outgoing, err error) {
	p, _ := nit.PrincipalFrom(ctx)
	for _, given := range who {
		id, ok, _ := userByID(given)
		switch {
		case ok:
		case !isAgent(p):
			return out, nit.ErrUnknownTool
		case to.Kind == persona.Group && given != "all":
			if id, err = k.resolveMember(ctx, to.ID, given); err != nil {
				return out, err
			}
		}
		if to.Kind != persona.Group {
			return out, nit.ModelError("私聊里不能 @ 人")
		}
		if given == "all" {
			out.MentionEveryone = true
		} else {
			out.Mentions = append(out.Mentions, id)
		}
	}
	return out, nil
}

var errNothingToSend = nit.ModelError("内容是空的，没有发出去")

// isBlank reports whether a text shows nothing.
func isBlank(s string) bool { return strings.IndexFunc(s, isVisible) < 0 }

// isVisible reports whether r is neither a space nor a control or format character.
func isVisible(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf)
}
