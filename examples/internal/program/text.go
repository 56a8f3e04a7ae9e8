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

// Unpack returns a reader that decompresses gzip, and passes other input unchanged.
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

// Line returns s on one line for a terminal, with newline in place of line breaks. It removes control characters and
// characters that change the direction of text.
func Line(s string, newline rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return newline
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d': // U+200D joins emoji
			return -1
		}
		return r
	}, s)
}

// Draw executes the template page.html with the style page.css. The content security policy allows only that style, and no
// images and no scripts.
func Draw(files fs.FS, funcs template.FuncMap, page any) ([]byte, error) {
	style, err := fs.ReadFile(files, "page.css")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(style)
	hash := base64.StdEncoding.EncodeToString(sum[:])
	policy := "default-src 'none'; style-src 'sha256-" + hash + "'; base-uri 'none'; form-action 'none'"
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
