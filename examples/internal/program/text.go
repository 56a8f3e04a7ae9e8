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

// Draw fills page.html, whose style is page.css. Nothing runs in the page and it asks for nothing: its content security
// policy allows that style, images of those sources, and no more.
func Draw(files fs.FS, images string, funcs template.FuncMap, page any) ([]byte, error) {
	style, err := fs.ReadFile(files, "page.css")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(style)
	hash := base64.StdEncoding.EncodeToString(sum[:])
	policy := "default-src 'none'; " + images + "style-src 'sha256-" + hash + "'; base-uri 'none'; form-action 'none'"
	t, err := template.New("page.html").Funcs(funcs).Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(style) }, "policy": func() string { return policy },
	}).ParseFS(files, "page.html")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, page)
	return b.Bytes(), err
}
