package models

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// An audioClient sends requests to one of OpenAI's endpoints for audio.
type audioClient struct {
	url, name, key string
	web            *http.Client
}

// isAudioType reports whether a media type is that of audio.
func isAudioType(mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, "/")
	return kind == "audio"
}

func newAudioClient(baseURL, path, name, key string, o OpenAIOptions) (*audioClient, error) {
	base, err := parseArguments(baseURL, name, key)
	if err != nil {
		return nil, err
	}
	return &audioClient{url: base.String() + path, name: name, key: key, web: &http.Client{Transport: &Transport{Base: o.Base}}}, nil
}

// post sends a request. It returns the body of the response, at most limit bytes, and its media type without parameters.
func (c *audioClient) post(ctx context.Context, contentType string, body []byte, limit int) (answer []byte, mediaType string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("Content-Type", contentType)
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.web.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, resp.Body, maxErrorBody) // the Transport keeps it
		return nil, "", fmt.Errorf("API returned unexpected status code: %d", resp.StatusCode)
	}
	answer, err = io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	switch {
	case err != nil:
		return nil, "", err
	case len(answer) > limit:
		return nil, "", &kindError{BadResponse, fmt.Errorf("the answer is larger than %d MiB", limit>>20)}
	}
	mediaType, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return answer, mediaType, nil
}
