package redact

import (
	"slices"
	"strings"
)

// A Kind is the kind of a finding. It replaces the value in the text: a [Mobile] becomes "[手机号]".
type Kind string

// The kinds that each Redactor finds.
const (
	Mobile           Kind = "手机号"  // a Chinese mobile number
	Phone            Kind = "电话"   // a landline, a 400 or 800 number, or an international number
	IDCard           Kind = "身份证"  // a Chinese ID card number, GB 11643
	BankCard         Kind = "银行卡"  // by issuer prefix and Luhn check digit, or after a keyword
	LicensePlate     Kind = "车牌"   // of a vehicle in mainland China
	Passport         Kind = "护照"   // a Chinese passport; others after a keyword
	TravelPermit     Kind = "通行证"  // travel permits of Hong Kong, Macao and Taiwan, after a keyword
	SocialCreditCode Kind = "信用代码" // unified social credit code, GB 32100
	Email            Kind = "邮箱"
	IPv4             Kind = "IPv4" // public addresses
	IPv6             Kind = "IPv6" // public addresses
	MAC              Kind = "MAC"
	Address          Kind = "地址" // a street or an estate with a number, and the place names around it
	WeChat           Kind = "微信号"
	QQ               Kind = "QQ号"  // after a keyword
	VerificationCode Kind = "验证码"  // one-time codes, and codes for parcels and doors
	Password         Kind = "密码"   // after a keyword
	URLCredentials   Kind = "网址账号" // user and password in a URL
	DSN              Kind = "连接串"  // connection string of a database, with its password
	JWT              Kind = "JWT"
	PrivateKey       Kind = "私钥"     // a PEM block
	APIKey           Kind = "API密钥"  // keys and tokens of common services, by format
	Bearer           Kind = "令牌"     // value of an Authorization header
	Cookie           Kind = "Cookie" // of a Cookie header, or by the name of a session cookie
	Secret           Kind = "密钥"     // a random value assigned to a key, a token or a secret
)

// OwnWord is the kind of [Options.Words].
const OwnWord Kind = "隐私"

var kinds = [...]Kind{
	Mobile, Phone, IDCard, BankCard, LicensePlate, Passport, TravelPermit, SocialCreditCode, Email, IPv4, IPv6, MAC, Address, WeChat, QQ, VerificationCode, Password,
	URLCredentials, DSN, JWT, PrivateKey, APIKey, Bearer, Cookie, Secret,
}

// Kinds lists the kinds that each Redactor finds, without [OwnWord].
func Kinds() []Kind { return slices.Clone(kinds[:]) }

// A Finding has the kind and position of a found value, but not the value, so you may log it.
type Finding struct {
	Kind       Kind
	Start, End int // bytes of the text
}

// mergeFindings sorts findings and merges overlapping ones. The result covers all of them, and has the kind of the
// longest, or of the first of equal ones.
func mergeFindings(found []Finding) []Finding {
	if len(found) < 2 {
		return found
	}
	slices.SortStableFunc(found, func(a, b Finding) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	kept, longest := found[:1], found[0].End-found[0].Start
	for _, f := range found[1:] {
		last := &kept[len(kept)-1]
		if f.Start >= last.End {
			kept, longest = append(kept, f), f.End-f.Start
			continue
		}
		if n := f.End - f.Start; n > longest {
			last.Kind, longest = f.Kind, n
		}
		last.End = max(last.End, f.End)
	}
	return kept
}

// validForPlaceholder reports whether a kind is valid in a placeholder.
func (k Kind) validForPlaceholder() bool {
	return k != "" && len(k) <= 48 && strings.IndexFunc(string(k), func(r rune) bool { return r < ' ' || strings.ContainsRune("[]#:,=&\u007f\ufffd", r) }) < 0
}
