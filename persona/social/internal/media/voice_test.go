package media

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
	"github.com/stretchr/testify/assert"
)

// hears is a Transcriber that repeats the recording.
var hears = persona.TranscriberFunc(func(_ context.Context, a persona.Audio) (string, error) {
	return " 听到：" + string(a.Data) + "\n", nil
})

// A voice message is read by the platform's transcript, and otherwise by that of the Transcriber.
func TestVoice(t *testing.T) {
	p := &platform{parts: map[string]persona.Part{
		"words": persona.Voice{ID: "words", Transcript: " 我晚点到 "}, "audio": persona.Voice{ID: "audio", Audio: persona.Audio{Data: []byte("录音")}},
		"url": persona.Voice{ID: "url", URL: "http://voice.example/audio"}, "neither": persona.Voice{ID: "neither"},
		"large": persona.Voice{Audio: persona.Audio{Data: make([]byte, maxAudio+1)}}, "banned": persona.Voice{Transcript: "来赌博"},
		"long": persona.Voice{Transcript: strings.Repeat("长", 2001)},
	}}
	for name, c := range map[string]struct {
		voice       persona.Voice
		transcriber persona.Transcriber
		want        string // "": as without opening
	}{
		"platform":                  {persona.Voice{ID: "words"}, nil, "[语音：我晚点到]"},
		"platform before":           {persona.Voice{ID: "words"}, hears, "[语音：我晚点到]"},
		"recording":                 {persona.Voice{ID: "audio"}, hears, "[语音：听到：录音]"},
		"recording, no transcriber": {persona.Voice{ID: "audio"}, nil, ""},
		"address":                   {persona.Voice{ID: "url"}, hears, "[语音：听到：下载]"},
		"expired, with an address":  {persona.Voice{ID: "expired", URL: "http://voice.example/audio"}, hears, "[语音：听到：下载]"},
		"expired":                   {persona.Voice{ID: "expired"}, hears, ""},
		"private address":           {persona.Voice{ID: "expired", URL: "http://127.0.0.1/audio"}, hears, ""},
		"nothing":                   {persona.Voice{ID: "neither"}, hears, ""},
		"too large":                 {persona.Voice{ID: "large"}, hears, ""},
		"download too large":        {persona.Voice{ID: "expired", URL: "http://voice.example/large"}, hears, ""},
		"banned word":               {persona.Voice{ID: "banned"}, nil, ""},
		"long":                      {persona.Voice{ID: "long"}, nil, "[语音：" + strings.Repeat("长", 2000) + "…]"},
		"known":                     {persona.Voice{ID: "words", Transcript: "已知"}, hears, ""},
		"failing":                   {persona.Voice{ID: "audio"}, persona.TranscriberFunc(func(context.Context, persona.Audio) (string, error) { return "半", errors.New("no") }), ""},
		"panicking":                 {persona.Voice{ID: "audio"}, persona.TranscriberFunc(func(context.Context, persona.Audio) (string, error) { panic("no") }), ""},
		"silence":                   {persona.Voice{ID: "audio"}, persona.TranscriberFunc(func(context.Context, persona.Audio) (string, error) { return " \n", nil }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newLinkFixture(t, p.features(), Options{Transcriber: c.transcriber})
			f.internet.files = map[string]string{"audio": "下载", "large": strings.Repeat("a", maxAudio+1)}
			m := newMessage("1", c.voice)
			if read := f.read(t, m); c.want == "" {
				assert.Equal(t, unopened(t, m), read)
			} else {
				assert.Contains(t, read, ">"+c.want+"</msg>")
			}
		})
	}
}

// A recording that the link delivers needs no platform.
func TestVoice_WithoutPlatform(t *testing.T) {
	f := newLinkFixture(t, engine.Features{}, Options{Transcriber: hears})
	assert.Contains(t, f.read(t, newMessage("1", persona.Voice{Audio: persona.Audio{Data: []byte("录音")}})), "[语音：听到：录音]")
}

// A turn waits 30 s for transcripts, and then answers without.
func TestVoice_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := persona.TranscriberFunc(func(ctx context.Context, _ persona.Audio) (string, error) { <-ctx.Done(); return "太晚了", nil })
		f := newLinkFixture(t, engine.Features{}, Options{Transcriber: late})
		m := newMessage("1", persona.Voice{Audio: persona.Audio{Data: []byte("录音")}}, persona.Text("在吗"))
		began := time.Now()
		read := f.read(t, m)
		assert.Equal(t, 30*time.Second, time.Since(began))
		assert.Contains(t, read, ">[语音]在吗</msg>")
	})
}

// A turn listens to five voice messages, the newest first.
func TestVoice_Limit(t *testing.T) {
	f := newLinkFixture(t, engine.Features{}, Options{Transcriber: hears})
	var all []persona.Message
	for _, name := range []string{"一", "二", "三", "四", "五", "六"} {
		all = append(all, newMessage(name, persona.Voice{Audio: persona.Audio{Data: []byte(name)}}))
	}
	read := f.read(t, all...)
	assert.Equal(t, 5, strings.Count(read, "听到"))
	assert.NotContains(t, read, "听到：一")
}
