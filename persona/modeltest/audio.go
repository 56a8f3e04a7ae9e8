package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/tmc/langchaingo/llms"
)

// Voice returns a step with audio, the answer of a model that speaks: models.Speak returns data and mediaType, in process and over HTTP.
func Voice(data []byte, mediaType string) Step {
	return Step{Info: map[string]any{"Audio": data, "AudioType": mediaType}}
}

// readTranscription decodes a form with a file.
func readTranscription(r *http.Request) (p Prompt, err error) {
	const inMemory = 32 << 20
	if err := r.ParseMultipartForm(inMemory); err != nil {
		return p, fmt.Errorf("modeltest: request: %w", err)
	}
	defer func() { _ = r.MultipartForm.RemoveAll() }()
	file, header, err := r.FormFile("file")
	if err != nil {
		return p, fmt.Errorf("modeltest: file: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return p, fmt.Errorf("modeltest: file: %w", err)
	}
	if r.PostFormValue("model") == "" {
		return p, errors.New("modeltest: the model is missing")
	}
	p.Options.Model, p.Format, p.File = r.PostFormValue("model"), r.PostFormValue("response_format"), header.Filename
	audio := llms.MessageContent{Role: llms.ChatMessageTypeHuman}
	if hint := r.PostFormValue("prompt"); hint != "" {
		audio.Parts = append(audio.Parts, llms.TextContent{Text: hint})
	}
	audio.Parts = append(audio.Parts, llms.BinaryPart(header.Header.Get("Content-Type"), data))
	p.Messages = append(p.Messages, audio)
	return p, nil
}

// readSpeech decodes a request for speech.
func readSpeech(body io.Reader) (p Prompt, err error) {
	var in struct {
		Model  string `json:"model"`
		Input  string `json:"input"`
		Voice  string `json:"voice"`
		Format string `json:"response_format"`
	}
	if err := json.NewDecoder(body).Decode(&in); err != nil {
		return p, fmt.Errorf("modeltest: request: %w", err)
	}
	if in.Model == "" || in.Input == "" {
		return p, errors.New("modeltest: the model or the input is missing")
	}
	p.Options.Model, p.Format, p.Voice = in.Model, in.Format, in.Voice
	p.Messages = []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, in.Input)}
	return p, nil
}

// writeTranscript sends the text of a step.
func writeTranscript(w http.ResponseWriter, r *http.Request, s Step, _ int) {
	w.Header().Set("Content-Type", "application/json")
	s.interrupt(r, func() { // an incomplete answer
		_, _ = io.WriteString(w, `{"text":"`)
		_ = http.NewResponseController(w).Flush()
	})
	out := map[string]any{"text": s.Text}
	if usage := transcriptUsage(s.Info); usage != nil {
		out["usage"] = usage
	}
	write200(w, out)
}

// transcriptUsage returns OpenAI's usage of a transcript: its tokens, or the duration of the audio.
func transcriptUsage(info map[string]any) any {
	switch {
	case info["AudioSeconds"] != nil:
		return map[string]any{"type": "duration", "seconds": info["AudioSeconds"]}
	case info["PromptTokens"] != nil:
		return map[string]any{
			"type": "tokens", "input_tokens": info["PromptTokens"], "output_tokens": info["CompletionTokens"], "total_tokens": info["TotalTokens"],
		}
	}
	return nil
}

// writeSpeech sends the audio of a step.
func writeSpeech(w http.ResponseWriter, r *http.Request, s Step, _ int) {
	mediaType, _ := s.Info["AudioType"].(string)
	w.Header().Set("Content-Type", mediaType)
	s.interrupt(r, func() { // incomplete audio
		_, _ = io.WriteString(w, s.Text)
		_ = http.NewResponseController(w).Flush()
	})
	audio, _ := s.Info["Audio"].([]byte)
	_, _ = w.Write(audio)
}
