package napcat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// A Config is what NapCat's OneBot configuration shall hold, the file onebot11_<account>.json in its config
// directory: servers at 127.0.0.1 only, their ports and the token. Everything else in the file is left as it is, and
// no other file is written: nothing of logins, the web interface or NapCat itself.
type Config struct {
	// Dir is NapCat's config directory: $NAPCAT_WORKDIR/config where that is set, else "config" beside napcat.mjs.
	// It is made when it is missing. "": NapCat's configuration is neither read nor written; ports and token only
	// say where to ask.
	Dir string
	// Account is the QQ number that is logged in, which names the file. Needed with Dir. A Supervisor does not take
	// NapCat for ready with another account. 0: any.
	Account int64
	// HTTPPort is where NapCat serves the HTTP API. 0: the file's HTTP servers are left as they are.
	HTTPPort int
	// WSPort is where NapCat serves WebSocket. 0: the file's WebSocket servers are left as they are.
	WSPort int
	// ReverseURL is whom NapCat dials by WebSocket, ws://127.0.0.1:8080/onebot for instance. "": the file's
	// WebSocket clients are left as they are.
	ReverseURL string
	// Token is asked of whoever calls, and sent to ReverseURL. Needed with Dir: a server at 127.0.0.1 without one
	// obeys every web page that is open on the machine.
	Token string
	// AllowNonLoopback lets the file's other servers listen beyond loopback. Without, one that is enabled and does is an
	// error.
	AllowNonLoopback bool
}

// A ConfigError says what is wrong with NapCat's OneBot configuration. It tells no token.
type ConfigError struct {
	Path     string
	Problems []string // one for each field: `network.httpServers[0].host is "0.0.0.0", want "127.0.0.1"`
}

// Error lists the problems; it never holds a token.
func (e *ConfigError) Error() string {
	return "napcat: " + e.Path + ": " + strings.Join(e.Problems, "; ")
}

// Path is the configuration's file.
func (c Config) Path() string {
	return filepath.Join(c.Dir, fmt.Sprintf("onebot11_%d.json", c.Account))
}

// valid finds what no file could follow.
func (c Config) valid() error {
	for name, port := range map[string]int{"HTTPPort": c.HTTPPort, "WSPort": c.WSPort} {
		if port < 0 || port > 65535 {
			return fmt.Errorf("napcat: Config.%s %d is no port", name, port)
		}
	}
	if c.HTTPPort != 0 && c.HTTPPort == c.WSPort {
		return errors.New("napcat: Config.HTTPPort and Config.WSPort are the same")
	}
	if c.ReverseURL != "" {
		if u, err := url.Parse(c.ReverseURL); err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
			return errors.New("napcat: Config.ReverseURL is no WebSocket URL")
		}
	}
	if strings.TrimSpace(c.Token) != c.Token {
		return errors.New("napcat: Config.Token has spaces around it")
	}
	switch {
	case c.Dir == "":
	case c.Account <= 0:
		return errors.New("napcat: Config.Dir needs Config.Account")
	case c.Token == "":
		return errors.New("napcat: Config.Dir needs Config.Token")
	}
	return nil
}

// Check compares the file with c and changes nothing. What differs, the file being missing included, is a
// [*ConfigError].
func (c Config) Check() error {
	if err := c.usable(); err != nil {
		return err
	}
	doc, _, err := c.read(c.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return &ConfigError{Path: c.Path(), Problems: []string{"the file is missing"}}
	}
	if err != nil {
		return err
	}
	e := editor{doc: doc}
	e.apply(c)
	if problems := append(e.changes, e.problems...); len(problems) > 0 {
		return &ConfigError{Path: c.Path(), Problems: problems}
	}
	return nil
}

// Apply makes the file hold what c says, and reports whether it had to be written. A file that is missing begins as
// NapCat would begin it: as a copy of onebot11.json, or empty. A file is replaced as a whole or not at all; a new one
// can be read by its owner only. What Apply would not change by itself, a file that is no plain JSON or another
// server that is open to the network, is a [*ConfigError], and nothing is written then.
//
// NapCat reads the file when the account logs in.
func (c Config) Apply() (written bool, err error) {
	if err := c.usable(); err != nil {
		return false, err
	}
	doc, mode, err := c.read(c.Path())
	fresh := errors.Is(err, fs.ErrNotExist)
	if fresh {
		mode = 0o600
		doc, _, err = c.read(filepath.Join(c.Dir, "onebot11.json"))
		if errors.Is(err, fs.ErrNotExist) {
			doc, err = emptyConfig(), nil
		}
	}
	if err != nil {
		return false, err
	}
	e := editor{doc: doc}
	e.apply(c)
	if len(e.problems) > 0 {
		return false, &ConfigError{Path: c.Path(), Problems: e.problems}
	}
	if len(e.changes) == 0 && !fresh {
		return false, nil
	}
	if err := replaceFile(c.Path(), doc, mode); err != nil {
		return false, fmt.Errorf("napcat: write configuration: %w", err)
	}
	return true, nil
}

func (c Config) usable() error {
	if c.Dir == "" {
		return errors.New("napcat: Config.Dir is empty")
	}
	return c.valid()
}

func (c Config) read(path string) (map[string]any, fs.FileMode, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, fmt.Errorf("napcat: read configuration: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, fmt.Errorf("napcat: read configuration: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\uFEFF"))))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil || doc == nil || d.More() {
		return nil, 0, &ConfigError{Path: path, Problems: []string{"is no plain JSON object"}}
	}
	return doc, info.Mode().Perm(), nil
}

// replaceFile writes beside the file and puts it in its place.
func replaceFile(path string, doc map[string]any, mode fs.FileMode) (err error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a link stays one
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".onebot11-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text.Bytes())
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
