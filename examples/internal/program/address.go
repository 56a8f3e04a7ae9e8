package program

import (
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hearth-bot/hearth/examples/internal/lang"
)

// CheckWS checks the URL of a WebSocket. The URL may hold a token, so the error contains its host at most.
func CheckWS(name, text string) error {
	if text == "" {
		return nil
	}
	if err := checkWide(name, text); err != nil {
		return err
	}
	u, err := url.Parse(text)
	switch {
	case err == nil && u.Host != "" && slices.Contains([]string{"ws", "wss", "http", "https"}, u.Scheme):
		return nil
	case hostAndPort.MatchString(text):
		address, _, _ := strings.Cut(text, "/")
		return lang.Errorf("%[1]s %[2]q 前面缺 ws://：写 ws://%[2]s", "%[1]s %[2]q lacks ws://: write ws://%[2]s", name, address)
	}
	return lang.Errorf("%s 不是 ws://127.0.0.1:3001 这样的地址", "%s is no URL such as ws://127.0.0.1:3001", name)
}

// checkWide returns an error for a full-width character in an address, which Chinese input methods write in place of that of ASCII.
func checkWide(name, text string) error {
	for _, r := range text {
		if '！' <= r && r <= '～' || r == '。' {
			return lang.Errorf("%s 里有全角的「%c」：地址里的字符都要是半角的", "%s has the full-width character %q: an address has only half-width ones", name, r)
		}
	}
	return nil
}

// ListenAddress returns the address of a flag. A port alone is one of this computer, not reachable from others.
func ListenAddress(name, text string) (string, error) {
	if err := checkWide(name, text); err != nil {
		return "", err
	}
	if _, err := strconv.Atoi(text); err == nil {
		text = net.JoinHostPort("127.0.0.1", text)
	}
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", lang.Errorf("%s %q 不是 127.0.0.1:8080 这样的地址（只写端口 8080 也行）", "%s %q is no address such as 127.0.0.1:8080, or a port such as 8080", name, text)
	}
	return text, nil
}

// CheckURL checks the value of a flag for the URL of a service, such as -base-url. Its error does not contain the URL if it
// may be a key.
func CheckURL(name, text string) error {
	if text == "" {
		return nil
	}
	if err := checkWide(name, text); err != nil {
		return err
	}
	u, err := url.Parse(text)
	switch {
	case err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "":
		return nil
	case hostAndPort.MatchString(text):
		return lang.Errorf("%[1]s %[2]q 前面缺 http:// 或者 https://：写 http://%[2]s", "%[1]s %[2]q lacks http:// or https://: write http://%[2]s", name, text)
	}
	return lang.Errorf("%s 不是 https://api.deepseek.com/v1 这样的地址", "%s is no URL such as https://api.deepseek.com/v1", name)
}

// hostAndPort matches URLs without a scheme.
var hostAndPort = regexp.MustCompile(`^(localhost|\[[0-9a-fA-F:]+\]|[\w-]+(\.[\w-]+)+)(:\d+)?(/.*)?$`)

// IsLocal reports whether a model's service is on this machine or in a private network. Without a URL Ollama is.
func IsLocal(kind, baseURL string) bool {
	if baseURL == "" {
		return kind == "ollama"
	}
	u, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	address, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && (address.IsLoopback() || address.IsPrivate())
}

// maxKeyFile limits the bytes of a file with a key.
const maxKeyFile = 16 << 10

// Key reads the API key of a model's service from a file, or without one from OPENAI_API_KEY. A local service needs none. name is
// that of the flag for the file. There is no flag for the key, because every process on the machine can read flags.
func Key(name, file string, local bool) (string, error) {
	if file != "" {
		return KeyFile(name, file)
	}
	key := strings.TrimSpace(os.Getenv("OPENAI_API_KEY"))
	if key == "" && !local {
		return "", lang.Errorf("没有模型的密钥：设好环境变量 OPENAI_API_KEY，或者用 %s 指定一个文件", "the model's key is missing: set OPENAI_API_KEY, or name a file by %s", name)
	}
	return key, nil
}

// KeyFile reads a key or a secret from a file. name is that of the flag for the file.
func KeyFile(name, file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", lang.Errorf("%s 读不了：%v", "%s: %v", name, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return "", lang.Errorf("%s %s 读不了：%v", "%s %s: %v", name, file, err)
	}
	key := strings.TrimSpace(strings.TrimPrefix(string(b), "\ufeff"))
	if key == "" {
		return "", lang.Errorf("%s %s 是空的：把密钥写进去", "%s %s is empty: write the key into it", name, file)
	}
	return key, nil
}
