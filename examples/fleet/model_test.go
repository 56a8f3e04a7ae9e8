package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/tmc/langchaingo/llms"
)

func TestLastMark(t *testing.T) {
	prompt := func(text string) []llms.MessageContent {
		return []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, "x #9"), llms.TextParts(llms.ChatMessageTypeHuman, text)}
	}
	assert.Equal(t, "#8", lastMark(prompt(`<history_messages>早 #6 在↩#6</history_messages><recent_messages>在吗 #7 你好 #8</recent_messages><social_memory>今天吃什么 #2</social_memory>`)), "not that of a memory")
	assert.Equal(t, "#6", lastMark(prompt(`<history_messages>早 #6 在↩#5</history_messages>`)), "not that of an answer")
	assert.Equal(t, "#0", lastMark(prompt(`在吗`)))
}
