package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
)

const maxResult = 256 << 10 // bytes of a result's text to read; the view truncates much earlier

// content is the used part of a content block.
type content struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     string `json:"data"`
	MIMEType string `json:"mimeType"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
		Blob     string `json:"blob"`
	} `json:"resource"`
}

// render converts a result to text. It fetches and decodes nothing: images, audio and links are described.
func render(parts []content, structured json.RawMessage) string {
	var b strings.Builder
	for _, p := range parts {
		if b.Len() > maxResult {
			break
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		p.render(&b)
	}
	if b.Len() == 0 && len(structured) > 0 && string(structured) != "null" {
		b.Write(structured[:min(len(structured), maxResult)])
	}
	if b.Len() == 0 {
		return "ok"
	}
	return b.String()
}

func (p *content) render(b *strings.Builder) {
	switch p.Type {
	case "text":
		b.WriteString(p.Text[:min(len(p.Text), maxResult)])
	case "image", "audio":
		fmt.Fprintf(b, "(%s, %s, %d bytes, not shown)", p.Type, displayName(p.MIMEType), decodedLen(p.Data))
	case "resource_link":
		fmt.Fprintf(b, "(link to %s: %s, not followed)", displayName(p.Name), displayName(p.URI))
	case "resource":
		r := &p.Resource
		if r.Blob != "" || r.Text == "" {
			fmt.Fprintf(b, "(resource %s, %s, %d bytes, not shown)", displayName(r.URI), displayName(r.MIMEType), decodedLen(r.Blob))
			return
		}
		fmt.Fprintf(b, "(resource %s)\n", displayName(r.URI))
		b.WriteString(r.Text[:min(len(r.Text), maxResult)])
	default:
		fmt.Fprintf(b, "(%s, not shown)", displayName(p.Type))
	}
}

// displayName makes a remote name safe for one line.
func displayName(s string) string {
	if s = sanitize(s, 200); s == "" {
		return "unnamed"
	}
	return s
}

// decodedLen returns the decoded length of a base64 text.
func decodedLen(text string) int { return len(strings.TrimRight(text, "=")) * 3 / 4 }
