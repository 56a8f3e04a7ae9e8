package media

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/prompt"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reply returns a message that quotes message 7 and knows its text.
func reply(text string) persona.Message {
	m := newMessage("1", persona.Text("这个呢"))
	m.ReplyTo, m.Quote = "7", &persona.Quote{ID: "7", Key: "7", From: "1002", Name: "李四", Text: text}
	return m
}

// by returns message 7 with parts.
func by(name string, parts ...persona.Part) persona.Message {
	m := newMessage("7", parts...)
	m.From, m.Name = "1002", name
	return m
}

// The parts of a quoted message are opened like those of a sent one.
func TestQuote_Opened(t *testing.T) {
	p := &platform{parts: map[string]persona.Part{
		"f": persona.Forward{Messages: lines(1, "聊过的")}, "v": persona.Voice{Transcript: "说过的"}, "赌": persona.Voice{Transcript: "来赌博"},
	}}
	for name, c := range map[string]struct {
		quoted persona.Message
		text   string // of the quote as it arrives
		want   string // "": as without opening
	}{
		"forward":                 {by("李四", persona.Forward{ID: "f"}), "[聊天记录]", `quote="[聊天记录： 群友: 聊过的]"`},
		"voice":                   {by("李四", persona.Voice{ID: "v"}), "[语音]", `quote="[语音：说过的]"`},
		"file":                    {by("李四", persona.File{Name: "a.txt", URL: "http://files.example/a"}), "[文件 a.txt]", `quote="[文件 a.txt：内容]"`},
		"text":                    {by("李四", persona.Text("改过的")), "原来的", ""},
		"text in brackets":        {by("李四", persona.Text("[原来的]")), "[原来的]", `quote="[原来的]"`},
		"expired part":            {by("李四", persona.Voice{ID: "x"}), "[语音]", `quote="[语音]"`},
		"banned word":             {by("李四", persona.Voice{ID: "赌"}), "[语音]", ""},
		"name with a banned word": {by("赌博王", persona.Voice{ID: "v"}), "[语音]", ""},
		"unknown to the platform": {persona.Message{}, "[语音]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &platform{parts: p.parts, messages: map[string]persona.Message{"7": c.quoted}}
			if c.quoted.ID == "" {
				p.messages = nil
			}
			f := newLinkFixture(t, p.features(), Options{})
			f.internet.files = map[string]string{"a": "内容"}
			if read := f.read(t, reply(c.text)); c.want == "" {
				assert.Equal(t, unopened(t, reply(c.text)), read)
			} else {
				assert.Contains(t, read, c.want)
				assert.Contains(t, read, `quote_sender="李四" quote_sender_id="1002"`)
			}
		})
	}
}

// A message of the bot itself is quoted as its own.
func TestQuote_Own(t *testing.T) {
	own := by("群名片", persona.Voice{ID: "v"})
	own.From, own.Own = "10000", true
	p := &platform{parts: map[string]persona.Part{"v": persona.Voice{Transcript: "我说过的"}}, messages: map[string]persona.Message{"7": own}}
	m := newMessage("1", persona.Text("这个呢"))
	m.ReplyTo = "7"
	read := newLinkFixture(t, p.features(), Options{}).read(t, m)
	assert.Contains(t, read, `quote_sender="小炉" quote_sender_id="10000" quote="[语音：我说过的]"`)
}

// A quoted picture is looked at like a sent one, and marked.
func TestQuote_Picture(t *testing.T) {
	p := &platform{messages: map[string]persona.Message{"7": by("李四", persona.Text("看"), persona.Picture{URL: "http://pictures.example/quoted"})}}
	f := newLinkFixture(t, p.features(), Options{Pictures: &Pictures{}})
	m := reply("看[图片]")
	m.Parts = append(m.Parts, persona.Picture{URL: "http://pictures.example/sent"})
	m.Text = persona.TextOf(m.Parts)
	prompts := f.turn(t, func(j *engine.Job) { j.Items, j.Caller = []persona.Message{m}, m }, nil, prompt.SingleCall, prompt.Plan)
	require.Len(t, prompts, 2)
	assert.Equal(t, []string{"quoted", "sent"}, saw(prompts[0]))
	assert.Empty(t, saw(prompts[1]))
	assert.Contains(t, prompts[0].Human(), `这个呢[图片]<picture n="1" quoted="true"></picture><picture n="2"></picture></msg>`)
}

// A quoted message that was retracted, or whose author was erased, while it was fetched is not shown.
func TestQuote_Gone(t *testing.T) {
	for name, remove := range map[string]func(e *engine.Engine, ctx context.Context) error{
		"kept": func(*engine.Engine, context.Context) error { return nil },
		"erased": func(e *engine.Engine, ctx context.Context) error {
			return e.Tombstones.Add(ctx, e.Options.Store, time.Now(), engine.PersonHash(persona.Account{Platform: "qq", ID: "1002"}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &platform{parts: map[string]persona.Part{"v": persona.Voice{Transcript: "说过的"}}, messages: map[string]persona.Message{"7": by("李四", persona.Voice{ID: "v"})}}
			var f *fixture
			link := p.features()
			link.OpenPart = func(ctx context.Context, m persona.Message, part persona.Part) (persona.Part, error) {
				assert.NoError(t, remove(f.engine, ctx))
				return p.open(ctx, m, part)
			}
			f = newLinkFixture(t, link, Options{})
			m := newMessage("1", persona.Text("这个呢"))
			m.ReplyTo = "7"
			assert.Equal(t, name == "kept", strings.Contains(f.read(t, m), "说过的"))
		})
	}
}

// A turn opens three quoted messages.
func TestQuote_Limit(t *testing.T) {
	p := &platform{parts: map[string]persona.Part{"v": persona.Voice{Transcript: "说过的"}}, messages: map[string]persona.Message{"7": by("李四", persona.Voice{ID: "v"})}}
	var all []persona.Message
	for _, id := range []string{"1", "2", "3", "4"} {
		m := reply("[语音]")
		m.ID, m.Key = id, id+"@1"
		all = append(all, m)
	}
	assert.Equal(t, 3, strings.Count(newLinkFixture(t, p.features(), Options{}).read(t, all...), "说过的"))
}
