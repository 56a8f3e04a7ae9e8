package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFind_Context: the words, marks and lines around a value, each with a similar text that has no finding.
func TestFind_Context(t *testing.T) {
	const secret = "q8Zk2LmP0xVb7RtY5nWd"
	for _, c := range []struct{ text, values, not string }{
		{"botOwnerQQ=38291746", "38291746", "botOwnerGroupQQ=38291746"},
		{"QQ搜索 38291746", "38291746", "QQ搜索 38291746人"},
		{"QQ：38291746、48291747 或 58291748", "38291746 48291747 58291748", "QQ群：38291746、48291747 或 58291748"},
		{"QQ（小号）382917", "382917", "QQ，382917"},
		{"38291746 is my QQ", "38291746", "38291746 is my order"},
		{"QQ号\n38291746", "38291746", "订单\n38291746"},
		{"密码\r\nhunter2", "hunter2", "密码没改\r\nhunter2"},
		{"密钥" + secret, secret, "密钥" + secret[:15]},
		{"密钥2：" + secret, secret, "密钥2：无"},
		{secret + " 是新的密钥", secret, secret + " 是新的提交"},
		{"token for staging: " + secret, secret, "token for staging: later"},
		{"ENV API_KEY " + secret, secret, "ENV API_HASH " + secret},
		{"token: |\n  " + secret, secret, "text: |\n  " + secret},
		{"keys: [\"" + secret + "\", \"x" + secret + "\"]", secret + " x" + secret, "names: [\"" + secret + "\"]"},
		{"userPwd=hunter2", "hunter2", "userId=hunter2"},
		{"老家：张家村三组", "张家村三组", "他们村三组"},
		{"翠苑8区5幢541", "翠苑8区5幢541", "小区8区5幢"},
		{"阳光花园二期20栋", "阳光花园二期20栋", "二期20栋"},
		{"梧桐公寓9单元682", "梧桐公寓9单元682", "课本9单元"},
		{"阳光花园5-2-301", "阳光花园5-2-301", "曼城5-2-301"},
		{"曹杨新村5号302室", "曹杨新村5号302室", "翠苑小区5号停水"},
		{"学院路甲33号", "学院路甲33号", "甲33号"},
		{"恩施土家族苗族自治州恩施市和平路22号", "恩施土家族苗族自治州恩施市和平路22号", "恩施土家族苗族自治州恩施市"},
		{"体育西路25号之三", "体育西路25号之三", "体育西路"},
	} {
		var r Redactor
		var found []string
		for _, f := range r.Find(c.text) {
			found = append(found, c.text[f.Start:f.End])
		}
		assert.Equal(t, c.values, strings.Join(found, " "), c.text)
		assert.Empty(t, r.Find(c.not), "control: %s", c.not)
	}
}
