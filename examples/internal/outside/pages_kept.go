package outside

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"

	"github.com/hearth-bot/hearth/examples/internal/check"
	"github.com/hearth-bot/hearth/examples/internal/lang"
)

// kept is what the pages have again after a restart. It is a file beside that of -db, which only its user may read.
type kept struct {
	Address string `json:"address"`
	Token   string `json:"token,omitempty"` // "" if the user gave one
}

// keptFile returns the file beside that of -db, or "" if -db is no file.
func keptFile(db string) string {
	if db == "" || check.IsPostgres(db) {
		return ""
	}
	return db + ".http"
}

// readKept returns what is kept in a file, or nothing. A damaged file counts as none.
func readKept(name string) (k kept, err error) {
	if name == "" {
		return k, nil
	}
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return k, lang.Errorf("-http 的令牌读不了：%v", "the token of -http: %v", err)
	}
	if json.Unmarshal(b, &k) != nil {
		k = kept{}
	}
	return k, nil
}

// listen listens on an address. Port 0 is the kept port, if it is free and for the same address, or else any.
func (k kept) listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if before, last, err := net.SplitHostPort(k.Address); err == nil && port == "0" && (before == host || host == "localhost") {
		if l, err := net.Listen("tcp", net.JoinHostPort(host, last)); err == nil {
			return l, nil
		}
	}
	return net.Listen("tcp", address)
}

// write keeps k in a file, if it differs from what was found there. A token that is not used now stays.
func (k kept) write(name string, found kept) error {
	if k.Token == "" {
		k.Token = found.Token
	}
	if name == "" || k == found {
		return nil
	}
	b, err := json.Marshal(k)
	if err == nil {
		err = os.WriteFile(name, append(b, '\n'), 0o600)
	}
	if err != nil {
		return lang.Errorf("-http 的令牌存不下：%v", "the token of -http was not kept: %v", err)
	}
	return nil
}
