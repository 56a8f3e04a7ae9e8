package models

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// A repairer reads a stream of server-sent events and returns a repaired one; see [Transport].
type repairer struct {
	body        io.ReadCloser
	lines       *bufio.Reader
	out         bytes.Buffer
	calls       toolCalls
	made        []callDelta // the complete calls
	thinking    streamedThinking
	turn        *conversation // nil after the answer was read
	knownFormat bool          // the format marks the end of the stream
	ended       bool          // that mark arrived
	err         error         // returned once out is read
}

// repair returns the repaired stream. It keeps the reasoning for turn, which may be nil.
func repair(body io.ReadCloser, turn *conversation) io.ReadCloser {
	return &repairer{body: body, lines: bufio.NewReaderSize(body, 4<<10), turn: turn}
}

func (r *repairer) Close() error { return r.body.Close() }

func (r *repairer) Read(p []byte) (int, error) {
	for r.out.Len() == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.out.Reset()
		r.repairLine()
	}
	return r.out.Read(p)
}

// maxLine bounds a line of a stream. langchaingo's clients take 64 KiB.
const maxLine = 4 << 20

var errLine = errors.New("models: a line of the stream is too long")

// repairLine reads one line and writes its repaired form to out.
func (r *repairer) repairLine() {
	line, err := r.line()
	if n := len(line); n > 0 && line[n-1] != '\n' {
		line = append(line, '\n') // the last line of the stream
	}
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		r.event(bytes.TrimSpace(data), line)
	} else {
		r.out.Write(line)
	}
	if r.err != nil || err == nil {
		return
	}
	if r.err = err; errors.Is(err, io.EOF) {
		r.flush()
		if r.knownFormat && !r.ended {
			r.err = io.ErrUnexpectedEOF
			return
		}
		r.finish()
	}
}

func (r *repairer) line() ([]byte, error) {
	var line []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, errLine
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// An event holds the fields of a chunk that the repairer reads.
type event struct {
	Type    string          `json:"type"` // Anthropic's
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Finish *string `json:"finish_reason"`
		Delta  struct {
			thinking
			Content json.RawMessage `json:"content"`
			Calls   []callDelta     `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
}

func (r *repairer) event(data, line []byte) {
	if string(data) == "[DONE]" {
		r.flush()
		r.finish()
		r.ended = true
		r.out.Write(line)
		return
	}
	var e event
	if json.Unmarshal(data, &e) != nil {
		r.out.Write(line)
		return
	}
	if err := chunkError(e.Error); err != nil {
		err.Message, _ = r.turn.cutReasoning(err.Message)
		r.err = err
		return
	}
	switch {
	case e.Type == "message_start":
		r.knownFormat = true
	case e.Type == "message_stop":
		r.ended = true
	case len(e.Choices) == 0:
	default:
		r.knownFormat = true
		first := e.Choices[0]
		if r.turn != nil {
			r.thinking.add(first.Delta.thinking, first.Delta.Content)
		}
		if len(first.Delta.Calls) > 0 {
			if r.err = r.calls.add(first.Delta.Calls); r.err != nil {
				return
			}
			line = withoutToolCalls(data)
		}
		if first.Finish != nil && *first.Finish != "" {
			r.ended = true
			r.flush()
		}
	}
	r.out.Write(line)
}

// flush writes the tool calls that were held back.
func (r *repairer) flush() {
	calls, chunks := r.calls.flush()
	r.made = append(r.made, calls...)
	for _, chunk := range chunks {
		fmt.Fprintf(&r.out, "data: %s\n\n", chunk)
	}
}

// finish keeps the reasoning of the complete answer.
func (r *repairer) finish() {
	r.turn.answered(r.thinking.thinking(), r.thinking.hasText, r.made, time.Now())
	r.turn = nil
}

// withoutToolCalls returns the line of a chunk without its tool calls.
func withoutToolCalls(data []byte) []byte {
	var chunk map[string]json.RawMessage
	var choices []map[string]json.RawMessage
	var delta map[string]json.RawMessage
	if json.Unmarshal(data, &chunk) != nil || json.Unmarshal(chunk["choices"], &choices) != nil || json.Unmarshal(choices[0]["delta"], &delta) != nil {
		return nil
	}
	delete(delta, "tool_calls")
	choices[0]["delta"], _ = json.Marshal(delta)
	chunk["choices"], _ = json.Marshal(choices)
	text, _ := json.Marshal(chunk)
	return append(append([]byte("data: "), text...), '\n')
}

// chunkError reads the error of a chunk. It is a string or {"message": …, "code": 502 or "…", "type": "overloaded_error"}.
func chunkError(raw json.RawMessage) *StreamError {
	if isNull(raw) {
		return nil
	}
	var e struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Code    json.RawMessage `json:"code"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return &StreamError{Message: string(raw)}
	}
	err := &StreamError{Message: e.Message}
	if e.Type != "" {
		err.Message = e.Type + ": " + e.Message
	}
	if n := 0; json.Unmarshal(e.Code, &n) == nil && n >= 400 && n < 600 {
		err.Status = n
		return err
	}
	switch e.Type {
	case "overloaded_error":
		err.Status = 529
	case "api_error", "server_error", "timeout_error":
		err.Status = 500
	case "rate_limit_error":
		err.Status = 429
	}
	return err
}
