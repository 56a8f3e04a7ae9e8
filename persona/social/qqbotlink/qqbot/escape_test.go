package qqbot

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEscapeText(t *testing.T) {
	for in, want := range map[string]string{
		"":                                    "",
		"1 < 2, a<b, <div>, <3":               "1 < 2, a<b, <div>, <3",
		"<@A1B2>":                             "＜@A1B2>",
		"<@!A1B2>":                            "＜@!A1B2>",
		"<< @A>":                              "<＜ @A>",
		"<#12>":                               "＜#12>",
		`<qqbot-at-user id="A" />`:            `＜qqbot-at-user id="A" />`,
		`<QQBot-at-everyone/>`:                `＜QQBot-at-everyone/>`,
		`<faceType=4,faceId="",ext="e30=">`:   `＜faceType=4,faceId="",ext="e30=">`,
		"[<face,id=14/>]":                     "[＜face,id=14/>]",
		"<emoji:4>":                           "＜emoji:4>",
		"<\u200b@A>":                          "＜\u200b@A>",
		"<\ufe0f\u3164@A>":                    "＜\ufe0f\u3164@A>",
		"<q\u200bq\u034fbot-at-user id=1/>":   "＜q\u200bq\u034fbot-at-user id=1/>",
		"<\u0000/ qqbot-cmd-input text=\"\">": "＜\u0000/ qqbot-cmd-input text=\"\">",
	} {
		assert.Equal(t, want, EscapeText(in))
	}
}

// No tag of the platform survives, and nothing but brackets changes.
func FuzzEscapeText(f *testing.F) {
	for _, s := range []string{"<@A>", "<<@A>", "<\u00ad@a", "<qqbot-at-user id=1/>", "<FACETYPE=1", "a<b", "<\xff@a>", "<fa\u00adce,id=1>", "<\u2028emoji:1>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := EscapeText(s)
		assert.Equal(t, strings.ReplaceAll(s, "＜", "<"), strings.ReplaceAll(out, "＜", "<"))
		assert.Equal(t, out, EscapeText(out))
		low := strings.ToLower(out)
		for _, tag := range []string{"<@", "<#", "<!@", "<qqbot", "<face", "<emoji"} {
			assert.NotContains(t, low, tag)
		}
	})
}
