package models

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A mender reads a stream of server-sent events and gives a mended one; see [Transport].
type mender struct {
	body  io.ReadCloser
	lines *bufio.Reader
	out   bytes.Buffer
	calls calls
	known bool // it is a stream whose end is known
	ended bool
	err   error // after out is read
}

func mend(body io.ReadCloser) io.ReadCloser {
	return &mender{body: body, lines: bufio.NewReaderSize(body, 4<<10)}
}

func (m *mender) Close() error { return m.body.Close() }

func (m *mender) Read(p []byte) (int, error) {
	for m.out.Len() == 0 {
		if m.err != nil {
			return 0, m.err
		}
		m.out.Reset()
		m.next()
	}
	return m.out.Read(p)
}

// maxLine bounds a line of a stream. langchaingo's clients take 64 KiB.
const maxLine = 4 << 20

var errLine = errors.New("models: a line of the stream is too long")

// next handles one line.
func (m *mender) next() {
	line, err := m.line()
	if n := len(line); n > 0 && line[n-1] != '\n' {
		line = append(line, '\n') // the stream's last
	}
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		m.event(bytes.TrimSpace(data), line)
	} else {
		m.out.Write(line)
	}
	if m.err != nil || err == nil {
		return
	}
	if m.err = err; errors.Is(err, io.EOF) {
		m.flush()
		if m.known && !m.ended {
			m.err = io.ErrUnexpectedEOF
		}
	}
}

func (m *mender) line() ([]byte, error) {
	var line []byte
	for {
		part, err := m.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, errLine
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// An event is what the mender looks at of a chunk.
type event struct {
	Type    string          `json:"type"` // Anthropic's
	Error   json.RawMessage `json:"error"`
	Choices []struct {
		Finish *string `json:"finish_reason"`
		Delta  struct {
			Calls []callDelta `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
}

func (m *mender) event(data, line []byte) {
	if string(data) == "[DONE]" {
		m.flush()
		m.ended = true
		m.out.Write(line)
		return
	}
	var e event
	if json.Unmarshal(data, &e) != nil {
		m.out.Write(line)
		return
	}
	if told := errorIn(e.Error); told != nil {
		m.err = told
		return
	}
	switch {
	case e.Type == "message_start":
		m.known = true
	case e.Type == "message_stop":
		m.ended = true
	case len(e.Choices) == 0:
	default:
		m.known = true
		first := e.Choices[0]
		if len(first.Delta.Calls) > 0 {
			if m.err = m.calls.add(first.Delta.Calls); m.err != nil {
				return
			}
			line = without(data)
		}
		if first.Finish != nil && *first.Finish != "" {
			m.ended = true
			m.flush()
		}
	}
	m.out.Write(line)
}

// flush writes the calls of tools that were kept back.
func (m *mender) flush() {
	for _, chunk := range m.calls.take() {
		fmt.Fprintf(&m.out, "data: %s\n\n", chunk)
	}
}

// without gives the line of a chunk less its calls of tools.
func without(data []byte) []byte {
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

// errorIn reads the error of a chunk: {"message": …, "code": 502 or "…", "type": "overloaded_error"}, or a text.
func errorIn(raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
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
