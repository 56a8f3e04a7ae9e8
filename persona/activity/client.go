package activity

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DefaultURL is the default address of ActivityWatch.
const DefaultURL = "http://127.0.0.1:5600"

var (
	// ErrUnreachable is wrapped by the error if no server answers, for example because ActivityWatch does not run.
	ErrUnreachable = errors.New("activity: ActivityWatch does not answer")
	// ErrNoBucket is wrapped by the error if a bucket does not exist.
	ErrNoBucket = errors.New("activity: no such bucket")
	// ErrNotActivityWatch is wrapped by the error if the server is not ActivityWatch, or its response cannot be decoded.
	ErrNotActivityWatch = errors.New("activity: not a response of ActivityWatch")
)

// An APIError is an error response of the server. With status 404 it matches [ErrNoBucket].
type APIError struct {
	Path    string
	Status  int
	Message string // from the server
}

// Error implements error.
func (e *APIError) Error() string {
	return fmt.Sprintf("activity: %s: status %d: %s", e.Path, e.Status, e.Message)
}

// Is reports whether target is [ErrNoBucket] and e is a 404 for a bucket.
func (e *APIError) Is(target error) bool {
	return target == ErrNoBucket && e.Status == http.StatusNotFound && strings.HasPrefix(e.Path, bucketsPath)
}

// Info describes the server.
type Info struct {
	Hostname string `json:"hostname"`
	Version  string `json:"version"`
	Testing  bool   `json:"testing"`
	DeviceID string `json:"device_id"`
}

// A Client reads from an ActivityWatch server and never writes. All methods may be called concurrently.
type Client struct {
	base string
	o    Options
	http *http.Client
}

const (
	infoPath    = "/api/0/info"
	bucketsPath = "/api/0/buckets/"
	maxBody     = 16 << 20
	maxMessage  = 200
	pageTimeout = 10 * time.Second
)

// NewClient returns a client for the server at base; "" means [DefaultURL]. It makes no request.
func NewClient(base string, o Options) (*Client, error) {
	base = cmp.Or(base, DefaultURL)
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("activity: %q is not an http or https URL of a server", base)
	}
	if o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	// No proxy and no redirects, to keep the owner's activity between this program and the given server.
	transport := &http.Transport{DisableKeepAlives: true}
	return &Client{base: strings.TrimRight(base, "/"), o: o, http: &http.Client{
		Transport:     transport,
		Timeout:       pageTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Info returns the server's description of itself.
func (c *Client) Info(ctx context.Context) (Info, error) {
	var info Info
	data, err := c.get(ctx, infoPath, nil)
	if err != nil {
		return Info{}, err
	}
	if json.Unmarshal(data, &info) != nil || info.Version == "" {
		return Info{}, fmt.Errorf("%w: %s", ErrNotActivityWatch, infoPath)
	}
	return info, nil
}

// Buckets returns all buckets of the server, ordered by id.
func (c *Client) Buckets(ctx context.Context) ([]Bucket, error) {
	data, err := c.get(ctx, bucketsPath, nil)
	if err != nil {
		return nil, err
	}
	var byID map[string]Bucket
	err = json.Unmarshal(data, &byID)
	if err == nil && byID == nil {
		err = errors.New("the body is null")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNotActivityWatch, bucketsPath, err)
	}
	buckets := make([]Bucket, 0, len(byID))
	for id, b := range byID {
		b.ID = id
		buckets = append(buckets, b)
	}
	slices.SortFunc(buckets, func(a, b Bucket) int { return strings.Compare(a.ID, b.ID) })
	return buckets, nil
}

// page requests the newest events of a bucket in a period.
func (c *Client) page(ctx context.Context, bucket string, start, end time.Time, limit int) ([]Event, error) {
	data, err := c.get(ctx, bucketsPath+url.PathEscape(bucket)+"/events", url.Values{
		"start": {start.UTC().Format(time.RFC3339Nano)},
		"end":   {end.UTC().Format(time.RFC3339Nano)},
		"limit": {strconv.Itoa(limit)},
	})
	if err != nil {
		return nil, err
	}
	events, err := ParseEvents(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotActivityWatch, err)
	}
	return events, nil
}

func (c *Client) get(ctx context.Context, path string, query url.Values) ([]byte, error) {
	address := c.base + path
	if query != nil {
		address += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("activity: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("activity: %s: %w", path, ctx.Err())
		}
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // without the URL, because the text contains it
		}
		return nil, fmt.Errorf("%w at %s: %w", ErrUnreachable, c.base, err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("activity: %s: %w", path, ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("%w at %s: the response is incomplete: %w", ErrUnreachable, c.base, err)
	case res.StatusCode != http.StatusOK:
		return nil, &APIError{Path: path, Status: res.StatusCode, Message: errorMessage(data)}
	case len(data) > maxBody:
		return nil, fmt.Errorf("%w: %s: more than %d bytes", ErrNotActivityWatch, path, maxBody)
	}
	return data, nil
}

// errorMessage returns the message of an error response: {"message": …}, or the start of the body.
func errorMessage(data []byte) string {
	var body struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(data, &body) != nil || body.Message == "" {
		body.Message = string(data)
	}
	return clean(body.Message, maxMessage)
}
