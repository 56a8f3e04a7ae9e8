// Package redact finds and masks PII (personally identifiable information) and secrets in text, mainly in Chinese formats. Use it
// for text that leaves the owner's control, such as results of tools, the owner's memories and screen contents.
//
//	var r redact.Redactor
//	r.Redact("我电话138 1234 5678，密码：hunter2") // 我电话[手机号]，密码：[密码]
//
// The zero [Redactor] finds 25 kinds of data ([Kinds]). [New] creates one that also finds the owner's own words (names, addresses,
// employers) and calls custom matchers:
//
//	r, err := redact.New(redact.Options{Words: []string{"张小满"}})
//
// [Redactor.Find] returns kinds and positions without values, for an audit log.
//
// # Normalization
//
// Redact searches a folded form of the text. Full-width, circled and other variants of letters and digits become plain ones.
// Greek and Cyrillic letters become the similar Latin ones. Zero-width characters and combining marks are removed. Escapes of JSON
// (\u624b), URLs (%40), HTML (&#49;) and Markdown (\_) are decoded.
//
// Numbers may contain blanks, hyphens, dots and Markdown marks between digits, also in full width. Mobile and ID card numbers may be in Chinese
// numerals (幺三八…, 壹叁捌…). Mobile numbers may contain the letters O and l for 0 and 1.
//
// # Detection
//
// Some data is found anywhere by format and check digit:
//
//   - mobile numbers (11 digits from 13 to 19), landlines and 400 numbers
//   - ID cards (GB 11643), bank cards (issuer prefix and Luhn) and social credit codes (GB 32100)
//   - license plates, email addresses (also with "(at)" or 艾特, and under Chinese domains), IP and MAC addresses
//   - JWTs, PEM private keys and the keys of common services, by prefix
//
// Other data is found by a keyword before or after it:
//
//   - passports, also foreign ones, travel permits, WeChat and QQ numbers
//   - verification codes, passwords and the values of Cookie and Authorization headers
//   - the numbers above, even with a wrong check digit
//   - numbers of 7 or 8 digits after 电话, 座机 and similar, and MAC addresses without separators
//
// Keywords are simplified, traditional or Cantonese Chinese (驗證碼係…, 回鄉證), English, common disguises (薇信, vx, 扣扣), names of
// fields (verify_code, "wechatId") and XML tags. Words and marks may be between a keyword and its value: 密码（新）改成了「…」,
// "WeChat ID is …", | 密码 | … |.
//
// The rest is found by context:
//
//   - user and password in URLs, unless they are variables or placeholders ($USER:$PASS, user:password)
//   - complete connection strings of databases: URLs, JDBC URLs, and pairs such as Server=…;Password=…
//   - passwords of mysql -p, sshpass -p and curl -u
//   - random values assigned to a key or token, also by 是, 为 or 係, or with 20 letters and digits directly after one
//   - addresses with a street or an estate and a number, including place names, buildings and rooms around it
//
// Public IP addresses are found. Those of private networks are found only with [Options.PrivateIPs]. Loopback addresses and
// well-known name servers (IPv4 and IPv6) are never found. Version numbers are skipped. An address looks like a version if it
// starts with two numbers below ten, ends with 0, or follows the word "version". The address ranges for documentation count as
// public.
//
// Numbers of QQ groups are not found. Places without a number (杭州市西湖区, 南京路) are not found.
//
// # Output
//
// Each finding is replaced by its kind in brackets. Overlapping findings are merged, with the kind of the longest. Placeholders are
// recognized and never changed, so redaction is idempotent. A valid UTF-8 text stays valid. A text without findings is returned
// unchanged.
//
// CQ codes of mentions, faces, pictures and similar items are not searched at all. Redact a text before you put it into one. Other
// CQ codes, such as cards and locations, are searched like text.
//
// # Time
//
// The time is linear in the length of the text for any input. Redact makes one pass and looks at a bounded number of bytes around
// words, numbers and some characters. It uses no regular expressions. A text with findings is searched again, because a
// masked value changes the context of the rest.
//
// # Concurrency
//
// A Redactor is immutable and may be used concurrently.
//
// # Caveats
//
// Redact finds formats and not meanings. It does not find names outside [Options].Words, a birthday in words, or a password of
// plain words. It reduces accidental leaks and does not stop deliberate evasion. For example, it does not find numbers in
// English words or in base64. It does not find numbers across two lines, or with commas or HTML tags between digits.
//
// Do not load data that must never leak. Readers without access to secret spaces do not search them in the first place.
//
// If in doubt, it masks numbers with 11 digits like a mobile number.
package redact
