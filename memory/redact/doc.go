// Package redact finds personal data and secrets in text and masks them, Chinese formats first. It stands between what the owner's being knows and what
// strangers may be told: results of tools, memories of the owner, what a screen shows.
//
//	var r redact.Redactor
//	r.Redact("我电话138 1234 5678，密码：hunter2") // 我电话[手机号]，密码：[密码]
//
// The zero [Redactor] finds 25 kinds of things ([Kinds]). [New] makes one that also knows the owner's words (names, addresses, employers) and
// asks the host's own matchers. [Redactor.Find] tells what was found and where, without values, for an audit.
//
// # What is found
//
// The text is searched in a folded form: full-width, circled and otherwise drawn letters and digits in plain ones, Greek and Cyrillic letters as the Latin ones that they look like,
// without zero-width characters and combining marks; what JSON, URLs, HTML and Markdown write as "\n", "\u624b", "%40", "&#49;", "\_" counts as what it means. Numbers may have blanks,
// hyphens, dots and the marks of Markdown between their digits; mobile and identity card numbers may be spoken (幺三八…, 壹叁捌…), and mobile ones have O and l for 0 and 1.
//
//   - By form and check digit, wherever they stand: mobile numbers (11 digits from 13 to 19), landlines and 400 numbers, identity cards (GB 11643), bank cards
//     (an issuer's first digits and Luhn), plates, unified social credit codes (GB 32100), mail addresses (also "(at)" and 艾特), IP and MAC addresses, JWT, PEM private
//     keys, keys of common services by their prefixes.
//   - By a word before them or after: passports, permits, WeChat and QQ, codes, passwords, what a Cookie or Authorization header holds. With the word also numbers that their check digit
//     denies.
//   - By what stands around: user and password in URLs, whole connection strings of databases, random values that are assigned to a key or token, addresses (a street or an estate
//     with a number, and all names and rooms around it).
//
// IP addresses are found where they are public: those of private networks tell strangers nothing ([Options.PrivateIPs] finds them too), loopback and the well-known name servers are never
// found, and neither is what looks like a version (two numbers below ten in front, 0 at the end, the word before it). The address ranges for documentation count as public. Numbers of QQ groups are not found: who reads them may be
// told them. Places without a number (杭州市西湖区, 南京路) are not found.
//
// # What comes out
//
// Each finding becomes its kind in brackets. Overlapping findings become one, of the kind of the longest. Placeholders are known and never changed, so what was
// redacted once is not changed by a second time. CQ codes of mentions, faces, pictures and the like pass as they are, with all that is in them: redact the text before it is made into one. Others,
// cards and places, are searched as any text.
// A text stays valid UTF-8 if it was, and a text without findings comes back as it is.
//
// # Time
//
// One pass over the text, which looks around, a bounded number of bytes, only at words, numbers and some characters; so time grows with the length of the text, whatever is in it. There are no
// regular expressions. A text with findings is passed over once more, because what was masked changes what stands around the rest.
//
// # Concurrency
//
// A Redactor is immutable and may be used concurrently.
//
// # Caveats
//
// It finds forms, not meanings: a name that is not among the words, "my birthday is the day after Christmas" and a password of plain words stay. It lowers what leaks by accident, and is no proof against who writes so as
// to pass it: numbers in words of English, in base64, backwards, broken over two lines, with commas or HTML tags in them are not found. What must never be told is better not read at all: records in secret spaces are not searched in the first place.
//
// It errs on the side of masking where a number is 11 digits like a mobile one.
package redact
