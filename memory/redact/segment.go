package redact

import (
	"strings"
	"unicode/utf8"
)

// A text is searched in segments. A segment is a line, or all lines of a PEM block, or two lines if the first ends with
// a colon or with a keyword such as "密码".

// segment returns the length of the first segment of text, including the line end.
func segment(text string) (n int) {
	for n < len(text) {
		line := nextLine(text[n:])
		n += len(line)
		if strings.Contains(line, "-----BEGIN ") && openPEM(line) {
			return closePEM(text, n)
		}
		if !expectsValue(line) {
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

// openPEM reports whether a private key starts on a line and does not end there.
func openPEM(line string) bool {
	rest := line[strings.LastIndex(line, "-----BEGIN "):]
	return strings.Contains(rest, "PRIVATE KEY") && !strings.Contains(rest, "-----END ")
}

// closePEM returns the end of the PEM block that is open at n: after its END line, or before the first line that cannot
// belong to it.
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

// pemTail are the characters that may follow a line of a PEM block.
const pemTail = "\r\n \"'`;,)"

// pemLine reports whether a line may belong to a PEM block: base64, a header, or empty.
func pemLine(line string) bool {
	line = strings.TrimRight(line, pemTail)
	if len(line) > 80 {
		return false
	}
	return prefix(line, "Proc-Type:", "DEK-Info:", "Version:", "Comment:") > 0 || count(line, base64Char) == len(line)
}

// expectsValue reports whether the next line may contain the value for the keyword of this line.
func expectsValue(line string) bool {
	line = line[max(0, len(line)-64):]
	for line != "" && line[len(line)-1] <= ' ' {
		line = line[:len(line)-1]
	}
	if line == "" {
		return false
	}
	switch b := line[len(line)-1]; b {
	case ':', '=':
		return true
	case '"', '\'', ',':
		return pairStarts(line)
	case '|', '-': // YAML: "token: |"
		return hasSuffix(line, ": |", ": >-", ": |-")
	default:
		if is(b, wordChar) {
			return endsLabel(line) || pairStarts(line)
		}
	}
	switch r, _ := utf8.DecodeLastRuneInString(line); r {
	case '：':
		return true
	case '下', '少', '号', '號', '码', '碼', '令', '信', '钥', '鑰', '扣', '鹅', '鵝', '牌', '照':
		for _, tail := range [...]string{"如下", "多少", "号码", "號碼", "号", "號"} { // 密钥如下, QQ号
			line = strings.TrimSuffix(line, tail)
		}
		return hasSuffix(line, labels...) || endsLabel(line)
	}
	return false
}

// labels are the Chinese keywords that may be at the end of a line before their value.
var labels = forms("密码", "验证码", "校验码", "取件码", "口令", "微信", "密钥", "秘钥", "私钥", "令牌", "扣扣", "企鹅", "护照", "卡")

// endsLabel reports whether a line ends with an English keyword that may be before its value.
func endsLabel(line string) bool {
	i := len(line)
	if i == 0 || strings.IndexByte("qtdy", line[i-1]|0x20) < 0 && !strings.HasSuffix(line, "token") {
		return false
	}
	for i > 0 && is(line[i-1], wordChar) {
		i--
	}
	return oneOf(line[i:], "qq", "wechat", "password", "token", "key", "secret", "apikey")
}

// pairStarts reports whether a line ends with the name of a secret after "name", so that its value is on the next line:
// "- name: API_TOKEN".
func pairStarts(line string) bool {
	i := len(line)
	for i > 0 && strings.IndexByte("\"',", line[i-1]) >= 0 {
		i--
	}
	line = line[:i]
	for i > 0 && is(line[i-1], wordChar) {
		i--
	}
	name, k := line[i:], i
	for k > 0 && strings.IndexByte(" \"':=", line[k-1]) >= 0 {
		k--
	}
	return name != "" && k < i && k >= len("name") && strings.EqualFold(line[k-len("name"):k], "name") && kindOfName(name, strings.ToLower(name)) != ""
}
