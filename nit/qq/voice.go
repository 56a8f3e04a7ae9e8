package qq

import (
	"context"
	"errors"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

type voiceIn struct {
	Target nit.ID `json:"target_id,omitempty" jsonschema:"发到哪里：group_群号 或 user_QQ号；留空就是当前会话"`
	Text   string `json:"text" jsonschema:"要念出来的话"`
}

// Maximum of characters of a voice message, about a minute of speech.
const maxSpoken = 200

func (k *toolkit) sendVoice() (nit.Tool, error) {
	return nit.Define("qq_send_voice", nit.L1, "向指定的 QQ 群或好友发送一条语音，把 text 念出来。target_id 也可以写群名、好友的备注或昵称。", k.speak,
		nit.SelfCommitting(), nit.ResultIntegrity(nit.Trusted), nit.ActsOn(sendWords, "target_id"),
		nit.DescribeIn(nit.ModePersona, "在当前的聊天里发一条语音，把 text 念出来。偶尔用用就好，话要短。"),
		nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["text"].MinLength, s.Properties["text"].MaxLength = new(1), new(maxSpoken)
		}))
}

func (k *toolkit) speak(ctx context.Context, in voiceIn) (sendOut, error) {
	to, _, err := k.resolveTarget(ctx, in.Target, "", "group")
	if err != nil {
		return sendOut{}, err
	}
	if isBlank(in.Text) {
		return sendOut{}, errNothingToSend
	}
	voice, err := k.o.Voice.Speak(ctx, in.Text)
	if err == nil && len(voice.Data) == 0 {
		err = errors.New("qq: the voice message is empty")
	}
	if err != nil {
		return sendOut{}, errors.Join(nit.ModelError("没有念成，什么也没有发出去"), err)
	}
	return k.sendMessage(ctx, in.Target, to, persona.Outgoing{Text: in.Text, Voice: voice})
}
