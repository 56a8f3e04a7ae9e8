package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
)

const maxResult = 256 << 10 // bytes of a result's text that are looked at; the view cuts much earlier

// A content is a part of a result, as far as it is told to the model.
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

// render gives a result as text. Nothing in it is fetched or decoded: pictures, sounds and links are described.
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
		fmt.Fprintf(b, "(%s, %s, %d bytes, not shown)", p.Type, name(p.MIMEType), decoded(p.Data))
	case "resource_link":
		fmt.Fprintf(b, "(link to %s: %s, not followed)", name(p.Name), name(p.URI))
	case "resource":
		r := &p.Resource
		if r.Blob != "" || r.Text == "" {
			fmt.Fprintf(b, "(resource %s, %s, %d bytes, not shown)", name(r.URI), name(r.MIMEType), decoded(r.Blob))
			return
		}
		fmt.Fprintf(b, "(resource %s)\n", name(r.URI))
		b.WriteString(r.Text[:min(len(r.Text), maxResult)])
	default:
		fmt.Fprintf(b, "(%s, not shown)", name(p.Type))
	}
}

// name makes a foreign name fit to stand in a line.
func name(s string) string {
	if s = neutral(s, 200); s == "" {
		return "unnamed"
	}
	return s
}

// decoded is how many bytes a base64 text stands for.
func decoded(text string) int { return len(strings.TrimRight(text, "=")) * 3 / 4 }
