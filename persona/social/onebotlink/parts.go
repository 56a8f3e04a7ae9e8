package onebotlink

import (
	"cmp"
	"strings"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
)

// Limits of the media of one message.
const (
	maxPictures = 9    // further ones have no URL
	maxMediaURL = 2048 // bytes; longer URLs are ignored
)

// A partReader converts segments to parts.
type partReader struct {
	lookupName func(id int64) string
	pictures   int // pictures with a URL so far
}

// read converts a message without its quote. The parts share no memory with the event.
func (r *partReader) read(m onebot.Message) []persona.Part {
	parts := []persona.Part{} // known, if empty
	for _, s := range m {
		if s.Type != "reply" {
			parts = append(parts, r.part(s))
		}
	}
	return parts
}

func (r *partReader) part(s onebot.Segment) persona.Part {
	param := func(key string) string { return strings.Clone(s.Param(key)) }
	switch s.Type {
	case "text":
		return persona.Text(param("text"))
	case "markdown":
		return persona.Text(param("content"))
	case "at":
		return r.mention(s)
	case "face":
		return faceByID(param("id"))
	case "image", "mface", "cardimage":
		return r.picture(s)
	case "record", "tts":
		m, _ := s.Media()
		return persona.Voice{ID: param("file"), URL: mediaURL(m.URL)}
	case "video":
		m, _ := s.Media()
		return persona.Video{URL: mediaURL(m.URL)}
	case "file", "onlinefile":
		m, _ := s.Media()
		return persona.File{
			ID: strings.Clone(cmp.Or(m.FileID, m.File)), Name: strings.Clone(cmp.Or(m.Name, m.File)), Size: m.Size, URL: mediaURL(m.URL),
		}
	case "forward", "longmsg", "node":
		return r.forward(s, 1)
	case "json", "xml", "miniapp":
		data, _ := s.CardData()
		return readCard(data)
	case "share", "music":
		label := map[string]string{"share": "链接", "music": "音乐"}[s.Type]
		return persona.Card{Label: label, Title: param("title"), Description: param("content"), URL: mediaURL(s.Param("url"))}
	case "location":
		p, _ := s.Location()
		return persona.Location{Name: strings.Clone(p.Title), Address: strings.Clone(p.Content)}
	case "dice", "rps":
		return persona.Other{Label: gameLabel(s)}
	}
	return persona.Other{Label: strings.Trim(strings.Clone(onebot.Message{s}.Text()), "[]")}
}

func (r *partReader) mention(s onebot.Segment) persona.Part {
	who, all, _ := s.Mention()
	if all {
		return persona.Mention{}
	}
	name := strings.Clone(strings.TrimPrefix(s.Param("name"), "@"))
	return persona.Mention{ID: cmp.Or(id(who), strings.Clone(s.Param("qq")), "?"), Name: cmp.Or(name, r.lookupName(who))}
}

func (r *partReader) picture(s onebot.Segment) persona.Part {
	m, _ := s.Media()
	p := persona.Picture{Label: strings.Clone(strings.Trim(s.Param("summary"), "[]"))}
	if s.Type == "mface" {
		p.Label = cmp.Or(p.Label, "表情")
	}
	if url := mediaURL(m.URL); url != "" && s.Type == "image" && r.pictures < maxPictures {
		p.URL = url
		r.pictures++
	}
	return p
}

// forward converts a merged forward, with its messages if the segment contains them.
func (r *partReader) forward(s onebot.Segment, depth int) persona.Part {
	handle, _ := s.ForwardID()
	f := persona.Forward{ID: strings.Clone(handle)}
	if depth <= maxForwardDepth {
		f.Messages = r.nodes(s.Nodes(), depth)
	}
	return f
}

// Limits of the messages of merged forwards that the link reads. The bot has lower ones.
const (
	maxForwardDepth = 4
	maxForwardNodes = 200
)

// nodes converts the messages of a merged forward.
func (r *partReader) nodes(nodes []onebot.ForwardNode, depth int) (all []persona.Message) {
	for _, n := range nodes[:min(len(nodes), maxForwardNodes)] {
		m := persona.Message{From: id(n.UserID), Name: strings.Clone(n.Nickname), At: n.Time, Parts: []persona.Part{}}
		for _, s := range n.Message {
			switch s.Type {
			case "reply":
			case "forward", "longmsg", "node":
				m.Parts = append(m.Parts, r.forward(s, depth+1))
			default:
				m.Parts = append(m.Parts, r.part(s))
			}
		}
		m.Text = persona.TextOf(m.Parts)
		all = append(all, m)
	}
	return all
}

// gameLabel names a dice or a rock-paper-scissors with its result.
func gameLabel(s onebot.Segment) string {
	name := map[string]string{"dice": "骰子", "rps": "猜拳"}[s.Type]
	if n := s.GameResult(); n != 0 && s.Type == "dice" {
		return name + " " + digits(n)
	}
	return name
}

// mediaURL returns a copy of a URL, or "" for one that is too long.
func mediaURL(url string) string {
	if len(url) > maxMediaURL {
		return ""
	}
	return strings.Clone(url)
}
