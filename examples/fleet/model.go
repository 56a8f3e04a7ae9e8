package main

import (
	"context"
	"regexp"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/offline"
	"github.com/hearth-bot/hearth/persona/models"
	"github.com/tmc/langchaingo/llms"
)

// A markedModel adds to each reply the mark of the newest message that it has read, so that a repeated answer is seen.
type markedModel struct{ models.Retrier }

// GenerateContent implements llms.Model.
func (m markedModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	resp, err := m.Retrier.GenerateContent(ctx, messages, options...)
	if err != nil || offline.TaskIn(messages) != "" || len(resp.Choices) == 0 {
		return resp, err
	}
	c := resp.Choices[0]
	if c.Content != "" && !strings.HasPrefix(c.Content, "[") && len(c.ToolCalls) == 0 {
		c.Content += answerMark + lastMark(messages)
	}
	return resp, nil
}

// answerMark stands before the mark of the answered message.
const answerMark = "↩"

// marked matches the mark of a message, and with answerMark that of an answer.
var marked = regexp.MustCompile(`(` + answerMark + `?)#(\d+)`)

// lastMark returns the mark of the newest message of people in a prompt.
func lastMark(messages []llms.MessageContent) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != llms.ChatMessageTypeHuman {
			continue
		}
		for j := len(messages[i].Parts) - 1; j >= 0; j-- {
			part, ok := messages[i].Parts[j].(llms.TextContent)
			if !ok {
				continue
			}
			text := part.Text
			if k := strings.LastIndex(text, "<recent_messages"); k >= 0 {
				text, _, _ = strings.Cut(text[k:], "</recent_messages>") // what is remembered of old messages follows
			}
			found := ""
			for _, m := range marked.FindAllStringSubmatch(text, -1) {
				if m[1] == "" {
					found = "#" + m[2]
				}
			}
			if found != "" {
				return found
			}
		}
	}
	return "#0"
}
