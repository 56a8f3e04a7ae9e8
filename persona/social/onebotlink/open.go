package onebotlink

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
)

// openPart fetches the messages of a forward, the address of a file, or the words or the recording of a voice message.
func (l *link) openPart(ctx context.Context, m persona.Message, p persona.Part) (persona.Part, error) {
	switch p := p.(type) {
	case persona.Forward:
		nodes, err := l.account.GetForwardMsg(ctx, p.ID)
		if err != nil {
			return p, err
		}
		p.Messages = l.reader(m.Chat).nodes(nodes, 1)
		return p, nil
	case persona.File:
		var err error
		p.URL, err = l.fileURL(ctx, m, p)
		return p, err
	case persona.Voice:
		return l.openVoice(ctx, m, p)
	}
	return p, errors.New("onebotlink: nothing to open")
}

func (l *link) reader(chat persona.Chat) *partReader {
	return &partReader{lookupName: l.names.lookup(chat)}
}

// fileURL asks for the address of a file.
func (l *link) fileURL(ctx context.Context, m persona.Message, f persona.File) (string, error) {
	peer, err := numbers(m.Chat.ID)
	switch {
	case err != nil:
		return "", err
	case m.Chat.Kind == persona.Group:
		return l.account.GetGroupFileURL(ctx, peer[0], f.ID, 0)
	}
	return l.account.GetPrivateFileURL(ctx, peer[0], f.ID, "")
}

// openVoice asks for the platform's transcript, and if there is none, for the recording.
func (l *link) openVoice(ctx context.Context, m persona.Message, v persona.Voice) (persona.Voice, error) {
	if n, err := numbers(m.ID); err == nil {
		if text, err := l.account.FetchPTTText(ctx, n[0]); err == nil && strings.TrimSpace(text) != "" {
			v.Transcript = text
			return v, nil
		}
	}
	if v.ID == "" {
		return v, nil
	}
	info, err := l.account.GetRecord(ctx, v.ID, "mp3")
	if err != nil {
		return v, err
	}
	if info.Base64 != "" {
		data, err := base64.StdEncoding.DecodeString(info.Base64)
		if err != nil {
			return v, fmt.Errorf("onebotlink: the recording is no base64: %w", err)
		}
		v.Audio = persona.Audio{Data: data, Type: audioType(info.Name, data)}
	}
	if strings.HasPrefix(info.URL, "http") {
		v.URL = mediaURL(info.URL)
	}
	return v, nil
}

// audioType returns the media type of a recording by its first bytes, or by its name.
func audioType(name string, data []byte) string {
	for magic, kind := range map[string]string{
		"ID3": "audio/mpeg", "\xff\xfb": "audio/mpeg", "\xff\xf3": "audio/mpeg", "RIFF": "audio/wav", "OggS": "audio/ogg", "#!AMR": "audio/amr", "fLaC": "audio/flac",
	} {
		if strings.HasPrefix(string(data[:min(len(data), 8)]), magic) {
			return kind
		}
	}
	if kind := map[string]string{".wav": "audio/wav", ".amr": "audio/amr", ".ogg": "audio/ogg", ".m4a": "audio/mp4"}[path.Ext(name)]; kind != "" {
		return kind
	}
	return "audio/mpeg"
}

// fetchMessage returns a message of a chat by its id.
func (l *link) fetchMessage(ctx context.Context, chat persona.Chat, id string) (m persona.Message, err error) {
	bot := l.bot.Load()
	n, err := numbers(id)
	if err != nil || bot == nil {
		return m, errors.Join(err, errors.New("onebotlink: no message "+id))
	}
	e, err := bot.GetMsg(ctx, n[0])
	if err != nil {
		return m, err
	}
	switch e := e.(type) {
	case *onebot.GroupMessage:
		m = l.groupMessage(ctx, bot, e)
	case *onebot.PrivateMessage:
		m, _ = l.privateMessage(ctx, bot, e)
		if m.Chat.ID == "" {
			m.Chat = chat // own messages may lack the receiver
		}
	}
	if m.Chat != chat { // an id may be that of a message in another chat
		return persona.Message{}, errors.New("onebotlink: the message is of another chat")
	}
	return m, nil
}
