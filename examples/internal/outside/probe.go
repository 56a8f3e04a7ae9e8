package outside

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"mime/multipart"

	"github.com/hearth-bot/hearth/persona/models"
)

// A probe is a short request to a model that its service does not list.
type probe struct {
	path, contentType string // "" is JSON
	body              []byte
}

func jsonProbe(path string, ask map[string]any) probe {
	body, _ := json.Marshal(ask) // texts and numbers
	return probe{path: path, body: body}
}

// probe returns the request for a purpose: one token, a word to say, or a second of silence.
func (c candidate) probe(purpose string) (probe, error) {
	switch models.Purpose(purpose) {
	case models.PurposeSpeak:
		ask := map[string]any{"model": c.Name, "input": "hi"}
		if c.Voice != "" {
			ask["voice"] = c.Voice
		}
		if c.audioFormat != "" {
			ask["response_format"] = c.audioFormat
		}
		return jsonProbe("/audio/speech", ask), nil
	case models.PurposeHear:
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		file, err := form.CreateFormFile("file", "silence.wav")
		if err == nil {
			_, err = file.Write(silence())
		}
		err = errors.Join(err, form.WriteField("model", c.Name), form.Close())
		return probe{"/audio/transcriptions", form.FormDataContentType(), b.Bytes()}, err
	}
	return jsonProbe("/chat/completions", map[string]any{"model": c.Name, "messages": []map[string]string{{"role": "user", "content": "hi"}}, "max_tokens": 1}), nil
}

// silence returns a second of silence as WAV: 8 kHz, 16 bits.
func silence() []byte {
	const rate = 8000
	b := []byte("RIFF")
	b = binary.LittleEndian.AppendUint32(b, 36+2*rate)
	b = append(b, "WAVEfmt "...)
	for _, n := range []uint32{16, 1 | 1<<16, rate, 2 * rate, 2 | 16<<16} { // PCM, one channel
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, 2*rate)
	return append(b, make([]byte, 2*rate)...)
}
