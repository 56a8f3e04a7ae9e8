package models

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"plain words, 429, qwen-plus":                                      "plain words, 429, qwen-plus",
		"https://u:p@h.example/v1?model=x":                                 "https://…@h.example/v1?model=x",
		`Get "https://h/v1beta/models/g:gen?key=AIzaSyA-0123456&alt=json"`: `Get "https://h/v1beta/models/g:gen?key=…&alt=json"`,
		"Incorrect API key provided: sk-proj-abcdef123456. See docs":       "Incorrect API key provided: … See docs",
		"Authorization: Bearer abc.def":                                    "Authorization: … …",
		`{"api_key":"secret1","x":1}`:                                      `{"api_key":"…","x":1}`,
		"x-api-key = zzz; ok":                                              "x-api-key = …; ok",
		"key 0123456789abcdef0123456789abcdef.AbCd is bad":                 "key … is bad",
		"claude-3-5-sonnet-20240620 says no":                               "claude-3-5-sonnet-20240620 says no",
		"max_tokens: 4096, tokens=5":                                       "max_tokens: 4096, tokens=5",
		"bad \xff bytes":                                                   "bad � bytes",
	} {
		assert.Equal(t, want, redact(text))
	}
	long := redact(strings.Repeat("炉", 500))
	assert.Len(t, long, 300+len("…"))
	assert.Less(t, len(redact("data:"+strings.Repeat("A1", 1<<20))), 400)
}
