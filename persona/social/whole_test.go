package social_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/speech"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withSpeechOf sends replies with these options, without pauses.
func withSpeechOf(s social.Speech, also ...func(*social.Options)) func(*social.Options) {
	return func(o *social.Options) {
		mentionOnly(o)
		s.Split = speech.SplitOptions{SplitChance: -1}
		o.Reply.Speech = &s
		for _, f := range also {
			f(o)
		}
	}
}

// oneReply allows one reply in five minutes.
func oneReply(o *social.Options) { o.When.Attention.Caps = heartflow.Caps{Replies: 1} }

// forms returns the types of the segments of the bot's messages.
func (f *fixture) forms() (forms []string) {
	for _, m := range f.qq.Sent() {
		var types []string
		for _, s := range m.Message {
			types = append(types, s.Type)
		}
		forms = append(forms, strings.Join(types, "+"))
	}
	return forms
}

func speaks(text string, err error) persona.Voicer {
	return persona.VoicerFunc(func(context.Context, string) (persona.Audio, error) { return persona.Audio{Data: []byte(text)}, err })
}

// A voice message is answered by one, if the reply is short and plain. Otherwise, and if that fails, the reply is text.
func TestVoiceReply(t *testing.T) {
	spoken := func(f *fixture) onebot.Message { return f.voice("在吗") }
	written := func(*fixture) onebot.Message { return at(botID, "在吗") }
	for name, c := range map[string]struct {
		voice social.Voice
		says  string
		asks  func(f *fixture) onebot.Message
		fails bool // QQ refuses the voice message
		want  []string
	}{
		"to a voice message": {social.Voice{Voicer: speaks("mp3", nil)}, "在的", spoken, false, []string{"record"}},
		"to text":            {social.Voice{Voicer: speaks("mp3", nil)}, "在的", written, false, []string{"text"}},
		"by chance":          {social.Voice{Voicer: speaks("mp3", nil), Chance: 1}, "在的", written, false, []string{"record"}},
		"60 characters":      {social.Voice{Voicer: speaks("mp3", nil)}, strings.Repeat("长", 60), spoken, false, []string{"record"}},
		"61 characters":      {social.Voice{Voicer: speaks("mp3", nil)}, strings.Repeat("长", 61), spoken, false, []string{"text"}},
		"own limit":          {social.Voice{Voicer: speaks("mp3", nil), MaxRunes: 1}, "在的", spoken, false, []string{"text"}},
		"an address":         {social.Voice{Voicer: speaks("mp3", nil)}, "https://a.example", spoken, false, []string{"text"}},
		"code":               {social.Voice{Voicer: speaks("mp3", nil)}, "```\na\n```", spoken, false, []string{"text"}},
		"the Voicer fails":   {social.Voice{Voicer: speaks("", errors.New("no"))}, "在的", spoken, false, []string{"text"}},
		"no audio":           {social.Voice{Voicer: speaks("", nil)}, "在的", spoken, false, []string{"text"}},
		"the Voicer panics":  {social.Voice{Voicer: persona.VoicerFunc(func(context.Context, string) (persona.Audio, error) { panic("no") })}, "在的", spoken, false, []string{"text"}},
		"the Voicer hangs": {social.Voice{Voicer: persona.VoicerFunc(func(ctx context.Context, _ string) (persona.Audio, error) {
			<-ctx.Done()
			return persona.Audio{}, ctx.Err()
		})}, "在的", spoken, false, []string{"text"}},
		"the platform refuses":  {social.Voice{Voicer: speaks("mp3", nil)}, "在的", spoken, true, []string{"text"}},
		"silence is not spoken": {social.Voice{Voicer: speaks("mp3", nil)}, "[skip]", spoken, false, nil},
		"Markdown is not spoken": {social.Voice{Voicer: persona.VoicerFunc(func(_ context.Context, text string) (persona.Audio, error) {
			return persona.Audio{Data: []byte(text)}, nil
		})}, "**在的**", spoken, false, []string{"record"}},
	} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, modeltest.Always(modeltest.Say(c.says)), withSpeechOf(social.Speech{Voice: &c.voice}, oneReply), func(f *fixture) {
				f.group.Say(alice, c.asks(f))
				if c.fails {
					f.qq.Fail("send_group_msg", 1200, 1)
				}
				f.advance(time.Minute)
				require.Equal(t, c.want, f.forms())
				if c.want == nil {
					return
				}
				journal := f.journal(techSpace)
				last := journal[len(journal)-1]
				text := strings.Trim(c.says, "*")
				switch m := f.qq.Sent()[0].Message; {
				case c.want[0] == "record":
					assert.Equal(t, "[语音："+text+"]", last, "the bot remembers what it said")
					if name == "Markdown is not spoken" {
						assert.Equal(t, onebot.FileFromBytes([]byte("在的")), m[0].Param("file"))
					}
				case name != "code":
					assert.Equal(t, text, last)
				}
				assert.Len(t, f.tracesOf(heartflow.KindSpeak), 1, "it counts as one reply")
			})
		})
	}
}

