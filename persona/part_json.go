package persona

import (
	"fmt"
)

// A partJSON is the JSON form of a Part. Data is left out.
type partJSON struct {
	Type        string    `json:"type"`
	Text        string    `json:"text,omitempty"` // of a Text; transcript, excerpt or description of others
	ID          string    `json:"id,omitempty"`
	Name        string    `json:"name,omitempty"`
	Label       string    `json:"label,omitempty"`
	Description string    `json:"description,omitempty"`
	Source      string    `json:"source,omitempty"`
	URL         string    `json:"url,omitempty"`
	Size        int64     `json:"size,omitempty"`
	Messages    []Message `json:"messages,omitempty"`
}

func partsToJSON(parts []Part) (all []partJSON) {
	for _, p := range parts {
		var j partJSON
		switch p := p.(type) {
		case Text:
			j = partJSON{Type: "text", Text: string(p)}
		case Mention:
			j = partJSON{Type: "mention", ID: p.ID, Name: p.Name}
		case Face:
			j = partJSON{Type: "face", ID: p.ID, Name: p.Name}
		case Picture:
			j = partJSON{Type: "picture", URL: p.URL, Label: p.Label, Text: p.Description}
		case Voice:
			j = partJSON{Type: "voice", ID: p.ID, URL: p.URL, Text: p.Transcript}
		case Video:
			j = partJSON{Type: "video", URL: p.URL}
		case File:
			j = partJSON{Type: "file", ID: p.ID, Name: p.Name, Size: p.Size, URL: p.URL, Text: p.Excerpt}
		case Forward:
			j = partJSON{Type: "forward", ID: p.ID, Messages: p.Messages}
		case Card:
			j = partJSON{Type: "card", Label: p.Label, Name: p.Title, Description: p.Description, Source: p.Source, URL: p.URL}
		case Location:
			j = partJSON{Type: "location", Name: p.Name, Description: p.Address}
		case Other:
			j = partJSON{Type: "other", Label: p.Label}
		}
		all = append(all, j)
	}
	return all
}

func partsFromJSON(all []partJSON) (parts []Part, err error) {
	for _, j := range all {
		var p Part
		switch j.Type {
		case "text":
			p = Text(j.Text)
		case "mention":
			p = Mention{ID: j.ID, Name: j.Name}
		case "face":
			p = Face{ID: j.ID, Name: j.Name}
		case "picture":
			p = Picture{URL: j.URL, Label: j.Label, Description: j.Text}
		case "voice":
			p = Voice{ID: j.ID, URL: j.URL, Transcript: j.Text}
		case "video":
			p = Video{URL: j.URL}
		case "file":
			p = File{ID: j.ID, Name: j.Name, Size: j.Size, URL: j.URL, Excerpt: j.Text}
		case "forward":
			p = Forward{ID: j.ID, Messages: j.Messages}
		case "card":
			p = Card{Label: j.Label, Title: j.Name, Description: j.Description, Source: j.Source, URL: j.URL}
		case "location":
			p = Location{Name: j.Name, Address: j.Description}
		case "other":
			p = Other{Label: j.Label}
		default:
			return nil, fmt.Errorf("persona: message: unknown type of part %q", j.Type)
		}
		parts = append(parts, p)
	}
	return parts, nil
}
