package onebotlink

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"maps"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/internal/clip"
	"github.com/hearth-bot/hearth/persona"
)

// maxCardText is the maximum length of a text of a card in bytes.
const maxCardText = 1000

// readCard reads a card in QQ's JSON or XML. A card with forwarded messages is a Forward. Without a known field the card has
// no title.
func readCard(data string) persona.Part {
	if strings.HasPrefix(strings.TrimSpace(data), "<") {
		return readXMLCard(data)
	}
	var card struct {
		App    string                     `json:"app"`
		Desc   string                     `json:"desc"`
		Prompt string                     `json:"prompt"`
		View   string                     `json:"view"`
		Meta   map[string]json.RawMessage `json:"meta"`
	}
	_ = json.Unmarshal([]byte(data), &card) // what can be read of it
	fields := firstObject(card.Meta)
	if resID := fields["resid"]; card.App == "com.tencent.multimsg" && resID != "" {
		return persona.Forward{ID: resID}
	}
	if card.App == "com.tencent.mannounce" { // its texts are base64
		for _, key := range []string{"title", "text"} {
			if plain, err := base64.StdEncoding.DecodeString(fields[key]); err == nil {
				fields[key] = string(plain)
			}
		}
	}
	switch {
	case strings.HasPrefix(card.App, "com.tencent.map"):
		return persona.Location{Name: cardText(fields["name"]), Address: cardText(fields["address"])}
	case strings.HasPrefix(card.App, "com.tencent.miniapp"): // its title is the name of the app
		return persona.Card{Label: "小程序", Title: cardText(cmp.Or(fields["desc"], untagged(card.Prompt))), Source: cardText(fields["title"]), URL: cardURL(fields)}
	}
	c := persona.Card{
		Label: cardLabel(card.App, card.View), Title: cardText(cmp.Or(fields["title"], fields["nickname"], fields["name"], untagged(card.Prompt), card.Desc)),
		Description: cardText(cmp.Or(fields["desc"], fields["contact"], fields["text"], fields["summary"])), Source: cardText(fields["tag"]), URL: cardURL(fields),
	}
	if c.Description == c.Title {
		c.Description = ""
	}
	return c
}

// cardLabel names the kind of a card.
func cardLabel(app, view string) string {
	switch {
	case view == "music" || strings.HasPrefix(app, "com.tencent.music"):
		return "音乐"
	case strings.HasPrefix(app, "com.tencent.contact") || strings.HasPrefix(app, "com.tencent.troopsharecard"):
		return "名片"
	case app == "com.tencent.mannounce":
		return "群公告"
	case app == "com.tencent.structmsg" || app == "com.tencent.tuwen.lua":
		return "链接"
	}
	return ""
}

// firstObject returns the texts of the first object in meta, by the order of its keys.
func firstObject(meta map[string]json.RawMessage) map[string]string {
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		var object map[string]any
		if json.Unmarshal(meta[key], &object) != nil || len(object) == 0 {
			continue
		}
		texts := map[string]string{}
		for name, value := range object {
			if text, ok := value.(string); ok {
				texts[strings.ToLower(name)] = text
			}
		}
		return texts
	}
	return map[string]string{}
}

// readXMLCard reads a card in QQ's older XML.
func readXMLCard(data string) persona.Part {
	var card struct {
		Brief string `xml:"brief,attr"`
		URL   string `xml:"url,attr"`
		ResID string `xml:"m_resid,attr"`
		Items []struct {
			Title   []string `xml:"title"`
			Summary []string `xml:"summary"`
		} `xml:"item"`
		Source struct {
			Name string `xml:"name,attr"`
		} `xml:"source"`
	}
	d := xml.NewDecoder(strings.NewReader(data))
	d.Strict = false
	_ = d.Decode(&card) // what can be read of it
	if card.ResID != "" {
		return persona.Forward{ID: card.ResID}
	}
	c := persona.Card{Title: untagged(card.Brief), Source: cardText(card.Source.Name), URL: mediaURL(card.URL)}
	for _, item := range card.Items {
		c.Title = cmp.Or(strings.Join(item.Title, " "), c.Title)
		c.Description = cmp.Or(c.Description, strings.Join(item.Summary, " "))
	}
	c.Title, c.Description = cardText(c.Title), cardText(c.Description)
	return c
}

// untagged returns a text such as "[分享]标题" without the tag before it.
func untagged(text string) string {
	if _, rest, ok := strings.Cut(text, "]"); ok && strings.HasPrefix(text, "[") && rest != "" {
		return strings.TrimSpace(rest)
	}
	return text
}

func cardURL(fields map[string]string) string {
	return mediaURL(cmp.Or(fields["jumpurl"], fields["qqdocurl"], fields["url"]))
}

// cardText returns a text on one line, cut to the maximum length.
func cardText(text string) string {
	return clip.Bytes(strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " "), maxCardText)
}
