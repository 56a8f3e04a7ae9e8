package program

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"io"
	"io/fs"
	"strings"
	"unicode"
)

// Unpack reads what gzip may have packed.
func Unpack(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := in.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return in, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, 64<<10), nil
}

// Clip is the beginning of s, n characters at most.
func Clip(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// Line is s on one line of a terminal, with newline for its line breaks: what people wrote moves no cursor and turns no
// text around.
func Line(s string, newline rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return newline
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d': // which joins emoji
			return -1
		}
		return r
	}, s)
}

// A Sheet is the style of a page in which nothing runs and which asks for nothing.
type Sheet struct {
	Style  template.CSS
	Policy string // content security policy: it allows this style and no more
}

// ReadSheet reads the style of a page, which may show images of those sources.
func ReadSheet(files fs.FS, images string) (Sheet, error) {
	style, err := fs.ReadFile(files, "page.css")
	sum := sha256.Sum256(style)
	return Sheet{template.CSS(style), "default-src 'none'; " + images + "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"}, err
}

// Draw fills page.html.
func Draw(w io.Writer, files fs.FS, funcs template.FuncMap, page any) error {
	t, err := template.New("page.html").Funcs(funcs).ParseFS(files, "page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, page)
}
