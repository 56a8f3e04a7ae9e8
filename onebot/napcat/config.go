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

// A Config is the wanted content of NapCat's OneBot configuration, the file onebot11_<account>.json in its config
// directory: servers on 127.0.0.1 only, their ports, and the token. Everything else in the file stays unchanged. No
// other file is written: no login data, web interface or other NapCat settings.
type Config struct {
	// Dir is NapCat's config directory: $NAPCAT_WORKDIR/config if that variable is set, otherwise "config" next to
	// napcat.mjs. It is created if missing. "": NapCat's configuration is neither read nor written, and ports and
	// token are used only for pings.
	Dir string
	// Account is the QQ number of the account. The file name contains it, so it is required with Dir. A Supervisor
	// does not consider NapCat ready with another account. 0: any account.
	Account int64
	// HTTPPort is the port of NapCat's HTTP API. 0: the HTTP servers in the file stay unchanged.
	HTTPPort int
	// WSPort is the port of NapCat's WebSocket server. 0: the WebSocket servers in the file stay unchanged.
	WSPort int
	// ReverseURL is the WebSocket URL that NapCat dials, such as ws://127.0.0.1:8080/onebot. "": the WebSocket
	// clients in the file stay unchanged.
	ReverseURL string
	// Token is required from clients and sent to ReverseURL. It is required with Dir: without a token, any web page
	// in a browser on the machine could control a server on 127.0.0.1.
	Token string
	// AllowNonLoopback permits other servers in the file to listen on addresses other than loopback. Otherwise such an
	// enabled server is an error.
	AllowNonLoopback bool
}

// A ConfigError lists the problems of NapCat's OneBot configuration. It never contains a token.
type ConfigError struct {
	Path     string
	Problems []string // one for each field: `network.httpServers[0].host is "0.0.0.0", want "127.0.0.1"`
}

// Error lists the problems. It never contains a token.
func (e *ConfigError) Error() string {
	return "napcat: " + e.Path + ": " + strings.Join(e.Problems, "; ")
}

// Path returns the path of the configuration file.
func (c Config) Path() string {
	return filepath.Join(c.Dir, fmt.Sprintf("onebot11_%d.json", c.Account))
}

// valid checks the Config without reading the file.
func (c Config) valid() error {
	for name, port := range map[string]int{"HTTPPort": c.HTTPPort, "WSPort": c.WSPort} {
		if port < 0 || port > 65535 {
			return fmt.Errorf("napcat: Config.%s %d is not a valid port", name, port)
		}
	}
	if c.HTTPPort != 0 && c.HTTPPort == c.WSPort {
		return errors.New("napcat: Config.HTTPPort and Config.WSPort are the same")
	}
	if c.ReverseURL != "" {
		if u, err := url.Parse(c.ReverseURL); err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
			return errors.New("napcat: Config.ReverseURL is not a WebSocket URL")
		}
	}
	if strings.TrimSpace(c.Token) != c.Token {
		return errors.New("napcat: Config.Token has leading or trailing spaces")
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

// Check compares the file with c and changes nothing. A difference or a missing file is a [*ConfigError].
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

// Apply writes c to the file and reports whether the file had to change. A missing file starts as NapCat would create
// it: as a copy of onebot11.json, or empty. A file is replaced as a whole or not at all. A new file is readable by
// its owner only. If the file is not plain JSON, or another server in it is open to the network, Apply returns a
// [*ConfigError] and writes nothing.
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
		return nil, 0, &ConfigError{Path: path, Problems: []string{"not a plain JSON object"}}
	}
	return doc, info.Mode().Perm(), nil
}

// replaceFile writes a temporary file in the same directory and renames it.
func replaceFile(path string, doc map[string]any, mode fs.FileMode) (err error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // keep a symbolic link
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
