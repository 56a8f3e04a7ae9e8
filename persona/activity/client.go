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

// DefaultURL is where ActivityWatch listens.
const DefaultURL = "http://127.0.0.1:5600"

var (
	// ErrUnreachable is matched by the error when nothing answers at the address: ActivityWatch does not run.
	ErrUnreachable = errors.New("activity: ActivityWatch does not answer")
	// ErrNoBucket is matched by the error for a bucket that the server does not have.
	ErrNoBucket = errors.New("activity: no such bucket")
	// ErrNotActivityWatch is matched by the error when what answers is not ActivityWatch, or none that is understood.
	ErrNotActivityWatch = errors.New("activity: not an answer of ActivityWatch")
)

// An APIError is a refusal of the server. One with status 404 matches [ErrNoBucket].
type APIError struct {
	Path    string
	Status  int
	Message string // what the server said
}

// Error implements error.
func (e *APIError) Error() string {
	return fmt.Sprintf("activity: %s: status %d: %s", e.Path, e.Status, e.Message)
}

// Is makes a 404 an ErrNoBucket.
func (e *APIError) Is(target error) bool {
	return target == ErrNoBucket && e.Status == http.StatusNotFound && strings.HasPrefix(e.Path, bucketsPath)
}

// Info is what the server says of itself.
type Info struct {
	Hostname string `json:"hostname"`
	Version  string `json:"version"`
	Testing  bool   `json:"testing"`
	DeviceID string `json:"device_id"`
}

// A Client reads from a server; it never writes. All methods may be called concurrently.
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

// NewClient reads from the server at base; "" means [DefaultURL]. It does not call it yet.
func NewClient(base string, o Options) (*Client, error) {
	base = cmp.Or(base, DefaultURL)
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("activity: %q is no address of a server", base)
	}
	if o, err = o.filled(); err != nil {
		return nil, err
	}
	// No proxy: what the owner does stays on the way that was given. No redirect, for the same reason.
	transport := &http.Transport{DisableKeepAlives: true}
	return &Client{base: strings.TrimRight(base, "/"), o: o, http: &http.Client{
		Transport:     transport,
		Timeout:       pageTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Info asks the server who it is.
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

// Buckets gives all that the server has, by id.
func (c *Client) Buckets(ctx context.Context) ([]Bucket, error) {
	data, err := c.get(ctx, bucketsPath, nil)
	if err != nil {
		return nil, err
	}
	var byID map[string]Bucket
	if err := json.Unmarshal(data, &byID); err != nil || byID == nil {
		return nil, fmt.Errorf("%w: %s: %v", ErrNotActivityWatch, bucketsPath, err)
	}
	buckets := make([]Bucket, 0, len(byID))
	for id, b := range byID {
		b.ID = id
		buckets = append(buckets, b)
	}
	slices.SortFunc(buckets, func(a, b Bucket) int { return strings.Compare(a.ID, b.ID) })
	return buckets, nil
}

// page asks for the newest events of a bucket that touch a stretch of time.
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
			err = u.Err // without the address, which was named
		}
		return nil, fmt.Errorf("%w at %s: %w", ErrUnreachable, c.base, err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("activity: %s: %w", path, ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("%w at %s: the answer broke off: %w", ErrUnreachable, c.base, err)
	case res.StatusCode != http.StatusOK:
		return nil, &APIError{Path: path, Status: res.StatusCode, Message: message(data)}
	case len(data) > maxBody:
		return nil, fmt.Errorf("%w: %s: more than %d bytes", ErrNotActivityWatch, path, maxBody)
	}
	return data, nil
}

// message is what the server said of an error: {"message": …}, or the head of what it is.
func message(data []byte) string {
	var said struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(data, &said) != nil || said.Message == "" {
		said.Message = string(data)
	}
	return clean(said.Message, maxMessage)
}
