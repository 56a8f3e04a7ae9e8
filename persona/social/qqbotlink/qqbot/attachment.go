package qqbot

import (
	"net/url"
	"strings"
)

// An Attachment is a file in a message. Its URLs expire after a time that the platform does not publish, so fetch them soon.
type Attachment struct {
	Type          FileType
	URL           string // of a voice: SILK; "" if there is none that can be fetched by HTTP
	WAV           string // URL of a voice as WAV; may be ""
	Transcript    string // the platform's transcript of a voice; may be ""
	Name          string
	ContentType   string
	Size          int64
	Width, Height int
}

// readAttachments reads a list. Quoted pictures may be listed twice with different URLs, so files with a known name are dropped.
func readAttachments(list []object) (all []Attachment) {
	type key struct {
		t    FileType
		name string
	}
	known := make(map[key]bool)
	for _, o := range list {
		a := Attachment{
			Type: fileType(o.text("content_type")), URL: fullURL(o.text("url")), WAV: fullURL(o.text("voice_wav_url")),
			Transcript: o.text("asr_refer_text"), Name: o.text("filename"), ContentType: o.text("content_type"),
			Size: max(o.whole("size"), 0), Width: pixels(o.whole("width")), Height: pixels(o.whole("height")),
		}
		k := key{a.Type, a.Name}
		if a.Name != "" && known[k] {
			continue
		}
		known[k] = true
		all = append(all, a)
	}
	return all
}

func pixels(n int64) int { return int(min(max(n, 0), 1<<20)) }

// fileType returns the type for a content type such as image/jpeg, voice or file.
func fileType(contentType string) FileType {
	switch top, _, _ := strings.Cut(strings.ToLower(contentType), "/"); top {
	case "image":
		return ImageFile
	case "video":
		return VideoFile
	case "voice", "audio":
		return VoiceFile
	}
	return OtherFile
}

// fullURL adds the scheme that the platform leaves out. It returns "" for anything but HTTP.
func fullURL(s string) string {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return ""
	case strings.HasPrefix(s, "//"):
		s = "https:" + s
	case !strings.Contains(s, "://"):
		s = "https://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return s
}
