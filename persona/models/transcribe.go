package models

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"mime"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

const (
	transcriptionsPath = "/audio/transcriptions"
	maxTranscript      = 1 << 20 // bytes of the JSON of a transcript
	tokensPerSecond    = 10      // of audio, for services that report its duration; OpenAI counts as many
)

// OpenAITranscriber returns a client for OpenAI's audio transcriptions API, which turns speech into text. OpenAI, Groq,
// SiliconFlow and Zhipu have it, and servers of Whisper such as speaches, vLLM and whisper.cpp with --inference-path
// /v1/audio/transcriptions. The arguments are those of [OpenAI]. [Transcribe] calls the model.
//
// GenerateContent requires exactly one part with audio in all messages: an [llms.BinaryContent] with a MIME type such as
// audio/mpeg. Most services accept mp3, wav, ogg and m4a, but neither amr nor silk. Text parts become the prompt, which hints at names and the style.
// Other parts are an [InvalidRequest]. The roles of the messages do not matter. Of the call options only llms.WithModel has
// an effect. The model does not stream, and calls no streaming function.
//
// The answer is the Content of the only choice, without spaces around it. It is empty without an error if the service
// returns an empty text, as for silence. An answer without a text is an error.
//
// Usage has the tokens that the service reports. If it reports a duration instead, a second counts as 10 tokens, and
// GenerationInfo has the seconds as a float64 under "AudioSeconds". Otherwise the audio counts as 1,000 tokens, as a picture
// does. The size of the audio never counts.
//
// The errors are those of OpenAI. The client has no timeout, does not retry and does not convert the audio; use it in a [Chain] or
// with [Retry]. It may be called concurrently.
func OpenAITranscriber(baseURL, name, key string, o OpenAIOptions) (llms.Model, error) {
	client, err := newAudioClient(baseURL, transcriptionsPath, name, key, o)
	if err != nil {
		return nil, fmt.Errorf("models: OpenAITranscriber: %w", err)
	}
	return &openAI{name: name, generate: (&transcriber{client}).generate}, nil
}

// Transcribe returns the text that is spoken in data. mediaType is the MIME type of data, for example "audio/mpeg". model is
// that of [OpenAITranscriber], also in a [Chain] and other wrappers. The text is empty if nobody speaks. The purpose of the
// call is [PurposeHear], unless ctx has another. The error is that of the model.
func Transcribe(ctx context.Context, model llms.Model, data []byte, mediaType string) (string, error) {
	message := llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: []llms.ContentPart{llms.BinaryPart(mediaType, data)}}
	resp, err := model.GenerateContent(withDefaultPurpose(ctx, PurposeHear), []llms.MessageContent{message})
	if err != nil {
		return "", err
	}
	if _, err := emptyAnswer(resp); err != nil {
		return "", fmt.Errorf("models: Transcribe: %w", err)
	}
	first := slices.IndexFunc(resp.Choices, func(c *llms.ContentChoice) bool { return c != nil }) // an answer that is not empty has one
	return resp.Choices[first].Content, nil
}

type transcriber struct{ *audioClient }

func (t *transcriber) generate(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	audio, hint, err := audioIn(messages)
	if err != nil {
		return nil, &kindError{InvalidRequest, err}
	}
	body, contentType := transcriptionForm(cmp.Or(o.Model, t.name), hint, audio)
	answer, _, err := t.post(ctx, contentType, body, maxTranscript)
	if err != nil {
		return nil, err
	}
	var got struct {
		Text  *string
		Usage any
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return nil, err
	}
	choice := &llms.ContentChoice{GenerationInfo: transcriptionInfo(got.Usage)}
	if got.Text != nil {
		choice.Content, choice.StopReason = strings.TrimSpace(*got.Text), "stop"
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

// audioIn returns the only audio in messages, and the texts.
func audioIn(messages []llms.MessageContent) (audio llms.BinaryContent, hint string, err error) {
	found := 0
	for _, m := range messages {
		for _, part := range m.Parts {
			switch part := part.(type) {
			case llms.TextContent:
				hint += part.Text + "\n"
			case llms.BinaryContent:
				audio = part
				found++
			default:
				return audio, "", fmt.Errorf("a transcription has no part of the type %T", part)
			}
		}
	}
	mediaType, _, err := mime.ParseMediaType(audio.MIMEType)
	switch {
	case found != 1:
		return audio, "", fmt.Errorf("a transcription needs one part with audio, but the messages have %d", found)
	case err != nil || !isAudioType(mediaType):
		return audio, "", fmt.Errorf("the MIME type %q is not that of audio", audio.MIMEType)
	case len(audio.Data) == 0:
		return audio, "", errors.New("the audio is empty")
	}
	audio.MIMEType = mediaType
	return audio, strings.TrimSpace(hint), nil
}

// transcriptionForm returns the body of a request and its content type. Writing to a buffer does not fail.
func transcriptionForm(model, hint string, audio llms.BinaryContent) (body []byte, contentType string) {
	var b bytes.Buffer
	b.Grow(len(audio.Data) + 2048)
	w := multipart.NewWriter(&b)
	_ = w.WriteField("model", model)
	_ = w.WriteField("response_format", "json")
	if hint != "" {
		_ = w.WriteField("prompt", hint)
	}
	file, _ := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition("file", "voice."+extensionOf(audio.MIMEType))},
		"Content-Type":        {audio.MIMEType},
	})
	_, _ = file.Write(audio.Data)
	_ = w.Close()
	return b.Bytes(), w.FormDataContentType()
}

// extensions are those of media types whose second half is no extension. Services look at the name of the file.
var extensions = map[string]string{"mpeg": "mp3", "mpeg3": "mp3", "mp4": "m4a", "wave": "wav", "vnd.wave": "wav", "opus": "ogg", "silk-v3": "silk"}

// extensionOf returns the extension for an audio media type, without the dot.
func extensionOf(mediaType string) string {
	_, format, _ := strings.Cut(mediaType, "/")
	format = strings.TrimPrefix(format, "x-")
	return cmp.Or(extensions[format], format)
}

// transcriptionInfo returns the GenerationInfo for the usage that a service reports, under the names of langchaingo's client.
func transcriptionInfo(usage any) map[string]any {
	fields, _ := usage.(map[string]any)
	number := func(names ...string) float64 {
		for _, name := range names {
			if n, ok := fields[name].(float64); ok && n > 0 && n <= math.MaxInt32/tokensPerSecond {
				return n
			}
		}
		return 0
	}
	in, out, total := number("input_tokens", "prompt_tokens"), number("output_tokens", "completion_tokens"), number("total_tokens")
	seconds := number("seconds")
	switch {
	case in+out+total > 0:
		in = cmp.Or(in, max(total-out, 0))
		return map[string]any{"PromptTokens": int(in), "CompletionTokens": int(out), "TotalTokens": int(max(total, in+out))}
	case seconds > 0:
		return map[string]any{"PromptTokens": int(math.Ceil(tokensPerSecond * seconds)), "AudioSeconds": seconds}
	}
	return nil
}
