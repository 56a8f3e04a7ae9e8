package redact

import (
	"slices"
	"strings"
)

// A Kind says what was found. It is the word that stands in the text instead: a [Mobile] becomes "[手机号]".
type Kind string

// The kinds that every Redactor finds.
const (
	Mobile           Kind = "手机号"  // a Chinese mobile number
	Phone            Kind = "电话"   // a landline, 400 and 800 numbers, numbers with the code of another country
	IDCard           Kind = "身份证"  // a Chinese identity card, GB 11643
	BankCard         Kind = "银行卡"  // by issuer and Luhn's check digit, or after a word that says so
	LicensePlate     Kind = "车牌"   // of a vehicle in mainland China
	Passport         Kind = "护照"   // a Chinese passport; others after the word
	TravelPermit     Kind = "通行证"  // travel permits of Hong Kong, Macao and Taiwan, after their names
	SocialCreditCode Kind = "信用代码" // unified social credit code, GB 32100
	Email            Kind = "邮箱"
	IPv4             Kind = "IPv4" // public addresses
	IPv6             Kind = "IPv6" // public addresses
	MAC              Kind = "MAC"
	Address          Kind = "地址" // a street or an estate with a number, and all around it
	WeChat           Kind = "微信号"
	QQ               Kind = "QQ号"  // after a word that says so
	VerificationCode Kind = "验证码"  // a code that was sent, codes for parcels and doors
	Password         Kind = "密码"   // what stands after the word
	URLCredentials   Kind = "网址账号" // user and password in a URL
	DSN              Kind = "连接串"  // how to reach a database, with its password
	JWT              Kind = "JWT"
	PrivateKey       Kind = "私钥"     // a PEM block
	APIKey           Kind = "API密钥"  // keys and tokens of common services, by how they look
	Bearer           Kind = "令牌"     // what an Authorization header holds
	Cookie           Kind = "Cookie" // of a Cookie header, or by the name of a session
	Secret           Kind = "密钥"     // a random value that is assigned to a key, a token, a secret
)

// OwnWord is the kind of [Options.Words].
const OwnWord Kind = "隐私"

var kinds = [...]Kind{
	Mobile, Phone, IDCard, BankCard, LicensePlate, Passport, TravelPermit, SocialCreditCode, Email, IPv4, IPv6, MAC, Address, WeChat, QQ, VerificationCode, Password,
	URLCredentials, DSN, JWT, PrivateKey, APIKey, Bearer, Cookie, Secret,
}

// Kinds lists the kinds that every Redactor finds, all but [OwnWord].
func Kinds() []Kind { return slices.Clone(kinds[:]) }

// A Finding tells what was found and where, never the value: it may be logged.
type Finding struct {
	Kind       Kind
	Start, End int // bytes of the text
}

// settle sorts findings and makes one of those that overlap: it covers them all, and has the kind of the longest, of equally long ones of the first.
func settle(found []Finding) []Finding {
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

// fit tells whether a host's kind can stand in a placeholder.
func (k Kind) fit() bool {
	return k != "" && len(k) <= 48 && strings.IndexFunc(string(k), func(r rune) bool { return r < ' ' || strings.ContainsRune("[]#:,=&\u007f\ufffd", r) }) < 0
}
