package engine

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"strconv"
	"strings"
	"sync"

	"github.com/hearth-bot/hearth/persona/models"
	"github.com/tmc/langchaingo/llms"
)

const (
	keptRequests = 8   // of a chat: the calls of two turns, and background calls
	blockSize    = 512 // bytes, which are about 170 tokens; OpenAI caches in steps of 128 tokens, DeepSeek of 64
)

// A requestLog keeps hashes of the last requests about a chat, to measure which part of a prompt a provider could have
// cached. It keeps no text. Its zero value is ready. It may be used concurrently.
type requestLog struct {
	mu   sync.Mutex
	last [keptRequests][]uint32 // of each request the hash of the text up to the end of each block
	next int
}

// hashSeed makes the hashes useless outside of this process.
var hashSeed = maphash.MakeSeed()

// add adds a request, and returns the share of its bytes that is the start of one of the last requests, from 0 to 1.
func (l *requestLog) add(request string) float64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	blocks := make([]uint32, 0, len(request)/blockSize)
	for i := blockSize; i <= len(request); i += blockSize {
		h.WriteString(request[i-blockSize : i])
		blocks = append(blocks, uint32(h.Sum64()))
	}
	l.mu.Lock()
	same := 0
	for _, earlier := range l.last {
		n := 0
		for n < min(len(earlier), len(blocks)) && earlier[n] == blocks[n] {
			n++
		}
		same = max(same, n)
	}
	l.last[l.next] = blocks
	l.next = (l.next + 1) % keptRequests
	l.mu.Unlock()
	return float64(same*blockSize) / float64(max(len(request), 1))
}

// A repeatMeter measures for each call which part of the prompt is the start of an earlier request about the chat.
type repeatMeter struct{ llms.Model }

// GenerateContent implements [llms.Model].
func (m repeatMeter) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	c, ok := ctx.Value(backgroundKey{}).(*Chat)
	if t := TurnFrom(ctx); !ok && t != nil {
		c = t.Chat
	}
	if c != nil {
		var o llms.CallOptions
		for _, option := range options {
			option(&o)
		}
		ctx = models.WithRepeated(ctx, c.requests.add(requestText(messages, o.Tools)))
	}
	return m.Model.GenerateContent(ctx, messages, options...)
}

// requestText returns a request as text: the tools and then the messages, as providers read them.
func requestText(messages []llms.MessageContent, tools []llms.Tool) string {
	var b strings.Builder
	b.Grow(32 << 10)
	for _, tool := range tools {
		if text, err := json.Marshal(tool); err == nil {
			b.Write(text)
		}
	}
	for _, m := range messages {
		b.WriteString("\n" + string(m.Role) + "\n")
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llms.TextContent:
				b.WriteString(p.Text)
			case llms.ToolCall:
				if f := p.FunctionCall; f != nil {
					b.WriteString(p.ID + f.Name + f.Arguments)
				}
			case llms.ToolCallResponse:
				b.WriteString(p.ToolCallID + p.Content)
			case llms.ImageURLContent: // often a data URL
				b.WriteString(fingerprint(maphash.String(hashSeed, p.URL)))
			case llms.BinaryContent:
				b.WriteString(fingerprint(maphash.Bytes(hashSeed, p.Data)))
			}
		}
	}
	return b.String()
}

func fingerprint(hash uint64) string { return "picture " + strconv.FormatUint(hash, 16) }
