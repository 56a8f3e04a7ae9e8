package models

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

const (
	speechPath = "/audio/speech"
	maxAudio   = 10 << 20 // bytes
)

// OpenAISpeech returns a client for OpenAI's audio speech API, which turns text into speech. OpenAI, Groq, SiliconFlow and
// Zhipu have it, and local servers such as Kokoro-FastAPI, speaches and vLLM. voice is the name of a voice at the service, for
// example "alloy"; "" sends none, for services with a default. The other arguments are those of [OpenAI]. [Speak] calls the model.
//
// GenerateContent requires exactly one text that is not blank in all messages. Other parts are an [InvalidRequest]. The roles of the
// messages do not matter. Of the call options only llms.WithModel has an effect. The model does not stream, and calls no
// streaming function.
//
// The Content of the only choice is empty. Its GenerationInfo has the audio as a []byte under "Audio", and its media type,
// for example "audio/mpeg", as a string under "AudioType". Audio above 10 MiB is a [BadResponse], and so is an answer that is no audio,
// unless it says what failed. Usage counts the text: services do not report the cost of speech.
//
// The errors are those of OpenAI. The client has no timeout and does not retry; use it in a [Chain] or with [Retry]. It may be
// called concurrently.
func OpenAISpeech(baseURL, name, key, voice string, o OpenAIOptions) (llms.Model, error) {
	client, err := newAudioClient(baseURL, speechPath, name, key, o)
	if err != nil {
		return nil, fmt.Errorf("models: OpenAISpeech: %w", err)
	}
	s := &speech{audioClient: client, voice: voice, format: cmp.Or(o.AudioFormat, "mp3")}
	return &openAI{name: name, generate: s.generate}, nil
}

// Speak returns text as speech, and the media type of the audio, for example "audio/mpeg". model is that of [OpenAISpeech],
// also in a [Chain] and other wrappers. The purpose of the call is [PurposeSpeak], unless ctx has another. The caller may
// change audio. The error is that of the model, or another one if the answer has no audio.
func Speak(ctx context.Context, model llms.Model, text string) (audio []byte, mediaType string, err error) {
	message := llms.TextParts(llms.ChatMessageTypeHuman, text)
	resp, err := model.GenerateContent(withDefaultPurpose(ctx, PurposeSpeak), []llms.MessageContent{message})
	if err != nil {
		return nil, "", err
	}
	if resp == nil {
		resp = &llms.ContentResponse{}
	}
	for _, c := range resp.Choices {
		if c == nil {
			continue
		}
		if audio, _ := c.GenerationInfo["Audio"].([]byte); len(audio) > 0 {
			mediaType, _ := c.GenerationInfo["AudioType"].(string)
			return audio, mediaType, nil
		}
	}
	return nil, "", errors.New("models: Speak: the answer has no audio")
}

type speech struct {
	*audioClient
	voice, format string
}

func (s *speech) generate(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	text, err := onlyText(messages)
	if err != nil {
		return nil, &kindError{InvalidRequest, err}
	}
	fields := map[string]string{"model": cmp.Or(o.Model, s.name), "input": text, "response_format": s.format}
	if s.voice != "" {
		fields["voice"] = s.voice
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	audio, mediaType, err := s.post(ctx, "application/json", body, maxAudio)
	switch {
	case err != nil:
		return nil, err
	case len(audio) == 0:
		return nil, &kindError{EmptyAnswer, errors.New("the answer is empty")}
	case !isAudio(mediaType, audio):
		return nil, notAudio(audio)
	case !isAudioType(mediaType):
		mediaType = mediaTypeOf(s.format)
	}
	info := map[string]any{"Audio": audio, "AudioType": mediaType}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{StopReason: "stop", GenerationInfo: info}}}, nil
}

// mediaTypeOf returns the media type of a response_format.
func mediaTypeOf(format string) string {
	if format == "mp3" {
		format = "mpeg"
	}
	return fmt.Sprintf("audio/%s", format)
}

// onlyText returns the only text in messages.
func onlyText(messages []llms.MessageContent) (string, error) {
	var texts []string
	for _, m := range messages {
		for _, part := range m.Parts {
			text, ok := part.(llms.TextContent)
			if !ok {
				return "", fmt.Errorf("speech has no part of the type %T", part)
			}
			texts = append(texts, text.Text)
		}
	}
	switch {
	case len(texts) != 1:
		return "", fmt.Errorf("speech needs one text, but the messages have %d", len(texts))
	case strings.TrimSpace(texts[0]) == "":
		return "", errors.New("the text to speak is blank")
	}
	return texts[0], nil
}

// isAudio reports whether a body may be audio. Some gateways send errors as JSON with the content type of audio.
func isAudio(mediaType string, body []byte) bool {
	kind, format, _ := strings.Cut(mediaType, "/")
	switch {
	case isAudioType(mediaType):
		return !json.Valid(body)
	case kind == "text", strings.HasSuffix(format, "json"):
		return false
	}
	start := bytes.TrimSpace(body)
	return !bytes.HasPrefix(start, []byte("<")) && !bytes.HasPrefix(start, []byte("{"))
}

// notAudio returns the error of a body that is no audio. The error of a web page is that of [httpStatus.cause].
func notAudio(body []byte) error {
	text := errorText(body)
	if text == "" {
		return &kindError{BadResponse, errors.New("the answer is no audio")}
	}
	kind, err := errorInBody(BadResponse, http.StatusOK, text)
	return &kindError{kind, err}
}
