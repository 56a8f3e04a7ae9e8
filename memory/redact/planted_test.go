package redact_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory/redact"
)

const plantedPerKind = 20

// A planted item is a value in one of the usual spellings, inside a message. Values are generated from the rules of the
// formats, with check digits computed here, independently of the detection.
type planted struct {
	kind       redact.Kind
	text       string
	start, end int // of the value
}

// TestFind_PlantedItems: at least 98 % of 500 planted items are found with the correct kind and range.
func TestFind_PlantedItems(t *testing.T) {
	var r redact.Redactor
	all, found := 0, 0
	for _, kind := range redact.Kinds() {
		n, masked := 0, 0
		for _, p := range plant(t, kind) {
			ok := false
			finds := r.Find(p.text)
			for _, f := range finds {
				ok = ok || f.Kind == p.kind && f.Start <= p.start && p.end <= f.End
			}
			if out := r.Redact(p.text); !strings.Contains(out, p.text[p.start:p.end]) {
				masked++
			}
			if ok {
				n++
			} else {
				t.Logf("%s is missed: %q in %q: %v", p.kind, p.text[p.start:p.end], p.text, finds)
			}
		}
		t.Logf("%-14s %2d of %d found, %2d masked", kind, n, plantedPerKind, masked)
		all, found = all+plantedPerKind, found+n
	}
	t.Logf("%-14s %d of %d", "all", found, all)
	require.Equal(t, 500, all)
	assert.GreaterOrEqual(t, found*100, all*98)
}

func plant(t testing.TB, kind redact.Kind) []planted {
	t.Helper()
	p := planter{chatter{rand.New(rand.NewPCG(25, uint64(len(kind))<<32|uint64(kind[0])<<8|uint64(kind[len(kind)-1])))}}
	var all []planted
	for range plantedPerKind {
		text, value := p.item(t, kind)
		at := strings.Index(text, value)
		require.GreaterOrEqual(t, at, 0, "%q in %q", value, text)
		all = append(all, planted{kind, text, at, at + len(value)})
	}
	return all
}

// A planter generates private data. The values are random.
type planter struct{ chatter }

// in puts a value at the %s of one of these contexts.
func (p planter) in(value string, surroundings ...string) (text, v string) {
	return strings.Replace(p.one(surroundings...), "%s", value, 1), value
}

// any puts a value into a neutral context.
func (p planter) any(value string) (text, v string) {
	return p.in(value, "%s", "记一下 %s", "这个：%s", "%s 存一下", "发你了，%s，收到回我", "主人说过：%s。", "昨晚他发的是%s，我没敢转", "【备忘】%s", "（%s）",
		"> %s", "嗯嗯%s", "a: %s b", "用这个 %s 吧😂", "1. %s", "「%s」是我的", "%s，别外传", "there: %s, ok?", "\n%s\n", "`%s`", "\"%s\"")
}

// wide converts ASCII to full width.
func wide(s string) string {
	return strings.Map(func(r rune) rune {
		if '!' <= r && r <= '~' {
			return r + 0xFEE0
		}
		return r
	}, s)
}

// interleave inserts sep between all characters.
func interleave(s, sep string) string { return strings.Join(strings.Split(s, ""), sep) }

// cut inserts sep after these lengths.
func cut(s, sep string, lengths ...int) string {
	var parts []string
	for _, n := range lengths {
		parts, s = append(parts, s[:n]), s[n:]
	}
	if s != "" {
		parts = append(parts, s)
	}
	return strings.Join(parts, sep)
}

func (p planter) number(n int) string { return p.text(n, "0123456789") }

const (
	alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	lower = "abcdefghijklmnopqrstuvwxyz0123456789"
)

func (p planter) mobile() string { return "1" + p.text(1, "3456789") + p.number(9) }

func (p planter) name() string {
	return p.one("zhangsan", "li.si", "wang_wu", "chen1990", "xiaoming.z", "Mike.Liu", "k-on", "lulu77", "a.b.c", "zhou2002")
}