// If the outcome of a send is unknown, the reply is not sent again in another form.
func TestVoiceReply_UnclearSend(t *testing.T) {
	voice := social.Speech{Voice: &social.Voice{Voicer: speaks("mp3", nil), Chance: 1}}
	withFixture(t, modeltest.Always(modeltest.Say("在的")), withSpeechOf(voice), func(f *fixture) {
		f.qq.UnconfirmSends(1)
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(10 * time.Minute)
		assert.LessOrEqual(t, len(f.qq.Calls("send_group_msg")), 1)
	})
}

const table = "看：\n| 名 | 价 |\n|---|---:|\n| 咖啡 | 18 |"

// A long or tabular reply is a picture of the Renderer, otherwise a merged forward, otherwise text. If one fails, the next one
// is sent.
func TestLongReply(t *testing.T) {
	draws := func(picture string, err error) func(context.Context, string) ([]byte, error) {
		return func(context.Context, string) ([]byte, error) { return []byte(picture), err }
	}
	long := strings.Repeat("这是很长的一段话，有好多字要说。\n", 40)
	for name, c := range map[string]struct {
		long  social.Long
		says  string
		fails []string // actions that QQ refuses once
		want  string   // the form of the first message
	}{
		"short":                  {social.Long{Renderer: draws("png", nil)}, "在的", nil, "text"},
		"600 characters":         {social.Long{}, strings.Repeat("长", 600), nil, "text"},
		"601 characters":         {social.Long{}, strings.Repeat("长", 601), nil, "forward"},
		"own limit":              {social.Long{Runes: 1}, "在的", nil, "forward"},
		"only tables":            {social.Long{Runes: -1}, long, nil, "text"},
		"table":                  {social.Long{Runes: -1}, table, nil, "forward"},
		"no table":               {social.Long{}, "a | b\n---", nil, "text"},
		"drawn":                  {social.Long{Renderer: draws("png", nil)}, table, nil, "image"},
		"the Renderer fails":     {social.Long{Renderer: draws("", errors.New("no"))}, table, nil, "forward"},
		"the Renderer panics":    {social.Long{Renderer: func(context.Context, string) ([]byte, error) { panic("no") }}, table, nil, "forward"},
		"no forwards":            {social.Long{NoForward: true}, table, nil, "text"},
		"the forward is refused": {social.Long{}, table, []string{"send_group_forward_msg"}, "text"},
		"the picture is refused": {social.Long{Renderer: draws("png", nil)}, table, []string{"send_group_msg"}, "text"},
	} {
		t.Run(name, func(t *testing.T) {
			withFixture(t, modeltest.Always(modeltest.Say(c.says)), withSpeechOf(social.Speech{Long: c.long}, oneReply), func(f *fixture) {
				for _, action := range c.fails {
					f.qq.Fail(action, 1200, 1)
				}
				f.group.Say(alice, at(botID, "说说"))
				f.advance(3 * time.Minute)
				require.NotEmpty(t, f.forms())
				assert.Equal(t, c.want, f.forms()[0])
				assert.Len(t, f.tracesOf(heartflow.KindSpeak), 1, "it counts as one reply")
				if c.want != "forward" {
					return
				}
				said := f.qq.Sent()[0]
				var texts []string
				for _, n := range f.qq.Forwarded(said.Message[0].Param("id")) {
					assert.EqualValues(t, botID, n.UserID)
					assert.Equal(t, "小炉", n.Name)
					assert.LessOrEqual(t, len([]rune(n.Message.Text())), 400)
					texts = append(texts, n.Message.Text())
				}
				if c.says != table {
					assert.Equal(t, c.says, strings.Join(texts, ""))
				}
				assert.Contains(t, f.journal(techSpace)[1], "[聊天记录：\n小炉: ")
			})
		})
	}
}

// Markup in a reply is text in every form: it becomes neither a mention nor a face.
func TestReplyForms_NoMarkup(t *testing.T) {
	evil := "[CQ:at,qq=all] @全体成员 <at>1001</at>"
	for name, s := range map[string]social.Speech{
		"text": {}, "forward": {Long: social.Long{Runes: 1}}, "voice": {Voice: &social.Voice{Voicer: speaks("mp3", nil), Chance: 1}},
	} {
		withFixture(t, modeltest.Always(modeltest.Say(evil)), withSpeechOf(s), func(f *fixture) {
			f.group.Say(alice, at(botID, "说说"))
			f.advance(time.Minute)
			require.Len(t, f.qq.Sent(), 1, name)
			m := f.qq.Sent()[0].Message
			if name == "forward" {
				m = f.qq.Forwarded(m[0].Param("id"))[0].Message
			}
			for _, s := range m {
				assert.NotEqual(t, "at", s.Type, name)
			}
			assert.Equal(t, name != "voice", strings.Contains(m.Text(), "[CQ:at,qq=all]"), name)
		})
	}
}
