package redact

import (
	"strings"
	"unicode/utf8"
)

// A text is searched in segments: a segment is a line, or several: a key in PEM form with all its lines; a line that ends with
// a colon or with "密码", "验证码" and the like, with the next one.

// segment gives the length of the first segment of text, line end included.
func segment(text string) (n int) {
	for n < len(text) {
		line := nextLine(text[n:])
		n += len(line)
		if strings.Contains(line, "-----BEGIN ") && openPEM(line) {
			return closePEM(text, n)
		}
		if !asks(line) {
			break
		}
	}
	return n
}

func nextLine(text string) string {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	return text
}

// openPEM tells whether a private key begins on a line and does not end on it.
func openPEM(line string) bool {
	rest := line[strings.LastIndex(line, "-----BEGIN "):]
	return strings.Contains(rest, "PRIVATE KEY") && !strings.Contains(rest, "-----END ")
}

// closePEM gives the end of the block that is open at n: after the line with its end, or before the first line that cannot be of it.
func closePEM(text string, n int) int {
	for n < len(text) {
		line := nextLine(text[n:])
		if strings.HasPrefix(line, "-----END ") || !strings.HasSuffix(line, "\n") {
			return n + len(line)
		}
		if !pemLine(line) {
			break
		}
		n += len(line)
	}
	return n
}

// pemTail is what may stand behind a line of a PEM block.
const pemTail = "\r\n \"'`;,)"

// pemLine tells whether a line can stand in a PEM block: base64, a header, nothing.
func pemLine(line string) bool {
	line = strings.TrimRight(line, pemTail)
	if len(line) > 80 {
		return false
	}
	return prefix(line, "Proc-Type:", "DEK-Info:", "Version:", "Comment:") > 0 || count(line, base64Char) == len(line)
}

// asks tells whether the next line may hold the value of what a line names.
func asks(line string) bool {
	line = line[max(0, len(line)-32):]
	for line != "" && line[len(line)-1] <= ' ' {
		line = line[:len(line)-1]
	}
	switch r, _ := utf8.DecodeLastRuneInString(line); r {
	case ':', '：', '=':
		return true
	case '码', '令', '号', '信', '钥':
		return hasSuffix(line, "密码", "验证码", "口令", "微信号", "微信", "卡号", "密钥")
	}
	return false
}