func (p planter) host() string {
	return p.one("qq.com", "163.com", "gmail.com", "outlook.com", "foxmail.com", "mail.ustc.edu.cn", "hearth-bot.org", "sina.com.cn", "126.com", "corp.example.co.jp")
}

func (p planter) id() string {
	y, m, d := p.from(1950, 2012), p.from(1, 12), p.from(1, 28)
	b := p.one("110101", "310115", "440305", "330106", "510107", "420111", "320583", "610113", "810000", "650102", "230103") + fmt.Sprintf("%d%02d%02d", y, m, d) + p.number(3)
	sum, w := 0, 1 // GB 11643: weights are 2^(17-i) mod 11
	for i := len(b) - 1; i >= 0; i-- {
		w = w * 2 % 11
		sum += int(b[i]-'0') * w
	}
	return b + string("10X98765432"[sum%11])
}

func (p planter) card() string {
	b := p.one("622202", "621700", "622848", "625955", "622588", "621226", "436742", "552245", "356827", "955880")
	n := map[byte]int{'6': 19, '4': 16, '5': 16, '3': 16, '9': 19}[b[0]]
	if strings.HasPrefix(b, "625") || strings.HasPrefix(b, "622588") {
		n = 16
	}
	b += p.number(n - 1 - len(b))
	sum := 0
	for i := range len(b) {
		d := int(b[len(b)-1-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return b + fmt.Sprint((10-sum%10)%10)
}

func (p planter) uscc() string {
	const digits = "0123456789ABCDEFGHJKLMNPQRTUWXY"
	b := p.one("91", "92", "93", "12", "51", "52") + p.one("110108", "310115", "440300", "330100") + p.text(9, digits)
	sum, w := 0, 1 // GB 32100: weights are 3^i mod 31
	for i := range len(b) {
		sum += strings.IndexByte(digits, b[i]) * w
		w = w * 3 % 31
	}
	return b + string(digits[(31-sum%31)%31])
}

func (p planter) item(t testing.TB, kind redact.Kind) (text, value string) {
	f := fmt.Sprintf
	switch kind {
	case redact.Mobile:
		n := p.mobile()
		v := p.one(n, n, "+86"+n, "+86 "+n, "86-"+n, "(+86) "+cut(n, " ", 3, 4), cut(n, " ", 3, 4), cut(n, "-", 3, 4), wide(n), interleave(n, " "), interleave(n, "\u200b"), cut(n, "\u200d", 3, 4), cut(n, ".", 3, 4), wide(cut(n, "-", 3, 4)), interleave(n, "  "),
			han(n), strings.Replace(han(n), "一", "幺", 1), cut(n, "－", 3, 4), n[:3]+han(n[3:]))
		return p.in(v, "%s", "我电话%s", "手机：%s", "打我%s就行", "联系%s，急", "%s（微信同号）", "他号码是 %s 别打太晚", "明天10点打%s", "tel:%s", "换号了 %s。", "李哥%s，3个人", "收件人 小王 %s", "call me %s thx", "%svx同号", "{\"phone\":\"%s\"}")
	case redact.Phone:
		v := p.one("010-"+p.digits(8), "0755-"+"2"+p.number(7), "(021)"+"5"+p.number(7), "0571 8"+p.number(7), "010-6"+p.number(7), "400-"+p.number(3)+"-"+p.number(4), "400 "+p.number(3)+" "+p.number(4), "0512-6"+p.number(7)+"-80"+p.number(1), "（0731）8"+p.number(7), "+86-10-8"+p.number(7), "+852 9"+p.number(3)+" "+p.number(4), wide("028-8"+p.number(7)), "+1 415-555-0"+p.number(3), "400-8"+p.number(2)+"-"+p.number(4), "800-820-"+p.number(4))
		if strings.HasPrefix(v, "0") && p.IntN(5) == 0 {
			v = "0755" + "8" + p.number(7)
			return p.in(v, "座机%s", "公司电话：%s", "打客服 %s 问问", "办公室电话是%s", "Tel: %s")
		}
		return p.in(v, "%s", "座机 %s", "公司电话：%s", "打 %s 转前台", "客服%s，上班才有人", "家里电话是%s", "传真：%s。", "我记的是%s，你试试", "Tel: %s", "找王老师，%s")
	case redact.IDCard:
		n := p.id()
		v := p.one(n, n, n, strings.ToLower(n), cut(n, " ", 6, 8), cut(n, "-", 6, 8), wide(n), interleave(n, " "), cut(n, "\u200b", 6, 4, 4), cut(n, " ", 6, 4, 4), cut(n, " ", 4, 4, 4, 4))
		return p.in(v, "%s", "身份证%s", "身份证号：%s", "实名用的 %s 别乱传", "买票填 %s", "证件号码 %s，姓名张三", "ID: %s", "%s是我妈的", "（%s）", "乘车人 李四 %s", "{\"id_card\":\"%s\"}")
	case redact.BankCard:
		n := p.card()
		v := p.one(n, n, n, cut(n, " ", 4, 4, 4), cut(n, "-", 4, 4, 4), wide(n), interleave(n, " "), cut(n, "\u200b", 4, 4, 4))
		if len(n) == 19 {
			v = p.one(n, n, cut(n, " ", 4, 4, 4, 4), cut(n, " ", 6), wide(n), cut(n, "-", 4, 4, 4, 4), interleave(n, "\u2060"))
		}
		return p.in(v, "%s", "卡号%s", "打到 %s 吧", "工行 %s 张三", "转我这张：%s", "银行卡号：%s，开户行招行", "我的卡 %s 别忘了", "收款账户%s", "%s 建设银行", "还信用卡 %s")
	case redact.LicensePlate:
		v := p.one("京A", "沪B", "粤B", "浙A", "苏E", "川A", "鲁B", "湘A", "鄂A", "渝D", "陕A", "闽D", "豫A", "冀B", "辽B", "黑A", "津C", "皖A", "赣A", "桂A")
		switch p.IntN(4) {
		case 0:
			v += p.one("D", "F") + p.number(5) // a small new energy vehicle
		case 1:
			v += p.one("", "·", " ") + p.number(5)
		case 2:
			v += p.one("", "·", "-", "•") + p.text(1, "ABCDEFGHJKLMNPQRSTUVWXYZ") + p.number(4)
		default:
			v += p.number(2) + p.text(1, "ABCDEFGHJKLMNPQRSTUVWXYZ") + p.number(2)
		}
		v = p.one(v, v, v, v, wide(v), strings.ToLower(v))
		return p.in(v, "车牌%s", "%s", "停的是 %s", "谁的%s挡道了", "车牌号：%s，黑色大众", "%s 挪一下车", "网约车 %s，3分钟到", "蹭我的是%s。", "叫的车%s到了", "我那辆%s")
	case redact.Passport:
		v := p.one("E"+p.digits(8), "EA"+p.digits(7), "EJ"+p.digits(7), "G"+p.digits(8), "E"+p.digits(8), "DE"+p.digits(7), "P"+p.digits(7), wide("E"+p.digits(8)), "E "+p.digits(8), "e"+p.digits(8))
		return p.in(v, "护照%s", "护照号：%s", "我护照是 %s 你订票吧", "护照号码 %s，有效期十年", "passport no. %s", "Passport: %s", "订机票用护照 %s", "%s（护照）", "护照是%s", "旅客李四，护照号%s")
	case redact.TravelPermit:
		v := p.one("C"+p.digits(8), "CA"+p.digits(7), "W"+p.digits(8), "H"+p.digits(8), "H"+p.digits(10), "M"+p.digits(8), "T"+p.digits(8), "L"+p.digits(8), p.digits(8), wide("C"+p.digits(8)))
		return p.in(v, p.one("", "我的")+p.one("港澳通行证", "往来港澳通行证", "通行证", "回乡证", "台胞证", "台湾通行证", "往来台湾通行证")+p.one("", " ", "：", "号", "号码：", "是", "号是 ")+"%s"+p.one("", "，下周去香港", "。", " 帮我签注"))
	case redact.SocialCreditCode:
		v := p.uscc()
		v = p.one(v, v, v, wide(v), strings.ToLower(v), cut(v, " ", 4, 4, 4, 4), cut(v, "\u200b", 9))
		return p.in(v, "税号%s", "统一社会信用代码：%s", "开票 %s", "%s", "发票抬头：某某科技 税号：%s", "公司代码 %s，普票", "信用代码%s，别抄错", "纳税人识别号 %s")
	case redact.Email:
		n, h := p.name(), p.host()
		v := p.one(n+"@"+h, n+"@"+h, n+"@"+h, n+"＠"+h, wide(n+"@"+h), n+"(at)"+h, n+" (at) "+h, n+"[at]"+h, n+"@"+strings.ToUpper(h), n+" @ qq.com", n+"艾特qq.com", n+"+bot@"+h, n+"#at#163.com", n+"@\u200b"+h, n+"（at）"+h)
		return p.in(v, "%s", "邮箱%s", "发到 %s", "邮箱：%s，记得抄送", "简历投%s。", "我的 gmail 是 %s", "mailto:%s", "联系 %s（工作日）", "登录名%s", "From: <%s>")
	case redact.IPv4:
		v := p.one(f("%s.%d.%d.%d", p.one("47", "101", "8", "120", "139", "203", "45"), p.from(2, 250), p.from(2, 250), p.from(2, 254)), f("121.%d.%d.%d", p.from(10, 250), p.from(2, 250), p.from(2, 254)), f("39.%d.%d.%d", p.from(100, 109), p.from(2, 250), p.from(2, 254)), f("203.0.113.%d", p.from(2, 254)))
		v = p.one(v, v, v, v, wide(v))
		return p.in(v, "%s", "服务器 %s", "我家 IP 是%s", "ssh root@%s", "ping %s 不通", "http://%s:8080/", "%s:22", "IP：%s，别扫", "登录地 %s（上海）", "A 记录指到%s。", "ip=%s")
	case redact.IPv6:
		v := p.one(f("240e:%s:%s::%s", p.hex(3), p.hex(4), p.hex(3)), f("2408:8%s:%s:%s:%s:%s:%s:%s", p.hex(3), p.hex(4), p.hex(4), p.hex(4), p.hex(4), p.hex(4), p.hex(4)), f("2409:8a%s:%s::1", p.hex(2), p.hex(4)), f("2001:db8:%s::%s", p.hex(4), p.hex(4)), f("2606:4700:%s::%s", p.hex(4), p.hex(4)), strings.ToUpper(f("2A01:4F8:%s:%s::2", p.hex(4), p.hex(4))))
		return p.in(v, "%s", "v6 地址 %s", "IPv6：%s", "http://[%s]:8080", "家里公网 %s，已放行", "AAAA 记录是%s", "ping6 %s", "%s/64")
	case redact.MAC:
		h := "a" + p.hex(10) + "c"
		v := p.one(cut(h, ":", 2, 2, 2, 2, 2), cut(strings.ToUpper(h), ":", 2, 2, 2, 2, 2), cut(strings.ToUpper(h), "-", 2, 2, 2, 2, 2), cut(h, "-", 2, 2, 2, 2, 2), cut(h, ".", 4, 4))
		return p.in(v, "%s", "MAC %s", "mac地址：%s", "路由器绑 %s", "网卡是%s。", "ether %s txqueuelen 1000", "设备 %s 上线", "（%s）")
	case redact.Address:
		road := p.one("文三路", "人民东路", "中山大道", "望京西路", "长安街", "解放南路", "科苑北路", "学府街", "枫林路", "建设一路")
		v := p.one(
			f("浙江省杭州市西湖区%s%d号", road, p.from(2, 900)),
			f("北京市朝阳区%s%d号院%d号楼%d单元%d室", road, p.from(2, 90), p.from(1, 30), p.from(1, 5), p.from(101, 2804)),
			f("上海市浦东新区%s%d弄%d号%d室", road, p.from(20, 2900), p.from(1, 90), p.from(101, 2804)),
			f("%s%d号", road, p.from(2, 900)),
			f("深圳市南山区%s%d号创业大厦%d楼", road, p.from(2, 900), p.from(2, 30)),
			f("阳光花园%d栋%d单元%d室", p.from(1, 30), p.from(1, 5), p.from(101, 2804)),
			f("幸福小区%d号楼%d", p.from(1, 30), p.from(101, 2804)),
			f("成都市武侯区%s%d号%d栋%d-%d", road, p.from(2, 900), p.from(1, 20), p.from(1, 5), p.from(101, 2804)),
			f("湖北省武汉市洪山区珞喻路%s号", "一百二十八"),
			f("河南省信阳市平桥区明港镇新集村%d组", p.from(1, 12)),
			f("广东省 广州市 天河区 %s %d 号", road, p.from(2, 900)),
			f("%s%s号", road, wide(fmt.Sprint(p.from(2, 900)))))
		return p.in(v, "%s", "我家住%s", "地址：%s", "寄到%s，谢谢", "收货地址：%s 小王收", "住在%s附近", "搬到%s了", "他说在%s等", "导航 %s", "公司在%s。")
	case redact.WeChat:
		v := p.one("wxid_"+p.text(14, lower), "wxid_"+p.text(19, lower), p.one("moon", "hello", "zhang", "Lucky")+"_"+p.number(4), "xiao"+p.number(6), "abc-"+p.text(6, "defghijk"), "Zz"+p.text(8, lower))
		if strings.HasPrefix(v, "wxid_") {
			return p.any(v)
		}
		return p.in(v, "微信：%s", "微信号%s", "我微信是 %s", "加我微信 %s", "wx: %s", "vx：%s", "VX %s", "薇信：%s", "加v：%s", "WeChat: %s", "v信 %s", "微信号是%s，备注来意", "wechat id: %s", "【微信】%s")
	case redact.QQ:
		v := p.digits(p.from(6, 10))
		v = p.one(v, v, v, wide(v), interleave(v, " "), cut(v, "\u200b", 3))
		return p.in(v, "QQ：%s", "qq%s", "我QQ是%s", "QQ号 %s", "加我qq %s", "扣扣：%s", "企鹅号%s", "q q：%s", "QQ号码：%s，晚上在", "小号qq是 %s", "qq:%s", "我的 Q 号 %s", "扣扣号是%s", "{\"qq\": %s}")
	case redact.VerificationCode:
		v := p.one(p.number(6), p.number(6), p.number(4), p.number(8), wide(p.number(6)), cut(p.number(6), " ", 3), cut(p.number(6), "-", 3))
		return p.in(v, "验证码%s", "验证码：%s", "您的验证码是 %s，5分钟内有效", "【某宝】%s是您的登录验证码，请勿泄露", "校验码 %s", "动态码：%s", "短信验证码为%s。", "验证码我收到了 %s", "Your verification code is %s", "G-code: %s is your verification code", "验证码是：%s", "取件码 %s", "%s（动态验证码）", "OTP: %s", "刚发来的验证码，%s", "动态密码：%s")
	case redact.Password:
		v := p.one(p.text(10, alnum)+"!", "abc"+p.number(5), p.number(8), "P@ss"+p.number(4), "Qwe"+p.number(3)+"#rty", p.text(6, lower)+"_"+p.number(2), p.number(6), "hunter"+p.number(1), "Li$"+p.text(5, alnum)+"9")
		return p.in(v, "密码：%s", "密码是%s", "密码%s", "wifi密码 %s", "我的密码: %s，别告诉别人", "password: %s", "password=%s", "口令是 %s", "登录密码为 %s", "pwd：%s", "账号 admin 密码 %s", "root / 密码 %s", "解压密码：%s", "开机密码是：%s。", "PASSWORD='%s'", "{\"password\": \"%s\"}", "the password is %s", "passwd %s", "密码改成%s了", "提取码：%s")
	case redact.URLCredentials:
		u := p.one("admin", "root", "deploy", "zhang.san", "user")
		v := u + ":" + p.one("P4ss"+p.number(3), p.text(12, alnum), "a%40"+p.number(4), "123456", "x!"+p.text(6, alnum))
		return p.in(v, "https://%s@git.example.com/a/b.git", "http://%s@192.168.1.2:8080/", "ftp://%s@files.example.org/x", "代理是 http://%s@proxy.example.net:3128 试试", "git clone https://%s@gitlab.example.cn/x.git", "socks5://%s@127.0.0.1:1080", "rtsp://%s@192.168.1.64/stream", "打开https://%s@example.com，就能看")
	case redact.DSN:
		u := p.one("root", "app", "admin", "u_1") + ":" + p.one(p.text(10, alnum), "p@ss"+p.number(3), "123456", "S3cret!"+p.number(2))
		v := p.one("mysql://"+u+"@10.0.0.5:3306/shop", "postgres://"+u+"@db.example.com:5432/app?sslmode=disable", "postgresql://"+u+"@127.0.0.1/x", "mongodb://"+u+"@m1.example.com:27017,m2.example.com:27017/db?replicaSet=r0", "mongodb+srv://"+u+"@c0.abcde.mongodb.net", "redis://:"+p.text(12, alnum)+"@localhost:6379/0", "amqp://"+u+"@mq:5672/vhost", u+"@tcp(127.0.0.1:3306)/bot?charset=utf8mb4", "clickhouse://"+u+"@ch:9000", "sqlserver://"+u+"@win:1433?database=x", "mysql+pymysql://"+u+"@db/x")
		return p.any(v)
	case redact.JWT:
		enc := base64.RawURLEncoding.EncodeToString
		v := enc([]byte(p.one(`{"alg":"HS256","typ":"JWT"}`, `{"alg":"RS256","kid":"`+p.hex(8)+`"}`, `{"typ":"JWT","alg":"ES256"}`))) + "." + enc([]byte(`{"sub":"`+p.number(8)+`","name":"`+p.name()+`","iat":`+p.digits(10)+`}`)) + "." + p.text(43, alnum+"-_")
		return p.any(v)
	case redact.PrivateKey:
		name := p.one("RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK")
		nl := p.one("\n", "\n", "\r\n", "\\n")
		v := "-----BEGIN " + name + "-----" + nl
		if name == "RSA PRIVATE KEY" {
			v += p.one("", "Proc-Type: 4,ENCRYPTED"+nl+"DEK-Info: AES-128-CBC,"+p.hex(32)+nl+nl)
		}
		for range p.from(2, 6) {
			v += p.text(64, alnum+"+/") + nl
		}
		v += p.text(20, alnum) + "==" + nl
		v += p.one("-----END "+name+"-----", "-----END "+name+"-----", "-----END "+name+"-----", "")
		v = strings.TrimRight(v, "\r\n")
		return p.in(v, "%s", "私钥在这\n%s\n别外传", "key: \"%s\"", "id_rsa:\n%s", "先存着 %s", "%s\n\n好了")
	case redact.APIKey:
		v := p.one("sk-"+p.text(48, alnum), "sk-proj-"+p.text(74, alnum+"_-")+"T3BlbkFJ"+p.text(74, alnum+"_-"), "sk-ant-api03-"+p.text(93, alnum+"_-")+"AA", "sk-"+p.hex(32), "AKIA"+p.text(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), "LTAI"+p.text(20, alnum), "AKID"+p.text(32, alnum), "ghp_"+p.text(36, alnum), "github_pat_"+p.text(22, alnum)+"_"+p.text(59, alnum), "glpat-"+p.text(20, alnum), "xoxb-"+p.number(12)+"-"+p.number(12)+"-"+p.text(24, alnum), "AIza"+p.text(35, alnum+"_-"), "hf_"+p.text(34, alnum), "npm_"+p.text(36, alnum), "sk_live_"+p.text(24, alnum), p.digits(10)+":AA"+p.text(33, alnum+"_-"), "sk-or-v1-"+p.hex(64), "gho_"+p.text(36, alnum))
		if p.IntN(8) == 0 {
			v = p.text(20, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
			return p.in(v, "华为云 AK：%s", "AK=%s", "Access Key Id: %s", "AK %s SK 单独发")
		}
		return p.any(v)
	case redact.Bearer:
		v := p.one(p.text(40, alnum), p.hex(32), p.text(64, alnum+"-._~"), p.text(30, alnum)+"==")
		basic := base64.StdEncoding.EncodeToString([]byte("admin:" + p.text(10, alnum)))
		if p.IntN(4) == 0 {
			return p.in(basic, "Authorization: Basic %s", "-H 'Authorization: Basic %s'")
		}
		return p.in(v, "Authorization: Bearer %s", "authorization:bearer %s", "curl -H \"Authorization: Bearer %s\" https://example.com", "Bearer %s", "请求头带 Bearer %s 就行", "\"Authorization\": \"Bearer %s\"", "Authorization: token %s", "Proxy-Authorization: Bearer %s")
	case redact.Cookie:
		v := p.one("SESSDATA="+p.hex(8)+"%2C"+p.digits(10)+"%2C"+p.hex(5)+"*b1", "session="+p.text(32, alnum)+"; csrftoken="+p.text(24, alnum), "JSESSIONID="+strings.ToUpper(p.hex(32)), "uin=o0"+p.digits(9)+"; skey=@"+p.text(9, alnum), "pt_key="+p.text(60, alnum+"_-")+";pt_pin=jd_"+p.hex(12)+";", "BDUSS="+p.text(60, alnum+"-~"), "PHPSESSID="+p.text(26, lower)+"; lang=zh", "sid="+p.text(30, alnum)+"; Path=/; HttpOnly")
		if strings.HasPrefix(v, "SESSDATA") || strings.HasPrefix(v, "JSESSIONID") || strings.HasPrefix(v, "pt_key") || strings.HasPrefix(v, "BDUSS") {
			return p.in(v, "%s", "cookie 里的 %s", "Cookie: %s", "填这个：%s", "登录态 %s")
		}
		return p.in(v, "Cookie: %s", "cookie：%s", "Set-Cookie: %s", "curl -H 'Cookie: %s'", "cookie: %s\nUser-Agent: x", "\"Cookie\": \"%s\"")
	case redact.Secret:
		v := p.one(p.text(32, alnum), p.hex(32), p.text(40, alnum), p.text(44, alnum+"+/")+"=", p.hex(64), f("%s-%s-4%s-a%s-%s", p.hex(8), p.hex(4), p.hex(3), p.hex(3), p.hex(12)), p.text(24, alnum+"-_"))
		return p.in(v, "api_key=%s", "APP_SECRET=%s", "\"access_token\": \"%s\"", "secret: %s", "client_secret = '%s'", "export OPENAI_API_KEY=%s", "https://oapi.dingtalk.com/robot/send?access_token=%s", "appKey：%s", "token=%s&x=1", "SK=%s", "signingKey: \"%s\",", "AWS_SECRET_ACCESS_KEY=%s", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=%s", "密钥：%s", "encoding_aes_key: %s", "x-api-key: %s", "refreshToken=%s;")
	}
	t.Fatalf("no items of kind %q", kind)
	return "", ""
}

// han converts digits to Chinese numerals.
func han(s string) string {
	return strings.Map(func(r rune) rune { return []rune("零一二三四五六七八九")[r-'0'] }, s)
}
